#include "src/experiments/decisions/nccl_rings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "schedules/registry.hpp"
#include "schedules/symmetry.hpp"

namespace tutti { inline namespace experiments {

namespace {

// Number of messages of a loop of the ring of all channels, among `ranks` ranks.
std::uint64_t messages_of_loop(const NcclCall& call, std::uint32_t channels, std::uint64_t ranks) {
  const std::uint64_t halves = call.collective == Collective::allreduce ? 2 : 1;
  return std::max(channels, 1U) * ranks * (ranks - 1) * halves;
}

bool has_equivalent_ranks(const NcclJob& job, const NcclCall& call, const Choice& schedule) {
  Problem problem = schedule.options.values();
  problem.collective = call.collective;
  problem.ranks = job.cluster.ranks;
  problem.ranks_per_node = job.gpus_per_node;
  problem.bytes = call.bytes;
  problem.element_bytes = problem.bytes % problem.element_bytes == 0 ? problem.element_bytes : 1;
  problem.segment_bytes = schedule.segment_bytes;
  const Algorithm* const algorithm = find_algorithm(call.collective, schedule.algorithm);
  return symmetry_of(*algorithm, problem).symmetry.has_value();
}

// Returns the call among `to` ranks, with pieces as long, and as uneven, as those of `call` among
// `from` ranks.
NcclCall among(const NcclCall& call, std::uint64_t from, std::uint64_t to) {
  const std::uint64_t element = call.bytes % 8 == 0 ? 8 : 1;
  const std::uint64_t elements = call.bytes / element;
  NcclCall other = call;
  other.bytes = (elements / from * to + (elements % from * to + from - 1) / from) * element;
  return other;
}

}  // namespace

bool goes_around(const NcclCall& call) {
  return call.algorithm == NcclAlgorithm::ring && call.collective != Collective::bcast &&
         call.collective != Collective::reduce;
}

NcclJob with_nodes(const NcclJob& job, std::uint32_t nodes) {
  NcclJob other = job;
  other.cluster.nodes = other.nodes.nodes = other.nodes.unit = nodes;
  other.cluster.ranks = job.cluster.ranks - (job.cluster.nodes - nodes) * job.gpus_per_node;
  return other;
}

std::optional<ShorterRings> shorter_rings(const NcclJob& job, const NcclCall& call,
                                          const Choice& schedule) {
  constexpr std::uint64_t kMostOfAllRanks = 1'000'000;
  constexpr std::uint32_t kLeastNodes = 3;
  const std::uint32_t channels = schedule.options.values().channels;
  if (!goes_around(call) ||
      messages_of_loop(call, channels, job.cluster.ranks) <= kMostOfAllRanks ||
      has_equivalent_ranks(job, call, schedule)) {
    return std::nullopt;
  }
  std::uint32_t most = job.cluster.nodes;
  while (most > kLeastNodes + 1 &&
         messages_of_loop(call, channels, with_nodes(job, most).cluster.ranks) >
             kMostOfAllRanks / 2) {
    most -= 2;
  }
  std::uint32_t least = std::max(most / 2, kLeastNodes);
  least += (most - least) % 2;
  if (least >= most ||
      messages_of_loop(call, channels, with_nodes(job, most).cluster.ranks) > kMostOfAllRanks) {
    return std::nullopt;
  }
  const auto call_of = [&](const NcclJob& on) {
    return among(call, job.cluster.ranks, on.cluster.ranks);
  };
  ShorterRings rings{with_nodes(job, least), call, with_nodes(job, most), call};
  rings.least_call = call_of(rings.least_job);
  rings.most_call = call_of(rings.most_job);
  return rings;
}

std::string too_many_messages(const NcclCall& call, const Algorithm& algorithm,
                              const Problem& problem) {
  constexpr std::uint64_t kMostOfAllRanks = 4'000'000;
  const std::uint64_t messages = messages_of_loop(call, problem.channels, problem.ranks);
  if (!goes_around(call) || messages <= kMostOfAllRanks) {
    return "";
  }
  const RankSymmetry ranks = symmetry_of(algorithm, problem);
  return ranks.symmetry ? ""
                        : fmt::format(
                              "at least {} messages are simulated, more than {}, because "
                              "one rank cannot represent others: {}",
                              messages, kMostOfAllRanks, ranks.lacking);
}

}}  // namespace tutti::experiments

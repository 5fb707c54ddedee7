#include "src/experiments/decisions/nccl_grouped.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "cost_models/nccl/constants.hpp"
#include "schedules/registry.hpp"
#include "src/experiments/decisions/nccl_rings.hpp"
#include "src/simulation/machine_bound.hpp"
#include "src/simulation/outcome.hpp"

namespace tutti { inline namespace experiments {

namespace {

// Returns the call on the ranks and nodes of `job`. A sendrecv has no messages yet.
Problem problem_of_grouped(const NcclAnswer& answer, const NcclJob& job) {
  Problem problem;
  problem.collective = answer.collective;
  problem.ranks = job.cluster.ranks;
  problem.bytes = answer.bytes;
  problem.element_bytes = problem.bytes % problem.element_bytes == 0 ? problem.element_bytes : 1;
  problem.ranks_per_node = job.gpus_per_node;
  problem.cards = job.nodes.cards;
  if (answer.collective == Collective::alltoallv) {
    problem.block_bytes.assign(std::size_t{problem.ranks} * problem.ranks, 0);
  }
  return problem;
}

// Adds the message of a sendrecv from `rank` to the next one.
void add_message(Problem& problem, std::size_t rank) {
  const std::size_t p = problem.ranks;
  problem.block_bytes[rank * p + (rank + 1) % p] = problem.bytes;
}

// Returns the protocol of the messages. Short messages within a node use LL. Over the network, NCCL
// has no buffers for LL in sends and receives, unless NCCL_ALLOC_P2P_NET_LL_BUFFERS is set. A call
// on several nodes takes as long as its messages over the network, whatever the others use.
// Source: NCCL 2.30.7, src/enqueue.cc, addP2pToPlan.
NcclProtocol protocol_of_messages(const NcclAnswer& answer) {
  constexpr std::uint64_t kMostOfLl = 16U << 10U;
  const bool to_one = answer.collective == Collective::alltoallv;
  const std::uint64_t message = answer.bytes / (to_one ? 1 : answer.job.cluster.ranks);
  return answer.job.cluster.nodes == 1 && message <= kMostOfLl ? NcclProtocol::ll
                                                               : NcclProtocol::simple;
}

// Returns the machine on which messages have the latencies of a step of a ring.
Machine machine_of_messages(const NcclAnswer& answer, const NcclJob& job, const Problem& problem,
                            const OpenedMachine* platform) {
  return nccl_machine(
      job, {Collective::allgather, answer.bytes, NcclAlgorithm::ring, protocol_of_messages(answer)},
      problem.element_bytes, platform);
}

// Returns the longest time of a message of a sendrecv that is alone on the machine. Takes two
// messages, one within a node and one between nodes, if there are several. The nodes of a machine
// without a platform file are alike, so that two of them suffice.
std::optional<double> time_of_message_alone(const NcclAnswer& answer,
                                            const OpenedMachine* platform) {
  const bool alike = platform == nullptr && !answer.job.nodes_described;
  const NcclJob job =
      alike ? with_nodes(answer.job, std::min(answer.job.cluster.nodes, 2U)) : answer.job;
  double longest_s = 0;
  for (const std::uint32_t rank : {0U, job.gpus_per_node - 1}) {
    Problem problem = problem_of_grouped(answer, job);
    add_message(problem, rank);
    const Machine machine = machine_of_messages(answer, job, problem, platform);
    const Outcome outcome = tutti::outcome_of([&]() -> Outcome {
      return Outcome(
          simulate(*find_algorithm(problem.collective, answer.grouped->schedule.algorithm), problem,
                   machine, Detail::times_only)
              .result);
    });
    if (outcome.result() == nullptr) {
      return std::nullopt;
    }
    longest_s = std::max(longest_s, outcome.result()->simulated_s);
  }
  return longest_s;
}

}  // namespace

std::string_view nccl_grouped_call(Collective collective) {
  if (collective == Collective::alltoallv) {
    return kNcclSendrecv;
  }
  return std::ranges::find(kNcclGroupedCollectives, collective) != kNcclGroupedCollectives.end()
             ? name(collective)
             : std::string_view();
}

NcclAnswer nccl_grouped_answer(const NcclJob& job, Collective collective, std::uint64_t bytes) {
  if (job.cluster.rccl != nullptr) {
    throw UserError(
        fmt::format("{} on {}: the latency of RCCL's grouped messages is not known; to simulate "
                    "them, use 'tutti simulate' on a platform of 'tutti platform gpu'",
                    nccl_grouped_call(collective), job.gpu));
  }
  NcclAnswer answer;
  answer.job = job;
  answer.collective = collective;
  answer.bytes = bytes;
  NcclGroupCall& grouped = answer.grouped.emplace();
  grouped.call = nccl_grouped_call(collective);
  TUTTI_INVARIANT(!grouped.call.empty());
  const bool rounds = collective == Collective::alltoall;
  grouped.schedule.algorithm = rounds ? "nccl" : "linear";
  if (rounds) {
    const Problem own = problem_of_grouped(answer, job);
    grouped.schedule.options.give(Option::ranks_per_node, own);
    if (job.cluster.nodes > 1) {
      grouped.schedule.options.give(Option::cards, own);
    }
  }
  return answer;
}

void simulate_grouped(NcclAnswer& answer, const OpenedMachine* platform) {
  NcclGroupCall& grouped = *answer.grouped;
  const NcclJob& job = answer.job;
  constexpr std::uint32_t kMostOfPairs = 8192;
  if (answer.collective == Collective::alltoallv && job.cluster.ranks > kMostOfPairs) {
    grouped.refusal =
        fmt::format("more than {} ranks, the limit for sizes of all pairs of ranks", kMostOfPairs);
    return;
  }
  Problem problem = problem_of_grouped(answer, job);
  const bool to_one = answer.collective == Collective::alltoallv;
  for (std::size_t rank = 0; to_one && rank < problem.ranks; ++rank) {
    add_message(problem, rank);
  }
  const Machine machine = machine_of_messages(answer, job, problem, platform);
  const Outcome outcome = tutti::outcome_of([&]() -> Outcome {
    return Outcome(simulate(*find_algorithm(problem.collective, grouped.schedule.algorithm),
                            problem, machine, Detail::times_only)
                       .result);
  });
  if (const RunResult* const result = outcome.result()) {
    const double before_s = job.cluster.release->constants->base_latency_us(
                                NcclAlgorithm::ring, protocol_of_messages(answer)) /
                            1e6;
    grouped.simulated_s = before_s + result->simulated_s;
    // Enough for 32,768 GPUs on nodes of 8, where the simulation takes longer than the bound.
    constexpr std::uint64_t kMostRoutes = std::uint64_t{1} << 18U;
    grouped.bound_s =
        to_one ? time_of_message_alone(answer, platform) : Limits(machine, kMostRoutes).of(problem);
    if (grouped.bound_s) {
      *grouped.bound_s += before_s;
    }
  } else {
    grouped.refusal = outcome.why_not();
  }
}

}}  // namespace tutti::experiments

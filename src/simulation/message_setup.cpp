#include "src/simulation/message_setup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "platforms/cluster_platform.hpp"
#include "schedules/assemble.hpp"
#include "schedules/registry.hpp"
#include "src/simulation/message_changes.hpp"

namespace tutti { inline namespace simulation {

namespace {

// A rank accesses two vectors: its own vector, and another vector with which its own is combined or
// to which its own is copied.
constexpr double kVectorsTouched = 2;

// Returns the lowest latency between two consecutive hosts among the first hosts of the platform.
// Some of these hosts share a switch. A change of all hosts' links changes it, as it changes
// MessageModel::latency_s, which replaces it.
double nearest_latency_s(const Machine& machine) {
  const ClusterPlatform platform = *known_cluster(machine);
  constexpr std::uint32_t kLookedAt = 64;
  double nearest_s = std::numeric_limits<double>::infinity();
  for (std::uint32_t host = 1; host < std::min(platform.host_count(), kLookedAt); ++host) {
    nearest_s = std::min(nearest_s, platform.route(host - 1, host).latency_s);
  }
  const double factor = class_factors(machine.spec.changes, kHostLinks).latency;
  return std::isfinite(nearest_s) ? nearest_s * factor : 0;
}

// True if a message of the schedule is not eager. The sender of such a message first asks whether
// the receiver is ready.
bool asks_first(const Schedule& schedule, std::int64_t eager_bytes) {
  return std::any_of(schedule.ops().begin(), schedule.ops().end(), [eager_bytes](const Op& op) {
    return op.is_comm() && static_cast<std::int64_t>(op.bytes()) > eager_bytes;
  });
}

// Returns the number of ranks of a host that receive messages from other hosts, where the host has
// `per_host` ranks. In a ring, these are the ranks whose predecessor is on another host (the
// largest number on any host).
double registering_ranks(const std::vector<std::uint32_t>& host_of_rank, double per_host,
                         bool in_ring) {
  const std::size_t ranks = host_of_rank.size();
  std::unordered_map<std::uint32_t, double> of_host;
  double most = 0;
  for (std::size_t i = 0; i < ranks; ++i) {
    const std::uint32_t host = host_of_rank[i];
    if (host != host_of_rank[(i + ranks - 1) % ranks]) {
      most = std::max(most, ++of_host[host]);
    }
  }
  return in_ring || most == 0 ? most : per_host;
}

// Returns the times of the library's work before a schedule whose vectors have `bytes` bytes;
// nothing without a message model.
LibraryWork::Times library_times(const Machine& machine, std::uint64_t bytes) {
  if (!machine.files.messages) {
    return {};
  }
  const auto size = static_cast<double>(bytes);
  const std::vector<std::uint32_t> hosts = hosts_of_ranks(machine.mapping);
  const double per_host = ranks_per_host(hosts);
  const MessageModel model = message_model(machine);
  return machine.library_work.times(
      model, local_prices(model, kVectorsTouched * size, per_host), size,
      registering_ranks(hosts, per_host, machine.library_work.in_ring),
      std::ranges::adjacent_find(hosts) != hosts.end());
}

}  // namespace

double ranks_per_host(const std::vector<std::uint32_t>& host_of_rank) {
  std::vector<std::uint32_t> hosts = host_of_rank;
  std::sort(hosts.begin(), hosts.end());
  const auto used = std::unique(hosts.begin(), hosts.end()) - hosts.begin();
  return static_cast<double>(hosts.size()) / static_cast<double>(used);
}

MachineFacts message_facts(const Machine& machine, PlatformFacts facts) {
  const MessageModel model = message_model(machine);
  const LocalPrices local = local_prices(model, 0, 1);
  const Prices prices{
      .alpha_s =
          model.send_overhead_s + model.latency_s +
          model.wire_latency_factor * std::max(0.0, facts.latency_s - nearest_latency_s(machine)) +
          model.receive_overhead_s,
      .beta_s_per_byte = 1 / std::min({model.rank_bytes_per_s, model.host_bytes_per_s,
                                       facts.bandwidth_bytes_per_s}),
      .gamma_s_per_byte = machine.spec.prices.gamma_s_per_byte.value_or(local.reduce_s_per_byte),
      .copy_s_per_byte = local.copy_s_per_byte};
  note_slow_ranks(machine, facts);
  return {std::move(facts), prices};
}

double run_starts_s(const Machine& machine, std::uint64_t bytes) {
  return machine.setup.curves ? machine.setup.curves->start_s
                              : library_times(machine, bytes).sum_s();
}

std::vector<PartTime> library_parts(const Machine& machine, std::uint64_t bytes) {
  const LibraryWork::Times times = library_times(machine, bytes);
  return {{MessagePart::library_copies, times.copies_s},
          {MessagePart::new_pages, times.new_pages_s},
          {MessagePart::registration, times.registration_s},
          {MessagePart::mapping, times.mapping_s}};
}

LocalParts local_parts(const Machine& machine, std::uint64_t bytes, double per_host) {
  const MessageModel model = message_model(machine);
  const double touched_bytes = kVectorsTouched * static_cast<double>(bytes);
  if (touched_bytes * per_host <= model.cache_bytes) {
    return {MessagePart::reduction, MessagePart::copy};
  }
  const LocalPrices prices = local_prices(model, touched_bytes, per_host);
  return {prices.reduce_s_per_byte > model.reduce_memory_s_per_byte
              ? MessagePart::shared_memory_reduction
              : MessagePart::memory_reduction,
          prices.copy_s_per_byte > model.copy_memory_s_per_byte ? MessagePart::shared_memory_copy
                                                                : MessagePart::memory_copy};
}

std::shared_ptr<MessageNetwork> message_network(const Machine& machine,
                                                std::shared_ptr<Network> network,
                                                const std::vector<std::uint32_t>& host_of_rank) {
  MessageModel model = message_model(machine);
  if (machine.library_work.all_at_once) {
    model.long_bytes = std::numeric_limits<double>::infinity();
  }
  return std::make_shared<MessageNetwork>(std::move(network), host_of_rank, model,
                                          nearest_latency_s(machine));
}

namespace {

LocalPrices prices_of_work(const Machine& machine, std::uint64_t bytes,
                           const std::vector<std::uint32_t>& host_of_rank) {
  return local_prices(message_model(machine), kVectorsTouched * static_cast<double>(bytes),
                      ranks_per_host(host_of_rank));
}

}  // namespace

double flops_per_byte(const Machine& machine, std::uint64_t bytes,
                      const std::vector<std::uint32_t>& host_of_rank) {
  // The calculations of an application have a price of their own.
  return machine.spec.prices.gamma_s_per_byte.value_or(
             prices_of_work(machine, bytes, host_of_rank).reduce_s_per_byte) *
         known_cluster(machine)->host(host_of_rank[0]).speed_flops_per_s;
}

void send_messages(const Schedule& schedule, const Machine& machine,
                   std::shared_ptr<Network>& network, FlowSetup& setup, RunSetup& run_setup) {
  const std::uint64_t bytes = schedule.problem().bytes;
  setup.flops_per_byte = flops_per_byte(machine, bytes, setup.host_of_rank);
  setup.copy_s_per_byte = prices_of_work(machine, bytes, setup.host_of_rank).copy_s_per_byte;
  run_setup.ties.runs = 0;  // no two messages take exactly equal times
  run_setup.start_s = library_times(machine, bytes).sum_s();
  const std::uint32_t under_way = machine.library_work.under_way;
  if (under_way > 0 && asks_first(schedule, run_setup.eager_bytes)) {
    run_setup.ports = std::min(run_setup.ports, under_way);
  }
  // A rank with one message under way at a time waits only for rendezvous messages: an eager
  // message is done for its sender as soon as it starts, so it takes no port.
  run_setup.eager_takes_ports = under_way != 1;
  network = message_network(machine, network, setup.host_of_rank);
}

void MessagesInRun::add(const MessageModel& model, std::uint64_t bytes) {
  const sim::Protocol protocol = protocol_of(model, bytes);
  any = true;
  with_bytes |= bytes > 0;
  eager |= bytes > 0 && static_cast<double>(bytes) <= model.eager_bytes;
  buffered |= protocol == sim::Protocol::buffered;
  with_handshake |= protocol >= sim::Protocol::medium;
  medium |= protocol == sim::Protocol::medium;
  both_ways |= protocol == sim::Protocol::both_ways;
}

ParametersInUse::ParametersInUse(const Schedule& schedule, const Machine& machine)
    : bytes_(schedule.problem().bytes),
      host_of_rank_(hosts_of_ranks(machine.mapping)),
      scanned_(message_model(machine)) {
  for (const Op& op : schedule.ops()) {
    if (op.is_comm()) {
      const bool within = host_of_rank_[op.src()] == host_of_rank_[op.dst()];
      (within ? within_hosts_ : between_hosts_).add(scanned_, op.bytes());
    } else {
      (op.kind() == OpKind::reduce ? reduces_ : copies_) = true;
    }
  }
  if (machine.spec.after_barrier) {  // which may have an empty message between any two ranks
    if (ranks_per_host(host_of_rank_) > 1) {
      within_hosts_.add(scanned_, 0);
    }
    if (std::ranges::adjacent_find(host_of_rank_, std::not_equal_to()) != host_of_rank_.end()) {
      between_hosts_.add(scanned_, 0);
    }
  }
}

ModelInRun ParametersInUse::model_of(const Machine& machine) const {
  using Model = MessageModel;
  ModelInRun found{message_model(machine), library_times(machine, bytes_).sum_s()};
  Model& model = found.model;
  for (double Model::*const limit :
       {&Model::inline_bytes, &Model::eager_bytes, &Model::bulk_bytes, &Model::long_bytes}) {
    if (model.*limit != scanned_.*limit) {
      return found;
    }
  }
  static constexpr Model kDefault;
  const auto use = [&model](bool used, std::initializer_list<double Model::*> parameters) {
    for (double Model::*const parameter : parameters) {
      model.*parameter = used ? model.*parameter : kDefault.*parameter;
    }
  };
  const MessagesInRun& within = within_hosts_;
  const MessagesInRun& between = between_hosts_;
  use(within.any, {&Model::node_overhead_s, &Model::node_latency_s});
  use(within.with_bytes, {&Model::node_rank_bytes_per_s, &Model::node_bytes_per_s});
  use(within.with_handshake, {&Model::node_handshake_s});
  use(between.any,
      {&Model::latency_s, &Model::wire_latency_factor, &Model::host_gap_s, &Model::peer_switch_s});
  use(between.with_bytes, {&Model::rank_bytes_per_s, &Model::host_bytes_per_s});
  use(between.buffered, {&Model::buffered_s});
  use(between.with_handshake, {&Model::handshake_s});
  use(between.medium, {&Model::medium_bytes_per_s});
  use(between.both_ways, {&Model::long_bytes_per_s});
  use(within.eager || between.eager, {&Model::eager_s_per_byte});
  // Local work depends on its prices only, and the library's work is in start_s.
  const LocalPrices prices = prices_of_work(machine, bytes_, host_of_rank_);
  use(false,
      {&Model::reduce_memory_s_per_byte, &Model::copy_memory_s_per_byte, &Model::memory_bytes_per_s,
       &Model::cache_bytes, &Model::fresh_bytes, &Model::heap_bytes, &Model::fresh_s_per_byte,
       &Model::register_s, &Model::register_s_per_byte, &Model::node_map_s_per_byte});
  model.reduce_s_per_byte = reduces_ ? prices.reduce_s_per_byte : 0;
  model.copy_s_per_byte = copies_ ? prices.copy_s_per_byte : 0;
  return found;
}

std::string_view barrier_before_call(const Machine& machine) {
  const std::string& forced =
      machine.spec.barrier.empty() ? machine.files.barrier : machine.spec.barrier;
  if (!forced.empty() && forced != kOwnBarrier) {
    return forced;
  }
  return barrier_of(machine.files.library, machine.mapping.ranks);
}

std::string barrier_named(const std::string& name) {
  constexpr std::string_view kPrefix = "barrier/";
  std::string given = name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name;
  if (given == kOwnBarrier) {
    return given;
  }
  std::vector<std::string> names{std::string(kOwnBarrier)};
  for (const Algorithm* algorithm : algorithms()) {
    if (algorithm->collective == Collective::barrier && !algorithm->in_network() &&
        !takes(*algorithm, Option::groups)) {
      names.emplace_back(algorithm->name);
    }
  }
  if (std::ranges::find(names, given) == names.end()) {
    throw UserError(accepted_words(name, names));
  }
  return std::string(kPrefix) + given;
}

Schedule barrier_schedule(std::string_view barrier, std::uint32_t ranks) {
  Problem problem;
  problem.collective = Collective::barrier;
  problem.ranks = ranks;
  return make_schedule(algorithm_named(barrier), problem, Detail::times_only);
}

std::vector<double> call_ends_s(const Schedule& schedule, const Timeline& timeline,
                                std::int64_t eager_bytes) {
  std::vector<double> ends(schedule.places());
  for (OpId id = 0; id < schedule.size(); ++id) {
    const Op& op = schedule.op(id);
    ends[op.dst()] = std::max(ends[op.dst()], timeline.end_s[id]);
    if (op.is_comm()) {
      const bool eager = static_cast<std::int64_t>(op.bytes()) <= eager_bytes;
      ends[op.src()] = std::max(ends[op.src()], eager ? timeline.start_s[id] : timeline.end_s[id]);
    }
  }
  return ends;
}

std::vector<double> barrier_exits_s(std::string_view barrier, std::uint32_t ranks,
                                    std::int64_t eager_bytes,
                                    const std::function<Timeline(const Schedule&)>& run) {
  const Schedule schedule = barrier_schedule(barrier, ranks);
  std::vector<double> exits = call_ends_s(schedule, run(schedule), eager_bytes);
  const double first_s = exits.empty() ? 0 : *std::min_element(exits.begin(), exits.end());
  for (double& exit_s : exits) {
    exit_s -= first_s;
  }
  return exits;
}

double slowest_call_s(const Schedule& schedule, const Timeline& timeline, std::int64_t eager_bytes,
                      const std::vector<double>& begins_s) {
  const std::vector<double> ends = call_ends_s(schedule, timeline, eager_bytes);
  double slowest_s = 0;
  for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
    slowest_s = std::max(slowest_s, ends[rank] - begins_s[rank]);
  }
  return slowest_s;
}

}}  // namespace tutti::simulation

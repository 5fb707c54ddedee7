// Reasons why a simulated time is far from that of NCCL's model.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/human.hpp"
#include "base/time_column.hpp"
#include "src/experiments/decisions/nccl_simulation.hpp"

namespace tutti { inline namespace experiments {

namespace {

using enum NcclAlgorithm;

// True if the data go along a chain of all GPUs.
bool is_chain(const NcclCall& call) {
  return call.algorithm == ring &&
         (call.collective == Collective::bcast || call.collective == Collective::reduce);
}

// Returns what the difference between the two start-up times comes from.
std::string why_start_differs(const NcclJob& job, const NcclCall& call, bool model_is_longer) {
  const bool several = job.cluster.nodes > 1;
  if (is_chain(call)) {
    if (model_is_longer && several && job.gpus_per_node > 1) {
      return fmt::format(
          "the model counts a step over the network for each of the {} GPUs, though only one in {} "
          "receives from another node",
          job.cluster.ranks, job.gpus_per_node);
    }
    if (!model_is_longer && !several) {
      return fmt::format(
          "the model counts one step, though the data go from GPU to GPU in {} steps",
          job.cluster.ranks - 1);
    }
  }
  if (call.algorithm == ring && call.collective == Collective::allreduce &&
      call.protocol == NcclProtocol::simple && several && model_is_longer) {
    return "the model multiplies the latency of rings over several nodes by a measured factor";
  }
  if (!model_is_longer && several && (call.algorithm == tree || call.algorithm == nvls_tree) &&
      !std::has_single_bit(job.cluster.nodes)) {
    return fmt::format(
        "the model counts {} levels of the tree over {} nodes, rounded down; the tree has {}",
        std::bit_width(job.cluster.nodes) - 1, job.cluster.nodes,
        std::bit_width(job.cluster.nodes));
  }
  if (call.algorithm == pat && model_is_longer) {
    return "the model adds 2.8 us for each GPU to the time of the steps";
  }
  if (call.algorithm == nvls && call.collective != Collective::allreduce && model_is_longer) {
    return fmt::format(
        "the model counts a load and a store through the switch, of which {} needs only one",
        name(call.collective));
  }
  return model_is_longer
             ? "the model counts steps one after the other that overlap in the schedule"
             : "data that change cards cross a node first, and GPUs that wait delay each other, "
               "which the model does not count";
}

// Returns what the difference between the two times for the data comes from.
std::string why_rate_differs(const NcclCall& call, const Choice& schedule, std::uint32_t channels,
                             bool model_is_longer, bool on_other_links) {
  if (!model_is_longer && on_other_links) {
    return "the links of the platform are not those of NCCL's model";
  }
  const bool all_send_all_the_time = call.algorithm == ring && !is_chain(call);
  if (!model_is_longer && schedule.segment_bytes > 0 && !all_send_all_the_time) {
    const std::uint64_t all =
        schedule.segment_bytes * std::max(schedule.options.values().channels, 1U);
    return fmt::format(
        "a GPU forwards a chunk only when it has the whole chunk, {} in each of {}, and the model "
        "does not count this wait",
        human_bytes(all / channels), counted(channels, "channel"));
  }
  if (!model_is_longer) {
    return "links that several channels use at a time limit the schedule";
  }
  if (call.algorithm == ring) {
    return "while a channel waits for a message, other channels use the links, but the model adds "
           "up the waits and the time for all data";
  }
  return "the model reduces the bandwidth by factors that NVIDIA measured";
}

}  // namespace

std::string nccl_why_apart(const NcclJob& job, const NcclModel& model, const NcclCall& call,
                           double simulated_s, const OpenedMachine* platform) {
  const double model_s =
      double{*model.time_us(call.collective, call.algorithm, call.protocol, call.bytes)} / 1e6;
  if (simulated_s < kNcclFarApart * model_s && model_s < kNcclFarApart * simulated_s) {
    return "";
  }
  NcclCall tiny = call;
  tiny.bytes = std::min<std::uint64_t>(call.bytes, std::uint64_t{8} * job.cluster.ranks);
  const NcclSchedule schedule = nccl_schedule(job, model, tiny);
  const double start_s =
      nccl_simulated(job, tiny, schedule.choice, platform).s.value_or(simulated_s);
  const double model_start_s =
      double{model.cost(call.collective, call.algorithm, call.protocol).latency_us} / 1e6;
  const double more_start_s = model_start_s - start_s;
  const double more_rate_s = (model_s - model_start_s) - (simulated_s - start_s);
  const bool of_start = std::abs(more_start_s) > std::abs(more_rate_s);
  const Choice used = nccl_schedule(job, model, call).choice;
  const auto channels =
      static_cast<std::uint32_t>(model.channels_for(call.algorithm, call.protocol, call.bytes));
  return fmt::format(
      "{}: {} start-up and {} for the data in NCCL's model, {} and {} simulated, because {}",
      of_start ? "mostly the start-up" : "mostly the data", brief_time(model_start_s),
      brief_time(model_s - model_start_s), brief_time(start_s), brief_time(simulated_s - start_s),
      of_start ? why_start_differs(job, call, more_start_s > 0)
               : why_rate_differs(call, used, channels, more_rate_s > 0,
                                  platform != nullptr && !job.nodes_described));
}

}}  // namespace tutti::experiments

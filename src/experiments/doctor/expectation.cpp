#include "src/experiments/doctor/expectation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/human.hpp"
#include "cost_models/nccl/release.hpp"
#include "src/experiments/decisions/nccl_answer.hpp"
#include "src/experiments/decisions/nccl_grouped.hpp"
#include "src/experiments/doctor/measured_job.hpp"

namespace tutti { inline namespace experiments {

namespace {

// Returns about how many messages the schedule of a way has.
double messages_of(const NcclAnswer& answer, const NcclWay& way) {
  const double piece = std::max<double>(static_cast<double>(way.schedule.choice.segment_bytes), 1);
  const double p = answer.job.cluster.ranks;
  return 2 * p * std::max(static_cast<double>(answer.bytes) / piece, p);
}

// Number of messages that are simulated for one curve, which takes about a second.
constexpr double kMostMessages = 100'000;

struct WayOfRow {
  std::size_t row = 0;
  NcclAnswer answer;
  NcclWay* way = nullptr;
  double messages = 0;
};

// Simulates the ways with the fewest messages, as long as all together have few enough.
void simulate_ways(std::vector<WayOfRow>& ways, const OpenedMachine* platform) {
  std::vector<WayOfRow*> order;
  for (WayOfRow& each : ways) {
    if (!each.way->schedule.choice.algorithm.empty()) {
      order.push_back(&each);
    }
  }
  std::ranges::stable_sort(order, {}, &WayOfRow::messages);
  double all = 0;
  for (WayOfRow* const each : order) {
    all += each->messages;
    if (all > kMostMessages) {
      break;
    }
    simulate_nccl_way(each->answer, platform, *each->way);
  }
}

// Returns the time of rings in seconds if the way is a tree on two nodes, and rings are allowed.
// NCCL's model prefers the tree, but does not reach its rate on every machine: trees need more
// threads to keep many cards busy (an author of NCCL in issue 196 of NVIDIA/nccl-tests).
std::optional<double> rings_instead_s(const LogFacts& log, const WayOfRow& of) {
  const bool tree =
      of.way->algorithm == NcclAlgorithm::tree || of.way->algorithm == NcclAlgorithm::nvls_tree;
  if (of.answer.job.cluster.nodes != 2 || !tree) {
    return std::nullopt;
  }
  std::optional<double> least_s;
  for (const NcclWay& way : of.answer.ways) {
    if (way.time_us && way.algorithm == NcclAlgorithm::ring && is_allowed(log, way)) {
      const double time_s = double{*way.time_us} / 1e6;
      least_s = std::min(least_s.value_or(time_s), time_s);
    }
  }
  return least_s;
}

ExpectedRow expected_of(const LogFacts& log, const WayOfRow& of) {
  ExpectedRow row;
  row.model_s = double{*of.way->time_us} / 1e6;
  row.simulated_s = of.way->simulated_s;
  row.low_s = std::min(*row.model_s, row.simulated_s.value_or(*row.model_s));
  row.high_s = std::max(*row.model_s, row.simulated_s.value_or(*row.model_s));
  if (const auto& range = of.way->range) {  // of measured parameters, in place of a simulation
    row.low_s = range->range.low_s;
    row.high_s = range->range.high_s;
  }
  row.high_s = std::max(row.high_s, rings_instead_s(log, of).value_or(0));
  row.startup_s = double{of.way->cost.latency_us} / 1e6;
  row.choice = fmt::format("{} with {}", name(of.way->algorithm), name(of.way->protocol));
  return row;
}

// Returns a release with other figures for the same GPUs. The cost model changed the rates of GPUs
// in 2.28, for instance from 1,050 to 916 GB/s for an allreduce on 72 GB200, which reach 835 GB/s
// with 2.26.2 (coreweave/nccl-tests, README.md), and from 932 to 719 GB/s on 8 B200, which reach
// 838 GB/s with 2.27.7 (stas00/ml-engineering, network/benchmarks). Null for RCCL.
const NcclRelease* release_with_other_figures(const NcclJob& job) {
  constexpr int kNewFigures = 28;
  return job.cluster.rccl != nullptr                ? nullptr
         : job.cluster.release->minor < kNewFigures ? &nccl_default_release()
                                                    : &nccl_release_named("NCCL", "2.27");
}

// Widens the ranges of `ways` by the times of the same algorithms and protocols in `other`.
void widen(const MeasuredCurve& curve, const NcclJob& other, const std::vector<WayOfRow>& ways,
           Expectation& expected) {
  constexpr double kWorthSaying = 1.02;
  for (const WayOfRow& each : ways) {
    const NcclAnswer answer = nccl_answer(other, curve.collective, curve.rows[each.row].bytes);
    const auto same = std::ranges::find_if(answer.ways, [&](const NcclWay& way) {
      return way.algorithm == each.way->algorithm && way.protocol == each.way->protocol;
    });
    if (same == answer.ways.end() || !same->time_us) {
      continue;
    }
    ExpectedRow& row = *expected.rows[each.row];
    const double time_s = double{*same->time_us} / 1e6;
    if (kWorthSaying * time_s >= row.low_s && time_s <= kWorthSaying * row.high_s) {
      continue;
    }
    expected.also_by = other.cluster.release->title();
    row.also_model_s = time_s;
    row.low_s = std::min(row.low_s, time_s);
    row.high_s = std::max(row.high_s, time_s);
  }
}

// Probability of the ranges of expected times that measured parameters predict.
constexpr double kExpectedLevel = 0.9;

// Fills in the rows of a call that NCCL's model covers.
void expect_modelled(const MeasuredCurve& curve, const NcclOptions& options, const NcclJob& job,
                     const OpenedMachine* platform, Expectation& expected) {
  std::vector<WayOfRow> ways(curve.rows.size());
  for (std::size_t i = 0; i < ways.size(); ++i) {
    ways[i].row = i;
    ways[i].answer = nccl_answer(job, curve.collective, curve.rows[i].bytes);
    if (job.fabric != nullptr && job.fabric->fit && job.fabric->fit->uncertainty) {
      add_ranges(ways[i].answer, kExpectedLevel);
    }
    ways[i].way = chosen_way(curve.log, ways[i].answer);
    if (ways[i].way == nullptr) {
      expected.why_not =
          fmt::format("NCCL's model has no time under NCCL_ALGO '{}' and NCCL_PROTO '{}'",
                      curve.log.variable("NCCL_ALGO"), curve.log.variable("NCCL_PROTO"));
      return;
    }
    ways[i].messages = messages_of(ways[i].answer, *ways[i].way);
  }
  simulate_ways(ways, platform);
  for (const WayOfRow& each : ways) {
    expected.rows[each.row] = expected_of(curve.log, each);
  }
  if (std::ranges::any_of(ways, [](const WayOfRow& each) { return each.way->is_measured; })) {
    expected.by += " with measured figures";
  }
  if (const NcclRelease* const release = release_with_other_figures(job)) {
    NcclOptions other = options;
    other.release = release;
    widen(curve, other.job(curve.ranks), ways, expected);
  }
  const WayOfRow& last = ways.back();
  if (last.way->algorithm != NcclAlgorithm::nvls) {
    return;
  }
  for (const NcclWay& way : last.answer.ways) {
    if (way.time_us && way.algorithm != NcclAlgorithm::nvls &&
        way.algorithm != NcclAlgorithm::nvls_tree) {
      const double time_s = double{*way.time_us} / 1e6;
      expected.without_nvls_s = std::min(expected.without_nvls_s.value_or(time_s), time_s);
    }
  }
}

// Fills in the rows of a call that NCCL runs as grouped sends and receives.
void expect_grouped(const MeasuredCurve& curve, const NcclJob& job, const OpenedMachine* platform,
                    Expectation& expected) {
  // A call has a message for each pair of ranks.
  const double messages = static_cast<double>(curve.ranks) * curve.ranks;
  const auto most = static_cast<std::size_t>(std::max(kMostMessages / messages, 1.0));
  std::optional<double> startup_s;
  std::optional<double> per_byte_s;
  for (std::size_t i = 0; i < curve.rows.size(); ++i) {
    const auto bytes = static_cast<double>(curve.rows[i].bytes);
    ExpectedRow row;
    // Beyond the first sizes that are simulated, only the largest one is.
    if (i + 2 < most || i + 1 == curve.rows.size() || !per_byte_s) {
      NcclAnswer answer = nccl_grouped_answer(job, curve.collective, curve.rows[i].bytes);
      simulate_grouped(answer, platform);
      if (!answer.grouped->simulated_s) {
        expected.why_not = answer.grouped->refusal;
        return;
      }
      row.simulated_s = answer.grouped->simulated_s;
      startup_s = startup_s.value_or(*row.simulated_s);
      per_byte_s = std::max(*row.simulated_s - *startup_s, 0.0) / bytes;
    }
    row.low_s = row.high_s = row.simulated_s.value_or(*startup_s + *per_byte_s * bytes);
    row.startup_s = *startup_s;
    row.choice = "grouped sends and receives";
    expected.rows[i] = row;
  }
}

// Adds the limits of the hardware.
void add_limits(const MeasuredCurve& curve, Expectation& expected) {
  for (std::size_t i = 0; i < curve.rows.size(); ++i) {
    if (expected.rows[i]) {
      expected.rows[i]->limit_s = hardware_limit_s(*expected.rates, curve, curve.rows[i].bytes);
    }
  }
}

// Returns why the cost model is known to be wrong for the machine; "" if it is not.
std::string why_no_model(const NcclJob& job) {
  // On 20 racks of 72 GB200, an allreduce of 16 GiB was measured at 406 GB/s
  // (coreweave/nccl-tests, README.md); the model expects 913 GB/s.
  constexpr std::uint32_t kMostRacks = 2;
  return job.gpus_per_node > kMostGpusOfHost && job.cluster.nodes > kMostRacks
             ? fmt::format(
                   "NCCL's model is up to twice too fast on more than {} racks of {}, so no "
                   "times are expected on {}",
                   kMostRacks, job.gpu, job.machine)
             : "";
}

// Says that no measurement confirms the figures of the GPU; "" if some do.
std::string unconfirmed(std::string_view gpu) {
  return gpu == "mi250x" ? "the figures of mi250x, which no measurement has confirmed, are wrong"
                         : "";
}

Expectation judged_by_nccl(const MeasuredCurve& curve, const ExpectationOptions& options,
                           Expectation expected) {
  NcclOptions nccl = options.nccl.on_platform(options.platform_file);
  if (!nccl.hosts_are_gpus() && !nccl.graph) {
    const std::string gpu = nccl.gpu ? *nccl.gpu : gpu_of_device(curve.device);
    if (gpu.empty()) {
      expected.why_not =
          curve.device.empty()
              ? "the output does not name the GPU; give $gpu, such as $gpu=h100"
              : fmt::format(
                    "no expected times are known for '{}'; give $gpu of one with the same links, "
                    "and $nvlink, $nics and $nic_bw where its nodes differ",
                    curve.device);
      return expected;
    }
    if (has_only_rings(curve, gpu)) {
      expect_rings(curve, gpu, nccl, expected);
      expected.unsure = unconfirmed(gpu);
      return expected;
    }
    nccl.gpu = gpu;
  }
  take_nodes(curve, nccl, expected.assumed);
  if (!options.release_given) {
    take_release(curve, nccl, expected.assumed);
  }
  const NcclJob job = nccl.job(curve.ranks);
  expected.why_not = why_no_model(job);
  if (!expected.why_not.empty()) {
    return expected;
  }
  if (!nccl.nics && !nccl.hosts_are_gpus() && !nccl.graph && job.cluster.nodes > 1) {
    expected.assumed.push_back(fmt::format("{} of {:g} Gb/s on each node",
                                           counted(job.nodes.cards, "card"),
                                           8 * job.nodes.card_bytes_per_s / kGigabyte));
    expected.unsure =
        "the nodes have fewer or slower cards than assumed ($nics and $nic_bw describe them)";
  }
  if (std::string why = unconfirmed(job.gpu); !why.empty()) {
    expected.unsure = std::move(why);
  }
  expected.machine = job.machine;
  expected.by = job.cluster.release->title();
  if (const std::vector<std::string> differences = differences_of_figures(job);
      !differences.empty()) {
    expected.unsure = fmt::format("{}", fmt::join(differences, "; "));
    expected.assumed.push_back("that the figures hold here, although " + expected.unsure);
  }
  expected.rates = rates_of(job);
  if (nccl_grouped_call(curve.collective).empty()) {
    expect_modelled(curve, nccl, job, options.platform, expected);
  } else {
    expect_grouped(curve, job, options.platform, expected);
  }
  return expected;
}

}  // namespace

std::string in_words(const ExpectedRow& row) {
  constexpr double kSame = 1.005;
  return row.high_s < kSame * row.low_s
             ? human_time(row.low_s)
             : fmt::format("{} to {}", human_time(row.low_s), human_time(row.high_s));
}

Expectation nccl_expectation(const MeasuredCurve& curve, const ExpectationOptions& options) {
  Expectation expected;
  expected.rows.resize(curve.rows.size());
  if (curve.ranks < 2) {
    return expected;
  }
  try {
    expected = judged_by_nccl(curve, options, std::move(expected));
  } catch (const UserError& error) {
    if (!options.nccl.given().empty()) {
      throw;
    }
    expected.why_not = error.what();
  }
  if (!expected.why_not.empty()) {
    expected.rows.assign(curve.rows.size(), std::nullopt);
  } else if (expected.rates) {
    add_limits(curve, expected);
  }
  return expected;
}

}}  // namespace tutti::experiments

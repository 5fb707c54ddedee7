#include "tests/sim/judge/simgrid_judged.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <unistd.h>

#include "platforms/simgrid/simgrid_network.hpp"
#include "sim/flow/flow_engine.hpp"
#include "sim/isolated_process.hpp"
#include "sim/simgrid/inside/simgrid_engine.hpp"
#include "tests/sim/judge/from_simgrid.hpp"

namespace tutti {

namespace {

constexpr unsigned kSimGridSeconds = 120;
constexpr Nudge kNudge{.seed = 1, .parts = 1e-12};

Timeline simgrid_timeline(const Schedule& schedule, const RandomCase& made,
                          const RankHosts& hosts) {
  const std::size_t bytes_each = sizeof(double) * schedule.size();
  const ChildResult child = run_in_child([&](ParentLink&) {
    alarm(kSimGridSeconds);
    const Timeline timeline =
        SimGridEngine(hosts, made.copy_s_per_byte, Updates::pointed_out).run(schedule, made.setup);
    std::string bytes(reinterpret_cast<const char*>(timeline.start_s.data()), bytes_each);
    return bytes.append(reinterpret_cast<const char*>(timeline.end_s.data()), bytes_each);
  });
  Timeline timeline;
  timeline.start_s.resize(schedule.size());
  timeline.end_s.resize(schedule.size());
  std::memcpy(timeline.start_s.data(), child.bytes.data(), bytes_each);
  std::memcpy(timeline.end_s.data(), child.bytes.data() + bytes_each, bytes_each);
  timeline.total_s = *std::max_element(timeline.end_s.begin(), timeline.end_s.end());
  return timeline;
}

// A case, ready for an engine.
struct PlacedCase {
  PlacedCase(SimGridPlatform& platform, const RandomCase& made)
      : schedule(make_schedule(*made.algorithm, made.problem, Detail::times_only)),
        hosts(platform.place(made.mapping, {}, made.problem.element_bytes)) {}

  Schedule schedule;
  RankHosts hosts;
};

Timeline flow_timeline(SimGridPlatform& platform, const PlacedCase& placed, const RandomCase& made,
                       const RunSetup& setup) {
  SimGridNetwork network(platform, placed.hosts, "hockney");
  const FlowSetup flow_setup{.host_of_rank = network.host_of_rank(),
                             .flops_per_byte = placed.hosts.flops_per_byte,
                             .copy_s_per_byte = made.copy_s_per_byte};
  return FlowEngine(network, flow_setup).run(placed.schedule, setup);
}

EngineTimes engine_times(SimGridPlatform& platform, const PlacedCase& placed,
                         const RandomCase& made) {
  EngineTimes times{.flow = flow_timeline(platform, placed, made, made.setup),
                    .simgrid = {},
                    .simgrid_failure = {}};
  try {
    times.simgrid = simgrid_timeline(placed.schedule, made, placed.hosts);
  } catch (const std::exception& error) {
    times.simgrid_failure = error.what();
  }
  return times;
}

// True if SimGrid behaves as expected with its faults 2 and 3 (sim/simgrid/README.md): it gets the
// times of a judge with these faults or, if a message makes no progress in that judge, its run
// fails.
bool is_as_faulty_as_known(const JudgeComparison& judged, const Schedule& schedule,
                           const RunSetup& setup, JudgePlatform plain) {
  plain.overlooked = kOverlookedBySimGrid;
  try {
    const Timeline faulty = judge(schedule, setup, plain).timeline;
    return judged.simgrid && apart(*judged.simgrid, faulty) <= kJudgeTolerance;
  } catch (const InvariantError&) {
    return !judged.simgrid;
  }
}

}  // namespace

double apart(const Timeline& a, const Timeline& b) {
  double worst_s = std::abs(a.total_s - b.total_s);
  for (std::size_t id = 0; id < a.start_s.size(); ++id) {
    worst_s = std::max(
        {worst_s, std::abs(a.start_s[id] - b.start_s[id]), std::abs(a.end_s[id] - b.end_s[id])});
  }
  return b.total_s > 0 ? worst_s / b.total_s : worst_s;
}

EngineTimes run_engines(SimGridPlatform& platform, const RandomCase& made) {
  return engine_times(platform, PlacedCase(platform, made), made);
}

double apart_by_rounding(SimGridPlatform& platform, const RandomCase& made, const Timeline& flow) {
  const PlacedCase placed(platform, made);
  RunSetup setup = made.setup;
  setup.disturbance.jitter = 1e-14;
  double most = 0;
  for (setup.disturbance.seed = 1; setup.disturbance.seed <= 4; ++setup.disturbance.seed) {
    most = std::max(most, apart(flow_timeline(platform, placed, made, setup), flow));
  }
  return most;
}

JudgeComparison judge_case(SimGridPlatform& platform, const RandomCase& made) {
  const PlacedCase placed(platform, made);
  const Schedule& schedule = placed.schedule;
  const JudgePlatform plain =
      judge_platform(platform, placed.hosts, schedule, made.copy_s_per_byte);
  JudgeComparison judged;
  static_cast<EngineTimes&>(judged) = engine_times(platform, placed, made);
  judged.verdict = judge(schedule, made.setup, plain);
  judged.nudged = apart(judge(schedule, made.setup, plain, Arithmetic::extended, kNudge).timeline,
                        judged.verdict.timeline);
  if (judged.simgrid_apart() > kJudgeTolerance && !judged.hangs_on_rounding()) {
    judged.simgrid_at_fault = is_as_faulty_as_known(judged, schedule, made.setup, plain);
  }
  return judged;
}

std::string first_difference(const Schedule& schedule, const Timeline& judge,
                             const Timeline& other) {
  const double allowed_s = kJudgeTolerance * judge.total_s;
  // Returns the first time at which operation `id` differs between `judge` and `other`, or infinity
  // if it does not differ.
  const auto begins_s = [&](OpId id) {
    if (std::abs(judge.start_s[id] - other.start_s[id]) > allowed_s) {
      return std::min(judge.start_s[id], other.start_s[id]);
    }
    return std::abs(judge.end_s[id] - other.end_s[id]) > allowed_s
               ? std::min(judge.end_s[id], other.end_s[id])
               : std::numeric_limits<double>::infinity();
  };
  double first_s = std::numeric_limits<double>::infinity();
  for (OpId id = 0; id < schedule.size(); ++id) {
    first_s = std::min(first_s, begins_s(id));
  }
  std::string text;
  for (OpId id = 0; id < schedule.size(); ++id) {
    if (begins_s(id) <= first_s + allowed_s && std::isfinite(first_s)) {
      const Op& op = schedule.op(id);
      text += fmt::format(
          "\n  {}: {} {} to {}, {} bytes, after ({}): judge {:.12g} to {:.12g} us, other {:.12g} "
          "to {:.12g} us",
          id, op.is_comm() ? "comm" : "local", op.src(), op.dst(), op.bytes(),
          fmt::join(schedule.predecessors(id), " "), judge.start_s[id] * 1e6, judge.end_s[id] * 1e6,
          other.start_s[id] * 1e6, other.end_s[id] * 1e6);
    }
  }
  return text;
}

}  // namespace tutti

// All results of one simulated run, before they are printed as text or JSON.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/relative_error.hpp"
#include "cost_models/published.hpp"
#include "schedules/algorithm.hpp"
#include "src/simulation/best_segment.hpp"
#include "src/simulation/case.hpp"
#include "src/simulation/critical_chain.hpp"
#include "src/simulation/engine_run.hpp"
#include "src/simulation/machine.hpp"
#include "src/simulation/schedule_cache.hpp"
#include "src/simulation/time_range.hpp"

namespace tutti { inline namespace simulation {

// Returns how many times as long as the bound the run takes, by the time by which algorithms are
// ranked; nothing if the bound is unknown or 0. All outputs of "x limit" use this function.
[[nodiscard]] inline std::optional<double> of_limit(const RangedTime& time,
                                                    const std::optional<double>& bound_s) {
  return bound_s && *bound_s > 0 ? std::optional(time.seconds / *bound_s) : std::nullopt;
}

// RunResult::why_unproved() if the user gave --no-verify.
inline constexpr const char* kNoVerify = "not checked, because of $no_verify";

struct RunResult {
  // Defaulted in the source file: otherwise, dozens of objects would each have this code.
  RunResult();
  RunResult(const RunResult&);
  RunResult(RunResult&&) noexcept;
  RunResult& operator=(const RunResult&);
  RunResult& operator=(RunResult&&) noexcept;
  ~RunResult();

  const Algorithm* algorithm = nullptr;
  Problem problem;
  std::string file;  // file with the schedule or program; "" for a built-in algorithm
  Machine machine;
  MachineFacts described;

  // If the schedule cannot be proved because it lacks blocks (see schedules/bytes_only.hpp), a text
  // that names an operation without blocks. For a schedule file that was not proved, kNoVerify.
  // Otherwise "".
  std::string unproved;
  std::string schedule;  // fingerprint of the schedule, if requested
  std::uint64_t ops = 0;
  // Fewer than `ops` if rounds that repeat were left out (sim/steady_rounds.hpp). An operation that
  // represents those of a class of ranks counts as all of them.
  std::uint64_t ops_simulated = 0;
  std::uint64_t dependencies = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_reduced = 0;
  double calculations_s = 0;  // of an application
  std::uint32_t rounds = 0;
  std::uint32_t blocks = 1;
  std::uint64_t smallest_block_bytes = 0;
  std::uint64_t largest_block_bytes = 0;
  // The same for blocks as formulas count them: what a rank owns is one block, even if the schedule
  // splits it into parts or appends an empty block for signals.
  std::uint64_t smallest_owned_bytes = 0;
  std::uint64_t largest_owned_bytes = 0;

  double simulated_s = 0;
  // A lower bound on the time of any schedule for the problem (see Limits in
  // src/simulation/machine_bound.hpp), if it is known and was asked for.
  std::optional<double> bound_s;
  // Range of the time with its probability, if requested.
  std::optional<SureRange> range;
  // The simulated time with unlimited ports, if it was asked for.
  std::optional<double> unlimited_ports_s;
  double longest_path_s = 0;  // includes waiting for ports and cores
  std::optional<double> exact_s;
  std::vector<PublishedCost> published;  // formulas that hold for the problem
  CriticalChain chain;
  std::optional<BestSegment> best_segment;  // set for --segment auto
  // Number of operations on the chain. Results of a sweep keep this number, but not the chain
  // itself.
  std::uint64_t chain_ops = 0;

  // Symmetry of the ranks and number of classes, if one rank of each class was simulated in place
  // of all ranks.
  std::optional<Symmetry> symmetry;
  std::uint32_t classes = 0;

  // Comparison of both engines, if requested.
  std::optional<EngineComparison> comparison;
  // True if an operation waited for a port or a core. The order of operations may then depend on
  // ties.
  bool waited = false;
  TieRange ties;    // set if ties were checked
  Repeats repeats;  // set if the run was repeated; the other fields describe the median run

  double emit_wall_s = 0;
  double load_wall_s = 0;
  double simulate_wall_s = 0;
  // Everything else that the run took: attempts to simulate one rank for several, the longest path,
  // the critical chain, SimGrid's run in a comparison of both engines, and, in 'simulate', the
  // limit, the run with unlimited ports, and the runs with other parameters. 0 if it was not
  // measured.
  double other_wall_s = 0;
  std::uint64_t peak_rss_bytes = 0;

  [[nodiscard]] bool takes(Option option) const { return tutti::takes(*algorithm, option); }
  // Returns the time by which algorithms are ranked: the median if the time depends on
  // tie-breaking.
  [[nodiscard]] RangedTime time() const { return ranged_time(simulated_s, ties); }
  [[nodiscard]] std::optional<double> of_limit() const { return tutti::of_limit(time(), bound_s); }
  // Returns why the schedule is not known to do what the collective must do; "" if it is.
  [[nodiscard]] std::string why_unproved() const;
  [[nodiscard]] bool even_blocks() const { return smallest_owned_bytes == largest_owned_bytes; }
  // Returns the first formula that holds for the problem and is not known to be misprinted.
  [[nodiscard]] const PublishedCost* main_published() const;
  // Removes misprinted formulas, which are shown only on request.
  void drop_misprints();
};

// The record of a run, as Machine::record and RunSetup::watched asked for.
struct RunRecord {
  FlowRecord flows;
  std::vector<NamedLinkStatistics> links;
  UsedRoutes routes;
};

// A run with its schedule. The schedule and the timeline are empty if one rank of each class was
// simulated in place of all ranks.
struct Simulation {
  std::optional<Schedule> schedule;
  Timeline timeline;
  RunResult result;
  RunRecord record = {};
};

// Emits the schedule, runs it, and evaluates the formulas. Throws UserError if a part of the
// request is invalid.
[[nodiscard]] Simulation simulate(const Algorithm& algorithm, const Problem& problem,
                                  const Machine& machine, Detail detail);
// Does the same with an existing engine, so that sweeps load a platform once.
[[nodiscard]] Simulation simulate(const Algorithm& algorithm, const Problem& problem,
                                  const Machine& machine, Detail detail, const RunEngine& engine);
// False if, as far as is known before a run, one rank can represent all ranks, so that a run that
// only computes times does not need the schedule of all ranks.
[[nodiscard]] bool takes_whole_schedule(const Algorithm& algorithm, const Problem& problem,
                                        const Machine& machine);
enum class Fingerprint : std::uint8_t { left_out, taken };

// The fields of a result that a caller reads. The others may be left out to save time.
enum class ResultFields : std::uint8_t {
  everything,
  spending,  // all but longest_path_s
  time,      // all but longest_path_s and the chain
};

// Simulates times only. If a schedule is needed, takes it from its place in the cache and puts it
// back afterwards. If machine.setup.ties.known_total_s is set, the result has only this time and
// the ties.
[[nodiscard]] RunResult simulate_times(const Algorithm& algorithm, const Problem& problem,
                                       const Machine& machine, const RunEngine& engine,
                                       ScheduleCache& cache, ScheduleCache::Place* place,
                                       Fingerprint fingerprint = Fingerprint::left_out,
                                       ResultFields wanted = ResultFields::everything);

// Returns the fingerprint (schedules/fingerprint.hpp) of the schedule that was run. It covers
// everything in the schedule that times on the machine depend on.
[[nodiscard]] std::string fingerprint_of(const Simulation& done);
// Returns the fingerprint that the schedule of `what` has in this build, in the same form as
// `known`; "" if the case cannot run.
[[nodiscard]] std::string fingerprint_like(const std::string& known, const Case& what);

// Returns the path of the user's program, or of the written-out schedule for the problem; "" if the
// algorithm is not a program.
[[nodiscard]] std::string program_of(const Algorithm& algorithm, const Problem& problem);

// True for a user's program whose schedules are not proved, because of --no-verify.
[[nodiscard]] bool unverified(const Algorithm& algorithm);

// Evaluates the closed form and the published formulas for the problem and the prices of `result`.
void price(RunResult& result);

// Returns a function for the time of each operation by the run's prices or cost curves alone. For
// local work, only transfer_s is not 0.
[[nodiscard]] OwnTimes nominal_times(const RunResult& result, const Schedule& schedule);

// True if the values differ by more than a relative 1e-9, the tolerance for values that should
// agree.
[[nodiscard]] bool differs(double value, double reference);
// Runs a schedule that was read from `file` in `read_wall_s` seconds. Evaluates no formulas: the
// file may use the name of any algorithm.
[[nodiscard]] Simulation simulate_file(const std::string& file, const Algorithm& algorithm,
                                       Schedule schedule, const Machine& machine,
                                       double read_wall_s);

}}  // namespace tutti::simulation

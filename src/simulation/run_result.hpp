// Everything that one simulated run has to say, before it is put in words or in JSON.
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

namespace tutti::inline simulation {

struct RunResult {
  const Algorithm* algorithm = nullptr;
  Problem problem;
  std::string file;  // that the schedule was read from; "" where it was emitted
  Machine machine;
  MachineFacts described;

  std::string unproved;  // of a bare schedule: what is missing (schedules/bytes_only.hpp); else ""
  std::string schedule;  // its fingerprint, where asked for
  std::uint64_t ops = 0;
  std::uint64_t dependencies = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_reduced = 0;
  std::uint32_t rounds = 0;
  std::uint32_t blocks = 1;
  std::uint64_t smallest_block_bytes = 0;
  std::uint64_t largest_block_bytes = 0;

  double simulated_s = 0;
  double longest_path_s = 0;  // with ports and cores counted in
  std::optional<double> exact_s;
  std::vector<PublishedCost> published;  // those that hold for the problem
  CriticalChain chain;
  std::optional<BestSegment> best_segment;  // where the size of a segment was left to us
  std::uint64_t chain_ops = 0;  // how many; of results of a sweep the chain itself is not kept

  // How ranks are alike, where one of each class of them was simulated for all; and how many those
  // were.
  std::optional<Symmetry> symmetry;
  std::uint32_t classes = 0;

  // Where both engines were asked for.
  std::optional<EngineComparison> comparison;
  bool waited = false;  // some operation, for a port or a core: who goes first may depend on ties
  TieRange ties;        // where they were looked for
  Repeats repeats;      // where it was repeated: this is the median run

  double emit_wall_s = 0;
  double load_wall_s = 0;
  double simulate_wall_s = 0;
  std::uint64_t peak_rss_bytes = 0;

  [[nodiscard]] bool takes(Option option) const { return tutti::takes(*algorithm, option); }
  // To rank by: the median where ties matter.
  [[nodiscard]] RangedTime time() const { return ranged_time(simulated_s, ties); }
  [[nodiscard]] bool even_blocks() const { return smallest_block_bytes == largest_block_bytes; }
  // The formula to believe: the first that holds for the problem and is no misprint.
  [[nodiscard]] const PublishedCost* main_published() const;
  // They are shown on request only.
  void drop_misprints();
};

// Where one rank of each class was simulated for all, there is neither a schedule nor a timeline.
struct Simulation {
  std::optional<Schedule> schedule;
  Timeline timeline;
  RunResult result;
};

// Emits, runs, and prices. Throws UserError.
[[nodiscard]] Simulation simulate(const Algorithm& algorithm, const Problem& problem,
                                  const Machine& machine, Detail detail);
// Takes an engine that is there already: sweeps load a platform once.
[[nodiscard]] Simulation simulate(const Algorithm& algorithm, const Problem& problem,
                                  const Machine& machine, Detail detail, const RunEngine& engine);
// Whether a run for times needs the schedule of all ranks, as far as is known before it.
[[nodiscard]] bool takes_whole_schedule(const Algorithm& algorithm, const Problem& problem,
                                        const Machine& machine);
enum class Fingerprint : std::uint8_t { left_out, taken };

// Times only, with a schedule from its place on the cache, if one is needed, which goes back there.
[[nodiscard]] RunResult simulate_times(const Algorithm& algorithm, const Problem& problem,
                                       const Machine& machine, const RunEngine& engine,
                                       ScheduleCache& cache, ScheduleCache::Place* place,
                                       Fingerprint wanted = Fingerprint::left_out);

// The fingerprint of the schedule that was run (schedules/fingerprint.hpp), so much of it as times
// on the machine depend on.
[[nodiscard]] std::string fingerprint_of(const Simulation& done);
// The fingerprint that the same run would have now; "" where it would not be run.
[[nodiscard]] std::string fingerprint_like(const std::string& known, const Case& what);

// Fills in what follows from problem, prices and the numbers measured: formulas.
void price(RunResult& result);

// What an operation takes under the prices of a run alone: of local work all is transfer_s.
[[nodiscard]] OwnTimes nominal_times(const RunResult& result, const Schedule& schedule);

// Equal up to the 1e-9 to which everything agrees that should.
[[nodiscard]] bool differs(double value, double reference);
// Runs and prices a schedule that came from `file`, which took `read_wall_s` to read. No formula is
// looked up for it: it may bear any algorithm's name.
[[nodiscard]] Simulation simulate_file(const std::string& file, const Algorithm& algorithm,
                                       Schedule schedule, const Machine& machine,
                                       double read_wall_s);

}  // namespace tutti::inline simulation

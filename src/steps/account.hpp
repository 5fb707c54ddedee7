// Divides the time of a step.
//
// A rank either computes, waits for its core, or waits for communication, which is then exposed. It
// waits at a collective that does not run beside computing, at a wait, and at the end for all that
// still runs. The time that it waits belongs to the collectives that its group's stream runs in the
// meantime. So the three parts add up to the time of the step at each rank.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "src/steps/step_run.hpp"

namespace tutti { inline namespace steps {

struct SpentTime {
  double computing_s = 0;
  double slowed_s = 0;     // part of computing_s: longer because of communication beside it
  double core_wait_s = 0;  // computing that waits for the core, on which a collective reduces
  double exposed_s = 0;    // communication for which computing waits
  double hidden_s = 0;     // communication beside computing, or beside other communication

  // Time of the step at a rank.
  [[nodiscard]] double total_s() const { return computing_s + core_wait_s + exposed_s; }
  void add(const SpentTime& other, double times = 1);
};

// Time of one statement: of its computing, or of one of its calls.
struct StepRow {
  std::uint32_t line = 0;             // index into StepDescription::lines
  std::optional<std::uint32_t> call;  // index into StepDescription::calls; nothing: computing
  std::uint64_t times = 0;            // how often it is carried out
  SpentTime of_last;                  // at the rank that ends last
  SpentTime mean;                     // over all ranks
};

struct StepAccount {
  double total_s = 0;
  Rank last = 0;  // the rank that ends last
  SpentTime of_last;
  SpentTime mean;
  std::vector<StepRow> rows;
};

[[nodiscard]] StepAccount account_of(const StepRun& run);
// Returns the account of a step that is carried out once for each of `runs`. Each rank begins the
// first run at `start_s`, and each further one when its last one is over. Its times are the sums
// over all runs.
[[nodiscard]] StepAccount account_of(const StepDescription& step, const StepPlaces& places,
                                     std::span<const StepSchedule> runs, const Timeline& timeline,
                                     double start_s);

// Adds the times of ranks to an account that has the rows. spend(i, spent) writes what the i-th of
// `count` ranks spends for each row, which is 0 before, and returns the rank.
using SpendOfRank = std::function<Rank(std::uint32_t, std::vector<SpentTime>&)>;
void add_ranks(StepAccount& account, std::uint32_t count, const SpendOfRank& spend);

// How much of the step was simulated.
struct StepWork {
  std::uint64_t ops = 0;  // of the whole step
  std::uint64_t messages = 0;
  std::uint64_t simulated_ops = 0;
  std::uint32_t simulated_ranks = 0;
  // True if loops were multiplied, rather than simulated to their end.
  bool repeats = false;
};
[[nodiscard]] StepWork work_of(const StepRun& run);

// Returns the sum of a group's rows.
[[nodiscard]] StepRow sum_of_group(const StepDescription& step, const StepAccount& account,
                                   std::uint32_t group);

}}  // namespace tutti::steps

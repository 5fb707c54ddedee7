// One wave of a sweep: how its cells go to the workers, and their results to the database.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "src/experiments/sweep/run_cells.hpp"
#include "src/formats/progress.hpp"
#include "src/simulation/machine.hpp"

namespace tutti::inline experiments {

struct Sweep::PendingCell {
  CaseRun* run = nullptr;
  CellKey key;
  std::int64_t claim = 0;
  unsigned deaths = 0;
  bool was_elsewhere = false;
};

// What the database holds of a cell, by another build.
struct Sweep::CachedResult {
  PendingCell todo;
  CellRow row;
  bool holds = false;
};

// The cells of one wave: from `pending_`, which nobody has, over `ready_`, which are ours, to the
// workers; or, where another sweep is at them, to `elsewhere_`, until it has a result or is gone.
class Sweep::Run {
 public:
  Run(Sweep& sweep, std::vector<PendingCell>& todo, Progress& progress);
  void run();

 private:
  using Clock = std::chrono::steady_clock;

  void hear_workers();
  void hand_out();
  // Made once for all cells of a machine.
  const std::string& text_of(const PendingCell& cell);
  [[nodiscard]] bool wants_cells() const;
  // Results are kept at once, but not one by one where they come thick and fast.
  [[nodiscard]] bool is_time_to_settle() const;
  [[nodiscard]] int patience_ms() const;
  // One transaction for all there is to say: what is done, and what is begun next.
  void settle();
  // So many that the workers have enough until the next time.
  [[nodiscard]] std::size_t cells_to_claim() const;
  void settle_with_store(ResultStore& store, std::size_t wanted);
  // No more is begun.
  void keep_what_is_there();
  // Where all that is left is with others, whoever waits should know for whom, and for how long
  // yet.
  void say_others(const std::vector<CellClaims::Other>& others,
                  std::chrono::milliseconds lost_after);
  void hear(const WorkerEvent& event);
  // After so many seconds, where it was run here and has a result.
  void is_over(CellTicket ticket, std::optional<double> seconds);
  static void move_front(std::deque<CellTicket>& from, std::deque<CellTicket>& to,
                         std::size_t count);

  Sweep& sweep_;
  std::vector<PendingCell>& todo_;
  Progress& progress_;
  std::deque<CellTicket> pending_;
  std::deque<CellTicket> ready_;
  std::deque<CellTicket> elsewhere_;
  std::vector<std::pair<CellTicket, CellRow>> rows_;  // results that are not kept yet
  std::map<const Machine*, std::string> machine_texts_;
  std::size_t done_ = 0;
  std::size_t ran_ = 0;  // by our workers
  WorkEstimate estimate_;
  Clock::time_point began_ = Clock::now();
  Clock::time_point settled_ = began_;
  Clock::time_point idle_since_ = began_;  // nothing left but what others are at
  Clock::time_point said_ = began_;        // so, last; or `idle_since_`
};

}  // namespace tutti::inline experiments

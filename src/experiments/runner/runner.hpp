// Where cases are run: in threads, in processes that hold a platform, or by the workers of a sweep.
// Who has cases to run asks for no more than that.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/experiments/runner/work_estimate.hpp"
#include "src/formats/interrupts.hpp"
#include "src/formats/progress.hpp"
#include "src/simulation/outcome.hpp"

namespace tutti::inline experiments {

class Runner {
 public:
  explicit Runner(std::ostream& err) : err_(err) {}
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;
  virtual ~Runner() = default;

  // Whether there is more to run after the cases of this time.
  enum class Known : std::uint8_t { all, so_far };

  // Runs the cases whose outcome is open, and says how far it is: "comparing: 3 of 8 cells". One
  // that turns out to be bad input is refused, and one whose process died, or that ran out of
  // memory, has failed: each of them leaves the others alone.
  void run(std::vector<CaseRun>& runs, const std::string& doing, Known known = Known::all);
  // Says what all of them have lost, when there is no more to run. True if that is anything.
  bool sum_up();
  // From now on an interrupt says what is lost by it, and this besides.
  void keeps_nothing(const std::string& advice);

 protected:
  virtual void run_open(std::vector<CaseRun>& runs, const std::string& doing) = 0;
  virtual void say_found() {}

  [[nodiscard]] std::ostream& err() const { return err_; }
  // Of so many cells of this time.
  [[nodiscard]] Progress new_progress(const std::string& doing, std::size_t cells,
                                      Progress::Elsewhere elsewhere);
  // Of the cells that new_progress() was told of.
  void note_done(std::size_t cells) { done_ = cells; }

 private:
  std::ostream& err_;
  Known known_ = Known::all;
  std::size_t before_ = 0;              // cells of other times
  std::atomic<std::size_t> cells_ = 0;  // of this time
  std::atomic<std::size_t> done_ = 0;
  std::optional<WhenInterrupted> when_interrupted_;
  std::size_t lost_ = 0;
  std::string first_lost_;
};

// Several at a time, in threads of this process.
[[nodiscard]] std::unique_ptr<Runner> thread_runner(std::size_t jobs, std::ostream& err);
// Several at a time, each in a process that has loaded the platform of all cases, or a fork of it.
[[nodiscard]] std::unique_ptr<Runner> platform_runner(std::size_t jobs, std::ostream& err);
// Gives that one of the two which is for cases on this machine.
[[nodiscard]] std::unique_ptr<Runner> local_runner(const Machine& machine, std::size_t jobs,
                                                   std::ostream& err);

// What takes longer to simulate has more, as far as can be known: only the order of work, and the
// time that is left, depend on it.
[[nodiscard]] double expected_work(const Case& what);
// Where the open ones stand, in the order in which to begin them.
[[nodiscard]] std::vector<std::size_t> largest_first(const std::vector<CaseRun>& runs);

}  // namespace tutti::inline experiments

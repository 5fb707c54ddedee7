// Where cases are run: in threads, in processes that hold a platform, or by the workers of a sweep.
// Who has cases to run asks for no more than that.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "simulation/outcome.hpp"

namespace tutti {

class Runner {
 public:
  explicit Runner(std::ostream& err) : err_(err) {}
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;
  virtual ~Runner() = default;

  // Runs the cases whose outcome is open, and says how far it is: "comparing: 3 of 8 runs". One
  // that turns out to be bad input is refused, and one whose process died, or that ran out of
  // memory, has failed: each of them leaves the others alone.
  void run(std::vector<CaseRun>& runs, const std::string& doing);
  // Says what all of them have lost, when there is no more to run. True if that is anything.
  bool sum_up();

 protected:
  virtual void run_open(std::vector<CaseRun>& runs, const std::string& doing) = 0;
  virtual void say_found() {}

  [[nodiscard]] std::ostream& err() const { return err_; }

 private:
  std::ostream& err_;
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

}  // namespace tutti

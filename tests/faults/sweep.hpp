// Runs an operation again and again, each time with a fault at a later system call, until the fault
// would come after the last call of the operation.
#pragma once

#include <functional>
#include <string>

#include "tests/faults/injection.hpp"

namespace tutti::faults {

struct Operation {
  std::string name;
  // Called before each run, while no fault is armed. May be empty.
  std::function<void()> prepare;
  // Called while a fault is armed. Returns the result as text.
  std::function<std::string()> run;
  // Called after each run, while no fault is armed, to check the effects of the run, with
  // Fault::lasting. May be empty.
  std::function<void(bool lasting)> after;
};

enum class Share : std::uint8_t {
  some,  // faults at all early system calls, and at some of the later ones
  all,   // faults at all system calls
};

// Checks with Catch2 that every run with a fault either returns the same result as a run without a
// fault, or throws a UserError with a message of one line. Also checks that at least one fault
// occurred. Returns the number of faults that occurred.
std::uint64_t sweep(const Operation& operation, Kind kind, Share share);

}  // namespace tutti::faults

// Runs an operation again and again, each time with a fault at a later call, until the operation
// ends before the fault.
#pragma once

#include <functional>
#include <string>

#include "tests/faults/injection.hpp"

namespace tutti::faults {

struct Operation {
  std::string name;
  // Called before each run, without a fault. May be empty.
  std::function<void()> prepare;
  // Called with a fault. Returns the result as text.
  std::function<std::string()> run;
  // Called after each run, without a fault, to check its effects. May be empty.
  std::function<void()> after;
};

enum class Share : std::uint8_t {
  some,  // faults at all early calls, and at some of the later ones
  all,   // faults at all calls
};

// Checks with Catch2 that every run with a fault either returns the same result as a run without,
// or throws a UserError with a message of one line. Also checks that there was at least one fault.
// Returns the number of faults.
std::uint64_t sweep(const Operation& operation, Kind kind, Share share);

}  // namespace tutti::faults

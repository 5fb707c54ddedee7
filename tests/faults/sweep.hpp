// Injects one fault after the other, until the operation no longer meets one.
#pragma once

#include <functional>
#include <string>

#include "tests/faults/injection.hpp"

namespace tutti::faults {

struct Operation {
  std::string name;
  std::function<void()> prepare;     // before each run, without faults; may be empty
  std::function<std::string()> run;  // with faults; returns the result as text
  std::function<void()> after;       // checks after each run, without faults; may be empty
};

enum class Share : std::uint8_t {
  some,  // the first faults and some of the others
  all,
};

// Each time, the operation must either give the same result as without a fault, or throw a
// UserError of one line. Checks that with Catch2, and checks that at least one call could fail.
// Returns the number of faults.
std::uint64_t sweep(const Operation& operation, Kind kind, Share share);

}  // namespace tutti::faults

// Faults one after the other, until the operation no longer meets one.
#pragma once

#include <functional>
#include <string>

#include "tests/faults/injection.hpp"

namespace tutti::faults {

struct Operation {
  std::string name;
  std::function<void()> prepare;     // before each time, without faults; may be empty
  std::function<std::string()> run;  // what it comes to, in words; with faults
  std::function<void()> after;       // each time, without faults: checks what is left; may be empty
};

enum class Share : std::uint8_t {
  some,  // the first ones and some of the others
  all,
};

// Each time the operation must either give the same result as without a fault, or end in a
// UserError of one line. Checks that with Catch2, and that there was something to fail. Returns how
// many faults there were.
std::uint64_t sweep(const Operation& operation, Kind kind, Share share);

}  // namespace tutti::faults

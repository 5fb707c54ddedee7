// An error while a program runs, and its place in the text. The evaluator adds the values of
// variables to the message.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tutti { inline namespace schedules { namespace program {

struct Fault {
  std::uint32_t place;
  std::string what;
  // True if the program would run with a size that splits into equal blocks, so that the program
  // only refuses this size.
  bool uneven = false;
};

[[noreturn]] inline void fail_at(std::uint32_t place, std::string what) {
  throw Fault{place, std::move(what)};
}

using Numbers = std::vector<std::int64_t>;

}}}  // namespace tutti::schedules::program

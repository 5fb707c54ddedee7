// Compares tutti's own routes, links and hosts of a platform file with SimGrid's.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "platforms/platform.hpp"
#include "platforms/platform_changes.hpp"

namespace tutti::route_differences {

class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  std::uint32_t operator()(std::uint32_t from, std::uint32_t to) {
    return from + static_cast<std::uint32_t>(engine_() % (to - from + 1));
  }
  template <typename... Text>
  std::string one_of(const Text&... texts) {
    const std::vector<std::string> all{texts...};
    return all[(*this)(0, static_cast<std::uint32_t>(all.size()) - 1)];
  }

 private:
  // operator() does not use std::uniform_int_distribution, because its numbers are not portable.
  std::mt19937 engine_;
};

// Returns a whole platform file with these elements.
std::string in_platform(const std::string& elements);

// Describes the first difference. text() is empty if nothing differs.
class Differences {
 public:
  template <typename Value>
  void look(const Value& own, const Value& simgrids, const std::string& what) {
    if (!(own == simgrids) && text_.empty()) {
      text_ = fmt::format("{}: {} here, {} in SimGrid", what, own, simgrids);
    }
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Returns the message of the UserError that `action` throws; "" if it throws none.
std::string message_of(const std::function<void()>& action);

struct ComparisonSetup {
  PriceOverrides prices = {};
  PlatformChanges changes = {};
  bool places = false;  // true: the descriptions of links in words are equal, too
};

// Returns a description of the first difference between tutti's model of a platform and SimGrid's,
// or an empty string. Loads the platform in a child process, since SimGrid loads only one platform
// per process. `seed` chooses the pairs of hosts that are compared on a large platform.
std::string difference(const std::string& xml, std::uint32_t seed, const ComparisonSetup& compared);

}  // namespace tutti::route_differences

// Runs many simulations on one platform, and compares timelines.
#pragma once

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "sim/simgrid/isolated_run.hpp"

namespace tutti {

// Returns a description of the first operation whose start or end differs by more than `tolerance`
// times the total time; "" if there is none. Compares all operations and not only totals, since two
// engines must agree on every event.
inline std::string difference(const Timeline& a, const Timeline& b, double tolerance = 1e-9) {
  if (a.start_s.size() != b.start_s.size() || a.end_s.size() != b.end_s.size()) {
    return "the numbers of operations differ";
  }
  const double allowed_s = tolerance * std::max(a.total_s, b.total_s);
  // This is not written as "difference > allowed", which would be false for NaN.
  const auto same = [allowed_s](double x, double y) { return std::abs(x - y) <= allowed_s; };
  for (std::size_t id = 0; id < a.start_s.size(); ++id) {
    if (!same(a.start_s[id], b.start_s[id]) || !same(a.end_s[id], b.end_s[id])) {
      return fmt::format(
          "operation {}: {:.17g} to {:.17g} s, but in the other run {:.17g} to {:.17g} s", id,
          a.start_s[id], a.end_s[id], b.start_s[id], b.end_s[id]);
    }
  }
  if (!same(a.total_s, b.total_s)) {
    return fmt::format("the total times differ: {:.17g} s and {:.17g} s", a.total_s, b.total_s);
  }
  return {};
}

inline SimGridConfig crossbar_config(std::uint32_t hosts) {
  SimGridConfig config;
  // Unusual numbers, so that times do not agree by chance.
  config.platform.crossbar = {.hosts = hosts,
                              .latency_s = 1.7e-6,
                              .bandwidth_bytes_per_s = 1.07e9,
                              .speed_flops_per_s = 0.41e9};
  return config;
}

// Checks for each i below `cells` that cell(i, platform) returns "", which means that it found no
// error.
inline void check_cells(
    const SimGridConfig& config, std::size_t cells,
    const std::function<std::string(std::size_t, const LoadedPlatform&)>& cell) {
  PlatformProcess process(config,
                          [&cell](const std::string& request, const LoadedPlatform& loaded) {
                            return cell(std::stoul(request), loaded);
                          });
  for (std::size_t i = 0; i < cells; ++i) {
    const std::string wrong = process.run(std::to_string(i));
    CHECK(wrong == "");
  }
}

}  // namespace tutti

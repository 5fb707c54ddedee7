#include "src/experiments/points/point_machines.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "src/requests/hosts.hpp"

namespace tutti::inline experiments {

namespace {

// The options that may name a file for each point.
struct PatternOption {
  std::string_view flag;
  OptionText MachineOptions::*text;
};
constexpr std::array kPatternOptions{PatternOption{"--platform", &MachineOptions::platform},
                                     PatternOption{"--hosts", &MachineOptions::hosts},
                                     PatternOption{"--parameters", &MachineOptions::parameters}};

std::string value_of(std::string_view name, const BenchmarkPoint& point) {
  if (name == "machine") {
    return point.machine;
  }
  return name == "job" ? point.job : fmt::format("{}", point.ranks);
}

}  // namespace

std::string fill_pattern(std::string_view option, const std::string& pattern,
                         const BenchmarkPoint& point) {
  std::string filled;
  for (std::size_t at = 0; at < pattern.size();) {
    const std::size_t open = pattern.find('{', at);
    const std::size_t close = pattern.find('}', open);
    filled += pattern.substr(at, open - at);
    if (open == std::string::npos || close == std::string::npos) {
      return open == std::string::npos ? filled : filled + pattern.substr(open);
    }
    const std::string name = pattern.substr(open + 1, close - open - 1);
    if (name != "machine" && name != "job" && name != "ranks") {
      throw UserError(fmt::format("{} '{}': accepted in braces is machine, job or ranks", option,
                                  printable(pattern)));
    }
    const std::string value = value_of(name, point);
    if (value.empty()) {
      throw UserError(fmt::format("{} '{}': '{}', line {}, says no {}; name the file itself",
                                  option, printable(pattern), printable(point.file), point.line,
                                  name));
    }
    filled += value;
    at = close + 1;
  }
  return filled;
}

const Machine& PointMachines::of(const BenchmarkPoint& point, const Problem& problem) {
  const std::uint32_t per_host = point.ranks_per_host(ranks_per_host_);
  MachineOptions options = options_;
  Key key{fmt::format("{} {} {}", problem.ranks, per_host, problem.element_bytes)};
  for (const PatternOption& each : kPatternOptions) {
    OptionText& text = options.*each.text;
    if (text) {
      *text = fill_pattern(each.flag, *text, point);
    }
    key.push_back(text.value_or(""));
  }
  std::unique_ptr<const Machine>& machine = machines_[std::move(key)];
  if (machine == nullptr) {
    // A file that has each rank's host says by itself how many share one.
    const bool by_rank = options.hosts && !ranks_per_host_ && read_hosts(*options.hosts).by_rank;
    machine = std::make_unique<const Machine>(options.machine(problem, by_rank ? 1 : per_host));
  }
  return *machine;
}

}  // namespace tutti::inline experiments

#include "src/experiments/points/point_machines.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/error.hpp"
#include "base/printable.hpp"

namespace tutti::inline experiments {

namespace {

// Options that may name a different file for each point.
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
      throw UserError(fmt::format("{} '{}': the braces must contain machine, job or ranks", option,
                                  printable(pattern)));
    }
    const std::string value = value_of(name, point);
    if (value.empty()) {
      throw UserError(fmt::format(
          "{} '{}': '{}', line {}, does not state the {}; write the file's name in full", option,
          printable(pattern), printable(point.file), point.line, name));
    }
    filled += value;
    at = close + 1;
  }
  return filled;
}

const Machine& PointMachines::of(const BenchmarkPoint& point, const Problem& problem) {
  MachineOptions options = options_;
  Files files;
  for (const PatternOption& each : kPatternOptions) {
    OptionText& text = options.*each.text;
    if (text) {
      *text = fill_pattern(each.flag, *text, point);
    }
    files.push_back(text.value_or(""));
  }
  auto at = machines_.find(files);
  if (at == machines_.end()) {
    at = machines_
             .emplace(std::move(files),
                      Opened{options.open(parameters_ ? &*parameters_ : nullptr), {}})
             .first;
  }
  Opened& opened = at->second;
  // A file that names the host of each rank already says how many ranks share a host.
  const auto& hosts = opened.machine.spec.hosts;
  const bool by_rank = hosts && hosts->by_rank && !ranks_per_host_;
  const Ranks ranks{problem.ranks, by_rank ? 1 : point.ranks_per_host(ranks_per_host_),
                    problem.element_bytes};
  const auto known = opened.of_ranks.find(ranks);
  return known != opened.of_ranks.end()
             ? known->second
             : opened.of_ranks
                   .emplace(ranks, opened.machine.machine(ranks.ranks, ranks.per_host,
                                                          ranks.element_bytes))
                   .first->second;
}

}  // namespace tutti::inline experiments

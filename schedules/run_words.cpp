#include "schedules/run_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/human.hpp"

namespace tutti {

namespace {

// `defaults`: also those that have their default.
std::string options_words(const Algorithm& algorithm, const Problem& problem, bool defaults) {
  const Problem standard;
  std::vector<std::string> options;
  const auto takes = [&](Option option) {
    return (algorithm.options & static_cast<unsigned>(option)) != 0;
  };
  if (takes(Option::fold) && (defaults || problem.fold != standard.fold)) {
    options.emplace_back(problem.fold == Fold::far ? "--fold far" : "--fold neighbours");
  }
  if (takes(Option::segment) && problem.segment_bytes != 0) {
    options.push_back(fmt::format("--segment {}", problem.segment_bytes));
  }
  if (takes(Option::skips) && (defaults || problem.skips != standard.skips)) {
    options.push_back(fmt::format("--skips {}", problem.skips));
  }
  if (takes(Option::tree) && (defaults || problem.tree != standard.tree)) {
    options.push_back(fmt::format("--tree {}", problem.tree));
  }
  if (takes(Option::cuts) && problem.cuts != Cuts::even) {
    options.push_back(fmt::format("--cuts {}", name(problem.cuts)));
  }
  if (takes(Option::parts) && !problem.parts.empty()) {
    options.push_back(fmt::format("--parts {}", problem.parts));
  }
  if (takes(Option::ranks_per_node) && problem.ranks_per_node > 1) {
    options.push_back(fmt::format("--cores-per-node {}", problem.ranks_per_node));
  }
  if (takes(Option::block_sizes) && !problem.block_bytes.empty()) {
    options.push_back(fmt::format("--block-bytes {}", fmt::join(problem.block_bytes, ",")));
  }
  return fmt::format("{}", fmt::join(options, " "));
}

}  // namespace

std::string options_text(const Algorithm& algorithm, const Problem& problem) {
  return options_words(algorithm, problem, true);
}

std::string run_in_words(const std::string& what, const Algorithm& algorithm,
                         const Problem& problem) {
  // As many as there are ranks are no heading: the least and the largest have to do.
  Problem without_sizes = problem;
  without_sizes.block_bytes.clear();
  std::string text = what;
  if (const std::string options = options_words(algorithm, without_sizes, false);
      !options.empty()) {
    text += " " + options;
  }
  if (has_root(problem.collective) && problem.root != 0) {
    text += fmt::format(" --root {}", problem.root);
  }
  text += fmt::format(" on {}, {}", counted(problem.ranks, "rank"), human_bytes(problem.bytes));
  if (!problem.block_bytes.empty()) {
    const auto [least, most] =
        std::minmax_element(problem.block_bytes.begin(), problem.block_bytes.end());
    text += fmt::format(" in blocks of {} to {}", human_bytes(*least), human_bytes(*most));
  }
  return text;
}

}  // namespace tutti

#include "schedules/run_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/field_names.hpp"
#include "base/human.hpp"
#include "schedules/options/option_type.hpp"

namespace tutti { inline namespace schedules {

namespace {

// Returns the options as written on the command line. Leaves out options that have their default
// value, unless `defaults` is true and OptionType::shown_by_default is set.
std::string options_words(const Algorithm& algorithm, const Problem& problem, bool defaults) {
  std::vector<std::string> options;
  for (const OptionType* type : option_types()) {
    const bool shown = !type->is_default(problem) || (defaults && type->shown_by_default);
    if (shown && takes(algorithm, type->option)) {
      options.push_back(in_words(*type, problem));
    }
  }
  return fmt::format("{}", fmt::join(options, " "));
}

}  // namespace

std::string options_text(const Algorithm& algorithm, const Problem& problem) {
  return options_words(algorithm, problem, true);
}

std::string size_in_blocks(std::uint64_t bytes, const std::vector<std::uint64_t>& block_bytes) {
  const auto [least, most] = std::ranges::minmax_element(block_bytes);
  return fmt::format("{} in blocks of {} to {}", human_bytes(bytes), human_bytes(*least),
                     human_bytes(*most));
}

std::string run_in_words(const std::string& what, const Algorithm& algorithm,
                         const Problem& problem) {
  // A list of one size per rank is too long for a heading, so the smallest and the largest size are
  // shown instead.
  Problem without_sizes = problem;
  without_sizes.block_bytes.clear();
  std::string text = what;
  if (const std::string options = options_words(algorithm, without_sizes, false);
      !options.empty()) {
    text += " " + options;
  }
  if (has_root(problem.collective) && problem.root != 0) {
    text += with_fields(fmt::format(" $root {}", problem.root));
  }
  if (problem.collective == Collective::application) {
    return text + " on " + counted(problem.ranks, "rank");
  }
  return text + fmt::format(" on {}, {}", counted(problem.ranks, "rank"),
                            problem.block_bytes.empty()
                                ? human_bytes(problem.bytes)
                                : size_in_blocks(problem.bytes, problem.block_bytes));
}

}}  // namespace tutti::schedules

#include "src/search/option_changes.hpp"

#include <algorithm>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "schedules/options/option_type.hpp"

namespace tutti { inline namespace search {

namespace {

std::uint64_t near(std::uint64_t value, SearchRandom& random) {
  switch (random.below(4)) {
    case 0:
      return value + 1;
    case 1:
      return value > 1 ? value - 1 : value;
    case 2:
      return value * 2;
    default:
      return std::max<std::uint64_t>(value / 2, 1);
  }
}

}  // namespace

Problem changed_options(const Algorithm& algorithm, const Problem& problem, SearchRandom& random) {
  std::vector<const OptionType*> types;
  for (const OptionType* type : option_types()) {
    if (takes(algorithm, type->option) && !type->changes_problem) {
      types.push_back(type);
    }
  }
  if (types.empty()) {
    return problem;
  }
  const OptionType& type = *types[random.below(static_cast<std::uint32_t>(types.size()))];
  Problem made = problem;
  const OptionValue value = type.value(problem);
  const std::uint64_t* const number = std::get_if<std::uint64_t>(&value);
  const std::vector<OptionTrial> trials = type.trials(problem);
  if (number != nullptr && (trials.empty() || random.below(2) == 0)) {
    std::uint64_t next = near(*number, random);
    if (type.option == Option::segment) {  // whole elements
      const std::uint64_t unit = problem.element_bytes;
      next = std::max(next / unit, std::uint64_t{1}) * unit;
    }
    try {
      type.set(next, made);
    } catch (const UserError&) {
      return problem;
    }
  } else if (!trials.empty()) {
    type.copy(trials[random.below(static_cast<std::uint32_t>(trials.size()))].problem, made);
  }
  return made;
}

}}  // namespace tutti::search

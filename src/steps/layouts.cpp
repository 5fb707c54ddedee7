#include "src/steps/layouts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/quantities.hpp"
#include "base/text_lines.hpp"
#include "src/steps/answer.hpp"
#include "src/steps/groups.hpp"
#include "src/steps/syntax.hpp"

namespace tutti { inline namespace steps {

namespace {

constexpr std::size_t kMostLayouts = 1000;

// Returns the names of the axes.
std::vector<std::string> axes_in(std::string_view text, std::string_view file) {
  Scanner scanner(text, file);
  std::vector<std::string> names;
  for (const StepStatement& each : parse_step(scanner)) {
    for (std::size_t i = 1; each.keyword() == "layout" && i < each.syntax->size(); ++i) {
      names.emplace_back((*each.syntax)[i][0].text());
    }
  }
  return names;
}

ComparedLayout compared(const StepAnswer& answer) {
  ComparedLayout made;
  made.layout = answer.step.layout;
  made.ranks = answer.step.ranks;
  made.platform = answer.facts.facts.name;
  made.total_s = answer.account.total_s;
  made.of_last = answer.account.of_last;
  for (std::uint32_t group = 0; group < answer.step.groups.size(); ++group) {
    const StepRow sum = sum_of_group(answer.step, answer.account, group);
    if (sum.times > 0) {
      made.groups.push_back(answer.step.groups[group].name);
      made.exposed_s.push_back(sum.of_last.exposed_s);
    }
  }
  return made;
}

}  // namespace

std::vector<AxisSizes> parse_axis_sizes(std::string_view from, const std::string& text) {
  // The text of the sizes of each axis. A part without '=' belongs to the axis before it.
  std::vector<std::pair<std::string, std::string>> parts;
  for (const std::string_view part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    if (equals != std::string_view::npos) {
      parts.emplace_back(trimmed(part.substr(0, equals)), trimmed(part.substr(equals + 1)));
    } else if (!parts.empty()) {
      parts.back().second += fmt::format(",{}", part);
    }
    if (parts.empty() || parts.back().first.empty()) {
      throw UserError(
          fmt::format("{} '{}': write axes and their sizes, such as tp=1..8*2,pp=2,4", from, text));
    }
  }
  std::vector<AxisSizes> sizes;
  for (auto& [axis, of_axis] : parts) {
    const std::string what = fmt::format("{} '{}', axis {}", from, text, axis);
    if (std::ranges::find(sizes, axis, &AxisSizes::axis) != sizes.end()) {
      throw UserError(fmt::format("{}: is given twice", what));
    }
    sizes.push_back({axis, {}});
    for (const std::uint32_t size : parse_counts(what, of_axis, kMostStepRanks)) {
      if (size == 0) {
        throw UserError(fmt::format("{}: an axis needs at least 1 rank", what));
      }
      if (std::ranges::find(sizes.back().sizes, size) == sizes.back().sizes.end()) {
        sizes.back().sizes.push_back(size);
      }
    }
  }
  return sizes;
}

std::vector<std::vector<LayoutAxis>> combinations_of(const std::vector<AxisSizes>& sizes,
                                                     std::string_view text, std::string_view file) {
  const std::vector<std::string> axes = axes_in(text, file);
  std::vector<std::vector<LayoutAxis>> all{{}};
  for (const AxisSizes& axis : sizes) {
    if (std::ranges::find(axes, axis.axis) == axes.end()) {
      throw UserError(fmt::format("$layout '{}': {} has no axis of this name; {}", axis.axis, file,
                                  accepted_words(axis.axis, axes)));
    }
    if (all.size() * axis.sizes.size() > kMostLayouts) {
      throw UserError(fmt::format("$layout: more than {} layouts", kMostLayouts));
    }
    std::vector<std::vector<LayoutAxis>> longer;
    for (const std::vector<LayoutAxis>& each : all) {
      for (const std::uint32_t size : axis.sizes) {
        longer.push_back(each);
        longer.back().push_back({axis.axis, size});
      }
    }
    all = std::move(longer);
  }
  return all;
}

LayoutComparison compare_layouts(const std::vector<StepCase>& cases) {
  LayoutComparison comparison;
  std::exception_ptr refused;
  for (const StepCase& each : cases) {
    ComparedLayout made;
    try {
      const StepAnswer answer = each.simulate();
      comparison.name = answer.step.name;
      comparison.not_scaled = answer.step.not_scaled_by;
      made = compared(answer);
    } catch (const UserError& error) {
      refused = refused ? refused : std::current_exception();
      made.refusal = error.what();
    }
    made.given = each.given;
    made.machine = each.machine;
    made.options = each.options;
    comparison.layouts.push_back(std::move(made));
  }
  std::ranges::stable_sort(comparison.layouts, {}, [](const ComparedLayout& each) {
    return std::pair(!each.refusal.empty(), each.total_s);
  });
  if (!comparison.layouts.front().refusal.empty()) {
    std::rethrow_exception(refused);
  }
  std::erase_if(comparison.not_scaled, [&](const std::string& axis) {
    const std::vector<LayoutAxis>& given = cases.front().given;
    return std::ranges::find(given, axis, &LayoutAxis::name) == given.end();
  });
  return comparison;
}

}}  // namespace tutti::steps

#include "src/steps/groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/human.hpp"
#include "base/nearest.hpp"

namespace tutti { inline namespace steps {

using program::SyntaxNode;

void StepGroups::gpus(const SyntaxNode& node) {
  const auto count = static_cast<std::uint32_t>(whole(node[1], "gpus", kMostStepRanks));
  if (!step_.layout.empty()) {
    fail(node, "gpus must be above the layout");
  }
  if (count == 0 || (given_ranks_ && *given_ranks_ != count)) {
    fail(node[1], count == 0 ? "there must be at least 1 GPU"
                             : fmt::format("{} GPUs, but $ranks gives {}; leave one of them out",
                                           count, *given_ranks_));
  }
  given_ranks_ = count;
}

void StepGroups::layout(const SyntaxNode& node) {
  if (!step_.layout.empty()) {
    fail(node, "there is already a layout");
  }
  std::optional<std::size_t> rest;
  std::uint64_t product = 1;
  for (std::size_t i = 1; i < node.size(); ++i) {
    const SyntaxNode& axis = node[i];
    std::string axis_name(axis[0].text());
    if (is_all(axis[0]) ||
        std::ranges::find(step_.layout, axis_name, &LayoutAxis::name) != step_.layout.end()) {
      fail(axis, is_all(axis[0]) ? "all is the group of all ranks, and cannot be an axis"
                                 : fmt::format("axis {} is there twice", axis_name));
    }
    std::uint32_t size = 1;
    const auto given = std::ranges::find(sizes_, axis_name, &LayoutAxis::name);
    if (given != sizes_.end()) {
      size = given->size;
    } else if (axis.size() > 1) {
      size = static_cast<std::uint32_t>(whole(axis[1], "an axis", kMostStepRanks));
      if (size == 0) {
        fail(axis[1], "an axis needs at least 1 rank");
      }
    } else if (rest) {
      fail(axis, "only one axis can be without a size");
    } else {
      rest = i - 1;
    }
    product *= size;
    if (i > kMostAxes) {
      fail(axis, fmt::format("a layout has at most {} axes", kMostAxes));
    }
    if (product > kMostStepRanks) {
      fail(axis, fmt::format("more than {} ranks", kMostStepRanks));
    }
    step_.layout.push_back({std::move(axis_name), size});
  }
  close_layout(node, rest, static_cast<std::uint32_t>(product));
}

void StepGroups::close_layout(const SyntaxNode& node, std::optional<std::size_t> rest,
                              std::uint32_t product) {
  if (rest && (!given_ranks_ || *given_ranks_ % product != 0)) {
    fail(node, given_ranks_ ? fmt::format("{} GPUs cannot be divided by {}, the product of the "
                                          "other axes",
                                          *given_ranks_, product)
                            : fmt::format("axis {} has no size; give it one, or write the number "
                                          "of GPUs, such as gpus 64",
                                          step_.layout[*rest].name));
  }
  if (rest) {
    step_.layout[*rest].size = *given_ranks_ / product;
    product = *given_ranks_;
  }
  if (given_ranks_ && product != *given_ranks_) {
    fail(node, fmt::format("the layout has {}, but there are {}", counted(product, "rank"),
                           counted(*given_ranks_, "GPU")));
  }
  step_.ranks = product;
  for (std::size_t axis = 0; axis < step_.layout.size(); ++axis) {
    const auto& [axis_name, size] = step_.layout[axis];
    set_size(node[axis + 1], axis_name, {static_cast<double>(size), Unit::none, 1U << axis});
    step_.groups.push_back(group_of(axis_name, step_.layout, {{axis, size}}));
  }
}

void StepGroups::need_layout(const SyntaxNode& node) const {
  if (step_.layout.empty()) {
    fail(node, "the layout of the ranks must be above this line, such as layout tp 8, dp 64");
  }
}

void StepGroups::group(const SyntaxNode& node) {
  need_layout(node);
  std::string group_name(node[1].text());
  if (find_group(group_name)) {
    fail(node[1], fmt::format("there is already a group {}", group_name));
  }
  std::vector<AxisPart> parts;
  std::uint32_t axes = 0;  // on whose sizes that of the group depends
  for (std::size_t i = 2; i < node.size(); ++i) {
    if (is_all(node[i][0])) {
      if (node.size() > 3 || node[i].size() > 1) {
        fail(node[i], "all stands alone: group NAME = all");
      }
      parts = whole_layout();
      axes = ~0U;
      continue;
    }
    parts.push_back(axis_part(node[i]));
    axes |= node[i].size() > 1 ? 0 : 1U << parts.back().axis;
    for (std::size_t earlier = 0; earlier + 1 < parts.size(); ++earlier) {
      if (parts[earlier].axis == parts.back().axis) {
        fail(node[i], fmt::format("axis {} is there twice", node[i][0].text()));
      }
    }
  }
  step_.groups.push_back(group_of(group_name, step_.layout, parts));
  set_size(node[1], group_name,
           {static_cast<double>(step_.groups.back().size()), Unit::none, axes});
}

AxisPart StepGroups::axis_part(const SyntaxNode& node) const {
  const std::string_view wanted = node[0].text();
  const auto found = std::ranges::find(step_.layout, wanted, &LayoutAxis::name);
  if (found == step_.layout.end()) {
    std::vector<std::string> names{"all"};
    for (const LayoutAxis& axis : step_.layout) {
      names.push_back(axis.name);
    }
    fail(node,
         fmt::format("the layout has no axis '{}'; {}", wanted, accepted_words(wanted, names)));
  }
  AxisPart part{static_cast<std::size_t>(found - step_.layout.begin()), found->size};
  if (node.size() > 1) {
    part.size = static_cast<std::uint32_t>(whole(node[1], "an axis", kMostStepRanks));
    if (part.size == 0 || found->size % part.size != 0) {
      fail(node[1], fmt::format("axis {} has {}, which cannot be divided by {}", wanted,
                                counted(found->size, "position"), part.size));
    }
  }
  return part;
}

std::optional<std::uint32_t> StepGroups::find_group(std::string_view wanted) const {
  const auto found = std::ranges::find(step_.groups, wanted, &StepGroup::name);
  return found == step_.groups.end()
             ? std::nullopt
             : std::optional(static_cast<std::uint32_t>(found - step_.groups.begin()));
}

std::uint32_t StepGroups::group_named(const SyntaxNode& node) {
  need_layout(node);
  if (const auto found = find_group(node.text())) {
    return *found;
  }
  if (is_all(node)) {
    step_.groups.push_back(group_of("all", step_.layout, whole_layout()));
    return static_cast<std::uint32_t>(step_.groups.size() - 1);
  }
  fail(node, fmt::format("unknown group '{}'; {}", node.text(),
                         accepted_words(node.text(), group_names())));
}

std::vector<AxisPart> StepGroups::whole_layout() const {
  std::vector<AxisPart> parts;
  for (std::size_t axis = 0; axis < step_.layout.size(); ++axis) {
    parts.push_back({axis, step_.layout[axis].size});
  }
  return parts;
}

std::vector<std::string> StepGroups::group_names() const {
  std::vector<std::string> names;
  for (const StepGroup& each : step_.groups) {
    names.push_back(each.name);
  }
  names.emplace_back("all");
  return names;
}

}}  // namespace tutti::steps

#include "schedules/notation/program/variables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.hpp"
#include "schedules/problem.hpp"

namespace tutti { inline namespace schedules { namespace program {

Variables::Variables(Scanner& scanner) : CodeWriter(scanner) {
  for (std::size_t given = 0; given < kInputVariables; ++given) {
    new_slot(0);
  }
  assigned_.assign(kInputVariables, true);
  // M counts as not assigned, so that its first use emits check_even.
  assigned_[static_cast<std::size_t>(InputVariable::message_bytes)] = false;
}

void Variables::declare(const std::string& name, std::int64_t value) {
  const std::uint32_t slot = new_slot(value);
  variables_.emplace(name, Variable{false, slot});
  set_assigned(slot);
  parameters_end_ = slot + 1;
  // Parameters are listed like loop variables, so that error messages show their values.
  code_.loops.push_back({slot, name, 0, static_cast<std::size_t>(-1)});
}

std::uint32_t Variables::variable(const SyntaxNode& node) {
  const auto found = variables_.find(node.text());
  if (found == variables_.end()) {
    const auto slot = given(node.text());
    if (!slot) {
      fail_unknown(node);
    }
    variables_.emplace(node.text(), Variable{false, *slot});
    if (static_cast<InputVariable>(*slot) == InputVariable::segment_bytes) {
      code_.options |= bit(Option::segment);
    } else if (static_cast<InputVariable>(*slot) == InputVariable::cores) {
      code_.options |= bit(Option::ranks_per_node);
    }
    return checked(*slot, node);
  }
  if (found->second.is_list) {
    scanner_.fail(node.begin, fmt::format("'{0}' is a list; expected a number, such as {0}[0]",
                                          shown(node.text())));
  }
  return checked(found->second.number, node);
}

Variable& Variables::to_assign(const SyntaxNode& node, bool is_list) {
  const auto slot = given(node.text());
  const auto found = variables_.find(node.text());
  const bool own = found != variables_.end() &&
                   (!slot || found->second.is_list || found->second.number >= kInputVariables);
  if (slot && !own) {
    const auto which = static_cast<InputVariable>(*slot);
    if (found != variables_.end() ||
        (which != InputVariable::segment_bytes && which != InputVariable::cores)) {
      scanner_.fail(
          node.begin,
          fmt::format("{} is predefined, as {}; it cannot be assigned", node.text(),
                      which == InputVariable::ranks           ? "the number of ranks"
                      : which == InputVariable::root          ? "the root"
                      : which == InputVariable::message_bytes ? "the bytes of a rank's message"
                      : which == InputVariable::segment_bytes ? "the bytes of a segment"
                      : which == InputVariable::cores         ? "the cores of a node"
                                                              : "the bytes of an element"));
    }
  }
  if (found != variables_.end()) {
    if (!found->second.is_list && found->second.number >= kInputVariables &&
        found->second.number < parameters_end_) {
      scanner_.fail(node.begin, fmt::format("'{0}' is a parameter; it cannot be assigned, but "
                                            "$set {0}=N changes it",
                                            shown(node.text())));
    }
    if (found->second.is_list != is_list) {
      scanner_.fail(node.begin,
                    fmt::format("'{}' is already a {}; it cannot become a {}", shown(node.text()),
                                is_list ? "number" : "list", is_list ? "list" : "number"));
    }
    return found->second;
  }
  const std::uint32_t number = is_list ? new_list() : new_slot(kUnset);
  return variables_.emplace(node.text(), Variable{is_list, number}).first->second;
}

void Variables::set_assigned(std::uint32_t slot) {
  if (slot >= assigned_.size()) {
    assigned_.resize(slot + std::size_t{1}, false);
  }
  assigned_[slot] = true;
}

void Variables::fail_unknown(const SyntaxNode& node) {
  std::vector<std::string> names(kInputVariableNames.begin(), kInputVariableNames.end());
  names.reserve(names.size() + variables_.size());
  for (const auto& [name, variable] : variables_) {
    names.emplace_back(name);
  }
  const std::string best = node.text().size() < 3 || node.text().size() > kLongestName
                               ? ""
                               : nearest(node.text(), names);
  scanner_.fail(node.begin,
                fmt::format("'{}' has no value: nothing above assigns to it{}", shown(node.text()),
                            best.empty() ? "" : fmt::format("; did you mean '{}'?", best)));
}

std::optional<std::uint32_t> Variables::given(std::string_view name) {
  const auto found = std::find(kInputVariableNames.begin(), kInputVariableNames.end(), name);
  if (found == kInputVariableNames.end()) {
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(found - kInputVariableNames.begin());
}

std::uint32_t Variables::checked(std::uint32_t slot, const SyntaxNode& node) {
  if (slot == static_cast<std::uint32_t>(InputVariable::message_bytes)) {
    if (!assigned_[slot]) {
      emit({Code::check_even}, node.begin);
      set_assigned(slot);
    }
    return slot;
  }
  if (slot >= assigned_.size() || !assigned_[slot]) {
    code_.names.emplace_back(node.text());
    emit({Code::check_set, slot, static_cast<std::uint32_t>(code_.names.size() - 1)}, node.begin);
  }
  return slot;
}

}}}  // namespace tutti::schedules::program

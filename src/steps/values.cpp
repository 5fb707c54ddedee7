#include "src/steps/values.hpp"

#include <fmt/format.h>

#include <optional>

#include "base/error.hpp"
#include "schedules/op.hpp"

namespace tutti { inline namespace steps {

using program::Syntax;
using program::SyntaxNode;

std::uint64_t StepValues::whole(const SyntaxNode& node, std::string_view of,
                                std::uint64_t most) const {
  const double found = number(node);
  const auto count = whole_number(found, most);
  if (!count) {
    fail(node, fmt::format("{:.15g}: {} needs a whole number from 0 to {}", found, of, most));
  }
  return *count;
}

double StepValues::number(const SyntaxNode& node) const {
  const Quantity found = value(node);
  if (found.unit != Unit::none) {
    fail(node,
         fmt::format("expected a number without a unit, but this is {}", in_words(found.unit)));
  }
  return found.value;
}

std::uint64_t StepValues::size_of(const SyntaxNode& node, std::uint32_t times) const {
  const Quantity size = value(node);
  if (size.unit != Unit::bytes) {
    fail(node, fmt::format("expected a size, such as 64MiB, but this is {}", in_words(size.unit)));
  }
  const auto bytes = whole_number(size.value * times, kMaxMessageBytes);
  if (!bytes) {
    fail(node, fmt::format("{:.15g} bytes: the size must be a whole number of bytes below 16 TiB",
                           size.value * times));
  }
  return *bytes;
}

Quantity StepValues::value(const SyntaxNode& node) const {
  if (node.kind == Syntax::number) {
    try {
      return parse_quantity(node.text());
    } catch (const UserError& error) {
      fail(node, error.what());
    }
  }
  if (node.kind == Syntax::name) {
    const auto found = variables_.find(node.text());
    if (found == variables_.end()) {
      fail(node, fmt::format("{0} has no value; write let {0} = ... above", node.text()));
    }
    return found->second;
  }
  Quantity result = value(node[0]);
  for (std::size_t i = 1; i + 1 < node.size(); i += 2) {
    result = combined(node, result, node[i], value(node[i + 1]));
  }
  return result;
}

void StepValues::set(const SyntaxNode& node, Quantity value) {
  if (sizes_.contains(node.text())) {
    fail(node, fmt::format("{0} is the number of ranks of group {0}; give the value another name",
                           node.text()));
  }
  variables_[std::string(node.text())] = value;
}

void StepValues::set_size(const SyntaxNode& node, const std::string& name, Quantity size) {
  if (variables_.contains(name)) {
    fail(node,
         fmt::format("{0} already has a value; in formulas, the name of a group is the number "
                     "of its ranks, so leave out let {0}, or give one of them another name",
                     name));
  }
  variables_[name] = size;
  sizes_.insert(name);
}

Quantity StepValues::combined(const SyntaxNode& node, Quantity a, const SyntaxNode& symbol,
                              Quantity b) const {
  const char what = symbol.text().front();
  if (what == '/' && b.value == 0) {
    fail(node, "division by 0");
  }
  const auto result = what == '+'   ? sum_of(a, b)
                      : what == '-' ? difference_of(a, b)
                      : what == '*' ? product_of(a, b)
                                    : quotient_of(a, b);
  if (!result) {
    fail(symbol, fmt::format("{} {} {} has no meaning", in_words(a.unit), what, in_words(b.unit)));
  }
  return *result;
}

}}  // namespace tutti::steps

#include "schedules/notation/program/expressions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/nearest.hpp"
#include "schedules/problem.hpp"

namespace tutti { inline namespace schedules { namespace program {

namespace {

// A function of the language, and the number of its arguments.
struct Function {
  std::string_view name;
  std::size_t arguments;
};
constexpr std::array<Function, 12> kFunctions{{{"ceil", 1},
                                               {"floor", 1},
                                               {"log2", 1},
                                               {"ltrunc", 2},
                                               {"diff_mod", 3},
                                               {"ceil_mod", 2},
                                               {"min", 2},
                                               {"max", 2},
                                               {"bytes", 2},
                                               {"size", 1},
                                               {"level", 1},
                                               {"children", 2}}};

}  // namespace

bool Expressions::gives_list(const SyntaxNode& node) const {
  switch (node.kind) {
    case Syntax::list:
      return true;
    case Syntax::call:
      return node[0].text() == "children";
    case Syntax::name: {
      const auto found = variables_.find(node.text());
      return found != variables_.end() && found->second.is_list;
    }
    case Syntax::sum:
      return gives_list(node[0]);
    default:
      return false;
  }
}

std::uint32_t Expressions::list(const SyntaxNode& node) {
  switch (node.kind) {
    case Syntax::list:
      return literal(node, kNone);
    case Syntax::name: {
      const auto found = variables_.find(node.text());
      if (found != variables_.end() && found->second.is_list) {
        return found->second.number;
      }
      if (found == variables_.end() && !given(node.text())) {
        fail_unknown(node);
      }
      scanner_.fail(node.begin, fmt::format("'{}' is a number; expected a list such as {{0, 1}}",
                                            shown(node.text())));
    }
    case Syntax::sum: {
      const std::uint32_t result = new_list();
      emit({Code::list_copy, result, list(node[0])}, node.begin);
      for (std::size_t i = 2; i < node.size(); i += 2) {
        if (node[i - 1].text() != "+") {
          scanner_.fail(node[i - 1].begin, "lists can only be joined, with '+'");
        }
        emit({Code::list_join, result, list(node[i])}, node[i].begin);
      }
      return result;
    }
    case Syntax::call:
      if (gives_list(node)) {
        return children(node);
      }
      [[fallthrough]];
    default:
      scanner_.fail(
          node.begin,
          fmt::format("expected a list, such as {{0, 1}} or children(n,tree){}",
                      node.text().starts_with("range") ? "; for a range, write 'for n < N'" : ""));
  }
}

std::uint32_t Expressions::literal(const SyntaxNode& node, std::uint32_t room) {
  const std::uint32_t result = new_list();
  emit({Code::list_clear, result}, node.begin);
  for (std::size_t i = 0; i < node.size(); ++i) {
    if (node[i].kind != Syntax::dots) {
      emit({Code::list_push, result, number(node[i])}, node[i].begin);
      continue;
    }
    if (i != 1 || node.size() != 3 || node[2].kind == Syntax::dots) {
      scanner_.fail(node[i].begin,
                    "dots need exactly one value before and one after: {0, ..., N-1}");
    }
    const std::uint32_t first = number(node[0]);
    const std::uint32_t last = number(node[2]);
    emit({Code::list_clear, result}, node.begin);
    emit({Code::list_fill, result, first, last, room}, node.begin);
    break;
  }
  return result;
}

std::uint32_t Expressions::children(const SyntaxNode& node) {
  check_arguments(node, 2);
  const std::string_view tree = node[2].text();
  // If no tree has the name, the index of `known` is kOptionTree, because of this equality.
  static_assert(kOptionTree == kTreeNames.size());
  const auto known = std::find(kTreeNames.begin(), kTreeNames.end(), tree);
  if (tree == kOptionTreeName) {
    code_.options |= bit(Option::tree);
  } else if (known == kTreeNames.end()) {
    scanner_.fail(node[2].begin,
                  fmt::format("'{}' is not a tree; write {}, or '{}' for the tree that $tree names",
                              shown(tree), fmt::join(kTreeNames, ", "), kOptionTreeName));
  }
  const std::uint32_t result = new_list();
  emit({Code::list_children, result, number(node[1]),
        static_cast<std::uint32_t>(known - kTreeNames.begin())},
       node.begin);
  return result;
}

void Expressions::check_arguments(const SyntaxNode& node, std::size_t wanted) {
  if (node.size() - 1 != wanted) {
    scanner_.fail(node.begin, fmt::format("{} takes {} argument{}, not {}", node[0].text(), wanted,
                                          wanted == 1 ? "" : "s", node.size() - 1));
  }
}

std::uint32_t Expressions::number(const SyntaxNode& node) {
  switch (node.kind) {
    case Syntax::number:
      return literal_number(node);
    case Syntax::name:
      return variable(node);
    case Syntax::element: {
      const std::uint32_t array = list(node[0]);
      const std::uint32_t index = number(node[1]);
      return result({Code::list_get, 0, array, index}, node.begin);
    }
    case Syntax::call:
      return call(node);
    case Syntax::minus: {
      const std::uint32_t operand = number(node[0]);
      if (is_constant(operand)) {
        return constant(-code_.slots[operand]);
      }
      return result({Code::negate, 0, operand}, node.begin);
    }
    case Syntax::sum:
    case Syntax::product:
    case Syntax::shift:
    case Syntax::exclusive_or:
    case Syntax::power:
      return chain(node);
    case Syntax::comparison:
      return comparison(node);
    case Syntax::negation:
      return result({Code::logical_not, 0, number(node[0])}, node.begin);
    case Syntax::conjunction:
    case Syntax::alternatives: {
      // The value is 1 or 0. Operands are evaluated only until the value is known.
      const std::uint32_t value = temporary();
      const auto leave = jumps_unless(node);
      emit({Code::move, value, constant(1)}, node.begin);
      const std::size_t over = here();
      emit({Code::jump}, node.begin);
      land(leave);
      emit({Code::move, value, constant(0)}, node.begin);
      code_.instructions[over].a = static_cast<std::uint32_t>(here());
      return value;
    }
    default:
      scanner_.fail(node.begin, "expected a number, not a list");
  }
}

std::uint32_t Expressions::literal_number(const SyntaxNode& node) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(node.begin, node.end, value);
  if (error != std::errc{} || end != node.end) {
    scanner_.fail(node.begin, fmt::format("{} is too large; numbers go up to {}",
                                          shown(node.text()), INT64_MAX));
  }
  return constant(value);
}

std::uint32_t Expressions::chain(const SyntaxNode& node) {
  if (gives_list(node[0])) {
    scanner_.fail(node.begin, "expected a number, not a list");
  }
  std::uint32_t value = number(node[0]);
  for (std::size_t i = 2; i < node.size(); i += 2) {
    const std::uint32_t right = number(node[i]);
    value = result({operation_of(node[i - 1].text()), 0, value, right}, node[i - 1].begin);
  }
  return value;
}

Code Expressions::operation_of(std::string_view symbol) {
  return symbol == "+"     ? Code::add
         : symbol == "-"   ? Code::subtract
         : symbol == "*"   ? Code::multiply
         : symbol == "/"   ? Code::divide
         : symbol == "mod" ? Code::modulo
         : symbol == "^"   ? Code::power
         : symbol == "<<"  ? Code::shift_left
         : symbol == ">>"  ? Code::shift_right
                           : Code::exclusive_or;
}

std::uint32_t Expressions::comparison(const SyntaxNode& node) {
  const std::string_view symbol = node[1].text();
  const std::uint32_t left = number(node[0]);
  if (symbol == "in") {
    return result({Code::list_has, 0, left, list(node[2])}, node[1].begin);
  }
  const std::uint32_t right = number(node[2]);
  const Code code = symbol == "=="                   ? Code::equal
                    : symbol == "!="                 ? Code::unequal
                    : symbol == "<" || symbol == ">" ? Code::less
                                                     : Code::less_equal;
  const bool turned = symbol[0] == '>';
  return result({code, 0, turned ? right : left, turned ? left : right}, node[1].begin);
}

std::vector<std::size_t> Expressions::jumps_unless(const SyntaxNode& node) {
  std::vector<std::size_t> jumps;
  // The slots that certainly have a value once the first operand has been evaluated. Later operands
  // do not count, because they are not always evaluated.
  std::vector<bool> after_first;
  if (node.kind == Syntax::conjunction) {
    for (const auto& part : node.children) {
      const auto more = jumps_unless(*part);
      jumps.insert(jumps.end(), more.begin(), more.end());
      after_first = after_first.empty() ? assigned_ : std::move(after_first);
    }
    assigned_ = std::move(after_first);
    forget_results();
    return jumps;
  }
  if (node.kind == Syntax::alternatives) {
    std::vector<std::size_t> holds;
    for (std::size_t i = 0; i < node.size(); ++i) {
      const auto fails = jumps_unless(node[i]);
      after_first = after_first.empty() ? assigned_ : std::move(after_first);
      if (i + 1 == node.size()) {
        jumps = fails;
      } else {
        holds.push_back(here());
        emit({Code::jump}, node.begin);
        land(fails);
      }
    }
    land(holds);
    assigned_ = std::move(after_first);
    return jumps;
  }
  if (node.kind == Syntax::comparison && node[1].text() != "in") {
    const std::string_view symbol = node[1].text();
    const std::uint32_t left = number(node[0]);
    const std::uint32_t right = number(node[2]);
    const Code code = symbol == "=="                   ? Code::jump_unless_equal
                      : symbol == "!="                 ? Code::jump_unless_unequal
                      : symbol == "<" || symbol == ">" ? Code::jump_unless_less
                                                       : Code::jump_unless_less_equal;
    const bool turned = symbol[0] == '>';
    jumps.push_back(here());
    emit({code, 0, turned ? right : left, turned ? left : right}, node[1].begin);
    return jumps;
  }
  const std::uint32_t value = number(node);
  jumps.push_back(here());
  emit({Code::jump_if_zero, 0, value}, node.begin);
  return jumps;
}

std::uint32_t Expressions::call(const SyntaxNode& node) {
  const std::string_view name = node[0].text();
  const auto known = std::find_if(kFunctions.begin(), kFunctions.end(),
                                  [&](const Function& each) { return each.name == name; });
  if (known == kFunctions.end()) {
    std::vector<std::string> names;
    names.reserve(kFunctions.size());
    for (const Function& function : kFunctions) {
      names.emplace_back(function.name);
    }
    const std::string best = name.size() > kLongestName ? "" : nearest(name, names);
    scanner_.fail(
        node.begin,
        fmt::format("there is no function '{}'{}", shown(name),
                    best.empty() ? fmt::format("; the functions are {}", fmt::join(names, ", "))
                                 : fmt::format(": did you mean '{}'?", best)));
  }
  // With one argument, bytes() returns the bytes of one block.
  if (name == "bytes" && node.size() == 2) {
    return result({Code::bytes_of_blocks, 0, number(node[1]), constant(1)}, node.begin);
  }
  check_arguments(node, known->arguments);
  if (name == "ceil") {
    return ceil(node);
  }
  if (name == "size") {
    return result({Code::list_size, 0, list(node[1])}, node.begin);
  }
  if (name == "children") {
    scanner_.fail(node.begin, "expected a number, not a list");
  }
  const std::uint32_t x = number(node[1]);
  if (name == "level") {
    code_.names_traces = true;
    return result({Code::next_level, 0, x}, node.begin);
  }
  if (name == "floor") {
    return x;
  }
  if (name == "log2") {
    return result({Code::floor_log2, 0, x}, node.begin);
  }
  const std::uint32_t y = number(node[2]);
  if (name == "ltrunc") {
    const std::uint32_t shifted = result({Code::shift_right, 0, x, y}, node.begin);
    return result({Code::shift_left, 0, shifted, y}, node.begin);
  }
  if (name == "ceil_mod") {  // (x + m - 1) mod m
    const std::uint32_t sum = result({Code::add, 0, x, y}, node.begin);
    const std::uint32_t less_one = result({Code::subtract, 0, sum, constant(1)}, node.begin);
    return result({Code::modulo, 0, less_one, y}, node.begin);
  }
  if (name == "diff_mod") {
    return result({Code::difference_modulo, 0, x, y, number(node[3])}, node.begin);
  }
  return result({name == "min"   ? Code::minimum
                 : name == "max" ? Code::maximum
                                 : Code::bytes_of_blocks,
                 0, x, y},
                node.begin);
}

std::uint32_t Expressions::ceil(const SyntaxNode& node) {
  const SyntaxNode& inside = node[1];
  if (inside.kind == Syntax::call && inside[0].text() == "log2") {
    check_arguments(inside, 1);
    return result({Code::ceil_log2, 0, number(inside[1])}, node.begin);
  }
  if (inside.kind == Syntax::product && inside.size() == 3 && inside[1].text() == "/") {
    const std::uint32_t x = number(inside[0]);
    return result({Code::ceil_divide, 0, x, number(inside[2])}, inside[1].begin);
  }
  scanner_.fail(inside.begin, "the argument of ceil must be a quotient x/y, or log2(x)");
}

std::uint32_t Expressions::kept(const SyntaxNode& node) {
  const std::uint32_t value = number(node);
  if (is_constant(value)) {
    return value;
  }
  const std::uint32_t slot = new_slot(0);
  emit({Code::move, slot, value}, node.begin);
  return slot;
}

}}}  // namespace tutti::schedules::program

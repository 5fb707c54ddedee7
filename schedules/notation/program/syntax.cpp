#include "schedules/notation/program/syntax.hpp"

#include <fmt/format.h>
#include <tao/pegtl/contrib/parse_tree.hpp>

#include <algorithm>
#include <utility>

#include "schedules/notation/program/grammar.hpp"

namespace tutti::inline schedules::program {

namespace {

namespace tree = tao::pegtl::parse_tree;

struct Node : tree::basic_node<Node> {
  Syntax kind = Syntax::none;

  template <typename Rule, typename Input, typename... States>
  void start(const Input& in, States&&... /*unused*/) {
    kind = grammar::kind_of<Rule>();
    m_begin = tao::pegtl::internal::iterator(in.iterator());
  }
};

template <typename Rule>
struct Selector : std::bool_constant<grammar::kind_of<Rule>() != Syntax::none> {
  // If a node of operators has a single operand, the operand replaces the node.
  template <typename... States>
  static void transform(std::unique_ptr<Node>& node, States&&... /*unused*/) {
    if (grammar::folds<Rule>() && node->children.size() == 1) {
      auto child = std::move(node->children.front());
      node = std::move(child);
    }
  }
};

std::unique_ptr<SyntaxNode> taken_over(const Node& node) {
  auto result = std::make_unique<SyntaxNode>();
  result->kind = node.kind;
  result->begin = node.m_begin.data;
  result->end = node.m_end.data;
  result->children.reserve(node.children.size());
  for (const auto& child : node.children) {
    result->children.push_back(taken_over(*child));
  }
  return result;
}

// Returns advice on what to write instead of the syntax of another language; "" if there is none.
// `rest` is the part of `statement` from the error on.
std::string_view advice(std::string_view statement, std::string_view rest) {
  const auto begins = [&](std::string_view word) {
    return statement.starts_with(word) && statement.substr(word.size()).starts_with(' ');
  };
  if (begins("else") && rest.starts_with("if")) {
    return "write elif";
  }
  if (begins("param")) {
    return "a parameter is a line 'param k = 3' of the header, before the first statement";
  }
  if (rest.starts_with('=') && (begins("if") || begins("elif") || begins("while"))) {
    return "to compare, write ==";
  }
  constexpr std::pair<std::string_view, std::string_view> kAdvice[] = {
      {"*=", "write x = x * y"},
      {"/=", "write x = x / y"},
      {"-=", "write x = x - y"},
      {"//", "a comment begins with '#'"},
      {"/", "one '/' divides and rounds down; a comment begins with '#'"},
      {"%", "write mod"},
      {"&&", "write and"},
      {"||", "write or"},
      {"!", "write not"},
      {":", "no ':' is needed"},
      {";", "write one statement per line"}};
  for (const auto& [found, instead] : kAdvice) {
    if (rest.starts_with(found)) {
      return instead;
    }
  }
  return {};
}

}  // namespace

std::unique_ptr<SyntaxNode> parse_statement(Scanner& scanner, const char* begin, const char* end,
                                            std::uint32_t nesting) {
  tao::pegtl::memory_input<tao::pegtl::tracking_mode::lazy> input(begin, end, "");
  grammar::Depth depth{0, nesting};
  try {
    const auto root =
        tree::parse<grammar::statement, Node, Selector, tao::pegtl::nothing, grammar::control>(
            input, depth);
    return taken_over(*root->children.front());
  } catch (const tao::pegtl::parse_error& error) {
    scanner.go_back_to(begin + error.positions().front().byte);
    const std::string_view statement(begin, static_cast<std::size_t>(end - begin));
    std::string_view rest = statement.substr(error.positions().front().byte);
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    scanner.fail_expected(error.message(), advice(statement, rest));
  } catch (const grammar::TooDeep& deep) {
    scanner.fail(
        deep.place,
        fmt::format("the expression is nested more than {} deep; $limit nesting=N allows more",
                    nesting));
  }
}

}  // namespace tutti::inline schedules::program

// Parses a statement with a rule of step_grammar, or of a grammar that is built from it.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string_view>

#include "src/steps/grammar.hpp"

namespace tutti { inline namespace steps {

// Nesting of parentheses and blocks.
inline constexpr std::uint32_t kDeepest = 100;

// Parses the text from `begin` to `end`, both in the scanner's text. Throws NotationError, which
// ends with `advice`, if the text does not match the rule.
template <typename Rule>
std::unique_ptr<program::SyntaxNode> parse_rule(Scanner& scanner, const char* begin,
                                                const char* end, std::string_view advice = {}) {
  tao::pegtl::memory_input<tao::pegtl::tracking_mode::lazy> input(begin, end, "");
  step_grammar::Depth depth{0, kDeepest};
  step_grammar::Tree tree;
  try {
    tao::pegtl::parse<Rule, tao::pegtl::nothing, step_grammar::control,
                      tao::pegtl::apply_mode::nothing>(input, depth, tree);
    return tree.take();
  } catch (const tao::pegtl::parse_error& error) {
    scanner.go_back_to(begin + error.positions().front().byte);
    scanner.fail_expected(error.message(), advice);
  } catch (const step_grammar::TooDeep& deep) {
    scanner.fail(deep.place, fmt::format("parentheses are nested more than {} deep", kDeepest));
  }
}

}}  // namespace tutti::steps

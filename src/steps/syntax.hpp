// The statements of a step's description, as trees.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/notation/program/syntax.hpp"

namespace tutti { inline namespace steps {

struct StepStatement {
  std::unique_ptr<program::SyntaxNode> syntax;  // its children are those of the statement
  std::string text;                             // without comments and the blanks around it
  std::uint32_t line = 0;
  std::vector<StepStatement> body;  // the statements in braces

  // Returns the keyword, or the name of the collective.
  [[nodiscard]] std::string_view keyword() const {
    const program::SyntaxNode& first = (*syntax)[0];
    return (first.kind == program::Syntax::use ? first[0] : first).text();
  }
};

// Parses a description. A statement ends with its line, or at ';' or a brace. Throws NotationError,
// which names the line.
[[nodiscard]] std::vector<StepStatement> parse_step(Scanner& scanner);

}}  // namespace tutti::steps

// Compiles statements of the form Req(...) = ...
#pragma once

#include <cstdint>

#include "schedules/notation/program/expressions.hpp"
#include "schedules/notation/program/syntax.hpp"

namespace tutti { inline namespace schedules { namespace program {

class Operations : protected Expressions {
 protected:
  using Expressions::Expressions;

  RequestCode request(const SyntaxNode& node, bool named);
  // True if the level is a negative constant, so that the request names no operations.
  [[nodiscard]] bool names_nothing(const RequestCode& request) const;
  void requests(const SyntaxNode& node);
  void operation(const SyntaxNode& node, const SyntaxNode* after, const RequestCode& label,
                 bool into_set, bool adds, bool joined);
  static bool is_plain(const SideCode& side);
  void check_sides(const SyntaxNode& node, const OperationCode& operation);
  // Compiles the blocks A op B -> C of a reduction, where C is A or B.
  void reduction(const SyntaxNode& node, std::size_t child, OperationCode& operation);
  SideCode side(const SyntaxNode& node);
};

}}}  // namespace tutti::schedules::program

// From expressions to code that leaves their value in a slot, or in a list.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "schedules/notation/program/syntax.hpp"
#include "schedules/notation/program/variables.hpp"

namespace tutti::inline schedules::program {

class Expressions : protected Variables {
 protected:
  using Variables::Variables;

  [[nodiscard]] bool gives_list(const SyntaxNode& node) const;
  // A list that nobody will assign to before it is used.
  std::uint32_t list(const SyntaxNode& node);
  // `room`: the slot with the number of members that it is to have, or kNone.
  std::uint32_t literal(const SyntaxNode& node, std::uint32_t room);
  std::uint32_t children(const SyntaxNode& node);
  void check_arguments(const SyntaxNode& node, std::size_t wanted);
  // The slot of the value.
  std::uint32_t number(const SyntaxNode& node);
  std::uint32_t literal_number(const SyntaxNode& node);
  std::uint32_t chain(const SyntaxNode& node);
  static Code operation_of(std::string_view symbol);
  std::uint32_t comparison(const SyntaxNode& node);
  // Jumps that are taken where the condition does not hold; land() says to where.
  std::vector<std::size_t> jumps_unless(const SyntaxNode& node);
  std::uint32_t call(const SyntaxNode& node);
  // Integers are all there is, so ceil() looks at what it rounds.
  std::uint32_t ceil(const SyntaxNode& node);
  // In a slot that keeps its value while a loop runs.
  std::uint32_t kept(const SyntaxNode& node);
};

}  // namespace tutti::inline schedules::program

// Compiles expressions to code that stores their value in a slot or in a list.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "schedules/notation/program/syntax.hpp"
#include "schedules/notation/program/variables.hpp"

namespace tutti { inline namespace schedules { namespace program {

class Expressions : protected Variables {
 protected:
  using Variables::Variables;

  [[nodiscard]] bool gives_list(const SyntaxNode& node) const;
  // Compiles a list and returns its number. The program does not change this list before the
  // compiled statement uses it.
  std::uint32_t list(const SyntaxNode& node);
  // Compiles a list in braces. `room` is the slot that holds the required number of members, or
  // kNone.
  std::uint32_t literal(const SyntaxNode& node, std::uint32_t room);
  std::uint32_t children(const SyntaxNode& node);
  void check_arguments(const SyntaxNode& node, std::size_t wanted);
  // Compiles a number and returns the slot of its value.
  std::uint32_t number(const SyntaxNode& node);
  std::uint32_t literal_number(const SyntaxNode& node);
  std::uint32_t chain(const SyntaxNode& node);
  static Code operation_of(std::string_view symbol);
  std::uint32_t comparison(const SyntaxNode& node);
  // Returns the jumps that are taken if the condition is false; land() sets their target.
  std::vector<std::size_t> jumps_unless(const SyntaxNode& node);
  std::uint32_t call(const SyntaxNode& node);
  // Compiles ceil(...). All values are integers, so the division or logarithm inside must itself
  // round up.
  std::uint32_t ceil(const SyntaxNode& node);
  // Compiles a number and returns a slot whose value does not change while a loop runs.
  std::uint32_t kept(const SyntaxNode& node);
};

}}}  // namespace tutti::schedules::program

// Evaluates the formulas of a step's description.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "schedules/notation/program/syntax.hpp"
#include "src/steps/quantity.hpp"

namespace tutti { inline namespace steps {

class StepValues {
 protected:
  explicit StepValues(Scanner& scanner) : scanner_(scanner) {}

  // Throws NotationError for the place of the node.
  [[noreturn]] void fail(const program::SyntaxNode& node, const std::string& what) const {
    scanner_.fail(node.begin, what);
  }

  // Return the value of a formula. Those without a unit, and those that must be whole, throw
  // NotationError for other values. `of` names what needs the number.
  [[nodiscard]] Quantity value(const program::SyntaxNode& node) const;
  [[nodiscard]] double number(const program::SyntaxNode& node) const;
  [[nodiscard]] std::uint64_t whole(const program::SyntaxNode& node, std::string_view of,
                                    std::uint64_t most) const;

  // Returns a size in bytes, times `times`. Throws NotationError for other values.
  [[nodiscard]] std::uint64_t size_of(const program::SyntaxNode& node, std::uint32_t times) const;

  // Gives the name that `node` has a value. Throws NotationError if it is the name of a group.
  void set(const program::SyntaxNode& node, Quantity value);
  // Gives the name of an axis or a group the number of its ranks. Throws NotationError for `node`
  // if the name already has a value.
  void set_size(const program::SyntaxNode& node, const std::string& name, Quantity size);

  Scanner& scanner_;

 private:
  [[nodiscard]] Quantity combined(const program::SyntaxNode& node, Quantity a,
                                  const program::SyntaxNode& symbol, Quantity b) const;

  std::map<std::string, Quantity, std::less<>> variables_;
  std::set<std::string, std::less<>> sizes_;  // those of variables_ that are sizes of groups
};

}}  // namespace tutti::steps

// Evaluates the formulas of a step's description.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
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

  void set(std::string_view name, Quantity value) { variables_[std::string(name)] = value; }

  Scanner& scanner_;

 private:
  [[nodiscard]] Quantity combined(const program::SyntaxNode& node, Quantity a,
                                  const program::SyntaxNode& symbol, Quantity b) const;

  std::map<std::string, Quantity, std::less<>> variables_;
};

}}  // namespace tutti::steps

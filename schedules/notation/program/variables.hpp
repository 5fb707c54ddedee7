// The variables of a program. The compiler knows which variables are numbers, which are lists, and
// which surely have a value.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/notation/program/code_writer.hpp"
#include "schedules/notation/program/syntax.hpp"

namespace tutti { inline namespace schedules { namespace program {

struct Variable {
  bool is_list = false;
  // Number of the variable's slot or list.
  std::uint32_t number = 0;
};

// The functions of this class throw NotationError if a number is used as a list, or a list as a
// number.
class Variables : protected CodeWriter {
 protected:
  explicit Variables(Scanner& scanner);

  // Declares a parameter of the program: a number that cannot be assigned to. Parameters must be
  // declared before all other variables.
  void declare(const std::string& name, std::int64_t value);
  std::uint32_t variable(const SyntaxNode& node);
  Variable& to_assign(const SyntaxNode& node, bool is_list);
  std::uint32_t to_assign(const SyntaxNode& node) { return to_assign(node, false).number; }
  std::uint32_t list_to_assign(const SyntaxNode& node) { return to_assign(node, true).number; }
  void set_assigned(std::uint32_t slot);
  [[noreturn]] void fail_unknown(const SyntaxNode& node);
  static std::optional<std::uint32_t> given(std::string_view name);
  // Returns `slot`. If the variable may be read before it is assigned, emits an instruction that
  // checks this when the program runs.
  std::uint32_t checked(std::uint32_t slot, const SyntaxNode& node);

  std::map<std::string, Variable, std::less<>> variables_;
  // The first slot after those of predefined variables and parameters.
  std::uint32_t parameters_end_ = kInputVariables;
  // For each slot: true if it is assigned on every path to the current statement.
  std::vector<bool> assigned_;
};

}}}  // namespace tutti::schedules::program

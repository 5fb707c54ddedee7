// The variables of a program: which are numbers, which are lists, and which surely have a value.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/notation/program/code_writer.hpp"
#include "schedules/notation/program/syntax.hpp"

namespace tutti::inline schedules::program {

struct Variable {
  bool is_list = false;
  std::uint32_t number = 0;  // of the slot, or of the list
};

// Throws NotationError if a variable is not of the kind that is needed.
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
  // Emits a check at run time if the variable may be read before it was assigned.
  std::uint32_t checked(std::uint32_t slot, const SyntaxNode& node);

  std::map<std::string, Variable, std::less<>> variables_;
  std::uint32_t parameters_end_ = kGivens;  // first slot after those of the parameters
  std::vector<bool> assigned_;              // by slot: true if assigned on every path to here
};

}  // namespace tutti::inline schedules::program

// The two ways in which things go wrong.
//
// UserError: the input is at fault. Its text is one line that names the value, where it stands and
// what would be accepted; the command line prints it and exits with 2.
// InvariantError: we are at fault. It stops the program, in release builds too.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "base/field_names.hpp"
#include "base/sentence.hpp"

namespace tutti::inline base {

class UserError : public std::runtime_error {
 public:
  // Fields are named in them as with_fields() has it.
  explicit UserError(std::string_view text) : std::runtime_error(with_fields(text)) {}
  explicit UserError(const std::string& text) : UserError(std::string_view(text)) {}
  explicit UserError(const char* text) : UserError(std::string_view(text)) {}
  explicit UserError(const Sentence& sentence)
      : std::runtime_error(with_fields(sentence.text)), pattern_(with_fields(sentence.pattern)) {}

  [[nodiscard]] Sentence sentence() const { return {what(), pattern_.empty() ? what() : pattern_}; }

 private:
  std::string pattern_;  // "" where the text is all there is
};

// A problem that the algorithm cannot serve, whatever the machine.
class UnservedProblem : public UserError {
 public:
  using UserError::UserError;
};

// A schedule that is larger than what ids or the machine's memory allow.
class ScheduleTooLarge : public UserError {
 public:
  using UserError::UserError;
};

class InvariantError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void fail_invariant(const char* condition, const char* file, int line);

}  // namespace tutti::inline base

// Checked in every build type: a simulator that goes on after a broken invariant prints a number.
#define TUTTI_INVARIANT(condition)                             \
  do {                                                         \
    if (!(condition)) [[unlikely]] {                           \
      ::tutti::fail_invariant(#condition, __FILE__, __LINE__); \
    }                                                          \
  } while (false)

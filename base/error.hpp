// The two kinds of errors.
//
// UserError: the input is invalid. The error's text is one line that says which value is wrong,
// where, and what is accepted. The command line prints the text and exits with status 2.
//
// InvariantError: tutti has a bug. The error ends the program, in release builds too.
#pragma once

#include <stdexcept>
#include <string>

#include "base/sentence.hpp"

namespace tutti { inline namespace base {

class UserError : public std::runtime_error {
 public:
  // The text may name fields as "$ports" (field_names.hpp). Code that prints it spells them.
  using std::runtime_error::runtime_error;
  explicit UserError(const Sentence& sentence)
      : std::runtime_error(sentence.text), pattern_(sentence.pattern) {}

  [[nodiscard]] Sentence sentence() const { return {what(), pattern_.empty() ? what() : pattern_}; }

 private:
  std::string pattern_;
};

// Thrown if an algorithm does not support a problem, whatever the machine.
class UnservedProblem : public UserError {
 public:
  using UserError::UserError;
};

// Thrown if a schedule needs more operation ids than there are, or more memory than the machine
// has.
class ScheduleTooLarge : public UserError {
 public:
  using UserError::UserError;
};

class InvariantError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void fail_invariant(const char* condition, const char* file, int line);

}}  // namespace tutti::base

// Throws InvariantError if the condition is false. This is checked in every build type, because a
// simulator that continues after a broken invariant prints wrong numbers.
#define TUTTI_INVARIANT(condition)                             \
  do {                                                         \
    if (!(condition)) [[unlikely]] {                           \
      ::tutti::fail_invariant(#condition, __FILE__, __LINE__); \
    }                                                          \
  } while (false)

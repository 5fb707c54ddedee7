// Writes the code of a program: instructions, and the slots that hold their numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/notation/program/code.hpp"
#include "schedules/notation/scanner.hpp"

namespace tutti { inline namespace schedules { namespace program {

// Largest length of a name that error messages show in full.
inline constexpr std::size_t kLongestName = 60;

// The lowest layer of the compiler. The next layers, each of which uses the previous one, are
// variables, expressions, operations and statements.
class CodeWriter {
 protected:
  explicit CodeWriter(Scanner& scanner)
      : scanner_(scanner), text_begin_(scanner.at() - scanner.offset()) {}

  void begin_statement() {
    temporaries_used_ = 0;
    forget_results();
  }
  std::uint32_t new_slot(std::int64_t value);
  std::uint32_t new_list() { return code_.lists++; }
  std::uint32_t constant(std::int64_t value);
  [[nodiscard]] bool is_constant(std::uint32_t slot) const;
  // Returns a slot that is valid until the end of the statement.
  std::uint32_t temporary();
  [[nodiscard]] bool is_temporary(std::uint32_t slot) const;
  // Emits an instruction and returns the slot of its result. Operands do not change within a
  // statement, so an expression that occurs again, such as the level of requests, is computed only
  // once.
  std::uint32_t result(Instruction instruction, const char* place);
  // Must be called where control flow branches or joins, because earlier results may not exist on
  // all paths.
  void forget_results() { results_.clear(); }
  [[nodiscard]] std::size_t here() const { return code_.instructions.size(); }
  [[nodiscard]] std::uint32_t place_of(const char* place) const;
  void emit(const Instruction& instruction, const char* place);
  void land(const std::vector<std::size_t>& jumps);
  static std::string shown(std::string_view text);

  Scanner& scanner_;
  const char* text_begin_;
  CompiledCode code_;
  // Position of the instruction that computed the last result.
  std::size_t last_result_ = 0;

 private:
  std::map<std::int64_t, std::uint32_t> constants_;
  std::vector<bool> is_constant_;
  std::vector<std::uint32_t> temporaries_;
  std::size_t temporaries_used_ = 0;
  // The slots of the results that the statement has already computed. The key is the instruction's
  // code and its operands.
  std::map<std::array<std::uint32_t, 4>, std::uint32_t> results_;
};

}}}  // namespace tutti::schedules::program

// A schedule for any number of ranks, written as a program in the parametric form of the notation.
// The language is described in README.md beside this file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/builder.hpp"
#include "schedules/collective.hpp"
#include "schedules/notation/notation_error.hpp"
#include "schedules/problem.hpp"
#include "schedules/schedule.hpp"

namespace tutti { inline namespace schedules {

// Limits at which the evaluation of a program stops. The error names the limit and --limit, which
// raises it.
struct ProgramLimits {
  std::uint64_t operations = 100'000'000;
  // Number of loop iterations, plus the number of list members that are read or written.
  std::uint64_t steps = 1'000'000'000;
  std::uint64_t memory_bytes = std::uint64_t{8} << 30U;
  // Nesting depth of brackets, and of statements.
  std::uint32_t nesting = 100;

  // Largest value of `nesting`; a larger one would overflow the stack.
  static constexpr std::uint32_t kMostNesting = 1000;

  friend bool operator==(const ProgramLimits&, const ProgramLimits&) = default;
};

// A number that a line such as "param k = 3" of the header declares. The user can change the value
// with --set k=4.
struct ProgramParameter {
  std::string name;
  std::int64_t value = 0;

  friend bool operator==(const ProgramParameter&, const ProgramParameter&) = default;
};

namespace program {
struct CompiledCode;
}

struct Verdict;

// Schedules that are written out, each for a single problem, and that together take the place of a
// program. Several threads may call the functions at once.
class WrittenSchedules {
 public:
  WrittenSchedules() = default;
  WrittenSchedules(const WrittenSchedules&) = delete;
  WrittenSchedules& operator=(const WrittenSchedules&) = delete;
  virtual ~WrittenSchedules() = default;

  // Throws UnservedProblem if none of the schedules is for this problem. The problems that are
  // given to the other functions must pass.
  virtual void check(const Problem& problem) const = 0;
  // The file that has the schedule, and its text.
  [[nodiscard]] virtual const std::string& file(const Problem& problem) const = 0;
  [[nodiscard]] virtual const std::string& text(const Problem& problem) const = 0;
  // Throws UserError if the file cannot serve the problem.
  [[nodiscard]] virtual Schedule schedule(const Problem& problem) const = 0;
  [[nodiscard]] virtual Verdict prove(const Problem& problem) const = 0;
};

// A program, or written-out schedules in its place.
class Program {
 public:
  // Compiles `text`. `file` is the file name that errors show. `set` replaces the defaults of
  // parameters; names that the program does not declare are ignored. Throws NotationError if the
  // text is invalid.
  Program(std::string text, std::string file, const ProgramLimits& limits = {},
          std::span<const ProgramParameter> set = {});
  // Written-out schedules of one collective, which are variants of the algorithm `algorithm`.
  // `file` stands for all of their files.
  Program(Collective collective, std::string algorithm, std::string file,
          std::unique_ptr<const WrittenSchedules> written);
  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program();

  [[nodiscard]] Collective collective() const { return collective_; }
  // The name in the header; "unnamed" if there is none.
  [[nodiscard]] const std::string& algorithm() const { return algorithm_; }
  // The values of the parameters in the form of --set: " k=3 m=1"; "" if there are none.
  [[nodiscard]] std::string settings() const;
  [[nodiscard]] const std::vector<ProgramParameter>& parameters() const { return parameters_; }
  [[nodiscard]] const std::string& file() const { return file_; }
  // The file that serves the problem, and its text: those of the program, or of one of the
  // written-out schedules.
  [[nodiscard]] const std::string& file(const Problem& problem) const {
    return written_ != nullptr ? written_->file(problem) : file_;
  }
  [[nodiscard]] const std::string& text(const Problem& problem) const {
    return written_ != nullptr ? written_->text(problem) : text_;
  }
  // The written-out schedules; null for a program.
  [[nodiscard]] const WrittenSchedules* written() const { return written_.get(); }
  [[nodiscard]] const ProgramLimits& limits() const { return limits_; }
  // The only number of ranks that the program serves, from the header; empty if it serves several.
  [[nodiscard]] std::optional<std::uint32_t> ranks() const { return ranks_; }
  // The options that the program uses, as bits of Option.
  [[nodiscard]] unsigned options() const { return options_; }
  // True if the user asked not to prove the program's schedules (--no-verify).
  [[nodiscard]] bool unverified() const { return unverified_; }
  void leave_unverified() { unverified_ = true; }

  // Throws UnservedProblem if the header, or the list of written-out schedules, excludes the
  // problem.
  void check(const Problem& problem) const;
  // Makes the schedule of a problem, which must have passed check() of schedules/algorithm.hpp.
  // Operations are in the order in which the program makes them. Throws UserError if the program
  // refuses the problem, and NotationError if the program fails or exceeds a limit. Several threads
  // may call this function at once.
  [[nodiscard]] Schedule schedule(const Problem& problem, Detail detail = Detail::payload) const;

  // True if `text` is a program; false if it is a schedule that lists every operation.
  [[nodiscard]] static bool is_program(std::string_view text);

 private:
  std::string text_;
  std::string file_;
  ProgramLimits limits_;
  Collective collective_ = Collective::allreduce;
  std::string algorithm_;
  std::vector<ProgramParameter> parameters_;
  std::optional<std::uint32_t> ranks_;
  unsigned options_ = 0;
  bool unverified_ = false;
  std::unique_ptr<const program::CompiledCode> code_;  // null if the schedules are written out
  std::unique_ptr<const WrittenSchedules> written_;
};

}}  // namespace tutti::schedules

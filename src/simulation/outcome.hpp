// What became of a case: a result, a refusal of a kind, or a failure.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <variant>

#include "base/sentence.hpp"
#include "src/simulation/case.hpp"
#include "src/simulation/run_result.hpp"

namespace tutti::inline simulation {

enum class RefusalKind : std::uint8_t {
  problem,    // the algorithm does not serve it, on any machine
  too_large,  // the schedule does not fit ids, or this machine's memory
  given_up,   // it takes longer than CaseRun::give_up_s
  request,    // what else was asked for is at fault: the platform, an option
};
[[nodiscard]] std::string_view name(RefusalKind kind);
[[nodiscard]] RefusalKind refusal_kind_named(std::string_view text);  // request: anything else

// Bad input, which no second try makes good.
struct Refusal {
  RefusalKind kind = RefusalKind::request;
  Sentence why;
};

// The run was lost: its process died, there was no memory, or an invariant broke.
struct Failure {
  std::string why;
};

class Outcome {
 public:
  Outcome() = default;  // nobody has run it yet
  Outcome(RunResult result) : what_(std::move(result)) {}
  Outcome(Refusal refusal) : what_(std::move(refusal)) {}
  Outcome(Failure failure) : what_(std::move(failure)) {}

  [[nodiscard]] bool open() const { return std::holds_alternative<std::monostate>(what_); }
  // Null where it is something else.
  [[nodiscard]] const RunResult* result() const { return std::get_if<RunResult>(&what_); }
  [[nodiscard]] RunResult* result() { return std::get_if<RunResult>(&what_); }
  [[nodiscard]] const Refusal* refusal() const { return std::get_if<Refusal>(&what_); }
  [[nodiscard]] const Failure* failure() const { return std::get_if<Failure>(&what_); }
  // Why there is no result; "" where there is one, or nobody has run it.
  [[nodiscard]] const std::string& why_not() const;

 private:
  std::variant<std::monostate, RunResult, Refusal, Failure> what_;
};

struct CaseRun : Case {
  Outcome outcome;
  // At a size that nobody asked for, to find out where two choices cross.
  bool between = false;
  // Nobody wants to know how much longer it takes; runners may look at it all the same.
  double give_up_s = std::numeric_limits<double>::infinity();
};

// To be called where something was thrown: which refusal or failure that is.
[[nodiscard]] Outcome outcome_of_exception();

// What run(), which gives a result, comes to, whatever it throws.
template <typename Run>
[[nodiscard]] Outcome outcome_of(Run&& run) {
  try {
    return run();
  } catch (...) {
    return outcome_of_exception();
  }
}

}  // namespace tutti::inline simulation

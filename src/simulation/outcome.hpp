// Outcome of a case: a result, a refusal with its kind, or a failure.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/sentence.hpp"
#include "src/simulation/case.hpp"
#include "src/simulation/run_result.hpp"

namespace tutti { inline namespace simulation {

enum class RefusalKind : std::uint8_t {
  problem,    // the algorithm does not support the problem, on any machine
  too_large,  // the schedule needs more ids or memory than are available
  given_up,   // the simulated time exceeds CaseRun::give_up_s
  request,    // another part of the request is invalid: the platform, an option
};
// Names of these values, in the order of the enum.
inline constexpr std::array<std::string_view, 4> kRefusalKinds{"problem", "too_large", "given_up",
                                                               "request"};
[[nodiscard]] std::string_view name(RefusalKind kind);
// Returns the kind of this name; `request` for any other text.
[[nodiscard]] RefusalKind refusal_kind_named(std::string_view text);

// Why the case was not run to its end, for example because the input is invalid. Running the case
// again gives the same refusal.
struct Refusal {
  RefusalKind kind = RefusalKind::request;
  Sentence why;
};

// Why the run was lost: its process died, memory ran out, or an invariant was violated.
struct Failure {
  std::string why;
};

class Outcome {
 public:
  Outcome() = default;  // the case has not run yet
  Outcome(RunResult result) : what_(std::move(result)) {}
  Outcome(Refusal refusal) : what_(std::move(refusal)) {}
  Outcome(Failure failure) : what_(std::move(failure)) {}

  [[nodiscard]] bool open() const { return std::holds_alternative<std::monostate>(what_); }
  // These functions return null if the outcome is of another kind.
  [[nodiscard]] const RunResult* result() const { return std::get_if<RunResult>(&what_); }
  [[nodiscard]] RunResult* result() { return std::get_if<RunResult>(&what_); }
  [[nodiscard]] const Refusal* refusal() const { return std::get_if<Refusal>(&what_); }
  [[nodiscard]] const Failure* failure() const { return std::get_if<Failure>(&what_); }
  // Reason why there is no result; "" if there is a result, or if the case has not run yet.
  [[nodiscard]] const std::string& why_not() const;

 private:
  std::variant<std::monostate, RunResult, Refusal, Failure> what_;
};

struct CaseRun : Case {
  Outcome outcome;
  // True if the user did not request this size. Such a run helps to find the size at which one
  // choice becomes faster than another.
  bool between = false;
  // Simulated time, in seconds, beyond which the exact time does not matter. The code that runs the
  // case may stop at this time, but need not.
  double give_up_s = std::numeric_limits<double>::infinity();
  // Fields of the result that the caller reads. The code that runs the case may leave out the
  // others, but need not.
  ResultFields wanted = ResultFields::everything;
  // For a check of ties after a run that took this time. The code that runs the case may leave out
  // the run without shifted starts; the caller must read only simulated_s and ties of the result.
  std::optional<double> known_total_s = {};
};

// Converts the exception that is being handled to a refusal or a failure.
[[nodiscard]] Outcome outcome_of_exception();

// Calls run(), which returns a RunResult. Converts any exception to a refusal or a failure.
template <typename Run>
[[nodiscard]] Outcome outcome_of(Run&& run) {
  try {
    return run();
  } catch (...) {
    return outcome_of_exception();
  }
}

}}  // namespace tutti::simulation

#include "tests/faults/sweep.hpp"

#include <catch2/catch.hpp>

#include <exception>
#include <optional>
#include <typeinfo>

#include "base/error.hpp"

namespace tutti::faults {

namespace {

struct Outcome {
  std::string result;
  // Reason why the exception that ended the run is not acceptable; "" if it is acceptable, or if
  // there was no exception.
  std::string complaint;
  bool ended = false;  // true if an exception ended the run
};

Outcome outcome_of(const Operation& operation, const Fault& fault) {
  Outcome outcome;
  try {
    const ArmedFault armed(fault);
    outcome.result = operation.run();
  } catch (const UserError& error) {
    outcome.ended = true;
    const std::string what = error.what();
    if (what.empty() || what.find('\n') != std::string::npos) {
      outcome.complaint = "an error message that is empty or has more than one line: " + what;
    }
  } catch (const std::exception& error) {
    outcome.ended = true;
    outcome.complaint = std::string(typeid(error).name()) + ": " + error.what();
  }
  return outcome;
}

void prepare(const Operation& operation) {
  if (operation.prepare) {
    operation.prepare();
  }
}

std::uint64_t next_after(std::uint64_t at, std::uint64_t calls, Share share) {
  constexpr std::uint64_t kFirst = 25;
  constexpr std::uint64_t kOthers = 35;
  if (share == Share::all || at < kFirst || calls < kFirst + kOthers) {
    return at + 1;
  }
  // The step is odd, so that it is not in phase with repeated work such as the rows of a table.
  return at + ((calls - kFirst) / kOthers | 1U);
}

}  // namespace

std::uint64_t sweep(const Operation& operation, Kind kind, Share share) {
  INFO(operation.name);
  // Some objects are created once per process, during the first run. The calls are therefore
  // counted in the second run.
  std::string expected;
  std::uint64_t calls_without = 0;
  for (int i = 0; i < 2; ++i) {
    prepare(operation);
    const Outcome undisturbed = outcome_of(operation, {kind, 0, false});
    REQUIRE_FALSE(undisturbed.ended);
    expected = undisturbed.result;
    calls_without = calls();
  }
  REQUIRE(calls_without > 0);
  std::uint64_t faults = 0;
  for (const bool lasting : {false, true}) {
    if (lasting && kind == Kind::short_count) {
      continue;
    }
    for (std::uint64_t at = 1;; at = next_after(at, calls_without, share)) {
      prepare(operation);
      const Outcome outcome = outcome_of(operation, {kind, at, lasting});
      if (!hit()) {
        break;  // the operation ended before the fault could occur
      }
      ++faults;
      CAPTURE(at, lasting);
      if (!outcome.complaint.empty()) {
        FAIL_CHECK(outcome.complaint);
      }
      if (!outcome.ended && outcome.result != expected) {
        FAIL_CHECK("the fault was ignored, but it changed the result");
      }
      if (operation.after) {
        operation.after(lasting);
      }
    }
  }
  CHECK(faults > 0);
  return faults;
}

}  // namespace tutti::faults

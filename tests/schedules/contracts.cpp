// Checks every registered algorithm against the contract of its collective.
#include <catch2/catch.hpp>

#include <optional>
#include <string>

#include "base/field_names.hpp"
#include "schedules/registry.hpp"
#include "schedules/run_words.hpp"
#include "tests/sanitized.hpp"
#include "tests/schedules/problems.hpp"
#include "tests/schedules/symbolic_replay.hpp"

namespace tutti::test_contracts {

namespace {

// Returns what the algorithm does wrong, or nothing if it solves the problem, or refuses it for the
// reason that refusal() states.
std::optional<std::string> fault(const Algorithm& algorithm, const Problem& problem) {
  const auto refusal =
      algorithm.refusal != nullptr ? algorithm.refusal(problem) : std::optional<Sentence>();
  try {
    const Schedule schedule = make_schedule(algorithm, problem);
    if (refusal) {
      return "makes a schedule although refusal() refuses the problem: " + refusal->text;
    }
    return contract_fault(schedule);
  } catch (const UserError& error) {
    if (!refusal) {
      return std::string("refuses although refusal() does not: ") + error.what();
    }
    if (refusal->text.empty() ||
        std::string(error.what()).find(refusal->text) == std::string::npos) {
      return std::string("refuses for another reason than refusal() states: ") + error.what();
    }
    return std::nullopt;
  } catch (const std::exception& error) {
    return std::string("throws: ") + error.what();
  }
}

}  // namespace

TEST_CASE("every algorithm emits no more operations than it reserves") {
  // Without the reservation, building a schedule of millions of operations takes up to twice the
  // memory that the finished schedule needs.
  std::size_t turn = 0;
  for (const Algorithm* algorithm : algorithms()) {
    for (const std::uint32_t ranks : rank_counts()) {
      if (kSanitized && turn++ % 4 != 0) {
        continue;
      }
      for (const Rank root : roots(algorithm->collective, ranks)) {
        for (const Problem& problem :
             option_variants(*algorithm, problem_of(*algorithm, ranks, 1000, root))) {
          if (refuses(*algorithm, problem)) {
            continue;
          }
          ScheduleBuilder builder(problem, algorithm->layout(problem), Detail::times_only);
          if (algorithm->in_network()) {
            builder.add_switches(algorithm->switches(problem));
          }
          algorithm->emit(problem, builder);
          INFO(algorithm->full_name()
               << " p=" << ranks << " root=" << root << ' ' << options_text(*algorithm, problem));
          CHECK(builder.reserved_ops() == builder.size());
        }
      }
    }
  }
}

namespace {

// Checks all problems with few ranks, and every `stride`-th problem with many.
void check_contracts(std::size_t stride) {
  constexpr std::uint32_t kFew = kSanitized ? 5 : 9;
  std::size_t turn = 0;
  for (const Algorithm* algorithm : algorithms()) {
    std::size_t served = 0;
    for (const std::uint32_t ranks : rank_counts()) {
      for (const std::uint64_t elements : element_counts(algorithm->collective, ranks)) {
        for (const Rank root : roots(algorithm->collective, ranks)) {
          for (const Problem& problem : option_variants(
                   *algorithm, problem_of(algorithm->collective, ranks, elements, root))) {
            if (ranks > kFew && turn++ % stride != 0) {
              continue;
            }
            if (const auto found = fault(*algorithm, problem)) {
              FAIL_CHECK(algorithm->full_name()
                         << " p=" << ranks << " elements=" << elements << " root=" << root << ' '
                         << options_text(*algorithm, problem) << ": " << *found);
            } else if (!refuses(*algorithm, problem)) {
              ++served;
            }
          }
        }
      }
    }
    INFO(algorithm->full_name());
    CHECK(served > 0);  // the algorithm must solve at least one problem, not refuse them all
  }
}

}  // namespace

TEST_CASE("every algorithm fulfils the contract of its collective, or refuses as documented") {
  check_contracts(kSanitized ? 20 : 5);
}

TEST_CASE("every algorithm fulfils the contract of its collective, in all problems", "[slow]") {
  check_contracts(1);
}

}  // namespace tutti::test_contracts

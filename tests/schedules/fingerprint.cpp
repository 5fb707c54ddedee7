// Tests which changes of a schedule change its fingerprint, and which do not.
#include "schedules/fingerprint.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <set>

#include "base/error.hpp"
#include "schedules/registry.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_fingerprint {

namespace {

// Properties of a small schedule; each case changes one of them.
struct Emission {
  Rank to = 1;
  std::uint32_t level = 1;
  std::uint64_t blocks = 1;
  bool waits = true;
  bool reduces = true;
  std::uint32_t first = 0;
};

Schedule emit(const Emission& how, Detail detail) {
  const Problem problem = problem_of(Collective::allreduce, 4, 4);
  ScheduleBuilder builder(problem, 4, detail);
  const auto blocks = static_cast<std::uint32_t>(how.blocks);
  const std::vector<OpId> first{
      builder.comm({0}, 0, how.to, {{how.first, blocks}, kInput, kScratch}, {})};
  const Move move{{how.first, blocks}, kScratch, kWork};
  const std::vector<OpId> after = how.waits ? first : std::vector<OpId>{};
  if (how.reduces) {
    builder.reduce({how.level}, how.to, move, Operand::left, after);
  } else {
    builder.copy({how.level}, how.to, move, after);
  }
  return builder.finish();
}

}  // namespace

TEST_CASE("a fingerprint distinguishes every property of an operation") {
  const std::vector<Emission> all{
      {}, {.to = 2}, {.level = 2}, {.blocks = 2}, {.waits = false}, {.reduces = false}};
  std::set<std::string> found;
  for (const Emission& how : all) {
    found.insert(fingerprint(emit(how, Detail::times_only), Detail::times_only));
  }
  CHECK(found.size() == all.size());
  const auto moved = [](Detail detail) {
    return fingerprint(emit({.first = 1}, Detail::payload), detail);
  };
  const auto plain = [](Detail detail) { return fingerprint(emit({}, Detail::payload), detail); };
  CHECK(moved(Detail::times_only) == plain(Detail::times_only));
  CHECK(moved(Detail::payload) != plain(Detail::payload));
}

TEST_CASE("the fingerprint of times is the same with and without payload, and is repeatable") {
  std::map<std::string, std::string> of_whole;
  for (const Algorithm* algorithm : algorithms()) {
    CAPTURE(algorithm->full_name());
    for (const std::uint32_t ranks : {2U, 6U, 16U}) {
      Problem problem = problem_of(algorithm->collective, ranks, std::uint64_t{ranks} * ranks * 8);
      try {
        check(*algorithm, problem);
      } catch (const UserError&) {
        continue;
      }
      const std::string times =
          fingerprint(make_schedule(*algorithm, problem, Detail::times_only), Detail::times_only);
      const Schedule with_payload = make_schedule(*algorithm, problem);
      CHECK(times == fingerprint(with_payload, Detail::times_only));
      CHECK(times == fingerprint_like("whole:", *algorithm, problem, Detail::times_only));
      const std::string rank = fingerprint_of_rank(*algorithm, problem);
      CHECK(rank.empty() == !symmetry_of(*algorithm, problem).symmetry.has_value());
      if (!rank.empty()) {
        CHECK(rank == fingerprint_like(rank, *algorithm, problem, Detail::times_only));
        CHECK(rank.starts_with("rank:"));
      }
    }
  }
}

}  // namespace tutti::test_fingerprint

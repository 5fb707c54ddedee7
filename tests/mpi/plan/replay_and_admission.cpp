// Tests the serial replay of schedules, and which schedules are refused, without MPI.
#include <catch2/catch.hpp>

#include <cstring>

#include "base/error.hpp"
#include "schedules/collective.hpp"
#include "schedules/registry.hpp"
#include "sim/mpi/plan/admission.hpp"
#include "sim/mpi/plan/serial_replay.hpp"
#include "src/requests/schedule_file.hpp"
#include "tests/source_dir.hpp"

namespace tutti::mpi {
namespace {

Schedule made(const char* algorithm, std::uint32_t ranks, std::uint64_t elements,
              const Element& element) {
  Problem problem;
  problem.collective = algorithm_named(algorithm).collective;
  problem.ranks = ranks;
  problem.element_bytes = element.bytes();
  problem.bytes = elements * element.bytes();
  return make_schedule(algorithm_named(algorithm), problem);
}

// Returns the contributions of all ranks, combined in rank order, element by element.
std::vector<std::byte> combined(const Element& element, std::uint32_t ranks,
                                std::uint64_t elements) {
  std::vector<std::byte> result(elements * element.bytes());
  fill(element, 0, 0, elements, result.data());
  for (Rank rank = 1; rank < ranks; ++rank) {
    std::vector<std::byte> mine(result.size());
    fill(element, rank, 0, elements, mine.data());
    combine(element, result.data(), mine.data(), result.data(), elements);
  }
  return result;
}

}  // namespace

TEST_CASE("The replay of an allreduce combines all contributions at every rank") {
  constexpr std::uint64_t kElements = 23;
  for (const char* algorithm :
       {"allreduce/ring", "allreduce/rabenseifner", "allreduce/circulant"}) {
    for (const Element element :
         {Element{NumberType::int32, Operator::sum}, Element{NumberType::int64, Operator::prod},
          Element{NumberType::float64, Operator::max}}) {
      const std::uint32_t ranks = 5;
      const auto results = serial_replay(made(algorithm, ranks, kElements, element), element);
      const auto expected = combined(element, ranks, kElements);
      REQUIRE(results.size() == ranks * expected.size());
      for (Rank rank = 0; rank < ranks; ++rank) {
        CHECK(std::memcmp(&results[rank * expected.size()], expected.data(), expected.size()) == 0);
      }
    }
  }
}

TEST_CASE("Matrix products keep rank order if the schedule keeps it") {
  const Element element{NumberType::int32, Operator::matrix};
  const Schedule schedule = made("allreduce/recursive_doubling", 6, 7, element);
  CHECK_FALSE(refusal(schedule, element));
  const auto results = serial_replay(schedule, element);
  const auto expected = combined(element, 6, 7);
  for (Rank rank = 0; rank < 6; ++rank) {
    CHECK(std::memcmp(&results[rank * expected.size()], expected.data(), expected.size()) == 0);
  }
}

TEST_CASE("A non-commutative operator is refused if the schedule does not keep order") {
  const Element element{NumberType::int64, Operator::matrix};
  const auto why = refusal(made("allreduce/ring", 5, 10, element), element);
  REQUIRE(why);
  CHECK(why->kind == RefusalKind::order);
  CHECK(why->text.find("$op matrix does not commute") == 0);
  const Element sum{NumberType::int64, Operator::sum};
  CHECK_FALSE(refusal(made("allreduce/ring", 5, 10, sum), sum));
}

TEST_CASE("A schedule that the proof refuses is refused with the proof's reason") {
  const auto read =
      read_notation_file(source_dir() + "/tests/golden/three_messages.tutti", ProblemOptions{});
  REQUIRE(read.schedule);
  const auto why = refusal(read.schedule->schedule, {});
  REQUIRE(why);
  CHECK(why->kind == RefusalKind::proof);
  CHECK(why->text.find("the schedule is not run, because its proof fails (race): ") == 0);
}

TEST_CASE("A rank starts with its contribution, and with a fill pattern where it has none") {
  const Element element{NumberType::int32, Operator::sum};
  Problem problem;
  problem.collective = Collective::bcast;
  problem.ranks = 3;
  problem.root = 1;
  problem.element_bytes = 4;
  problem.bytes = 40;
  const Schedule schedule = make_schedule(algorithm_named("bcast/binomial"), problem);
  std::vector<std::byte> input(40);
  std::vector<std::byte> work(40);
  std::vector<std::byte> filled(40);
  fill(element, 1, 0, 10, filled.data());
  start_contents(schedule, element, 1, input.data(), work.data());
  CHECK(input == filled);
  start_contents(schedule, element, 0, input.data(), work.data());
  CHECK(work == std::vector<std::byte>(40, std::byte{0xc5}));
}

TEST_CASE("Contributions differ between ranks and do not depend on the offset") {
  const Element element{NumberType::int64, Operator::sum};
  std::vector<std::byte> whole(80);
  std::vector<std::byte> part(40);
  fill(element, 3, 0, 10, whole.data());
  fill(element, 3, 5, 5, part.data());
  CHECK(std::memcmp(&whole[40], part.data(), 40) == 0);
  fill(element, 4, 5, 5, part.data());
  CHECK(std::memcmp(&whole[40], part.data(), 40) != 0);
}

TEST_CASE("Unknown types, unknown operators and invalid combinations are refused") {
  CHECK_THROWS_AS(element_named("int16", "sum"), UserError);
  CHECK_THROWS_AS(element_named("int32", "xor"), UserError);
  CHECK_THROWS_AS(element_named("float", "bxor"), UserError);
  CHECK(element_named("int32", "matrix").bytes() == 16);
}

}  // namespace tutti::mpi

// Some algorithms of Open MPI call two other collectives. Checks that open_mpi_parts() selects the
// same algorithms for these collectives as examples/decisions/open_mpi_4.1.json.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "base/error.hpp"
#include "schedules/patterns/open_mpi_decision.hpp"
#include "src/rule_files/rule_file.hpp"
#include "tests/source_dir.hpp"

namespace tutti::test_open_mpi_parts { namespace {

// Returns the algorithm that `table` selects, in the format of --parts.
std::string part_of(const DecisionTable& table, std::uint32_t ranks, std::uint64_t bytes) {
  const auto found = look_up(table, ranks, bytes, 8);
  REQUIRE(found);
  const Choice& choice = *found->choice;
  // coll/base runs linear instead of rabenseifner if there are fewer elements than blocks.
  if (choice.algorithm == "rabenseifner" && bytes / 8 < std::bit_floor(ranks)) {
    return "linear";
  }
  const Tree tree = choice.options.values().tree;
  return choice.algorithm + (tree == Tree::chain ? "" : ":" + std::string(name(tree)));
}

TEST_CASE("Open MPI's inner calls follow its decision table") {
  const std::string path = source_dir() + "/examples/decisions/open_mpi_4.1.json";
  const DecisionTable reduce = read_table(path, Collective::reduce);
  const DecisionTable bcast = read_table(path, Collective::bcast);
  const DecisionTable gather = read_table(path, Collective::gather);
  int known = 0;
  for (std::uint32_t power = 2; power <= 8192; power *= 2) {
    for (const std::uint32_t ranks : {power - 1, power, power + 1}) {
      if (ranks < 2) {
        continue;
      }
      for (std::uint64_t block = 1; block <= (1U << 21U); block *= 2) {
        for (const std::uint64_t bytes : {8 * block - 8, 8 * block, 8 * block * ranks}) {
          CAPTURE(ranks, bytes);
          Problem problem;
          problem.ranks = ranks;
          problem.bytes = bytes;
          const auto check = [&](std::array<Collective, 2> collectives, const std::string& first,
                                 const std::string& second) {
            const auto parts = open_mpi_parts(problem, collectives);
            CHECK(to_text(parts[0]) == first);
            CHECK(to_text(parts[1]) == second);
            ++known;
          };
          check({Collective::reduce, Collective::bcast}, part_of(reduce, ranks, bytes),
                part_of(bcast, ranks, bytes));
          check({Collective::gather, Collective::bcast}, part_of(gather, ranks, bytes),
                part_of(bcast, ranks, bytes));
          check({Collective::reduce, Collective::scatter}, part_of(reduce, ranks, bytes), "linear");
        }
      }
    }
  }
  CHECK(known > 1000);
}

}}  // namespace tutti::test_open_mpi_parts

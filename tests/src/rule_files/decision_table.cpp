// Tests decision tables. Compares examples/decisions/allreduce_tree.json with the tree in
// [allreduce notes], in each leaf and on both sides of each boundary.
#include "src/rule_files/decision_table.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "schedules/registry.hpp"
#include "src/experiments/decisions/candidate.hpp"
#include "src/rule_files/decision_json.hpp"
#include "src/rule_files/library_algorithms.hpp"
#include "src/rule_files/rule_file.hpp"
#include "src/rule_files/write_rules.hpp"
#include "tests/source_dir.hpp"

namespace tutti::test_decision_table {

namespace {

const std::string kTree = source_dir() + "/examples/decisions/allreduce_tree.json";

struct Leaf {
  std::uint64_t below;  // upper limit in bytes, exclusive; 0 if there is none
  const char* algorithm;
};
struct Branch {
  std::uint32_t below;  // upper limit in ranks, exclusive; 0 if there is none
  std::vector<Leaf> leaves;
};

// The tree as printed in [allreduce notes], without the text around it.
const std::vector<Branch> kDocument{
    {4,
     {{8, "ring"},
      {4096, "recursive_doubling"},
      {8192, "ring"},
      {16384, "recursive_doubling"},
      {65536, "ring"},
      {262144, "segmented_ring"},
      {0, "rabenseifner"}}},
    {8, {{16, "ring"}, {8192, "recursive_doubling"}, {0, "rabenseifner"}}},
    {16, {{8192, "recursive_doubling"}, {0, "rabenseifner"}}},
    {32, {{64, "segmented_ring"}, {4096, "recursive_doubling"}, {0, "rabenseifner"}}},
    {64, {{128, "segmented_ring"}, {0, "rabenseifner"}}},
    {128, {{262144, "recursive_doubling"}, {0, "rabenseifner"}}},
    {256, {{131072, "nonoverlapping"}, {262144, "recursive_doubling"}, {0, "rabenseifner"}}},
    {512, {{4096, "nonoverlapping"}, {0, "rabenseifner"}}},
    {2048, {{2048, "nonoverlapping"}, {16384, "recursive_doubling"}, {0, "rabenseifner"}}},
    {4096,
     {{2048, "nonoverlapping"},
      {4096, "segmented_ring"},
      {16384, "recursive_doubling"},
      {0, "rabenseifner"}}},
    {0,
     {{2048, "nonoverlapping"},
      {16384, "segmented_ring"},
      {32768, "recursive_doubling"},
      {0, "rabenseifner"}}}};

std::string chosen(const DecisionTable& table, std::uint32_t ranks, std::uint64_t bytes) {
  const auto choice = look_up(table, ranks, bytes, 1);
  return choice ? choice->choice->algorithm : "";
}

Rule rule(std::optional<std::uint32_t> ranks_below, std::optional<std::uint64_t> bytes_below,
          const char* algorithm) {
  Rule made;
  made.ranks_below = ranks_below;
  made.bytes_below = bytes_below;
  made.choice = Choice{};
  made.choice->algorithm = algorithm;
  return made;
}

// Describes a choice without the numbers that equal the algorithm's defaults.
std::string in_words_of_schedule(Collective collective, Choice choice) {
  const Algorithm* const algorithm = find_algorithm(collective, choice.algorithm);
  REQUIRE(algorithm != nullptr);
  for (const DefaultedNumber& number : algorithm->own_numbers) {
    if (number.is_redundant(choice.options.values())) {
      choice.options.drop(number.option);
    }
  }
  return in_words(choice);
}

}  // namespace

TEST_CASE("the document's decision tree: each leaf, and both sides of each boundary") {
  const DecisionTable table = read_table(kTree, Collective::allreduce);
  std::uint32_t first_ranks = 1;
  std::size_t leaves = 0;
  for (const Branch& branch : kDocument) {
    // The branch applies to `first_ranks` up to `last_ranks` ranks.
    const std::uint32_t last_ranks = branch.below == 0 ? 100'000 : branch.below - 1;
    for (const std::uint32_t ranks : {first_ranks, last_ranks}) {
      std::uint64_t first_bytes = 0;
      for (const Leaf& leaf : branch.leaves) {
        const std::uint64_t last_bytes = leaf.below == 0 ? 1ULL << 40U : leaf.below - 1;
        INFO(ranks << " ranks, " << first_bytes << " to " << last_bytes << " bytes");
        CHECK(chosen(table, ranks, first_bytes) == leaf.algorithm);
        CHECK(chosen(table, ranks, (first_bytes + last_bytes) / 2) == leaf.algorithm);
        CHECK(chosen(table, ranks, last_bytes) == leaf.algorithm);
        first_bytes = leaf.below;
      }
    }
    leaves += branch.leaves.size();
    first_ranks = branch.below;
  }
  CHECK(leaves == 35);
  // The table has no more rules than the document.
  std::size_t read = 0;
  for (const Rule& branch : table.rules) {
    read += branch.then.size();
  }
  CHECK(read == leaves);
  CHECK(table.rules.size() == kDocument.size());
}

namespace {

// Returns `table` without the fields that only the library's table has: how segments are rounded,
// the parts of composed algorithms, and the fold.
nlohmann::ordered_json without_the_librarys_own(nlohmann::ordered_json table) {
  if (table.is_object()) {
    table.erase("cuts");
    table.erase("parts");
    table.erase("fold");
  }
  if (table.is_structured()) {  // a loop over a scalar would visit the scalar itself
    for (nlohmann::ordered_json& each : table) {
      each = without_the_librarys_own(std::move(each));
    }
  }
  return table;
}

}  // namespace

TEST_CASE("Open MPI 4.1's fixed allreduce decision equals the document's tree") {
  const DecisionTable document = read_table(kTree, Collective::allreduce);
  const DecisionTable library =
      read_table(source_dir() + "/examples/decisions/open_mpi_4.1.json", Collective::allreduce);
  for (const char* part : {"rules", "substitutes"}) {
    CHECK(without_the_librarys_own(table_json(document)[part]) ==
          without_the_librarys_own(table_json(library)[part]));
  }
}

TEST_CASE("the libraries' tables are valid, and cover every collective with blocks of one size") {
  for (const char* file : {"open_mpi_4.1.json", "mpich_4.0.json"}) {
    const std::string path = source_dir() + "/examples/decisions/" + file;
    const RuleFile read = read_rules(read_text_file(path), RuleFormat::tutti);
    CHECK(read.findings.empty());
    for (const Collective collective : kCollectives) {
      if (collective > Collective::barrier) {
        continue;  // v-collectives and scans are not covered
      }
      const DecisionTable table = read_table(path, collective);
      for (const std::uint32_t ranks : {2U, 3U, 4U, 7U, 8U, 9U, 48U, 1000U, 1024U, 5000U}) {
        for (std::uint64_t bytes = 0; bytes < (1U << 24U); bytes = 2 * bytes + 8) {
          CHECK(look_up(table, ranks, bytes, 8));
        }
      }
    }
  }
}

TEST_CASE("the first rule that holds is taken, and no later one") {
  DecisionTable table;
  Rule small;
  small.ranks_below = 8;
  small.then = {rule({}, 64, "ring")};
  table.rules = {small, rule({}, {}, "rabenseifner")};
  CHECK(chosen(table, 4, 63) == "ring");
  CHECK(!look_up(table, 4, 64, 1));
  CHECK(chosen(table, 8, 64) == "rabenseifner");
}

TEST_CASE("a table may measure by block, and have conditions on powers of two and on elements") {
  DecisionTable table;
  table.measure = SizeMeasure::block;
  Rule power = rule({}, 100, "bruck");
  power.ranks_power_of_two = true;
  Rule few = rule({}, {}, "linear");
  few.elements_below = ElementsBelow::ranks;
  Rule fewer = rule({}, {}, "pairwise");
  fewer.elements_below = ElementsBelow::power_of_two;
  table.rules = {power, fewer, few, rule({}, {}, "ring")};
  CHECK(chosen(table, 8, 799) == "bruck");
  CHECK(chosen(table, 8, 800) == "ring");
  CHECK(chosen(table, 6, 100) == "ring");
  CHECK(chosen(table, 6, 5) == "linear");
  CHECK(chosen(table, 6, 3) == "pairwise");
  CHECK(look_up(table, 6, 40, 8)->choice->algorithm == "linear");
}

TEST_CASE("a table that is written is read back unchanged") {
  const DecisionTable table = read_table(kTree, Collective::allreduce);
  const RuleFile again = read_rules(table_json(table).dump(), RuleFormat::tutti);
  REQUIRE(again.sound());
  REQUIRE(again.tables.size() == 1);
  CHECK(table_json(again.tables.front()) == table_json(table));
}

TEST_CASE("a library's rule is read back as the decided schedule") {
  std::size_t rules = 0;
  for (const RuleFormat format : kRuleFormats) {
    for (const Collective collective : kCollectives) {
      if (!rules_name(format, collective)) {
        continue;
      }
      const Candidates candidates = candidates_of(collective, {}, {format, 0, {}, {}});
      for (const Candidate& candidate : candidates.all) {
        for (const std::uint64_t segment_bytes : {0U, 4096U}) {
          if (segment_bytes != 0 && !candidate.cuts) {
            continue;
          }
          Choice choice = candidate.choice;
          choice.segment_bytes = segment_bytes;
          RulesToWrite written;
          written.collective = collective;
          written.steps = {{8, {{0, choice}}}};
          written.ranks = {8};
          std::ostringstream text;
          write_rules(written, format, text);
          CAPTURE(name(format), name(collective), in_words(choice), text.str());
          const RuleFile file = read_rules(text.str(), format);
          REQUIRE(file.sound());
          const DecisionTable& table = table_of(file, "the file", collective);
          const auto read = look_up(table, 8, 1U << 16U, 8);
          REQUIRE(read);
          ++rules;
          if (format == RuleFormat::nccl && !choice.algorithm.starts_with("nccl_")) {
            // The name of NCCL's algorithm is read as its own schedule, which has several channels.
            CHECK((read->choice->algorithm.starts_with("nccl_") ||
                   read->choice->algorithm == choice.algorithm));
            continue;
          }
          CHECK(in_words_of_schedule(collective, *read->choice) ==
                in_words_of_schedule(collective, choice));
        }
      }
    }
  }
  CHECK(rules > 300);
}

TEST_CASE("steps become rules") {
  Choice ring;
  ring.algorithm = "ring";
  Choice other;
  other.algorithm = "rabenseifner";
  DecisionTable table;
  table.rules = rules_of({{4, {{0, ring}, {1000, other}}}, {16, {{0, other}}}});
  CHECK(chosen(table, 2, 999) == "ring");
  CHECK(chosen(table, 15, 1000) == "rabenseifner");
  CHECK(chosen(table, 16, 0) == "rabenseifner");
}

}  // namespace tutti::test_decision_table

// Tests rule files of Open MPI's component coll/han: all reasons for which Open MPI ignores a file,
// the parts of a file that Open MPI skips, and files that tutti writes and reads back.
#include "src/rule_files/open_mpi/han_rules.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "src/rule_files/decides_before.hpp"

namespace tutti::test_han_rules { namespace {

// Returns the last finding as "LINE: TEXT", or "" if there is none. If Open MPI drops the file,
// this finding is the reason.
std::string last_remark(const RuleFile& file) {
  return file.findings.empty()
             ? ""
             : std::to_string(file.findings.back().line) + ": " + file.findings.back().text;
}

bool says(const RuleFile& file, std::string_view words) {
  return std::any_of(file.findings.begin(), file.findings.end(), [&](const RuleFinding& finding) {
    return finding.text.find(words) != std::string::npos;
  });
}

// Returns the component, and the algorithm if one is named, that the rules select for a call of
// `bytes` bytes.
std::string taken_by(const RuleFile& file, Collective collective, std::uint32_t ranks,
                     std::uint64_t bytes) {
  for (const DecisionTable& table : file.tables) {
    if (table.collective == collective) {
      const auto choice = look_up(table, ranks, bytes, 1);
      return choice ? choice->choice->library_algorithm : "nothing";
    }
  }
  return "no table";
}

constexpr const char* kSound =
    "2\n7 1 2 2\n1 2\n0 tuned\n1000 han\n8 1\n0 basic # all sizes\nallgather 1\n2 1\n1 1 0 tuned\n";

TEST_CASE("A valid file of coll/han is accepted") {
  for (const int release : {401, 500, 600}) {
    const RuleFile file = read_han_rules(kSound, release);
    CHECK(file.findings.empty());
    REQUIRE(file.tables.size() == 2);
    CHECK(taken_by(file, Collective::bcast, 4, 999) == "tuned");
    CHECK(taken_by(file, Collective::bcast, 4, 1000) == "han");
    CHECK(taken_by(file, Collective::bcast, 7, 1U << 30U) == "han");
    CHECK(taken_by(file, Collective::bcast, 8, 1000) == "basic");
    CHECK(taken_by(file, Collective::allgather, 8, 1000) == "tuned");
  }
}

TEST_CASE("coll/han measures an allgather by one rank's block") {
  const RuleFile file = read_han_rules("1 allgather 1 2 1 1 2 0 tuned 100 han", 500);
  REQUIRE(file.findings.empty());
  CHECK(taken_by(file, Collective::allgather, 8, 799) == "tuned");
  CHECK(taken_by(file, Collective::allgather, 8, 800) == "han");
}

TEST_CASE("Errors that make Open MPI drop a file of coll/han are found") {
  struct Bad {
    const char* text;
    const char* printed;
    int release = 500;
  };
  for (const Bad& bad : std::vector<Bad>{
           {"", "1: the file ends where the number of collectives is expected"},
           {"# nothing\n", "the file ends where the number of collectives is expected"},
           {"0\n", "1: the number of collectives is 0, but must be at least 1"},
           {"-1\n", "the number of collectives is -1, but must be at least 1"},
           {"1\n", "the file ends where a collective is expected"},
           {"1\nbroadcast 1", "2: unknown collective 'broadcast'"},
           {"1\n22 1", "2: unknown collective '22'"},
           {"1\n-1 1", "unknown collective '-1'"},
           {"1\nbcast\n", "the file ends where the number of levels is expected"},
           {"1\nbcast -1\n", "the number of levels is -1, but must be at least 0"},
           {"1\nbcast 1\n", "the file ends where a level is expected"},
           {"1\nbcast 1\n3 1", "3: unknown level '3'"},
           {"1\nbcast 1\nglobal 1", "unknown level 'global'"},
           {"1\nbcast 1\n3 1", "3: unknown level 3: must be from 0 to 2", 401},
           {"1\nbcast 1\n2", "the file ends where the number of communicator sizes is expected"},
           {"1\nbcast 1\n2 -2", "the number of communicator sizes is -2, but must be at least 0"},
           {"1\nbcast 1\n2 1\n", "the file ends where a communicator size is expected"},
           {"1\nbcast 1\n2 1\n0 1", "a communicator size is 0, but must be at least 1"},
           {"1\nbcast 1\n2 1\n2 1", "4: the first communicator size is 2, but must be 1"},
           {"1\nbcast 1\n2 1\n1", "the file ends where the number of message sizes is expected"},
           {"1\nbcast 1\n2 1\n1 -1", "the number of message sizes is -1, but must be at least 0"},
           {"1\nbcast 1\n2 1\n1 1\n", "the file ends where a message size is expected"},
           {"1\nbcast 1\n2 1\n1 1\n2 tuned", "5: the first message size is 2, but must be 0"},
           {"1\nbcast 1\n2 1\n1 1\n0", "the file ends where a component is expected"},
           {"1\nbcast 1\n2 1\n1 1\n0 turned", "5: unknown component 'turned'"},
           {"1\nbcast 1\n2 1\n1 1\n0 3", "unknown component '3'"},
           {"1\nbcast 1\n2 1\n1 1\n0 xhc", "unknown component 'xhc'"},
           {"1\nbcast 1\n2 1\n1 1\n0 tuned#x", "a space must follow its name"},
           {"1\nbcast 1\n2 1\n1 1\n0 han@simple", "a space must follow its name"},
           {"1\nbcast 1\n2 1\n1 1\n0 han @", "the file ends where an algorithm is expected"},
           {"1\nbcast 1\n2 1\n1 1\n0 han @smiple", "unknown algorithm 'smiple' for bcast"},
           {"1\nbcast 1\n2 1\n1 1\n0 han @3", "unknown algorithm '3' for bcast"},
           {"1\nbcast 1\n2 1\n1 1\n0 tuned [ 64 x", "the file ends within a list of segment sizes"},
       }) {
    INFO(bad.text);
    const RuleFile file = read_han_rules(bad.text, bad.release);
    CHECK_FALSE(file.sound());
    CHECK(file.tables.empty());
    CHECK(last_remark(file).find(bad.printed) != std::string::npos);
    CHECK(last_remark(file).find("silently ignores the whole file") != std::string::npos);
  }
}

TEST_CASE("Values that Open MPI reads differently, or never reads, are reported") {
  const auto read = [](const char* text, int release = 500) {
    return read_han_rules(text, release);
  };
  CHECK(says(read("1 bcast 1 2 1 1 010 0 tuned"), "octal"));
  CHECK(says(read("0x1 bcast 1 2 1 1 1 0 tuned"), "hexadecimal"));
  CHECK(says(read("one 1 bcast 1 2 1 1 1 0 tuned"), "'one' is not a number"));
  CHECK(says(read("1 bcast 1 2 1 1 2 0 tuned -5 han"), "a negative size"));
  CHECK(says(read("1 bcast 1 2 1 1 1 1 tuned"), "messages of 0 bytes have no rule"));
  CHECK(says(read("1 bcast 1 2 2 1 1 0 tuned 1 1 0 han"), "communicator size 1 after 1"));
  CHECK(says(read("1 bcast 1 2 1 1 2 0 tuned 0 han"), "message size 0 after 0"));
  CHECK(says(read("2 bcast 1 2 1 1 1 0 tuned 7 1 2 1 1 1 0 han"), "a second time"));
  CHECK(says(read("1 bcast 1 2 1 1 1 0 tuned bcast"), "ignored from here on"));
  CHECK(says(read("1 bcast 1 2 1 1 1 0 libnbc"), "libnbc has no bcast for all ranks"));
  CHECK(says(read("1 bcast 1 1 1 1 1 0 han"), "not on the parts into which it splits them"));
  CHECK(says(read("1 alltoall 1 2 1 1 1 0 tuned"), "coll/han does not implement alltoall"));
  CHECK_FALSE(
      says(read("1 alltoall 1 2 1 1 1 0 tuned", 600), "coll/han does not implement alltoall"));
  CHECK(says(read("1 bcast 1 2 1 1 1 0 tuned [ 64 128 ]"), "never used"));
  CHECK(says(read("1 bcast 1 2 1 1 0"), "uses coll/han's parameters"));
  // Open MPI 4.1 expects the level as a number, and skips a name letter by letter.
  CHECK(says(read("1 bcast 1 global_communicator 2 1 1 1 0 tuned", 401), "is not a number"));
  CHECK(read("1 bcast 1 global_communicator 1 1 1 0 tuned").findings.empty());
  // Open MPI 4.1 crashes if it has to delegate an allreduce to another component.
  CHECK(says(read("1 allreduce 1 2 1 1 1 0 tuned", 401), "crashes"));
  CHECK(read("1 allreduce 1 2 1 1 1 0 han", 401).findings.empty());
  CHECK(read("1 allreduce 1 2 1 1 1 0 tuned").findings.empty());
}

TEST_CASE("The last rules of a repeated collective are used") {
  const RuleFile file =
      read_han_rules("2 bcast 1 2 1 1 1 0 tuned bcast 1 2 1 1 1 0 han @simple", 500);
  REQUIRE(file.tables.size() == 1);
  CHECK(taken_by(file, Collective::bcast, 4, 8) == "han @simple");
}

TEST_CASE("Rules of coll/han are read back as written") {
  for (const int release : {401, 500, 600}) {
    HanRulesToWrite rules = all_to_tuned(release, "a test");
    for (HanCollective& each : rules.collectives) {
      each.ranks.push_back({16, {{0, "han"}, {4096, "tuned", "", "faster by 3 %"}}});
      if (release > 401) {
        each.ranks.back().sizes.front().algorithm = "simple";
      }
    }
    std::erase_if(rules.collectives, [&](const HanCollective& each) {
      const auto has = han_algorithms(each.collective, release);
      return release > 401 && std::find(has.begin(), has.end(), "simple") == has.end();
    });
    std::ostringstream text;
    write_han_rules(rules, text);
    INFO(text.str());
    const RuleFile file = read_rules(text.str(), RuleFormat::han, release);
    CHECK(file.findings.empty());
    CHECK(sniff_format(text.str()) == RuleFormat::han);
    CHECK(text.str().find("coll_han_use_dynamic_file_rules 1") != std::string::npos);
    REQUIRE(file.tables.size() == rules.collectives.size());
    CHECK(taken_by(file, Collective::bcast, 15, 1 << 20) == "tuned");
    CHECK(taken_by(file, Collective::bcast, 16, 4095) == (release > 401 ? "han @simple" : "han"));
    CHECK(taken_by(file, Collective::bcast, 16, 4096) == "tuned");
  }
  HanRulesToWrite crash;
  crash.release = 401;
  crash.collectives = {{Collective::allreduce, {HanRanks{1, {HanSize{}}}}}};
  std::ostringstream nowhere;
  CHECK_THROWS_AS(write_han_rules(crash, nowhere), InvariantError);
}

}}  // namespace tutti::test_han_rules

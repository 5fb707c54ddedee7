// Tests that options written as JSON are read back as the same values.
#include "src/formats/option_json.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "schedules/registry.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_option_json { namespace {

using Json = nlohmann::ordered_json;

// Returns `json` after printing and parsing it.
nlohmann::json again(const Json& json) { return nlohmann::json::parse(json.dump()); }

Problem without_options(const Problem& problem) {
  return problem_of(problem.collective, problem.ranks, problem.elements(), problem.root);
}

TEST_CASE("options of every algorithm are read back from JSON unchanged") {
  for (const Algorithm* algorithm : algorithms()) {
    for (const Problem& problem : option_variants(*algorithm, problem_of(*algorithm, 4, 1000))) {
      Json written;
      put_object(written, option_fields(), &problem);
      INFO(algorithm->full_name() << ' ' << written);
      CHECK((problem == without_options(problem)) == written.empty());
      Problem read = without_options(problem);
      read_options(again(written), read);
      CHECK(read == problem);
      // A record has some options only in words, so they are not read back from it but copied.
      const auto take_what_is_in_words = [&] {
        for (const OptionType* type : option_types()) {
          if (type->recorded == RecordPolicy::in_words) {
            type->copy(problem, read);
          }
        }
      };

      for (const RecordOf of : {RecordOf::simulation, RecordOf::mpi}) {
        Json record;
        put_options(record, *algorithm, problem, of);
        put_option_lists(record, problem);
        INFO(record);
        read = without_options(problem);
        read_options(again(record), read);
        take_what_is_in_words();
        CHECK(read == problem);
      }
    }
  }
}

TEST_CASE(
    "records have words before numbers, and null for options that the algorithm does not take") {
  Json record;
  put_options(record, algorithm_named("allreduce/ring"), problem_of(Collective::allreduce, 4, 10),
              RecordOf::simulation);
  CHECK(record.dump() ==
        R"({"fold":null,"skips":null,"tree":null,"cuts":null,"parts":null,"segment_bytes":null,)"
        R"("cores_per_node":null})");
  record = {};
  put_options(record, algorithm_named("bcast/pipeline"), problem_of(Collective::bcast, 4, 10),
              RecordOf::mpi);
  CHECK(record.dump() ==
        R"({"fold":null,"skips":null,"tree":"chain","segment_bytes":0,"cores_per_node":null})");
}

TEST_CASE("values of a wrong type, and out of range, are refused with their key") {
  Problem problem = problem_of(Collective::bcast, 4, 10);
  const auto read = [&](const char* text) { read_options(nlohmann::json::parse(text), problem); };
  CHECK_THROWS_WITH(read(R"({"tree": 3})"),
                    Catch::Contains("tree: expected a word, found a whole number"));
  CHECK_THROWS_WITH(read(R"({"tree": "oak"})"), Catch::Contains("'oak' is not a tree; use chain"));
  CHECK_THROWS_WITH(read(R"({"segment_bytes": "1K"})"),
                    Catch::Contains("segment_bytes: expected a whole number, found a word"));
  CHECK_THROWS_WITH(read(R"({"segment_bytes": -1})"),
                    Catch::Contains("segment_bytes: has the type number"));
  CHECK_THROWS_WITH(read(R"({"cores_per_node": 4294967296})"), Catch::Contains("up to 4294967295"));
  CHECK_THROWS_WITH(read(R"({"cores_per_node": 0})"),
                    Catch::Contains("cores_per_node 0: must be at least 1"));
  CHECK_THROWS_WITH(read(R"({"block_bytes": [1.5]})"), Catch::Contains("block_bytes"));
  CHECK(problem == problem_of(Collective::bcast, 4, 10));
}

}}  // namespace tutti::test_option_json

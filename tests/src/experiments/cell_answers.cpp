// Tests that the schema of answers lists the fields that are written.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <set>
#include <string>

#include "src/experiments/sweep/cell_answer.hpp"
#include "src/formats/document.hpp"

namespace tutti::test_cell_answers {

namespace {

using Json = nlohmann::json;

std::set<std::string> names_in(const Json& object) {
  std::set<std::string> names;
  for (const auto& member : object.items()) {
    names.insert(member.key());
  }
  return names;
}

// Returns a result for which every field is written.
RunResult full_result() {
  RunResult result;
  result.schedule = "flow:0123";
  result.unproved = "op 3";
  result.symmetry = Symmetry::rotation;
  result.classes = 1;
  result.ops_simulated = result.ops + 1;
  result.smallest_block_bytes = result.smallest_owned_bytes + 1;
  result.largest_block_bytes = result.largest_owned_bytes + 1;
  result.bound_s = 1;
  result.ties.runs = 1;
  result.described.facts.notes = {"a note"};
  result.comparison.emplace();
  return result;
}

}  // namespace

TEST_CASE("answers have the fields of their schema") {
  const CellAnswer answer = answer_of(full_result(), true);
  const Json forms = Json::parse(schema_text(cell_answer_document())).at("definitions");
  const Json& done = forms.at("done").at("properties");
  CHECK(names_in(Json::parse(answer.figures)) == names_in(done.at("figures").at("properties")));
  CHECK(names_in(Json::parse(answer.effort)) == names_in(done.at("effort").at("properties")));
  CHECK(fault_in(answer).value_or("") == "");
}

}  // namespace tutti::test_cell_answers

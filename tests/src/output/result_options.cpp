// Tests that results record the options that they should.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schedules/options/option_type.hpp"
#include "src/output/result_json.hpp"

namespace tutti::test_result_options {

TEST_CASE("a result has a field for each option that has a field in records") {
  const auto schema = nlohmann::json::parse(schema_text(kResultDocument)).at("definitions");
  for (const OptionType* type : option_types()) {
    INFO(type->json_key);
    const bool expected =
        type->recorded == RecordPolicy::always || type->recorded == RecordPolicy::in_results;
    for (const char* form : {"result", "refusal"}) {
      CHECK(schema.at(form).at("properties").contains(type->json_key) == expected);
    }
  }
}

}  // namespace tutti::test_result_options

// Tests the validation of JSON input against its schema.
#include "src/formats/json_schema.hpp"

#include <catch2/catch.hpp>

#include <filesystem>

using nlohmann::json;
using tutti::JsonSchema;

namespace {

// Returns the error; "" if there is none.
std::string fault(const char* schema, const char* value) {
  const auto found = JsonSchema(schema).fault_in(json::parse(value));
  return found ? found->sentence() : "";
}

}  // namespace

TEST_CASE("a schema refuses with the place, the value and what is expected") {
  const char* count = R"({"type": "integer", "minimum": 1, "maximum": 9})";
  CHECK(fault(count, "1").empty());
  CHECK(fault(count, "9.0").empty());
  CHECK(fault(count, "0") == "the whole value is 0; expected an integer from 1 up to 9");
  CHECK(fault(count, "10") == "the whole value is 10; expected an integer from 1 up to 9");
  CHECK(fault(count, "2.7") == "the whole value is 2.7; expected an integer from 1 up to 9");
  CHECK(fault(count, "\"2\"") == "the whole value is \"2\"; expected an integer from 1 up to 9");
  CHECK(fault(count, "18446744073709551615").find("18446744073709551615") != std::string::npos);
  // A double cannot represent this integer exactly.
  CHECK_FALSE(fault(R"({"type": "integer"})", "1e30").empty());

  CHECK(fault(R"({"type": "number", "exclusiveMinimum": 0})", "0") ==
        "the whole value is 0; expected a number above 0");
  CHECK(fault(R"({"type": ["string", "null"]})", "1") ==
        "the whole value is 1; expected null or a string");
  CHECK(fault(R"({"const": "x/1"})", "\"x/2\"") == "the whole value is \"x/2\"; expected \"x/1\"");
  CHECK(fault(R"({"enum": ["a", "b", null]})", "true") ==
        "the whole value is true; expected \"a\", \"b\" or null");
  CHECK(fault(R"({"type": "string", "minLength": 1})", "\"\"") ==
        "the whole value is \"\"; expected a string");
  CHECK(fault(R"({"type": "string", "maxLength": 2})", "\"äö\"").empty());
  CHECK_FALSE(fault(R"({"type": "string", "maxLength": 2})", "\"äöü\"").empty());
  CHECK_FALSE(
      fault(R"({"type": "string", "maxLength": 9, "pattern": "^[a-z]+$"})", "\"A\"").empty());
}

TEST_CASE("a schema finds faults in lists and objects") {
  const char* list =
      R"({"type": "array", "minItems": 1, "maxItems": 2, "items": {"type": "null"}})";
  CHECK(fault(list, "[]") == "the whole value has 0 items; expected at least 1");
  CHECK(fault(list, "[null, null, null]") == "the whole value has 3 items; expected at most 2");
  CHECK(fault(list, "[null, 7]") == "/1 is 7; expected null");

  const char* object = R"({"type": "object", "required": ["ranks"], "additionalProperties": false,
      "properties": {"ranks": {"type": "integer"}, "a/b~c": {"$ref": "#/definitions/x"}},
      "definitions": {"x": {"type": "boolean"}}})";
  CHECK(fault(object, "{}") == "the whole value lacks \"ranks\"");
  CHECK(fault(object, R"({"ranks": 1, "a/b~c": 0})") == "/a~1b~0c is 0; expected true or false");
  CHECK(fault(object, R"({"ranks": 1, "rank": 1})") ==
        "/rank is not a known key; did you mean \"ranks\"?");
  // The key "a" with a character behind it that ends a text in C.
  CHECK_FALSE(
      fault(R"({"properties": {"a": {}}, "additionalProperties": false})", R"({"a\u0000": 1})")
          .empty());
  CHECK(fault(object, "[]") == "the whole value is a list; expected an object");
  CHECK(fault(R"({"additionalProperties": {"type": "null"}})", R"({"x": 1})") ==
        "/x is 1; expected null");
}

TEST_CASE("the error describes the best match of several forms") {
  const char* forms = R"({"oneOf": [
      {"type": "object", "required": ["time", "unit"],
       "properties": {"time": {"type": "number", "minimum": 0}, "unit": {}},
       "additionalProperties": false},
      {"type": "object", "required": ["refused"], "properties": {"refused": {"type": "string"}},
       "additionalProperties": false},
      {"type": "array"}]})";
  CHECK(fault(forms, R"({"time": 1, "unit": 1})").empty());
  CHECK(fault(forms, R"({"time": -1, "unit": 1})") == "/time is -1; expected a number from 0");
  CHECK(fault(forms, R"({"refused": 1})") == "/refused is 1; expected a string");
  CHECK(fault(forms, "7") == "the whole value is 7; expected an object or a list");
  // An invalid value at a deeper level does not change which alternative applies.
  const char* one_or_more = R"({"oneOf": [{"$ref": "#/definitions/run"},
      {"type": "array", "items": {"oneOf": [{"$ref": "#/definitions/run"}, {"type": "null"}]}}],
      "definitions": {"run": {"type": "object", "properties": {"p": {"type": "integer"}}}}})";
  CHECK(fault(one_or_more, R"([{"p": 1}, {"p": 2.7}])") == "/1/p is 2.7; expected an integer");
  CHECK(fault(one_or_more, R"({"p": "x"})") == "/p is \"x\"; expected an integer");
  const char* price =
      R"({"anyOf": [{"const": 0}, {"type": "number", "minimum": 1e-24, "maximum": 1e9}]})";
  CHECK(fault(price, "0").empty());
  CHECK(fault(price, "1e-320").find("expected 0 or a number from 1e-24 up to 1000000000") !=
        std::string::npos);
  CHECK_FALSE(fault(R"({"oneOf": [{"minimum": 0}, {"minimum": 1}]})", "2").empty());
}

TEST_CASE("long and strange values are shown in part, on one line") {
  const json text = std::string(100'000, 'x') + "\n\x1b[2J";
  const auto found = JsonSchema(R"({"type": "null"})").fault_in(text);
  REQUIRE(found);
  CHECK(found->text.size() < 200);
  CHECK(found->text.find("100013 characters") != std::string::npos);
  const json object = {{std::string(100'000, 'k'), 1}};
  CHECK(JsonSchema(R"({"additionalProperties": false})").fault_in(object)->sentence().size() < 200);
}

TEST_CASE("a schema with an unsupported keyword is refused") {
  CHECK_THROWS_AS(JsonSchema(R"({"multipleOf": 2})"), tutti::InvariantError);
  CHECK_THROWS_AS(JsonSchema(R"({"items": {"uniqueItems": true}})"), tutti::InvariantError);
  // A schema with a "pattern" must have a "maxLength", because matching recurses for each
  // character.
  CHECK_THROWS_AS(JsonSchema(R"({"pattern": "^a*$"})"), tutti::InvariantError);
}

TEST_CASE("the schema of each input document can be checked") {
  for (const char* name :
       {"tutti-cell-1", "tutti-cell-answer-1", "tutti-comparison-1", "tutti-contrast-1",
        "tutti-decide-2", "tutti-decisions-1", "tutti-explanation-1", "tutti-measured-1",
        "tutti-parameters-1", "tutti-query-1", "tutti-recording-1", "tutti-result-1", "tutti-run-1",
        "tutti-schedule-1", "tutti-validation-1"}) {
    CAPTURE(name);
    CHECK(tutti::json_schema(name).fault_in(json("none of them is a string")).has_value());
  }
  CHECK_THROWS_AS(tutti::json_schema("tutti-nothing-1"), tutti::InvariantError);
}

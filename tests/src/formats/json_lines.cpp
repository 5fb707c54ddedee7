#include "src/formats/json_lines.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace tutti::test_json_lines {

TEST_CASE("every value has its line number") {
  const JsonText json = parse_json_lines("{\n\"a\": 1,\n\"b\": [2,\n\n3], \"c\":\n{}\n}\n");
  REQUIRE(json.value);
  const auto& members = json.value->children;
  CHECK(json.value->line == 1);
  CHECK(members[0].line == 2);
  CHECK(members[1].line == 3);
  CHECK(members[1].children[0].line == 3);
  CHECK(members[1].children[1].line == 5);
  CHECK(members[2].line == 5);  // the line of the key
}

TEST_CASE("a syntax error has its line number") {
  const JsonText json = parse_json_lines("[1,\n2,\n}");
  CHECK_FALSE(json.value);
  CHECK(json.fault.line == 3);
}

TEST_CASE("nesting is limited before the stack overflows") {
  const auto nested = [](std::size_t depth) {
    return parse_json_lines(std::string(depth, '[') + std::string(depth, ']'));
  };
  CHECK(nested(500).value);
  CHECK_FALSE(nested(501).value);
  CHECK(nested(1'000'000).fault.text == "lists and objects are nested more than 500 deep");
}

TEST_CASE("strings are made printable") {
  const JsonText json = parse_json_lines("{\"a\\u001b\": \"b\\n\\u0007\"}");
  REQUIRE(json.value);
  CHECK(json.value->children[0].key == "a?");
  CHECK(json.value->children[0].text == "b ?");
}

}  // namespace tutti::test_json_lines

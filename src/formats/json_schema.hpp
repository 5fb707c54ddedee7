// Validates JSON input against its schema before it is used. The schemas are the files in
// src/formats/schemas, which are compiled into the program.
//
// Supports the subset of draft 7 (http://json-schema.org/draft-07/schema) that these files use. Any
// other keyword in a schema causes an InvariantError, so that no keyword is silently ignored. Tests
// compare the results with python3-jsonschema. Libraries such as valijson are not used, because
// they report that a constraint was violated, but do not tell users which values are accepted, and
// do not limit the memory that a hostile document takes.
#pragma once

#include <nlohmann/json.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/file_text.hpp"

namespace tutti { inline namespace formats {

struct SchemaFault {
  std::string pointer;  // RFC 6901: "/curves/reduce/pieces/0/from_bytes"; empty for the whole value
  std::string text;     // the value and what is accepted instead; printable

  // The pointer, followed by the text.
  [[nodiscard]] std::string sentence() const;
};

class JsonSchema {
 public:
  // `at` is a JSON pointer to the part of the text to use, such as "/definitions/figures"; empty
  // for the whole text.
  explicit JsonSchema(std::string_view text, const std::string& at = "");
  JsonSchema(const JsonSchema&) = delete;
  JsonSchema& operator=(const JsonSchema&) = delete;

  // Returns the first fault, or nothing. If the schema accepts several forms, the fault is relative
  // to the form that fits best.
  [[nodiscard]] std::optional<SchemaFault> fault_in(const nlohmann::json& value) const;

 private:
  class Checker;
  struct Pattern;
  void prepare(const nlohmann::json& schema);

  nlohmann::json text_;
  const nlohmann::json* root_;
  // For each value of "$ref", the part of the schema to which it refers.
  std::map<std::string, const nlohmann::json*> references_;
  std::map<std::string, std::shared_ptr<Pattern>> patterns_;
};

// Returns the schema of that name ("tutti-run-1"), or the part of it at `at`. Schemas are cached.
// Throws InvariantError if there is no such schema.
[[nodiscard]] const JsonSchema& json_schema(std::string_view name, const std::string& at = "");
// Text of a schema file, such as "tutti-run-1.schema.json"; empty if there is no such file.
[[nodiscard]] std::string_view json_schema_text(std::string_view file);

// Throws UserError if the value is invalid. The message is one line that names the place, the value
// and what is accepted.
void check_against_schema(const nlohmann::json& value, std::string_view name);

// Reads a file. Throws a UserError that begins with `what` if it cannot be read.
[[nodiscard]] std::string text_of_json_file(std::string_view what, const std::string& path,
                                            const InputKind& kind);
// Throws UserError if the text is not valid JSON.
[[nodiscard]] nlohmann::json parse_json(std::string_view text);

// Returns the result of `parse` on the file's text. UserErrors of `parse` are rethrown with `what`,
// such as "--parameters ", and the file's name in front.
template <typename Parse>
auto read_json_file(std::string_view what, const std::string& path, const InputKind& kind,
                    Parse&& parse) {
  const std::string text = text_of_json_file(what, path, kind);
  try {
    return parse(text);
  } catch (const UserError& error) {
    throw UserError(std::string(what) + "'" + path + "': " + error.what());
  }
}

}}  // namespace tutti::formats

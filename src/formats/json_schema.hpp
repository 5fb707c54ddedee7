// JSON from outside, held against its schema before anything is done with it: the files of
// schemas/, which are compiled into the program.
//
// A subset of draft 7 (http://json-schema.org/draft-07/schema), that of our files: a keyword beyond
// it is an InvariantError, so none is ignored in silence. Tests compare it with python3-jsonschema.
// Our own code, since libraries such as valijson say that a constraint was violated, and not in
// words for users what would be accepted; and valijson compiles each pattern for each value.
#pragma once

#include <nlohmann/json.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/file_text.hpp"

namespace tutti::inline formats {

struct SchemaFault {
  std::string pointer;  // RFC 6901: "/curves/reduce/pieces/0/from_bytes"; "" is the whole
  std::string text;     // "is -1; accepted is an integer from 0 to 9"; printable

  // "/eager_bytes is -1; accepted is ..."
  [[nodiscard]] std::string sentence() const;
};

class JsonSchema {
 public:
  // `at`: a part of the schema's text by a pointer, such as "/definitions/figures"; "" is all of
  // it.
  explicit JsonSchema(std::string_view text, const std::string& at = "");
  JsonSchema(const JsonSchema&) = delete;
  JsonSchema& operator=(const JsonSchema&) = delete;

  // The first thing that is wrong; where one of several forms is accepted, what is wrong with the
  // one that fits best.
  [[nodiscard]] std::optional<SchemaFault> fault_in(const nlohmann::json& value) const;

 private:
  class Checker;
  struct Pattern;
  void prepare(const nlohmann::json& schema);

  nlohmann::json text_;
  const nlohmann::json* root_;
  std::map<std::string, const nlohmann::json*> references_;  // by what "$ref" says
  std::map<std::string, std::shared_ptr<Pattern>> patterns_;
};

// "tutti-run-1", and perhaps a part of it, as above. Kept once it was made. An InvariantError where
// there is none of that name.
[[nodiscard]] const JsonSchema& json_schema(std::string_view name, const std::string& at = "");
// The text of "tutti-run-1.schema.json"; "" where there is no such file.
[[nodiscard]] std::string_view json_schema_text(std::string_view file);

// Throws UserError, one line that names the place, the value and what would be accepted.
void check_against_schema(const nlohmann::json& value, std::string_view name);

// Throws UserError that begins with `what` for what cannot be read.
[[nodiscard]] std::string text_of_json_file(std::string_view what, const std::string& path,
                                            const InputKind& kind);
// Throws UserError for what is no JSON.
[[nodiscard]] nlohmann::json parse_json(std::string_view text);

// What `parse` makes of a file's text; its UserErrors name the file, after `what`: "--parameters ".
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

}  // namespace tutti::inline formats

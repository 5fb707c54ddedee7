#include "src/formats/json_schema.hpp"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "base/file_text.hpp"
#include "base/printable.hpp"

namespace tutti::inline formats {

namespace {

using Json = nlohmann::json;

}  // namespace

std::string SchemaFault::sentence() const {
  return fmt::format("{} {}", pointer.empty() ? "the whole value" : pointer, text);
}

const JsonSchema& json_schema(std::string_view name, const std::string& at) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, std::string>, std::unique_ptr<JsonSchema>> known;
  const std::lock_guard lock(mutex);
  auto& schema = known[{std::string(name), at}];
  if (!schema) {
    const std::string_view text = json_schema_text(std::string(name) + ".schema.json");
    if (text.empty()) {
      throw InvariantError(fmt::format("there is no schema named {}", name));
    }
    schema = std::make_unique<JsonSchema>(text, at);
  }
  return *schema;
}

void check_against_schema(const Json& value, std::string_view name) {
  if (const auto fault = json_schema(name).fault_in(value)) {
    throw UserError(fault->sentence());
  }
}

std::string text_of_json_file(std::string_view what, const std::string& path,
                              const InputKind& kind) {
  try {
    return read_file(path, kind);
  } catch (const UserError& error) {
    throw UserError(std::string(what) + error.what());
  }
}

Json parse_json(std::string_view text) {
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    // error.what() is "[json.exception.parse_error.101] parse error at line 1, column 1: ..."
    const std::string_view all = error.what();
    const std::size_t begin = all.find("] ");
    throw UserError(fmt::format("not valid JSON: {}",
                                printable(begin == all.npos ? all : all.substr(begin + 2))));
  }
}

}  // namespace tutti::inline formats

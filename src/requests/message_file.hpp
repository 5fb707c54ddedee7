// A model of messages in a file: one JSON object, src/formats/schemas/tutti-messages-1.schema.json.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/messages/message_model.hpp"

namespace tutti::inline requests {

// Between which bounds a parameter lies, with 95 % confidence.
struct FittedParameter {
  std::string name;
  double low = 0;
  double high = 0;
};

// How it was fitted.
struct MessageFit {
  std::size_t points = 0;
  double error = 0;  // median of how far off a time is, as a factor less 1
  std::vector<FittedParameter> parameters;
};

struct MessageFile {
  std::string machine;  // what it holds for, in words
  std::string library;
  MessageModel model;
  std::map<std::string, std::string> sources;  // of a parameter, by name
  std::optional<MessageFit> fit;
};

// Whether a file of parameters is of this kind.
[[nodiscard]] bool is_message_file(const nlohmann::json& json);

// Throws UserError that names what is wrong: what the schema does not take, a parameter that there
// is not (and the nearest), or one that is out of its range.
[[nodiscard]] MessageFile message_file_from(const nlohmann::json& json);
[[nodiscard]] MessageFile read_message_file(const std::string& path);
void write_message_file(const MessageFile& file, std::ostream& out);

}  // namespace tutti::inline requests

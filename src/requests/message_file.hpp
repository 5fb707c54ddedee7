// Reads and writes files that contain a message model as one JSON object. The schema of these files
// is src/formats/schemas/tutti-messages-1.schema.json.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/messages/message_model.hpp"
#include "src/formats/document.hpp"
#include "src/requests/model_fit.hpp"
#include "src/simulation/model_uncertainty.hpp"

namespace tutti { inline namespace requests {

// "low" and "high".
[[nodiscard]] FieldView bounds_fields();
inline constexpr FieldsOf<FigureBounds> kBoundsFields{bounds_fields};
// Returns {"job": ..., "point": ..., "jobs": ...}.
[[nodiscard]] FieldView spread_fields();
inline constexpr FieldsOf<ModelUncertainty> kSpreadFields{spread_fields};

using MessageFit = ModelFit<ModelUncertainty>;

struct MessageFile {
  std::string machine;  // description of the machine whose messages the model describes
  std::string library;
  MessageModel model;
  std::map<std::string, std::string> sources;  // source of each parameter's value
  std::optional<MessageFit> fit;
  std::vector<JobKind> job_kinds;
  std::string barrier;  // MachineSpec::barrier of runs that name none
};

extern const DocumentOf<MessageFile> kMessagesDocument;

// True if `json`, the content of a file for --parameters, is a message model.
[[nodiscard]] bool is_message_file(const nlohmann::json& json);

// Reads a message model. Throws UserError for an invalid file: a violation of the schema, an
// unknown parameter (with the nearest name), a value out of range, or an invalid covariance matrix.
[[nodiscard]] MessageFile message_file_from(const nlohmann::json& json);
[[nodiscard]] MessageFile read_message_file(const std::string& path);
void write_message_file(const MessageFile& file, std::ostream& out);

}}  // namespace tutti::requests

// What a schema cannot say of a recording: that its parts fit each other.
#pragma once

#include <nlohmann/json.hpp>

namespace tutti::inline pictures {

// Throws UserError that names what does not fit: arrays of other lengths, a rank, an operation, a
// node or a link that there is not, an end before its start. It was held against its schema before.
void check_recording(const nlohmann::json& recording);

}  // namespace tutti::inline pictures

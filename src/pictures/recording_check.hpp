// Checks that the parts of a recording are consistent, which a schema cannot express.
#pragma once

#include <nlohmann/json.hpp>

namespace tutti::inline pictures {

// Throws UserError that names the inconsistency: arrays of different lengths; a rank, operation,
// node or link that does not exist; an end before its start. The recording must conform to its
// schema.
void check_recording(const nlohmann::json& recording);

}  // namespace tutti::inline pictures

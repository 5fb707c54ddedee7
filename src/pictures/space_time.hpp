// A space-time diagram of a run: ranks down, time across.
#pragma once

#include <nlohmann/json.hpp>

#include "src/pictures/picture.hpp"

namespace tutti::inline pictures {

// Draws a tutti-recording/1 document: messages as arrows, local work as bars, and the critical
// chain on top. With too many messages, shades show their density, and a note says so; the chain is
// still drawn in full. Throws UserError if the recording is damaged.
[[nodiscard]] Picture space_time(const nlohmann::json& recording);

}  // namespace tutti::inline pictures

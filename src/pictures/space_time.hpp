// A run as it went: ranks down, time across.
#pragma once

#include <nlohmann/json.hpp>

#include "src/pictures/picture.hpp"

namespace tutti::inline pictures {

// Of a tutti-recording/1: messages as arrows, work as bars, and the critical chain on top. A run of
// many messages is shown as how dense they are, and says so; the chain is drawn in full. Throws
// UserError for a recording that is damaged.
[[nodiscard]] Picture space_time(const nlohmann::json& recording);

}  // namespace tutti::inline pictures

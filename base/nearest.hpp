// What a word that is not known was meant to be.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tutti {

// Gives the candidate that `word` most likely meant; "" when none is near.
[[nodiscard]] std::string nearest(std::string_view word, std::span<const std::string> candidates);

}  // namespace tutti

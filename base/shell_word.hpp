// Words for a shell's command line.
#pragma once

#include <string>
#include <string_view>

namespace tutti::inline base {

// Returns `word` in a form that a shell reads as one word: quoted if it is empty or has special
// characters.
[[nodiscard]] std::string shell_word(std::string_view word);

}  // namespace tutti::inline base

// Words for a shell's command line.
#pragma once

#include <string>
#include <string_view>

namespace tutti { inline namespace base {

// Returns `word` in a form that a shell reads as one word: quoted if it is empty or has special
// characters.
[[nodiscard]] std::string shell_word(std::string_view word);
// Like shell_word(), for the path of a file: programs do not mistake the path for an option or, if
// it is "-", for standard input or output.
[[nodiscard]] std::string shell_path(std::string_view path);

}}  // namespace tutti::base

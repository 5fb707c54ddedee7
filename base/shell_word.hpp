// Words as one types them.
#pragma once

#include <string>
#include <string_view>

namespace tutti::inline base {

// One word for a shell, quoted where it has characters that mean something there.
[[nodiscard]] std::string shell_word(std::string_view word);

}  // namespace tutti::inline base

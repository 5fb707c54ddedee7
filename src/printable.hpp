// Text from files and from other people, before it goes to a terminal or into JSON.
#pragma once

#include <string>
#include <string_view>

namespace tutti {

// In UTF-8 and on one line: line ends and tabs become blanks; what a terminal might obey, and bytes
// that are no UTF-8, become '?'.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace tutti

// The script and the style of the page, from src/page/web/bundle.
#pragma once

#include <string_view>

namespace tutti::inline page {

[[nodiscard]] std::string_view page_script();
[[nodiscard]] std::string_view page_style();

}  // namespace tutti::inline page

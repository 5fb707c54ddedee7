// The script and the style of the page, from src/page/web/bundle.
#pragma once

#include <string_view>

namespace tutti { inline namespace page {

// Returns the text of "page.js" or "page.css".
[[nodiscard]] std::string_view page_asset(std::string_view name);

}}  // namespace tutti::page

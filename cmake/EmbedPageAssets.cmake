# cmake -DFOLDER= -DOUTPUT= -P: writes the source file that holds the script and the style of the page.
file(READ ${FOLDER}/page.js script)
file(READ ${FOLDER}/page.css style)
file(WRITE ${OUTPUT} "// Written by cmake/EmbedPageAssets.cmake.
#include \"src/page/page_assets.hpp\"

namespace tutti::inline page {

std::string_view page_script() { return R\"page_asset(${script})page_asset\"; }
std::string_view page_style() { return R\"page_asset(${style})page_asset\"; }

}  // namespace tutti::inline page
")

// libFuzzer target: no text may crash the reader of tutti's own JSON, or the code that makes
// pictures and tables from this JSON.
#include "src/pictures/document.hpp"
#include "src/pictures/picture.hpp"
#include "src/pictures/shown.hpp"
#include "tests/fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::may_refuse([&] {
    const tutti::Document document = tutti::parse_document(fuzz::text_of(data, size), "fuzz");
    const tutti::DocumentView shown = tutti::shown_of(document);
    for (const tutti::Picture& picture : shown.pictures) {
      const std::string file = tutti::svg_file(picture);
      fuzz::require(file.find("<script") == std::string::npos, "a name became an XML element");
      fuzz::require(picture.body.find("=\"nan\"") == std::string::npos,
                    "a coordinate is not a number");
    }
    for (const tutti::DataTable& table : shown.tables) {
      for (const auto& row : table.rows) {
        fuzz::require(row.size() == table.columns.size(), "a row has the wrong number of columns");
      }
    }
  });
  return 0;
}

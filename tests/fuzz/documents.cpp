// libFuzzer target: no text may crash the reader of our own JSON, nor the pictures and tables that
// are made of it.
#include "src/pictures/document.hpp"
#include "src/pictures/picture.hpp"
#include "src/pictures/shown.hpp"
#include "tests/fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::may_refuse([&] {
    const tutti::Document document = tutti::parse_document(fuzz::text_of(data, size), "fuzz");
    const tutti::Shown shown = tutti::shown_of(document);
    for (const tutti::Picture& picture : shown.pictures) {
      const std::string file = tutti::svg_file(picture);
      fuzz::require(file.find("<script") == std::string::npos, "a name became an element");
      fuzz::require(picture.body.find("=\"nan\"") == std::string::npos,
                    "a place that is no number");
    }
    for (const tutti::DataTable& table : shown.tables) {
      for (const auto& row : table.rows) {
        fuzz::require(row.size() == table.columns.size(), "a row with other columns");
      }
    }
  });
  return 0;
}

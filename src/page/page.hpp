// One HTML file that shows documents: nothing in it asks for anything from elsewhere.
//
// The data stand in it as JSON, tutti-report/1: title, made_by, parts; of each part its kind,
// title, source, notes, document (or null), tables and pictures (src/page/web/README.md). The
// script of src/page/web/ does the rest.
#pragma once

#include <nlohmann/json.hpp>

#include <iosfwd>
#include <string>
#include <vector>

#include "src/pictures/picture.hpp"
#include "src/pictures/table.hpp"

namespace tutti::inline page {

struct PagePart {
  std::string kind;  // of a document, or "picture"
  std::string title;
  std::string source;  // for people
  const nlohmann::json* document = nullptr;
  std::vector<std::string> notes;
  std::vector<DataTable> tables;
  std::vector<Picture> pictures;
};

struct ReportPage {
  std::string title;
  std::string made_by;  // "tutti 0.1.0 (build ...)"
  std::vector<PagePart> parts;
};

void write_page(const ReportPage& page, std::ostream& out);

}  // namespace tutti::inline page

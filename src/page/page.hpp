// Writes a single HTML file that shows documents, and loads nothing from elsewhere.
//
// The page contains its data as JSON, tutti-report/1: title, made_by and parts. Each part has a
// kind, title, source, notes, document (or null), tables and pictures (see src/page/web/README.md).
// The script of src/page/web/ draws the parts.
#pragma once

#include <nlohmann/json.hpp>

#include <iosfwd>
#include <string>
#include <vector>

#include "src/pictures/picture.hpp"
#include "src/pictures/tables.hpp"

namespace tutti { inline namespace page {

struct PagePart {
  std::string kind;  // name of a DocumentKind, such as "run", or "picture"
  std::string title;
  std::string source;  // where the part comes from, for readers
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

}}  // namespace tutti::page

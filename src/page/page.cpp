#include "src/page/page.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <ostream>
#include <string_view>
#include <utility>

#include "base/provenance.hpp"
#include "src/formats/json_text.hpp"
#include "src/page/page_assets.hpp"

namespace tutti { inline namespace page {

namespace {

using Json = nlohmann::ordered_json;

Json cell_json(const DataCell& cell) {
  return cell.number ? Json(*cell.number) : cell.text.empty() ? Json() : Json(cell.text);
}

Json table_json(const DataTable& table) {
  Json json{{"id", table.id}, {"title", table.title}};
  json["columns"] = Json::array();
  for (const DataColumn& column : table.columns) {
    json["columns"].push_back({{"name", column.name},
                               {"unit", column.unit},
                               {"align", column.of_numbers ? "right" : "left"}});
  }
  json["rows"] = Json::array();
  json["shown"] = Json::array();
  for (const std::vector<DataCell>& row : table.rows) {
    Json values = Json::array();
    Json shown = Json::array();
    for (const DataCell& cell : row) {
      values.push_back(cell_json(cell));
      shown.push_back(cell.text);
    }
    json["rows"].push_back(std::move(values));
    json["shown"].push_back(std::move(shown));
  }
  return json;
}

Json picture_json(const Picture& picture) {
  return {{"id", picture.id},
          {"title", picture.title},
          {"alt", picture.alt},
          {"svg", svg_in_page(picture)},
          {"narrow_svg", picture.narrow_svg},
          {"csv", picture.csv},
          {"group", picture.group}};
}

// Escapes "<", since "</script>" and "<!--" have a meaning in a script element.
void put_in_script(std::string_view json, std::ostream& out) {
  for (std::size_t at = 0; at < json.size();) {
    const std::size_t found = std::min(json.find('<', at), json.size());
    out << json.substr(at, found - at);
    if (found < json.size()) {
      out << "\\u003c";
    }
    at = found + 1;
  }
}

}  // namespace

void write_page(const ReportPage& page, std::ostream& out) {
  out << "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
         "'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:\">\n<title>"
      << xml_escaped(page.title) << "</title>\n<style>\n"
      << page_asset("page.css")
      << "\n</style>\n</head>\n<body>\n<div id=\"page\"></div>\n<noscript>This page needs "
         "JavaScript, which is disabled.</noscript>\n<script type=\"application/json\" "
         "id=\"tutti-data\">";
  put_in_script(
      fmt::format("{{\"schema\":\"tutti-report/1\",\"title\":{},\"made_by\":{},\"parts\":[",
                  json_text(Json(page.title)), json_text(Json(page.made_by))),
      out);
  for (std::size_t i = 0; i < page.parts.size(); ++i) {
    const PagePart& part = page.parts[i];
    Json json{{"kind", part.kind},
              {"title", part.title},
              {"source", without_temporary_folders(part.source)},
              {"notes", part.notes}};
    json["tables"] = Json::array();
    for (const DataTable& table : part.tables) {
      json["tables"].push_back(table_json(table));
    }
    json["pictures"] = Json::array();
    for (const Picture& picture : part.pictures) {
      json["pictures"].push_back(picture_json(picture));
    }
    std::string text = json_text(json);
    text.pop_back();  // removes the final brace: the document follows below, without being copied
    out << (i == 0 ? "\n" : ",\n");
    put_in_script(text, out);
    out << ",\"document\":";
    put_in_script(part.document == nullptr ? "null" : json_text(*part.document), out);
    out << '}';
  }
  out << "]}</script>\n<script>\n" << page_asset("page.js") << "\n</script>\n</body>\n</html>\n";
}

}}  // namespace tutti::page

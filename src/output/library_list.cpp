#include "src/output/library_list.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "src/formats/text_table.hpp"

namespace tutti::inline output {

namespace {

std::string use_in_words(const CatalogueRow& row) {
  std::string text = row.id.empty() ? fmt::format("{} {}", row.family, row.name)
                                    : fmt::format("{} {} ({})", row.family, row.id, row.name);
  if (!row.since.empty()) {
    text += fmt::format(" from {}", row.since);
  }
  if (!row.only_on.empty()) {
    text += fmt::format(" for {}", row.only_on);
  }
  if (!row.options.empty()) {
    text += fmt::format(", as {}", row.options);
  }
  return text;
}

nlohmann::ordered_json text_or_null(std::string_view text) {
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

}  // namespace

std::string uses_in_words(std::span<const CatalogueRow> rows) {
  std::string text;
  for (const CatalogueRow& row : rows) {
    text += (text.empty() ? "" : "; ") + use_in_words(row);
  }
  return text;
}

std::string in_words(std::span<const Recommendation> recommendations) {
  std::string text;
  for (const Recommendation& each : recommendations) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : "; ", each.when, each.source);
  }
  return text;
}

nlohmann::ordered_json recommendation_json(const Recommendation& recommendation) {
  return {{"when", recommendation.when}, {"source", recommendation.source}};
}

nlohmann::ordered_json catalogue_json(const CatalogueRow& row) {
  return {{"library", row.family},
          {"id", text_or_null(row.id)},
          {"name", row.name},
          {"since", text_or_null(row.since)},
          {"options", row.options},
          {"only_on_ranks", text_or_null(row.only_on)},
          {"lacking", text_or_null(row.lacking)}};
}

nlohmann::ordered_json library_json(const LibraryVersion& version,
                                    std::span<const CatalogueRow> rows) {
  nlohmann::ordered_json json;
  json["schema"] = "tutti-library/1";
  json["library"] = version.name;
  json["algorithms"] = nlohmann::ordered_json::array();
  for (const CatalogueRow& row : rows) {
    nlohmann::ordered_json one{{"collective", name(row.collective)}};
    one.update(catalogue_json(row));
    one["tutti"] =
        row.algorithm.empty()
            ? nlohmann::ordered_json()
            : nlohmann::ordered_json(fmt::format("{}/{}", name(row.collective), row.algorithm));
    json["algorithms"].push_back(std::move(one));
  }
  return json;
}

void print_library(const LibraryVersion& version, std::span<const CatalogueRow> rows,
                   std::ostream& out) {
  print_heading(out, version.name);
  const bool numbered = std::any_of(rows.begin(), rows.end(),
                                    [](const CatalogueRow& row) { return !row.id.empty(); });
  Table table({{"collective"}, {"id", true, 0, numbered}, {"library's name"}, {"tutti's name"}});
  std::string_view last;
  for (const CatalogueRow& row : rows) {
    std::string ours = row.algorithm.empty() ? "none" : std::string(row.algorithm);
    if (!row.options.empty() && !row.algorithm.empty()) {
      ours += " " + row.options;
    }
    if (!row.only_on.empty()) {
      ours += fmt::format(", {}", row.only_on);
    }
    if (!row.lacking.empty()) {
      ours += fmt::format(": {}", row.lacking);
    }
    const std::string_view of = name(row.collective);
    table.add({of == last ? "" : std::string(of), row.id, std::string(row.name), ours});
    last = of;
  }
  table.print(out, 2);
  out << '\n';
  const auto known = std::count_if(rows.begin(), rows.end(),
                                   [](const CatalogueRow& row) { return !row.algorithm.empty(); });
  print_field(out, 0, 0, "",
              fmt::format("{} of {} have a counterpart in tutti", known, rows.size()));
}

}  // namespace tutti::inline output

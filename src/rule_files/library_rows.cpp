#include "src/rule_files/library_rows.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/text_lines.hpp"
#include "base/text_words.hpp"
#include "src/formats/csv.hpp"
#include "src/rule_files/library_catalogue.hpp"

namespace tutti { inline namespace rule_files {

namespace {

enum Column : std::size_t {
  kLibrary,
  kCollective,
  kId,
  kName,
  kAlgorithm,
  kOptions,
  kRules,
  kSince,
  kUntil,
  kLacking,
  kColumns
};

template <typename Number>
Number number_of(std::string_view text) {
  const auto number = parsed_number<Number>(text);
  TUTTI_INVARIANT(number.has_value());
  return *number;
}

// Converts a version to its LibraryVersion::release: "4.1" is 401. Returns `otherwise` for an empty
// text.
int release_of(const std::string& library, const std::string& text, int otherwise) {
  if (text.empty()) {
    return otherwise;
  }
  const LibraryVersion* const version = find_library_version(library + " " + text);
  TUTTI_INVARIANT(version != nullptr);
  return version->release;
}

void take_options(LibraryAlgorithm& row) {
  const std::vector<std::string_view> words = words_in(row.options);
  TUTTI_INVARIANT(words.size() % 2 == 0);
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const std::string_view value = words[i + 1];
    if (words[i] == "--tree") {
      row.tree = value;
    } else if (words[i] == "--fold") {
      row.fold = value;
    } else if (words[i] == "--parts") {
      row.parts = value;
    } else if (words[i] == "--throttle") {
      row.throttle = number_of<std::uint32_t>(value);
    }
  }
}

void take_rules(LibraryAlgorithm& row, std::string_view rules) {
  constexpr std::string_view kRadix = "radix>=";
  for (const std::string_view word : words_in(rules)) {
    row.segments |= word == "segment";
    row.tells_tree |= word == "tree";
    row.powers_of_two_only |= word == "p=2^k";
    row.exported &= word != "unwritten";
    if (word.starts_with(kRadix)) {
      row.fan_is_radix = true;
      row.fan = number_of<int>(word.substr(kRadix.size()));
    }
  }
}

LibraryAlgorithm row_of(const std::vector<std::string>& fields) {
  TUTTI_INVARIANT(fields.size() == kColumns);
  const auto collective = collective_named(fields[kCollective]);
  TUTTI_INVARIANT(collective.has_value());
  LibraryAlgorithm row;
  row.library = fields[kLibrary];
  row.collective = *collective;
  row.numbered = !fields[kId].empty();
  row.id = row.numbered ? number_of<int>(fields[kId]) : 0;
  row.name = fields[kName];
  row.ours = fields[kAlgorithm];
  row.options = fields[kOptions];
  row.lacking = fields[kLacking];
  row.since = release_of(row.library, fields[kSince], row.since);
  row.until = release_of(row.library, fields[kUntil], row.until);
  take_options(row);
  take_rules(row, fields[kRules]);
  return row;
}

}  // namespace

const std::vector<LibraryAlgorithm>& library_rows() {
  static const std::vector<LibraryAlgorithm> rows = [] {
    std::vector<LibraryAlgorithm> read;
    std::string_view rest = library_rows_text("library_algorithms.csv");
    std::string_view line;
    bool header = true;
    while (next_line(rest, line)) {
      if (!line.starts_with('#') && !std::exchange(header, false)) {
        read.push_back(row_of(csv_fields(line)));
      }
    }
    return read;
  }();
  return rows;
}

std::span<const LibraryAlgorithm> rows_of_library(std::string_view library) {
  const auto is_of = [&](const LibraryAlgorithm& row) { return row.library == library; };
  const auto first = std::ranges::find_if(library_rows(), is_of);
  return {first, std::find_if_not(first, library_rows().end(), is_of)};
}

}}  // namespace tutti::rule_files

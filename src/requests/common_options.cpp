#include "src/requests/common_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "base/error.hpp"
#include "base/file_text.hpp"
#include "base/human.hpp"
#include "base/nearest.hpp"
#include "base/quantities.hpp"
#include "base/text_lines.hpp"
#include "schedules/registry.hpp"
#include "src/requests/command_table.hpp"

namespace tutti { inline namespace requests {

void ResultOptions::add_to(Command& app) {
  const OptionGroup group(app, "Output");
  group
      .add("--json", json, kWrittenFile,
           "Write the result as JSON to this file; - is standard output")
      .usual();
  group
      .add("--csv", csv, kWrittenFile,
           "Write the result as comma-separated values to this file; - is standard output")
      .usual();
}

namespace {

std::vector<std::string> names_of(std::span<const Collective> collectives) {
  std::vector<std::string> names;
  names.reserve(collectives.size());
  for (const Collective collective : collectives) {
    names.emplace_back(name(collective));
  }
  return names;
}

// Returns the full names of the algorithms called `word`, in quotes.
std::vector<std::string> algorithms_called(std::string_view word) {
  std::vector<std::string> names;
  for (const Algorithm* algorithm : algorithms()) {
    if (same_word(algorithm->name, word)) {
      names.push_back(fmt::format("'{}'", algorithm->full_name()));
    }
  }
  return names;
}

}  // namespace

std::string unknown_collective(const std::string& text, const CollectivePlace& place) {
  std::vector<std::string> names = names_of(place.collectives);
  names.insert(names.end(), place.words.begin(), place.words.end());
  if (place.all) {
    names.emplace_back("all");
  }
  const std::string one_of = fmt::format("; expected one of {}", fmt::join(names, ", "));
  if (const auto called_so = algorithms_called(text); !called_so.empty()) {
    return place.algorithms
               ? fmt::format("unknown collective '{0}': '{0}' is an algorithm; did you mean {1}?",
                             text, fmt::join(called_so, " or "))
               : fmt::format("unknown collective '{0}': '{0}' is an algorithm{1}", text, one_of);
  }
  if (text.find('.') != std::string::npos) {
    if (std::filesystem::exists(text)) {
      return fmt::format("'{}' is {}; expected a collective{}", text,
                         in_words(content_of_file(text)),
                         content_of_file(text) == FileContent::benchmark
                             ? "; 'tutti score' compares measured times with predictions"
                             : "");
    }
    if (const std::string file = place.files ? nearest_file(text, kScheduleFile) : "";
        !file.empty()) {
      return fmt::format("there is no collective or file '{}'{}", text, file);
    }
  }
  const std::string word = text.substr(0, text.find('/'));
  const auto known = collective_meant(word);
  if (known && std::ranges::find(place.collectives, *known) == place.collectives.end()) {
    return fmt::format("'{}': {}; expected {}", text, place.why_no_other, alternatives(names));
  }
  const std::string best = known ? std::string(name(*known)) : nearest(word, names);
  return fmt::format("unknown collective '{}'{}", text,
                     best.empty() ? one_of : fmt::format(": did you mean '{}'?", best));
}

std::string collective_help() { return alternatives(names_of(kCollectives)); }

Collective parse_collective(const std::string& text, const CollectivePlace& place) {
  const auto collective = collective_meant(text);
  if (collective && std::ranges::find(place.collectives, *collective) != place.collectives.end()) {
    return *collective;
  }
  throw UserError(unknown_collective(text, place));
}

std::size_t processors() { return std::max(1U, std::thread::hardware_concurrency()); }

void add_jobs(Command& app, std::size_t& jobs) {
  constexpr std::uint32_t kMost = 1024;
  OptionGroup(app, "Options")
      .add("--jobs", jobs, "COUNT", "Number of parallel runs [number of processors]",
           AsPositiveCount<kMost>());
}

void add_sure(const OptionGroup& group, SureLevel& sure, const char* help) {
  group.add("--sure", sure, "PERCENT",
            fmt::format("{}; needs --parameters with a file that 'tutti fit' wrote", help),
            AsPercentage());
}

void check_sure_shows(const SureLevel& sure, const ResultOptions& results) {
  if (sure && results.csv == "-") {
    throw UserError("$sure: has no effect with $csv -; use $json -");
  }
}

void check_number_of(const std::string& thing, std::uint64_t count) {
  constexpr std::uint64_t kMost = 1'000'000;
  if (count > kMost) {
    throw UserError(
        fmt::format("$ranks and $bytes give {}, but at most {} are possible at once; write "
                    "shorter lists, or doublings such as 2..1024*2",
                    counted(count, thing), human_count(kMost)));
  }
}

void check_one_standard_output(std::initializer_list<const std::optional<std::string>*> paths) {
  int standard = 0;
  for (const auto* path : paths) {
    standard += *path == "-" ? 1 : 0;
  }
  if (standard > 1) {
    throw UserError("two outputs cannot both go to standard output; give one of them a file");
  }
}

}}  // namespace tutti::requests

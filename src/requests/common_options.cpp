#include "src/requests/common_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/nearest.hpp"
#include "base/quantities.hpp"
#include "base/text_lines.hpp"
#include "schedules/registry.hpp"
#include "src/requests/command_table.hpp"

namespace tutti::inline requests {

void ResultOptions::add_to(Command& app) {
  const OptionGroup group(app, "Output");
  group.add("--json", json, kWrittenFile,
            "Write the result as JSON to this file; - is standard output");
  group.add("--csv", csv, kWrittenFile,
            "Write the result as comma-separated values to this file; - is standard output");
}

namespace {

std::vector<std::string> collective_names() {
  std::vector<std::string> names;
  for (const Collective collective : kCollectives) {
    names.emplace_back(name(collective));
  }
  return names;
}

}  // namespace

std::string unknown_collective(const std::string& text, const std::string& also) {
  std::vector<std::string> called_so;  // full names of the algorithms whose name is `text`
  for (const Algorithm* algorithm : algorithms()) {
    if (algorithm->name == text) {
      called_so.push_back(fmt::format("'{}'", algorithm->full_name()));
    }
  }
  if (!called_so.empty()) {
    return fmt::format("unknown collective '{0}': '{0}' is an algorithm; did you mean {1}?", text,
                       fmt::join(called_so, " or "));
  }
  if (text.find('.') != std::string::npos) {
    if (std::filesystem::exists(text)) {
      return fmt::format("'{}' is a file; expected a collective", text);
    }
    if (const std::string file = nearest_file(text); !file.empty()) {
      return fmt::format("there is no collective or file '{}'{}", text, file);
    }
  }
  std::vector<std::string> names = collective_names();
  if (!also.empty()) {
    names.push_back(also);
  }
  const std::string best = nearest(text.substr(0, text.find('/')), names);
  return fmt::format("unknown collective '{}'{}", text,
                     best.empty() ? fmt::format("; expected one of {}", fmt::join(names, ", "))
                                  : fmt::format(": did you mean '{}'?", best));
}

std::string collective_help() { return alternatives(collective_names()); }

Collective parse_collective(const std::string& text) {
  if (const auto collective = collective_named(text)) {
    return *collective;
  }
  throw UserError(unknown_collective(text));
}

std::size_t parse_jobs(const OptionText& text) {
  constexpr std::uint32_t kMost = 1024;
  if (!text) {
    return std::max(1U, std::thread::hardware_concurrency());
  }
  const std::uint32_t jobs = parse_count("--jobs", *text, kMost);
  if (jobs == 0) {
    throw UserError(fmt::format("--jobs '0': must be from 1 to {}", kMost));
  }
  return jobs;
}

std::optional<double> sure_level(const OptionText& text) {
  return text ? std::optional(parse_percentage("--sure", *text)) : std::nullopt;
}

std::optional<double> sure_level(const OptionText& text, const ResultOptions& results) {
  if (text && results.csv == "-") {
    throw UserError("--sure: has no effect with --csv -; use --json -");
  }
  return sure_level(text);
}

void check_number_of(const std::string& thing, std::uint64_t count) {
  constexpr std::uint64_t kMost = 1'000'000;
  if (count > kMost) {
    throw UserError(
        fmt::format("-p/--ranks and -n/--bytes give {}, but at most {} are possible at once; write "
                    "shorter lists, or doublings such as 2..1024*2",
                    counted(count, thing), human_count(kMost)));
  }
}

void check_one_standard_output(std::initializer_list<const OptionText*> paths) {
  int standard = 0;
  for (const OptionText* path : paths) {
    standard += *path == "-" ? 1 : 0;
  }
  if (standard > 1) {
    throw UserError("two outputs cannot both go to standard output; give one of them a file");
  }
}

}  // namespace tutti::inline requests

// Options that several commands share, with one meaning everywhere.
#pragma once

#include <initializer_list>
#include <string>

#include "schedules/collective.hpp"
#include "src/requests/problem_options.hpp"

namespace tutti::inline requests {

class Command;

// Type names of options, which help texts show.
inline constexpr const char* kWrittenFile = "FILE|-";
inline constexpr const char* kResultsFile = "FILE.db";

// Files for results, in addition to the printed report.
struct ResultOptions {
  OptionText json;
  OptionText csv;

  void add_to(Command& app);
};

inline constexpr const char* kAlgorithmHelp =
    "collective/algorithm, such as allreduce/ring ('tutti list' shows all), or a file: a program "
    "in tutti's notation, or a schedule as 'tutti show' prints it";

// Error message for an unknown collective: "unknown collective 'allredce': did you mean
// 'allreduce'?"
[[nodiscard]] std::string unknown_collective(const std::string& text);
// Parses the name of a collective: "allreduce". Throws UserError, which suggests the nearest name
// or lists all.
[[nodiscard]] Collective parse_collective(const std::string& text);
// Names of all collectives, for help: "allreduce, bcast, ... or barrier".
[[nodiscard]] std::string collective_help();

// Parses --jobs. The default is the number of processors.
[[nodiscard]] std::size_t parse_jobs(const OptionText& text);

// Throws UserError if `count` is too large. `thing` names what is counted ("run"). Commands for
// lists of ranks, sizes and algorithms keep one record of each thing in memory, and call this
// function before they create the records.
void check_number_of(const std::string& thing, std::uint64_t count);

// Throws UserError if more than one of several output paths is "-".
void check_one_standard_output(std::initializer_list<const OptionText*> paths);

}  // namespace tutti::inline requests

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

// Where results go besides the report for people.
struct ResultOptions {
  OptionText json;
  OptionText csv;

  void add_to(Command& app);
};

inline constexpr const char* kAlgorithmHelp =
    "collective/algorithm, such as allreduce/ring ('tutti list' names all), or a file: a program "
    "in "
    "the notation, or a schedule as 'tutti show' prints it";

// "unknown collective 'allredce': did you mean 'allreduce'?"
[[nodiscard]] std::string unknown_collective(const std::string& text);
// "allreduce". Throws UserError that suggests the nearest, or names all.
[[nodiscard]] Collective parse_collective(const std::string& text);
// "allreduce, bcast, ... or barrier".
[[nodiscard]] std::string collective_help();

// --jobs; as many as there are processors where it is not given.
[[nodiscard]] std::size_t parse_jobs(const OptionText& text);

// Commands over several ranks, sizes and algorithms hold a record of each `thing` ("run"), so that
// there must not be any number of them: throws UserError. To be asked before there are any.
void check_number_of(const std::string& thing, std::uint64_t count);

// At most one of several output paths may be "-"; throws UserError otherwise.
void check_one_standard_output(std::initializer_list<const OptionText*> paths);

}  // namespace tutti::inline requests

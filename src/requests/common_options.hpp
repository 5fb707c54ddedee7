// Options that have the same meaning in several commands.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "schedules/collective.hpp"
#include "src/requests/problem_options.hpp"
#include "src/requests/value_with_text.hpp"

namespace tutti { inline namespace requests {

class Command;

// Type names of options, which help texts show.
inline constexpr const char* kWrittenFile = "FILE|-";
inline constexpr const char* kResultsFile = "FILE.db";

// Files for results, in addition to the printed report.
struct ResultOptions {
  std::optional<std::string> json;
  std::optional<std::string> csv;

  void add_to(Command& app);
};

inline constexpr const char* kAlgorithmHelp =
    "collective/algorithm, such as allreduce/ring ('tutti list' shows all), or a file: a program "
    "in tutti's notation, a schedule as 'tutti show' prints it, or a schedule of another tool "
    "(GOAL, MSCCL XML, Chakra)";

// The words that a command accepts in place of a collective's name. Its messages suggest only
// these.
struct CollectivePlace {
  std::span<const Collective> collectives = kCollectives;
  std::string_view why_no_other = {};  // reason why other collectives are refused
  // Further words that the caller accepts and has looked for, such as "sendrecv".
  std::span<const std::string_view> words = {};
  bool all = false;         // the word "all"
  bool algorithms = false;  // names of algorithms, such as allreduce/ring
  bool files = false;
};

// Returns the error message for an unknown collective: "unknown collective 'allredce': did you mean
// 'allreduce'?".
[[nodiscard]] std::string unknown_collective(const std::string& text,
                                             const CollectivePlace& place = {});
// Parses the name of a collective, such as "allreduce" or "MPI_Allreduce". Throws a UserError that
// suggests the most similar name.
[[nodiscard]] Collective parse_collective(const std::string& text,
                                          const CollectivePlace& place = {});
// Returns the names of all collectives, for help texts: "allreduce, bcast, ... or exscan".
[[nodiscard]] std::string collective_help();

// Returns the number of processors, the default of --jobs.
[[nodiscard]] std::size_t processors();
// Adds --jobs, a number of parallel jobs.
void add_jobs(Command& app, std::size_t& jobs);

// The probability of --sure, such as 80%, as a value between 0 and 1.
using SureLevel = std::optional<ValueWithText<double>>;
// Adds --sure, for which `help` says what it does.
void add_sure(const OptionGroup& group, SureLevel& sure, const char* help);
// Throws UserError if --sure is given, and a table of comma-separated values, which does not say
// what is sure, is all that the command prints.
void check_sure_shows(const SureLevel& sure, const ResultOptions& results);

// Throws UserError if `count` is too large. `thing` is a noun for what is counted, such as "run".
// Commands that combine lists of ranks, sizes and algorithms keep a record of each combination in
// memory. They call this function before they create the records.
void check_number_of(const std::string& thing, std::uint64_t count);

// Throws UserError if more than one of the output paths is "-", which stands for standard output.
void check_one_standard_output(std::initializer_list<const std::optional<std::string>*> paths);

}}  // namespace tutti::requests

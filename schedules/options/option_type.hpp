// The description of an option that only some algorithms take: one struct per option, in one file
// per option. options.def lists the options. All code that reads, writes, prints or tries options
// uses this table.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "schedules/problem.hpp"

namespace tutti::inline schedules {

// A value as it is in data formats.
using OptionValue = std::variant<std::uint64_t, std::string, std::vector<std::uint64_t>>;

// The condition on which a record of a run, in JSON or CSV, has a key for the option. All records
// have the text of options_text().
enum class Recorded : std::uint8_t {
  always,      // null if the algorithm does not take the option
  in_results,  // always for simulated runs; for runs on MPI only if it is not the default
  as_list,     // as a list, beside the plain values
  in_words,    // never; the value is in options_text() only
};

// A problem with a value of an option that is worth trying if the user gives none, and the first
// purpose for which it is worth trying. Each purpose includes the values of those before it.
enum class TriedFor : std::uint8_t { deciding, libraries, tests };
struct OptionTrial {
  Problem problem;
  TriedFor from = TriedFor::tests;
};

struct OptionType {
  Option option;
  std::string_view word;       // "fold", "cores-per-node"
  std::string_view type_name;  // of the value, in --help: "HOW"
  std::string (*help)();
  std::string_view json_key;
  Recorded recorded = Recorded::in_words;
  [[nodiscard]] std::string_view flag() const;  // "--fold"
  // True if options_text() includes the option even at its default.
  bool said_by_default = false;
  // True if another value makes another problem, rather than another way to solve the same one.
  bool changes_problem = false;
  // All values, if they are words; shell completion offers them.
  std::span<const std::string_view> words{};

  // Parses the text after the flag, for the problem's collective. Throws UserError that names
  // `what` and the value, and says what is accepted.
  void (*parse)(std::string_view what, std::string_view text, Problem& into) = nullptr;
  // Parses several values, for commands that run each of them. Each value occurs once, in order.
  // Null if the option has a single value everywhere. Throws UserError as parse() does.
  std::vector<Problem> (*parse_several)(std::string_view text) = nullptr;
  // The value as on the command line; "" if it need not be given.
  std::string (*print)(const Problem&) = nullptr;
  bool (*is_default)(const Problem&) = nullptr;
  void (*copy)(const Problem& from, Problem& into) = nullptr;
  OptionValue (*value)(const Problem&) = nullptr;
  // Sets a value that is not a word; parse() reads words. Throws UserError.
  void (*set)(const OptionValue&, Problem& into) = nullptr;
  // The values worth trying for a problem. Those that are tried for deciding include the default.
  std::vector<OptionTrial> (*trials)(const Problem&) = nullptr;
};

[[nodiscard]] std::span<const OptionType* const> option_types();
[[nodiscard]] const OptionType& option_type(Option option);
// Finds an option by its word, such as "fold". Throws UserError.
[[nodiscard]] const OptionType& option_named(std::string_view word);
[[nodiscard]] std::size_t index_of(Option option);

// Sets a value that was read from a data format. An empty word is the default. Throws UserError
// that names the key.
void set_option(const OptionType& type, const OptionValue& value, Problem& into);

// "--fold far".
[[nodiscard]] std::string in_words(const OptionType& type, const Problem& problem);

}  // namespace tutti::inline schedules

// Defines the struct that describes an option that only some algorithms accept. Each option has a
// file of its own, with one such struct. options.def lists the options. All code that reads,
// writes, prints or tries options uses these structs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "schedules/problem.hpp"

namespace tutti { inline namespace schedules {

// A value in JSON, CSV or a database: a number, a text or a list of numbers.
using OptionValue = std::variant<std::uint64_t, std::string, std::vector<std::uint64_t>>;

// The cases in which a record of a run (in JSON or CSV) has a key of its own for the option. Every
// record also has options_text().
enum class RecordPolicy : std::uint8_t {
  // Always; the value is null if the algorithm does not accept the option.
  always,
  // Always for simulated runs; for runs on MPI only if the value is not the default.
  in_results,
  // Always; the value is a list of numbers.
  as_list,
  // Never; only options_text() includes the value.
  in_words,
};

// The purposes for which values of an option are tried if the user gives none.
enum class TriedFor : std::uint8_t { deciding, libraries, tests };
// A problem with one value of an option. The value is tried for the purpose `from` and for all
// purposes after it in TriedFor.
struct OptionTrial {
  Problem problem;
  TriedFor from = TriedFor::tests;
};

struct OptionType {
  Option option;
  std::string_view word;  // such as "fold" or "cores-per-node"
  // Placeholder for the value in --help: "HOW".
  std::string_view type_name;
  std::string (*help)();
  std::string_view json_key;
  RecordPolicy recorded = RecordPolicy::in_words;
  [[nodiscard]] std::string_view flag() const;  // such as "--fold"
  [[nodiscard]] std::string spaced() const;     // such as "cores per node"
  // True if options_text() includes the option even at its default.
  bool shown_by_default = false;
  // True if another value means another problem, rather than another way to solve the same problem.
  bool changes_problem = false;
  // All values, if every value is a word; shell completion offers these words.
  std::span<const std::string_view> words{};

  // Parses the text after the flag into `into`; `into.collective` must be set. Throws UserError
  // that names `what` and the text, and lists accepted values.
  void (*parse)(std::string_view what, std::string_view text, Problem& into) = nullptr;
  // Parses several values, for commands that run each value. Returns each value once, in the order
  // of the text. Null if no command accepts several values. Throws UserError as parse() does.
  std::vector<Problem> (*parse_several)(std::string_view text) = nullptr;
  // Returns the value as on the command line; "" if the option need not be given.
  std::string (*print)(const Problem&) = nullptr;
  bool (*is_default)(const Problem&) = nullptr;
  void (*copy)(const Problem& from, Problem& into) = nullptr;
  OptionValue (*value)(const Problem&) = nullptr;
  // Sets a number or a list; texts go through parse(). Throws UserError if the value is invalid.
  void (*set)(const OptionValue&, Problem& into) = nullptr;
  // Returns the values worth trying for a problem. If any of these values are for
  // TriedFor::deciding, the default is one of them; if none are, only the default is used for
  // deciding.
  std::vector<OptionTrial> (*trials)(const Problem&) = nullptr;
};

[[nodiscard]] std::span<const OptionType* const> option_types();
[[nodiscard]] const OptionType& option_type(Option option);
// Finds an option by its word, such as "fold". Throws UserError.
[[nodiscard]] const OptionType& option_named(std::string_view word);
[[nodiscard]] std::size_t index_of(Option option);

// Sets a value that was read from JSON, CSV or a database. An empty text sets the default. Throws
// UserError that names the key if the value is invalid.
void set_option(const OptionType& type, const OptionValue& value, Problem& into);

// Returns the option with its value: "--fold far".
[[nodiscard]] std::string in_words(const OptionType& type, const Problem& problem);

}}  // namespace tutti::schedules

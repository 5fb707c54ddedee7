// What there is to say of an option that only some algorithms take: one struct per option, in one
// file per option. options.def lists them; everything that reads, writes, prints or tries options
// goes by this table.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "schedules/problem.hpp"

namespace tutti::inline schedules {

// A value as data formats have it.
using OptionValue = std::variant<std::uint64_t, std::string, std::vector<std::uint64_t>>;

// Where the records of runs, in JSON and CSV, have a key for an option. All have the words of
// options_text().
enum class Recorded : std::uint8_t {
  always,      // null where the algorithm does not take it
  in_results,  // so of simulated runs; of runs on MPI only where it is not the default
  as_list,     // beside the plain values
  in_words,    // never: the words have to do
};

// A problem with a value of an option that is worth trying where nobody says which, and the least
// that it is worth trying for; each includes those before it.
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
  // Whether options_text() also says the default.
  bool said_by_default = false;
  // Whether another value is another problem, and not another way to solve it.
  bool changes_problem = false;
  // All values, where they are words; completions offer them.
  std::span<const std::string_view> words{};

  // Reads what stands behind the flag, for the problem's collective. Throws UserError that names
  // `what` and the value, and says what would do.
  void (*parse)(std::string_view what, std::string_view text, Problem& into) = nullptr;
  // Reads several values, for commands that set them side by side; each of them once, in order.
  // Null where the option has a single value everywhere. Throws UserError as parse() does.
  std::vector<Problem> (*parse_several)(std::string_view text) = nullptr;
  // The value as on the command line. Where nothing need be said it is "".
  std::string (*print)(const Problem&) = nullptr;
  bool (*is_default)(const Problem&) = nullptr;
  void (*copy)(const Problem& from, Problem& into) = nullptr;
  OptionValue (*value)(const Problem&) = nullptr;
  // Sets a value that is no word; parse() reads words. Throws UserError.
  void (*set)(const OptionValue&, Problem& into) = nullptr;
  // The values worth trying for a problem, the default among them where decisions are made.
  std::vector<OptionTrial> (*trials)(const Problem&) = nullptr;
};

[[nodiscard]] std::span<const OptionType* const> option_types();
[[nodiscard]] const OptionType& option_type(Option option);
// By its word. Throws UserError.
[[nodiscard]] const OptionType& option_named(std::string_view word);
[[nodiscard]] std::size_t index_of(Option option);

// Reads a value of a data format. An empty word is the default. Throws UserError that names the
// key.
void set_option(const OptionType& type, const OptionValue& value, Problem& into);

// "--fold far".
[[nodiscard]] std::string in_words(const OptionType& type, const Problem& problem);

}  // namespace tutti::inline schedules

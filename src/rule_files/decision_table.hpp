// Decision tables: the algorithm for each number of ranks and size. They hold the built-in
// decisions of MPI libraries, the rules in a library's rule file, or the results of `tutti decide`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/collective.hpp"
#include "schedules/options/given_options.hpp"

namespace tutti::inline rule_files {

// Numbers of ranks on which a library runs an algorithm; on others it runs another one, or fails.
enum class ServedRanks : std::uint8_t { any, two, powers_of_two };

struct Choice {
  std::string algorithm;            // tutti's name, "ring"; empty if tutti has no equivalent
  std::string library_algorithm;    // the library's name; empty if no library is involved
  std::uint64_t segment_bytes = 0;  // 0: messages are not segmented
  GivenOptions options;             // further options, as given; all others have their defaults
  ServedRanks served = ServedRanks::any;
  bool left_to_library = false;  // the library's built-in decision applies

  friend bool operator==(const Choice&, const Choice&) = default;
};
[[nodiscard]] Choice choice_left_to_library();

// Options that a choice can set, in the order in which tables list them. The segment size is not
// among them, because it is found for each size separately; nor are options of the machine or of
// the problem.
[[nodiscard]] std::span<const OptionType* const> choice_options();

// Description for users: "segmented_ring, segments of 128 KiB". Uses the library's name if tutti
// has no equivalent algorithm.
[[nodiscard]] std::string in_words(const Choice& choice);

// Meaning of the sizes in a table.
enum class SizeMeasure : std::uint8_t {
  vector,  // n: the largest buffer that any rank holds
  // n / p: what a rank contributes to an allgather, or sends to each other rank in an alltoall
  block,
};

// Exclusive upper bound on the number of elements: the number of ranks, or the largest power of two
// that is not above the number of ranks.
enum class ElementsBelow : std::uint8_t { any, ranks, power_of_two };

// Conditions, all of which must hold, followed by either further rules or a choice.
struct Rule {
  std::optional<std::uint32_t> ranks_from;
  std::optional<std::uint32_t> ranks_below;
  bool ranks_power_of_two = false;
  std::optional<std::uint64_t> bytes_from;
  std::optional<std::uint64_t> bytes_below;
  ElementsBelow elements_below = ElementsBelow::any;

  std::vector<Rule> then;
  std::optional<Choice> choice;  // the rule's choice, set if and only if `then` is empty
  std::string why;               // reason, for users; may be empty
  std::size_t line = 0;          // line of the rule in its file; 0 if there is no file

  [[nodiscard]] bool conditional() const {
    return ranks_from || ranks_below || ranks_power_of_two || bytes_from || bytes_below ||
           elements_below != ElementsBelow::any;
  }
};
// "ranks below 64, size below 8 KiB"; "always".
[[nodiscard]] std::string conditions_in_words(const Rule& rule, SizeMeasure measure);

// Replacement that the library runs if `algorithm` cannot serve a problem.
struct Substitute {
  std::string algorithm;
  Choice instead;  // without a segment size; that of the replaced choice applies
};

struct DecisionTable {
  Collective collective = Collective::allreduce;
  std::string name;    // "Open MPI 4.1, fixed decisions"
  std::string source;  // where the decisions come from
  SizeMeasure measure = SizeMeasure::vector;
  // The first rule whose conditions hold is taken. Later rules are not tried, even if none of that
  // rule's inner rules holds.
  std::vector<Rule> rules;
  std::vector<Substitute> substitutes;
};

struct TableChoice {
  const Choice* choice = nullptr;
  std::vector<const Rule*> path;  // rules that led to the choice, outermost first
};

// Returns the table's choice, or nothing if no rule holds. `bytes` is n, even if the table measures
// blocks.
[[nodiscard]] std::optional<TableChoice> look_up(const DecisionTable& table, std::uint32_t ranks,
                                                 std::uint64_t bytes, std::uint32_t element_bytes);

// Steps of generated tables. A SizeStep applies from its number of bytes up to the next step, and a
// RankStep from its number of ranks.
struct SizeStep {
  std::uint64_t from_bytes = 0;  // smallest size; 0 in the first step
  Choice choice;
  std::string why = {};  // reason, for users; may be empty

  friend bool operator==(const SizeStep& a, const SizeStep& b) {
    return a.from_bytes == b.from_bytes && a.choice == b.choice;
  }
};
struct RankStep {
  std::uint32_t from_ranks = 0;  // the fewest ranks; the first step also serves fewer
  std::vector<SizeStep> sizes;
};
[[nodiscard]] std::vector<Rule> rules_of(const std::vector<RankStep>& steps);

}  // namespace tutti::inline rule_files

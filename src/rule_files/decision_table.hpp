// Which algorithm to take for which number of ranks and size: what MPI libraries have built in,
// what their rule files say, and what `tutti decide` finds.
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
  std::string algorithm;            // of tutti: "ring"; "" where it has none like it
  std::string library_algorithm;    // the library's own name for it; "" where nobody's
  std::uint64_t segment_bytes = 0;  // 0: uncut, or nothing to cut
  GivenOptions options;             // others of the algorithm; where nothing is said, the default
  ServedRanks served = ServedRanks::any;
  bool left_to_library = false;  // the rule changes nothing: what is built in decides

  friend bool operator==(const Choice&, const Choice&) = default;
};
[[nodiscard]] Choice choice_left_to_library();

// The options that a choice can say, in the order in which tables have them: all but the segment,
// which is found for each size, and what belongs to the machine or to the problem.
[[nodiscard]] std::span<const OptionType* const> choice_options();

// "segmented_ring, segments of 128 KiB"; where tutti has no such algorithm, the library's name.
[[nodiscard]] std::string in_words(const Choice& choice);

// What a table's bytes are.
enum class SizeMeasure : std::uint8_t {
  vector,  // n: the largest buffer that any rank holds
  block,   // n over p: what a rank contributes to an allgather, sends each other in an alltoall
};

// Fewer elements than ranks, or than the largest power of two not above the ranks.
enum class ElementsBelow : std::uint8_t { any, ranks, power_of_two };

// Conditions, all of which must hold, and then either further rules or a choice.
struct Rule {
  std::optional<std::uint32_t> ranks_from;
  std::optional<std::uint32_t> ranks_below;
  bool ranks_power_of_two = false;
  std::optional<std::uint64_t> bytes_from;
  std::optional<std::uint64_t> bytes_below;
  ElementsBelow elements_below = ElementsBelow::any;

  std::vector<Rule> then;
  std::optional<Choice> choice;  // exactly where `then` is empty
  std::string why;               // for people; "" where nobody says
  std::size_t line = 0;          // of the file it was read from; 0 where there is none

  [[nodiscard]] bool conditional() const {
    return ranks_from || ranks_below || ranks_power_of_two || bytes_from || bytes_below ||
           elements_below != ElementsBelow::any;
  }
};
// "ranks below 64, size below 8 KiB"; "always".
[[nodiscard]] std::string conditions_in_words(const Rule& rule, SizeMeasure measure);

// What the library runs in place of an algorithm that cannot serve a problem.
struct Substitute {
  std::string algorithm;
  Choice instead;  // without a segment of its own: cut as what it stands for would have been
};

struct DecisionTable {
  Collective collective = Collective::allreduce;
  std::string name;    // "Open MPI 4.1, fixed decisions"
  std::string source;  // where it is written
  SizeMeasure measure = SizeMeasure::vector;
  // The first of several that hold is taken, and none after it, even if no rule below it holds.
  std::vector<Rule> rules;
  std::vector<Substitute> substitutes;
};

struct TableChoice {
  const Choice* choice = nullptr;
  std::vector<const Rule*> path;  // outermost first
};

// `bytes` is n, whatever the table measures by. Nothing where no rule holds.
[[nodiscard]] std::optional<TableChoice> look_up(const DecisionTable& table, std::uint32_t ranks,
                                                 std::uint64_t bytes, std::uint32_t element_bytes);

// The rules of tables that are made and not read: from so many ranks and so many bytes on.
struct SizeStep {
  std::uint64_t from_bytes = 0;  // of the first step 0
  Choice choice;
  std::string why = {};  // for people; "" where nobody says

  friend bool operator==(const SizeStep& a, const SizeStep& b) {
    return a.from_bytes == b.from_bytes && a.choice == b.choice;
  }
};
struct RankStep {
  std::uint32_t from_ranks = 0;  // the first one serves all smaller numbers too
  std::vector<SizeStep> sizes;
};
[[nodiscard]] std::vector<Rule> rules_of(const std::vector<RankStep>& steps);

}  // namespace tutti::inline rule_files

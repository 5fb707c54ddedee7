// Decision tables, which choose an algorithm for each number of ranks and size. A table contains
// the built-in decisions of MPI libraries, the rules in a library's rule file, or the results of
// `tutti decide`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/collective.hpp"
#include "schedules/options/given_options.hpp"

namespace tutti { inline namespace rule_files {

// The numbers of ranks on which a library runs an algorithm. On other numbers of ranks, the library
// runs another algorithm, or the call fails.
enum class ServedRanks : std::uint8_t { any, two, powers_of_two };

struct Choice {
  std::string algorithm;            // tutti's name, "ring"; empty if tutti has no equivalent
  std::string library_algorithm;    // the library's name; empty if no library is involved
  std::uint64_t segment_bytes = 0;  // 0: messages are not segmented
  // True if the algorithm cuts the vector as it does without --segment; segment_bytes is then 0.
  // Only tutti's own tables can say this.
  bool default_segments = false;
  GivenOptions options;  // other options; an option that is not set has its default
  ServedRanks served = ServedRanks::any;
  std::string protocol;          // NCCL's protocol; empty for other libraries
  std::uint32_t channels = 0;    // NCCL's number of channels; 0 if NCCL chooses it
  bool left_to_library = false;  // true if the library's built-in decision applies

  friend bool operator==(const Choice&, const Choice&) = default;
};
[[nodiscard]] Choice choice_left_to_library();

// Returns the options that Choice::options can contain, in the order in which tables list them.
// Excludes the segment size (see Choice::segment_bytes), and options that describe the machine or
// the problem.
[[nodiscard]] std::span<const OptionType* const> choice_options();

// Returns a description for users: "segmented_ring, segments of 128 KiB". Uses the library's name
// if tutti has no equivalent algorithm.
[[nodiscard]] std::string in_words(const Choice& choice);

// Meaning of the sizes in a table.
enum class SizeMeasure : std::uint8_t {
  vector,  // n: the largest buffer that any rank holds
  // n / p, where p is the number of ranks: what a rank contributes to an allgather, or sends to
  // each other rank in an alltoall
  block,
};

// Upper bound on the number of elements, which must be less than the bound: none (any), the number
// of ranks, or the largest power of two that is not above the number of ranks.
enum class ElementsBelow : std::uint8_t { any, ranks, power_of_two };

struct RuleConditions {
  std::optional<std::uint32_t> ranks_from;
  std::optional<std::uint32_t> ranks_below;
  bool ranks_power_of_two = false;
  std::optional<std::uint32_t> nodes;  // the number of nodes (hosts) on which the ranks are
  std::optional<std::uint64_t> bytes_from;
  std::optional<std::uint64_t> bytes_below;
  ElementsBelow elements_below = ElementsBelow::any;

  friend bool operator==(const RuleConditions&, const RuleConditions&) = default;
  [[nodiscard]] bool conditional() const { return *this != RuleConditions{}; }
};

// A rule: conditions, and, if all of them hold, either a choice or further rules that choose.
struct Rule : RuleConditions {
  std::vector<Rule> then;
  std::optional<Choice> choice;  // set if and only if `then` is empty
  std::string why;               // reason for the choice, for users; may be empty
  std::size_t line = 0;          // line of the rule in its file; 0 if there is no file
};
// Returns the conditions of a rule, for users: "ranks below 64, size below 8 KiB", or "always".
[[nodiscard]] std::string conditions_in_words(const RuleConditions& rule, SizeMeasure measure);

// The replacement that the library runs if `algorithm` does not support a problem.
struct Substitute {
  std::string algorithm;
  // If `instead` has no segment size, the segment size of the replaced choice applies.
  Choice instead;
};

struct DecisionTable {
  Collective collective = Collective::allreduce;
  std::string name;    // "Open MPI 4.1, fixed decisions"
  std::string source;  // where the decisions come from
  SizeMeasure measure = SizeMeasure::vector;
  // The first rule whose conditions hold is taken. If this rule has inner rules (Rule::then) and
  // none of them holds, nothing is chosen: later rules are not tried.
  std::vector<Rule> rules;
  std::vector<Substitute> substitutes;
};

struct TableChoice {
  const Choice* choice = nullptr;
  std::vector<const Rule*> path;  // rules that led to the choice, outermost first
};

// Returns the table's choice, or nothing if no rule holds. `bytes` is n, the size of the whole
// vector, even if the sizes in the table are those of blocks. If the number of nodes is not known,
// rules with a condition on it do not hold; see nodes_that_decide().
[[nodiscard]] std::optional<TableChoice> look_up(const DecisionTable& table, std::uint32_t ranks,
                                                 std::uint64_t bytes, std::uint32_t element_bytes,
                                                 std::optional<std::uint32_t> nodes = std::nullopt);

// Returns the numbers of nodes for which the table has rules of its own for this call, in
// increasing order; empty if the number of nodes does not matter.
[[nodiscard]] std::vector<std::uint32_t> nodes_that_decide(const DecisionTable& table,
                                                           std::uint32_t ranks, std::uint64_t bytes,
                                                           std::uint32_t element_bytes);

// Returns the rules of the outermost list whose conditions hold, in the order of the table.
[[nodiscard]] std::vector<const Rule*> rules_that_hold(const DecisionTable& table,
                                                       std::uint32_t ranks, std::uint64_t bytes,
                                                       std::uint32_t element_bytes,
                                                       std::optional<std::uint32_t> nodes);

// Returns the number of nodes for this many ranks on each node.
[[nodiscard]] constexpr std::uint32_t nodes_of(std::uint32_t ranks, std::uint32_t ranks_per_node) {
  return ranks_per_node == 0 ? ranks : (ranks + ranks_per_node - 1) / ranks_per_node;
}

// Steps from which tutti generates tables. A SizeStep applies from its number of bytes up to the
// number of bytes of the next SizeStep. A RankStep applies from its number of ranks up to the
// number of ranks of the next RankStep.
struct SizeStep {
  std::uint64_t from_bytes = 0;  // 0 in the first step of a list
  Choice choice;
  std::string why = {};  // reason for the choice, for users; may be empty

  friend bool operator==(const SizeStep& a, const SizeStep& b) {
    return a.from_bytes == b.from_bytes && a.choice == b.choice;
  }
};
struct RankStep {
  // Smallest number of ranks; the first step of a list also applies to smaller numbers.
  std::uint32_t from_ranks = 0;
  std::vector<SizeStep> sizes;
};
// Returns table rules that make the same choices as the steps.
[[nodiscard]] std::vector<Rule> rules_of(const std::vector<RankStep>& steps);

}}  // namespace tutti::rule_files

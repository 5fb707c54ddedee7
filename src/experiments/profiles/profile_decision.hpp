// Rules for a program, and how many seconds each rule saves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/experiments/decisions/decision.hpp"
#include "src/experiments/profiles/profile.hpp"

namespace tutti { inline namespace experiments {

// Seconds of some calls without the rules ("before") and with them ("after"); empty if unknown.
struct BeforeAndAfter {
  std::optional<double> after_s;
  std::optional<double> before_s;

  // Returns the seconds that the rules save; empty if after_s or before_s is unknown.
  [[nodiscard]] std::optional<double> saved_s() const {
    return after_s && before_s ? std::optional(*before_s - *after_s) : std::nullopt;
  }
};

// All calls of one collective with the same number of ranks and bytes. Seconds are sums over all
// these calls.
struct ProfileCell : BeforeAndAfter {
  std::size_t decision = 0;  // index into ProfileDecision::decisions
  std::uint32_t rank_index = 0;
  std::uint64_t bytes = 0;
  double calls = 0;
  std::optional<std::size_t> rule;  // index into ProfileDecision::rules; empty if there is no rule
  std::string before;               // algorithm that runs without the rules, in words
};

// A rule: the algorithm and segment size for an interval of sizes on one number of ranks. Seconds
// are sums over the cells in which both times are known, and empty if there is no such cell.
struct ProfileRule : BeforeAndAfter {
  std::size_t decision = 0;
  std::uint32_t rank_index = 0;
  SizeInterval interval;
  double calls = 0;
  double untold_calls = 0;  // number of calls in cells in which a time is unknown
};

struct ProfileDecision {
  Profile profile;
  // One decision per collective. The cells of the decisions are those of the profile, with the
  // profile's numbers of calls.
  std::vector<Decision> decisions;
  // Description of what is used without the rules: the table that --against names, or for each
  // collective the single algorithm that takes the least time for all of its calls.
  std::string before;
  std::vector<std::string> notes;
  std::vector<ProfileCell> cells;  // largest saving first
  std::vector<ProfileRule> rules;  // largest saving first
  // Seconds without and with the rules, as sums over the cells in which both times are known.
  double before_s = 0;
  double after_s = 0;
  double untold_calls = 0;  // number of calls in cells in which a time is unknown
  double wall_s = 0;
};

// Returns the profile's calls of one collective.
[[nodiscard]] std::vector<ProfileCalls> calls_of(const Profile& profile, Collective collective);
// Returns the largest of the element sizes 1, 2, 4 and 8 bytes that divides the sizes of all calls.
[[nodiscard]] std::uint32_t common_element_bytes(const std::vector<ProfileCalls>& calls);
// Removes from `decision` all cells for which `calls` has no entry, and sets the number of calls in
// the other cells.
void keep_called(Decision& decision, const std::vector<ProfileCalls>& calls);
// Fills in the cells, rules and sums of `decided`. Its decisions must be complete and, if there is
// a table to compare with, contain the judgement of this table.
void sum_up_profile(ProfileDecision& decided);

}}  // namespace tutti::experiments

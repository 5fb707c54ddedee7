// Rules for a program, and how many seconds they save.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/experiments/decisions/decision.hpp"
#include "src/experiments/profiles/profile.hpp"

namespace tutti::inline experiments {

// All calls of one collective with the same number of ranks and bytes. "before" means without the
// rules, "after" means with the rules. Seconds are sums over all these calls.
struct ProfileCell {
  std::size_t decision = 0;  // index into ProfileDecision::decisions
  std::uint32_t rank_index = 0;
  std::uint64_t bytes = 0;
  double calls = 0;
  std::optional<std::size_t> rule;  // index into ProfileDecision::rules; empty if nothing runs
  std::optional<double> after_s;    // empty if nothing runs
  std::optional<double> before_s;
  std::string before;  // what runs without the rules, in words

  // Returns the seconds that the rules save; empty if after_s or before_s is unknown.
  [[nodiscard]] std::optional<double> saved_s() const;
};

// A rule: the choice from a size on, for one number of ranks.
struct ProfileRule {
  std::size_t decision = 0;
  std::uint32_t rank_index = 0;
  SizeInterval interval;
  double calls = 0;
  // Seconds with and without the rule, as sums over the cells in which both times are known; empty
  // if there is no such cell.
  std::optional<double> after_s;
  std::optional<double> before_s;
  double untold_calls = 0;  // number of calls in the other cells

  [[nodiscard]] std::optional<double> saved_s() const;
};

struct ProfileDecision {
  Profile profile;
  // One per collective. Their cells are those of the profile, with the profile's numbers of calls.
  std::vector<Decision> decisions;
  // Name of what is used without the rules: the table of --against, or for each collective the
  // single algorithm that is the best for all its calls.
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
// Returns the largest element size of 1, 2, 4 or 8 bytes that divides the sizes of all calls.
[[nodiscard]] std::uint32_t common_element_bytes(const std::vector<ProfileCalls>& calls);
// Removes the cells of the grid without a call in the profile, and sets the number of calls of the
// other cells.
void keep_called(Decision& decision, const std::vector<ProfileCalls>& calls);
// Fills in cells, rules and sums. All collectives must have been decided and, if there is a table
// to compare with, judged.
void sum_up_profile(ProfileDecision& decided);

}  // namespace tutti::inline experiments

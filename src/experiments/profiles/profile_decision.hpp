// Rules for a program: what they save of its seconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/experiments/decisions/decision.hpp"
#include "src/experiments/profiles/profile.hpp"

namespace tutti::inline experiments {

// All calls of one kind, before and with the rules. Seconds are those of all calls together.
struct ProfileCell {
  std::size_t decision = 0;  // into ProfileDecision::decisions
  std::uint32_t rank_index = 0;
  std::uint64_t bytes = 0;
  double calls = 0;
  std::optional<std::size_t> rule;  // into ProfileDecision::rules; nothing where nothing runs
  std::optional<double> after_s;    // nothing where nothing runs
  std::optional<double> before_s;
  std::string before;  // what runs then, in words

  // Nothing where either is not known.
  [[nodiscard]] std::optional<double> saved_s() const;
};

// From a size on, for a number of ranks, what to take.
struct ProfileRule {
  std::size_t decision = 0;
  std::uint32_t rank_index = 0;
  SizeInterval interval;
  double calls = 0;
  // Sums over the cells in which both times are known; none if there is no such cell.
  std::optional<double> after_s;
  std::optional<double> before_s;
  double untold_calls = 0;  // in the other cells

  [[nodiscard]] std::optional<double> saved_s() const;
};

struct ProfileDecision {
  Profile profile;
  // By collective; their cells are those of the profile, with its calls.
  std::vector<Decision> decisions;
  // What there is before: the table of --against, or for each collective the one algorithm that is
  // the best for all its calls.
  std::string before;
  std::vector<std::string> notes;
  std::vector<ProfileCell> cells;  // those that save most first
  std::vector<ProfileRule> rules;  // likewise
  double before_s = 0;             // of cells in which both are known
  double after_s = 0;
  double untold_calls = 0;  // of which one is not known
  double wall_s = 0;
};

// The profile's calls of one collective.
[[nodiscard]] std::vector<ProfileCalls> calls_of(const Profile& profile, Collective collective);
// Bytes that all of these are whole numbers of: 8, or less where they are not.
[[nodiscard]] std::uint32_t common_element_bytes(const std::vector<ProfileCalls>& calls);
// Keeps of the grid what the profile calls, and notes how often.
void keep_called(Decision& decision, const std::vector<ProfileCalls>& calls);
// Fills in cells, rules and sums, once all are decided, and judged where there is a table.
void sum_up_profile(ProfileDecision& decided);

}  // namespace tutti::inline experiments

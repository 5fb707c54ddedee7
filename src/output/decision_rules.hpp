// The rules of a decision (which algorithm to use from which size on), and the reasons for them.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

#include "src/experiments/decisions/decision.hpp"

namespace tutti { inline namespace output {

// Smallest lead, gain or loss that counts, as a share of the shorter time. Smaller differences are
// rounding errors.
inline constexpr double kNoticeable = 5e-4;

// Formats how much longer one time is than another. `part` is the difference, relative to the
// shorter time: "12.3 %" for 0.123, "1100 %" for 11.
[[nodiscard]] std::string longer_in_words(double part);

// How shares of a time are printed. All shares in a table or sentence have the same form.
enum class ShareForm : std::uint8_t {
  percent,  // "12.3 %": how much longer
  factor,   // "15.9 x": how many times as long
};
// Returns the form for shares of which `most` is the largest: factors if it exceeds 1.
[[nodiscard]] constexpr ShareForm share_form(double most) {
  return most > 1 ? ShareForm::factor : ShareForm::percent;
}
// Returns the share in this form, with three digits for factors: "12.3 %", "1.12 x", "15.9 x".
[[nodiscard]] std::string longer_in_words(double part, ShareForm form);

// Returns the reason why `best` is faster than `second`, in terms of alpha, beta, gamma and
// contention: "start-up: 12.6 us against 58.8 us for ring". Returns "" if it is unknown what the
// time was spent on.
[[nodiscard]] std::string reason(const CandidateTime& best, const CandidateTime& second,
                                 const std::string& second_name);

// Prints for each number of ranks which algorithm to use from which size on. Adjacent numbers of
// ranks with equal rules share a line.
void print_rules(const Decision& decision, std::ostream& out);
// Prints the lead of each algorithm that the rules choose, and the reason for the lead.
void print_reasons(const Decision& decision, std::ostream& out);
// Describes the lead of the algorithm that is chosen for an interval of sizes: "ahead by 3.1 % to
// 12 %; at n = 512 KiB, start-up: 32 us against 56 us for ring". Returns "" if no lead is known.
// `interval` is an index in each.intervals.
[[nodiscard]] std::string lead_in_words(const Decision& decision, const RankDecision& each,
                                        std::size_t interval);
// Names the cells without rules in which the library's own choice was not simulated, and why, and
// those in which NCCL's own model refuses what is faster by simulation. Returns "" if there are
// none, or if the decision has no baseline.
[[nodiscard]] std::string own_choice_kept(const Decision& decision);
// Says why every rule of the decision, which has a baseline, keeps the library's own choice.
[[nodiscard]] std::string why_no_rules(const Decision& decision);
// Returns sentences for the comments of a file with the rules of a decision that has a baseline: in
// which cells there are rules, and in which the library's own choice stays.
[[nodiscard]] std::vector<std::string> cells_of_rules(const Decision& decision);
// Prints each interval of sizes with the lead of its algorithm and the reason for the lead.
void print_intervals(const Decision& decision, std::ostream& out);

// How many times as long as their limits the choices of rules take, over several cells.
struct LimitRange {
  double least = 0;
  double most = 0;
  const TimedCell* most_at = nullptr;  // null if no limit is known

  [[nodiscard]] bool known() const { return most_at != nullptr; }
  [[nodiscard]] std::string in_words() const;  // "1.08", or "1.08 to 2.5"
  void add(const LimitRange& other);
};
// Returns the range for one rule, or for all rules if `interval` is null.
[[nodiscard]] LimitRange limit_range(const RankDecision& each, const SizeInterval* interval);

}}  // namespace tutti::output

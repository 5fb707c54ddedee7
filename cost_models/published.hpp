// Published cost formulas, right or wrong. Results show the published costs beside the exact ones,
// so that readers who know a formula see where it holds. README.md has a table of all formulas.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/prices.hpp"
#include "schedules/problem.hpp"

namespace tutti { inline namespace cost_models {

// How the value of a formula relates to the cost.
enum class Account : std::uint8_t {
  // The value is the exact cost in the model of alpha, beta and gamma.
  exact,
  // The source says that the formula leaves something out.
  approximate,
  // The cost is at most the value of the formula.
  bound,
  // The formula is wrong even for problems for which the source says that it holds.
  misprint,
};
inline constexpr std::array<std::string_view, 4> kAccountNames{"exact", "approximate",
                                                               "upper bound", "misprint"};
[[nodiscard]] constexpr std::string_view name(Account account) {
  return kAccountNames[static_cast<std::size_t>(account)];
}

struct PublishedFormula {
  // The algorithm with its collective: "allreduce/ring".
  std::string_view algorithm;
  // The formula in p (ranks), n (bytes), alpha, beta and gamma.
  std::string_view formula;
  std::string_view citation;
  // The place in the cited work: a section, a theorem or a file.
  std::string_view section;
  std::string_view condition;  // the problems for which the formula holds, in words
  Account account = Account::exact;
  // A note that a reader should know before using the formula; may be empty.
  std::string_view remark;

  [[nodiscard]] bool misprint() const { return account == Account::misprint; }
  friend bool operator==(const PublishedFormula&, const PublishedFormula&) = default;
};

// A formula and its value for a problem for which the formula holds. lg p is rounded up where the
// source says so.
struct PublishedCost : PublishedFormula {
  double seconds = 0;
};

// Returns all formulas for an algorithm, whatever the problem; none if no publication is known.
[[nodiscard]] std::vector<PublishedFormula> published_formulas(std::string_view algorithm);

// Returns the costs according to all formulas that hold for the problem.
[[nodiscard]] std::vector<PublishedCost> published_costs(const Algorithm& algorithm,
                                                         const Problem& problem,
                                                         const Prices& prices);

}}  // namespace tutti::cost_models

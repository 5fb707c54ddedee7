// Costs as published, right or wrong. Results show them beside the exact costs, so that readers who
// know a formula see where it holds. README.md has a table of all formulas.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/prices.hpp"
#include "schedules/problem.hpp"

namespace tutti::inline cost_models {

// The claim that a formula's source makes.
enum class Account : std::uint8_t {
  exact,        // the cost, in the model of alpha, beta and gamma
  approximate,  // its source says that it leaves something out
  bound,        // at most this
  misprint,     // wrong even where its source says that it holds
};
inline constexpr std::array<std::string_view, 4> kAccountNames{"exact", "approximate",
                                                               "upper bound", "misprint"};
[[nodiscard]] constexpr std::string_view name(Account account) {
  return kAccountNames[static_cast<std::size_t>(account)];
}

struct PublishedFormula {
  std::string_view algorithm;  // "allreduce/ring"
  std::string_view formula;    // in words of p, n, alpha, beta, gamma
  std::string_view citation;
  std::string_view section;    // in the cited work: the number of a section, a theorem or a file
  std::string_view condition;  // the problems for which the formula holds, in words
  Account account = Account::exact;
  std::string_view remark;  // what a reader should know before using it; may be empty

  [[nodiscard]] bool misprint() const { return account == Account::misprint; }
  friend bool operator==(const PublishedFormula&, const PublishedFormula&) = default;
};

// A formula's cost for a problem for which it holds. lg p is rounded up where the source says so.
struct PublishedCost : PublishedFormula {
  double seconds = 0;
};

// Returns all formulas of an algorithm, whatever the problem; none if no publication is known.
[[nodiscard]] std::vector<PublishedFormula> published_formulas(std::string_view algorithm);

// Returns the costs by the formulas that hold for the problem.
[[nodiscard]] std::vector<PublishedCost> published_costs(const Algorithm& algorithm,
                                                         const Problem& problem,
                                                         const Prices& prices);

}  // namespace tutti::inline cost_models

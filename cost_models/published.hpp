// Costs as they were published, right or wrong: they stand beside the exact ones, so that whoever
// knows a formula sees where it holds. README.md has a table of all.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/prices.hpp"
#include "schedules/problem.hpp"

namespace tutti::inline cost_models {

// What a formula claims to be.
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
  std::string_view section;    // of what is cited: a section's number, a theorem, a file
  std::string_view condition;  // for which problems it holds, in words
  Account account = Account::exact;
  std::string_view remark;  // what one should know before believing it; may be empty

  [[nodiscard]] bool misprint() const { return account == Account::misprint; }
  friend bool operator==(const PublishedFormula&, const PublishedFormula&) = default;
};

// A formula for a problem for which it holds. Where the source says that lg p is rounded up, it is.
struct PublishedCost : PublishedFormula {
  double seconds = 0;
};

// All formulas of an algorithm, whatever the problem. None where nobody is known to have published
// one.
[[nodiscard]] std::vector<PublishedFormula> published_formulas(std::string_view algorithm);

// Those that hold for the problem.
[[nodiscard]] std::vector<PublishedCost> published_costs(const Algorithm& algorithm,
                                                         const Problem& problem,
                                                         const Prices& prices);

}  // namespace tutti::inline cost_models

// Why each rule makes its choice: how far it is ahead, and where that lead comes from.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "src/experiments/decisions/decision.hpp"
#include "src/simulation/explain/explain_lead.hpp"

namespace tutti::inline experiments {

// Whether `second` takes as long as `best`, up to rounding, or ties decide between them.
[[nodiscard]] bool is_level(const CandidateTime& best, const CandidateTime& second);

enum class LeadsExplained : std::uint8_t {
  largest,  // of each candidate, where it leads most
  all,
};

// Fills in RankDecision::leads. A lead that links decide takes one watched run of each of its two
// cases; no case runs twice.
void find_leads(
    Decision& decision, LeadsExplained which,
    const std::function<std::optional<LeadAccount>(const Case&)>& account_for = account_for_lead);

}  // namespace tutti::inline experiments

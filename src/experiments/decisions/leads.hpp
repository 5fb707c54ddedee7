// How far the choice of each rule is ahead of other candidates, and where this lead comes from.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "src/experiments/decisions/decision.hpp"
#include "src/simulation/explain/explain_lead.hpp"

namespace tutti::inline experiments {

// True if `second` takes as long as `best` up to rounding, or if ties decide between them.
[[nodiscard]] bool is_level(const CandidateTime& best, const CandidateTime& second);

enum class LeadsExplained : std::uint8_t {
  largest,  // the largest lead of each candidate
  all,
};

// Fills in RankDecision::leads. If links decide a lead, runs the two cases of the lead once more,
// to account for their times. A case that belongs to several leads is repeated only once.
void find_leads(
    Decision& decision, LeadsExplained which,
    const std::function<std::optional<LeadAccount>(const Case&)>& account_for = account_for_lead);

}  // namespace tutti::inline experiments

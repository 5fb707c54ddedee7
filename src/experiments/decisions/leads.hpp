// Why rules take what they take: how far it is ahead, and what of it comes of where.
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

// Fills in RankDecision::leads. To explain one where links decide takes a run of either case, which
// is watched; no case has two of them.
void find_leads(Decision& decision, LeadsExplained which,
                const std::function<std::optional<LeadAccount>(const Case&)>& account_for =
                    account_for_lead);

}  // namespace tutti::inline experiments

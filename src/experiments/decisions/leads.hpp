// Why rules take what they take: how far it is ahead, and what of it comes of where.
#pragma once

#include <cstdint>

#include "src/experiments/decisions/decision.hpp"

namespace tutti::inline experiments {

// Whether `second` takes as long as `best`, up to rounding, or ties decide between them.
[[nodiscard]] bool is_level(const CandidateTime& best, const CandidateTime& second);

enum class LeadsExplained : std::uint8_t {
  largest,  // of each candidate, where it leads most
  all,
};

// Fills in RankDecision::leads. To explain one where links decide takes two runs; no case runs
// twice.
void find_leads(Decision& decision, LeadsExplained which);

}  // namespace tutti::inline experiments

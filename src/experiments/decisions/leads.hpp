// Computes how far each rule's choice is ahead of the other candidates, and explains these leads.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "src/experiments/decisions/decision.hpp"
#include "src/simulation/explain/explain_lead.hpp"

namespace tutti { inline namespace experiments {

// True if `second` takes as long as `best` up to rounding, or if ties decide which of them is
// faster.
[[nodiscard]] bool is_level(const CandidateTime& best, const CandidateTime& second);

// CandidateTime::parts describe a run with one order of ties. Returns the difference between the
// lead of `best` in these runs and its lead by the medians over ties, in seconds; 0 if ties do not
// matter.
[[nodiscard]] double ties_in_lead(const CandidateTime& best, const CandidateTime& second);

enum class LeadsToExplain : std::uint8_t {
  largest,  // explains only the largest lead of each candidate
  all,
};

// Fills in RankDecision::leads. If the load of links causes a lead, calls `account_for` with the
// choice and with the second-best candidate, to run them once more and account for their times. A
// case that belongs to several leads is repeated only once.
void find_leads(
    Decision& decision, LeadsToExplain which,
    const std::function<std::optional<LeadAccount>(const Case&)>& account_for = account_for_lead);

}}  // namespace tutti::experiments

#include "src/experiments/decisions/leads.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "src/simulation/run_result.hpp"

namespace tutti { inline namespace experiments {

namespace {

// Returns the fastest candidate whose time differs from that of `best`.
std::optional<std::size_t> second_in(const TimedCell& cell, std::size_t best) {
  std::optional<std::size_t> second;
  for (std::size_t i = 0; i < cell.times.size(); ++i) {
    const CandidateTime& time = cell.times[i];
    if (i != best && time.timed() && !cell.bars(i) &&
        differs(time.seconds, cell.times[best].seconds) &&
        (!second || time.seconds < cell.times[*second].seconds)) {
      second = i;
    }
  }
  return second;
}

Lead lead_of(const std::vector<const TimedCell*>& cells, const SizeInterval& interval) {
  Lead lead;
  for (std::size_t c = interval.first_cell; c <= interval.last_cell; ++c) {
    const auto own = cells[c]->time_of(interval.way());
    if (!own || own->seconds <= 0) {
      continue;
    }
    const CandidateTime* other = nullptr;  // the fastest candidate with a different time
    bool equal = false;
    bool beaten = false;
    for (std::size_t i = 0; i < cells[c]->times.size(); ++i) {
      const CandidateTime& time = cells[c]->times[i];
      const bool known = time.timed() || time.state == CandidateTime::State::beaten;
      if (i == interval.candidate || !known || cells[c]->bars(i)) {
        continue;
      }
      if (!differs(time.seconds, own->seconds)) {
        equal = true;
      } else if (other == nullptr || time.seconds < other->seconds) {
        other = &time;
        beaten = !time.timed();
      }
    }
    if (other == nullptr && !equal) {
      continue;
    }
    const double loss = loss_in(*cells[c], interval.way());
    const double margin = loss > 0 ? -loss
                          : other == nullptr || level_within_ties(*own, other->time())
                              ? 0
                              : other->seconds / own->seconds - 1;
    lead.least = lead.known() ? std::min(lead.least, margin) : margin;
    if (!lead.known() || margin > lead.most) {
      lead.most = margin;
      lead.open = beaten;
    }
    if (!lead.known() || c <= (interval.first_cell + interval.last_cell) / 2) {
      lead.typical = cells[c];
    }
  }
  if (lead.known()) {
    lead.second = second_in(*lead.typical, interval.candidate);
  }
  return lead;
}

using AccountFor = std::function<std::optional<LeadAccount>(const Case&)>;

class LeadExplainer {
 public:
  LeadExplainer(const Decision& decision, const AccountFor& account_for)
      : decision_(decision), account_for_(account_for) {}

  void explain(Lead& lead, std::size_t candidate) {
    if (!lead.second || !links_decide(*lead.typical, candidate, *lead.second)) {
      return;
    }
    lead.links = explain_lead(
        account_of(*lead.typical, candidate), account_of(*lead.typical, *lead.second),
        in_words(decision_.candidates[*lead.second], 0),
        ties_in_lead(lead.typical->times[candidate], lead.typical->times[*lead.second]));
  }

 private:
  const std::optional<LeadAccount>& account_of(const TimedCell& cell, std::size_t candidate) {
    const auto [at, is_new] = accounts_.try_emplace(std::pair(&cell, candidate));
    if (is_new) {
      at->second = account_for_(run_of(cell, candidate));
    }
    return at->second;
  }

  [[nodiscard]] bool links_decide(const TimedCell& cell, std::size_t best,
                                  std::size_t second) const {
    const CandidateTime& own = cell.times[best];
    const CandidateTime& other = cell.times[second];
    const double gain_s = other.parts[Spending::sharing] - own.parts[Spending::sharing];
    return decision_.placements() == 1 && !decision_.machines.empty() &&
           decision_.by == TimedBy::simulation && !is_level(own, other) && gain_s > 0 &&
           gain_s >= (other.seconds - own.seconds) / 2;
  }

  [[nodiscard]] Case run_of(const TimedCell& cell, std::size_t candidate) const {
    const Candidate& one = decision_.candidates[candidate];
    const std::uint32_t ranks = decision_.ranks[cell.rank_index];
    Case run = first_look(one, ranks, cell.bytes);
    run.machine = &decision_.machines[cell.rank_index];
    if (!one.baseline && one.cuts) {
      run.problem.segment_bytes = cell.times[candidate].segment_bytes;
    }
    return run;
  }

  const Decision& decision_;
  const AccountFor& account_for_;
  std::map<std::pair<const TimedCell*, std::size_t>, std::optional<LeadAccount>> accounts_;
};

}  // namespace

bool is_level(const CandidateTime& best, const CandidateTime& second) {
  return std::abs(second.seconds - best.seconds) < 1e-9 * best.seconds ||
         level_within_ties(best.time(), second.time());
}

double ties_in_lead(const CandidateTime& best, const CandidateTime& second) {
  if (!best.ties_matter() && !second.ties_matter()) {
    return 0;
  }
  double lead_s = 0;
  best.parts.each([&](Spending, double seconds) { lead_s -= seconds; });
  second.parts.each([&](Spending, double seconds) { lead_s += seconds; });
  return std::fabs(lead_s - (second.seconds - best.seconds));
}

void find_leads(Decision& decision, LeadsToExplain which, const AccountFor& account_for) {
  std::map<std::size_t, Lead*> largest;  // key: index of a candidate
  LeadExplainer explainer(decision, account_for);
  for (RankDecision& each : decision.decisions) {
    const std::vector<const TimedCell*> cells = each.cells_by_size();
    each.leads.clear();
    for (const SizeInterval& interval : each.intervals) {
      each.leads.push_back(lead_of(cells, interval));
    }
    for (std::size_t i = 0; i < each.leads.size(); ++i) {
      Lead& lead = each.leads[i];
      const std::size_t candidate = each.intervals[i].candidate;
      if (decision.candidates[candidate].baseline) {
        continue;  // the library's own choice needs no reason
      }
      if (which == LeadsToExplain::all) {
        explainer.explain(lead, candidate);
      } else if (lead.known()) {
        Lead*& most = largest[candidate];
        most = most == nullptr || lead.most > most->most ? &lead : most;
      }
    }
  }
  for (const auto& [candidate, lead] : largest) {
    explainer.explain(*lead, candidate);
  }
}

}}  // namespace tutti::experiments

#include "src/report/decision_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ostream>
#include <vector>

#include "base/human.hpp"
#include "simulation/explain/why_first.hpp"
#include "src/formats/call_size.hpp"
#include "src/formats/text_table.hpp"
#include "src/report/decision_text.hpp"

namespace tutti::inline report {

std::string longer_in_words(double part) {
  return fmt::format("{:.{}f} %", 100 * part, part < 9.995 ? 1 : 0);
}

namespace {

// A lead of less is one of rounding.
constexpr double kLeads = 5e-4;

// `open`: the next may be even further behind than `most`.
std::string margin_in_words(double least, double most, bool open) {
  const std::string at_most = longer_in_words(most) + (open ? " or more" : "");
  if (most < kLeads) {
    return least > -kLeads ? "level with the next"
                           : fmt::format("behind by up to {}", longer_in_words(-least));
  }
  if (least < -kLeads) {
    return fmt::format("ahead by up to {}, behind by up to {}", at_most, longer_in_words(-least));
  }
  if (least < kLeads) {
    return fmt::format("ahead by up to {}", at_most);
  }
  return longer_in_words(least) == longer_in_words(most)
             ? fmt::format("ahead by {}", at_most)
             : fmt::format("ahead by {} to {}", longer_in_words(least), at_most);
}

// By the accounts of both where links decide; "" otherwise.
std::string why_by_links(const Decision& decision, const TimedCell& cell, std::size_t best,
                         std::size_t second) {
  const CandidateTime& own = cell.times[best];
  const CandidateTime& other = cell.times[second];
  const double gain_s = other.parts[Spending::sharing] - own.parts[Spending::sharing];
  if (decision.placements() > 1 || decision.machines.empty() ||
      decision.by != TimedBy::simulation || gain_s < (other.seconds - own.seconds) / 2 ||
      gain_s <= 0) {
    return "";
  }
  const auto what = [&](std::size_t candidate) {
    const Candidate& one = decision.candidates[candidate];
    if (one.baseline) {
      Case run = one.baseline(decision.ranks[cell.rank_index], cell.bytes);
      run.machine = &decision.machines[cell.rank_index];
      return run;
    }
    Case found{one.contender.algorithm,
               first_look(one.contender, decision.ranks[cell.rank_index], cell.bytes).problem,
               &decision.machines[cell.rank_index]};
    if (one.cuts) {
      found.problem.segment_bytes = cell.times[candidate].segment_bytes;
    }
    return found;
  };
  return why_first(what(best), what(second), candidate_in_words(decision.candidates[second], 0));
}

// How far the best of the others is behind, over the cells of a reign, and the cell in its middle.
struct Lead {
  double least = 0;  // below 0: behind; a choice is kept while it loses little
  double most = 0;
  bool open = false;  // `most` is against a time that is known to be at least so long
  const TimedCell* typical = nullptr;

  [[nodiscard]] bool known() const { return typical != nullptr; }
};

Lead lead_of(const std::vector<const TimedCell*>& cells, const Reign& reign) {
  Lead lead;
  for (std::size_t c = reign.first_cell; c <= reign.last_cell; ++c) {
    const auto own = cells[c]->time_of(reign.way());
    if (!own || own->seconds <= 0) {
      continue;
    }
    const CandidateTime* other = nullptr;  // the best of those that take another time
    bool equal = false;
    bool beaten = false;
    for (std::size_t i = 0; i < cells[c]->times.size(); ++i) {
      const CandidateTime& time = cells[c]->times[i];
      const bool known = time.timed() || time.state == CandidateTime::State::beaten;
      if (i == reign.candidate || !known) {
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
    const double margin = other == nullptr || level_within_ties(*own, other->time())
                              ? 0
                              : other->seconds / own->seconds - 1;
    lead.least = lead.known() ? std::min(lead.least, margin) : margin;
    if (!lead.known() || margin > lead.most) {
      lead.most = margin;
      lead.open = beaten;
    }
    if (!lead.known() || c <= (reign.first_cell + reign.last_cell) / 2) {
      lead.typical = cells[c];
    }
  }
  return lead;
}

// "n = 512 bytes, start-up: 400 ns against 800 ns of ring": why a choice is before the next, or
// that they are level; "" where nothing is known of it.
std::string why_in(const Decision& decision, const TimedCell& cell, std::size_t best) {
  const CandidateTime& own = cell.times[best];
  std::optional<std::size_t> second;
  for (std::size_t i = 0; i < cell.times.size(); ++i) {
    const CandidateTime& time = cell.times[i];
    if (i != best && time.timed() && differs(time.seconds, own.seconds) &&
        (!second || time.seconds < cell.times[*second].seconds)) {
      second = i;
    }
  }
  if (!second) {
    return "";
  }
  const CandidateTime& other = cell.times[*second];
  const std::string second_name = candidate_in_words(decision.candidates[*second], 0);
  std::string why = is_level(own, other) ? "" : why_by_links(decision, cell, best, *second);
  why = why.empty() ? reason(own, other, second_name) : why;
  return why.empty() || decision.collective == Collective::barrier
             ? why
             : fmt::format(
                   "n = {}, {}",
                   call_size(decision.collective, cell.bytes, decision.ranks[cell.rank_index]),
                   why);
}

std::string size_of(const Decision& decision, const RankDecision& each, const Reign& reign) {
  return call_size(decision.collective, reign.from_bytes, each.ranks);
}

std::string choice_of(const Decision& decision, const Reign& reign) {
  return candidate_in_words(decision.candidates[reign.candidate], reign.segment_bytes);
}

// "recursive_doubling, from 7.25 KiB on ring"; `blocks`: with the blocks that these sizes have.
std::string rules_in_words(const Decision& decision, const RankDecision& each,
                           bool blocks = false) {
  if (each.reigns.empty()) {
    const bool times = !each.cells.empty() && !each.cells.front().times.empty();
    return fmt::format("nothing runs: {}",
                       times ? each.cells.front().times.front().refusal : "no times");
  }
  std::string text;
  for (const Reign& reign : each.reigns) {
    text += text.empty() ? ""
                         : fmt::format("; from {} on ", blocks ? size_of(decision, each, reign)
                                                               : human_bytes(reign.from_bytes));
    text += choice_of(decision, reign);
  }
  return text;
}

}  // namespace

void print_rules(const Decision& decision, std::ostream& out) {
  Table table(
      {{"p", true}, {decision.collective == Collective::barrier ? "take" : "take, by size n"}});
  for (std::size_t i = 0; i < decision.decisions.size();) {
    const std::string rules = rules_in_words(decision, decision.decisions[i]);
    std::size_t end = i + 1;
    while (end < decision.decisions.size() &&
           rules_in_words(decision, decision.decisions[end]) == rules) {
      ++end;
    }
    const std::uint32_t first = decision.decisions[i].ranks;
    const std::uint32_t last = decision.decisions[end - 1].ranks;
    table.add({first == last ? fmt::format("{}", first) : fmt::format("{}..{}", first, last),
               first == last ? rules_in_words(decision, decision.decisions[i], true) : rules},
              decision.decisions[i].reigns.empty() ? Style::warning : Style::best, 1);
    i = end;
  }
  table.print(out, 2);
}

void print_reasons(const Decision& decision, std::ostream& out) {
  struct Reason {
    std::size_t candidate;
    double least;
    double most;
    bool open;
    std::uint32_t ranks;  // of the lead of which the most is
    const TimedCell* typical;
  };
  std::vector<Reason> reasons;
  for (const RankDecision& each : decision.decisions) {
    const std::vector<const TimedCell*> cells = each.cells_by_size();
    for (const Reign& reign : each.reigns) {
      const Lead lead = lead_of(cells, reign);
      if (!lead.known()) {
        continue;
      }
      const auto found = std::find_if(reasons.begin(), reasons.end(), [&](const Reason& one) {
        return one.candidate == reign.candidate;
      });
      if (found == reasons.end()) {
        reasons.push_back(
            {reign.candidate, lead.least, lead.most, lead.open, each.ranks, lead.typical});
        continue;
      }
      found->least = std::min(found->least, lead.least);
      if (lead.most > found->most) {
        found->most = lead.most;
        found->open = lead.open;
        found->ranks = each.ranks;
        found->typical = lead.typical;
      }
    }
  }
  out << (reasons.empty() ? "" : "\n");
  for (const Reason& one : reasons) {
    std::string text = candidate_in_words(decision.candidates[one.candidate], 0);
    if (const std::string margin = margin_in_words(one.least, one.most, one.open);
        !margin.empty()) {
      text += ": " + margin;
    }
    if (const std::string why = why_in(decision, *one.typical, one.candidate); !why.empty()) {
      text += fmt::format("; at p = {}, {}", one.ranks, why);
    }
    print_field(out, 2, 2, "-", text);
  }
}

std::string lead_in_words(const Decision& decision, const RankDecision& each, const Reign& reign) {
  if (decision.candidates[reign.candidate].baseline) {
    return "what is built in";
  }
  const Lead lead = lead_of(each.cells_by_size(), reign);
  if (!lead.known()) {
    return "";
  }
  std::string text = margin_in_words(lead.least, lead.most, lead.open);
  if (const std::string why = why_in(decision, *lead.typical, reign.candidate); !why.empty()) {
    text += decision.collective == Collective::barrier ? "; " + why : "; at " + why;
  }
  return text;
}

RulesToWrite rules_to_write(const Decision& decision) {
  RulesToWrite rules;
  rules.collective = decision.collective;
  rules.ranks = decision.ranks;
  rules.steps = steps_decided(decision, [&](const RankDecision& each, const Reign& reign) {
    return lead_in_words(decision, each, reign);
  });
  return rules;
}

void print_reigns(const Decision& decision, std::ostream& out) {
  constexpr std::size_t kKey = 18;
  for (const RankDecision& each : decision.decisions) {
    out << '\n';
    print_heading(out, fmt::format("p = {}", each.ranks));
    if (each.reigns.empty()) {
      print_field(out, 2, kKey, "", rules_in_words(decision, each));
    }
    for (const Reign& reign : each.reigns) {
      const std::string from = decision.collective == Collective::barrier ? ""
                               : reign.from_bytes == 0                    ? "from 0"
                                                       : "from " + size_of(decision, each, reign);
      const std::string lead = lead_in_words(decision, each, reign);
      print_field(out, 2, kKey, from,
                  choice_of(decision, reign) + (lead.empty() ? "" : ": " + lead));
    }
  }
}

}  // namespace tutti::inline report

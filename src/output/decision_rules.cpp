#include "src/output/decision_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <ostream>
#include <string_view>
#include <vector>

#include "base/field_names.hpp"
#include "base/human.hpp"
#include "base/time_column.hpp"
#include "src/experiments/decisions/leads.hpp"
#include "src/experiments/decisions/nccl_losses.hpp"
#include "src/formats/call_size.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/result_words.hpp"
#include "src/rule_files/library_algorithms.hpp"
#include "src/simulation/explain/explain_lead.hpp"

namespace tutti { inline namespace output {

namespace {

struct Part {
  std::string_view name;
  double best_s;
  double second_s;
  [[nodiscard]] double gain_s() const { return second_s - best_s; }
};

}  // namespace

std::string longer_in_words(double part, ShareForm form) {
  if (form == ShareForm::percent) {
    return fmt::format("{:.{}f} %", 100 * part, part < 9.995 ? 1 : 0);
  }
  const double times = 1 + part;
  const int digits = times < 0.9995 ? 3 : times < 9.995 ? 2 : times < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} x", times, digits);
}

std::string longer_in_words(double part) { return longer_in_words(part, share_form(part)); }

namespace {

// Describes the lead of a candidate over the second-best candidate. In different cells, the lead is
// between `least` and `most`, as shares of the shorter time. `open`: the lead may be even larger
// than `most`.
std::string margin_in_words(double least, double most, bool open) {
  const ShareForm form = share_form(std::max(most, -least));
  const std::string at_most = longer_in_words(most, form) + (open ? " or more" : "");
  if (most < kNoticeable) {
    return least > -kNoticeable ? "as fast as the second"
                                : fmt::format("behind by up to {}", longer_in_words(-least, form));
  }
  if (least < -kNoticeable) {
    return fmt::format("ahead by up to {}, at most {} {} the best", at_most,
                       longer_in_words(-least, form),
                       form == ShareForm::percent ? "slower than" : "the time of");
  }
  if (least < kNoticeable) {
    return fmt::format("ahead by up to {}", at_most);
  }
  return longer_in_words(least, form) == longer_in_words(most, form)
             ? fmt::format("ahead by {}", at_most)
             : fmt::format("ahead by {} to {}", longer_in_words(least, form), at_most);
}

// Says why there is no rule for the sizes of an interval that keeps the library's own choice: its
// time is unknown in a cell. Returns "" if it is known in all cells.
std::string why_kept(const RankDecision& each, const SizeInterval& interval) {
  const std::vector<const TimedCell*> cells = each.cells_by_size();
  for (std::size_t i = interval.first_cell; i <= interval.last_cell && i < cells.size(); ++i) {
    const CandidateTime& own = cells[i]->times[interval.candidate];
    if (!own.timed()) {
      return fmt::format(", which was not simulated: {}", with_fields(own.refusal));
    }
  }
  return "";
}

// Describes why the candidate `best` is faster than the second-best candidate, or that the two are
// level: "n = 512 bytes, start-up: 400 ns against 800 ns for ring". Returns "" if the reason is
// unknown.
std::string why_in(const Decision& decision, const Lead& lead, std::size_t best) {
  if (!lead.second) {
    return "";
  }
  const TimedCell& cell = *lead.typical;
  const std::string why = lead.links.empty()
                              ? reason(cell.times[best], cell.times[*lead.second],
                                       in_words(decision.candidates[*lead.second], 0))
                              : lead.links;
  return why.empty() || decision.collective == Collective::barrier
             ? why
             : fmt::format(
                   "n = {}, {}",
                   call_size(decision.collective, cell.bytes, decision.ranks[cell.rank_index]),
                   why);
}

std::string size_of(const Decision& decision, const RankDecision& each,
                    const SizeInterval& interval) {
  return call_size(decision.collective, interval.from_bytes, each.ranks);
}

std::string choice_of(const Decision& decision, const SizeInterval& interval) {
  return in_words(decision.candidates[interval.candidate], interval.segment_bytes);
}

// Describes the rules for one number of ranks: "recursive_doubling; from 7.25 KiB on ring". If
// `blocks` is true, the text also contains block sizes.
std::string rules_in_words(const Decision& decision, const RankDecision& each,
                           bool blocks = false) {
  if (each.intervals.empty()) {
    const bool times = !each.cells.empty() && !each.cells.front().times.empty();
    return fmt::format("no algorithm runs: {}",
                       times ? with_fields(each.cells.front().times.front().refusal) : "no times");
  }
  std::string text;
  for (const SizeInterval& interval : each.intervals) {
    text += text.empty() ? ""
                         : fmt::format("; from {} on ", blocks ? size_of(decision, each, interval)
                                                               : human_bytes(interval.from_bytes));
    text += choice_of(decision, interval);
  }
  return text;
}

}  // namespace

void print_rules(const Decision& decision, std::ostream& out) {
  Table table(
      {{"p", true},
       {decision.collective == Collective::barrier ? "algorithm" : "algorithm, by size n"}});
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
              decision.decisions[i].intervals.empty() ? Style::warning : Style::best, 1);
    i = end;
  }
  table.print(out, 2);
}

void print_reasons(const Decision& decision, std::ostream& out) {
  struct Reason {
    std::size_t candidate;
    double least;
    const Lead* most;
    std::uint32_t ranks;  // number of ranks to which `most` belongs
  };
  std::vector<Reason> reasons;
  for (const RankDecision& each : decision.decisions) {
    for (std::size_t i = 0; i < each.leads.size(); ++i) {
      const Lead& lead = each.leads[i];
      if (!lead.known()) {
        continue;
      }
      const std::size_t candidate = each.intervals[i].candidate;
      const auto found = std::ranges::find(reasons, candidate, &Reason::candidate);
      if (found == reasons.end()) {
        reasons.push_back({candidate, lead.least, &lead, each.ranks});
        continue;
      }
      found->least = std::min(found->least, lead.least);
      if (lead.most > found->most->most) {
        found->most = &lead;
        found->ranks = each.ranks;
      }
    }
  }
  out << (reasons.empty() ? "" : "\n");
  for (const Reason& one : reasons) {
    std::string text = in_words(decision.candidates[one.candidate], 0);
    if (const std::string margin = margin_in_words(one.least, one.most->most, one.most->open);
        !margin.empty()) {
      text += ": " + margin;
    }
    if (const std::string why = why_in(decision, *one.most, one.candidate); !why.empty()) {
      text += fmt::format("; at p = {}, {}", one.ranks, why);
    }
    print_field(out, 2, 2, "-", text);
  }
}

std::string lead_in_words(const Decision& decision, const RankDecision& each,
                          std::size_t interval) {
  const std::size_t candidate = each.intervals[interval].candidate;
  if (decision.candidates[candidate].baseline) {
    return "the library's own choice" + why_kept(each, each.intervals[interval]);
  }
  const Lead& lead = each.leads.at(interval);
  if (!lead.known()) {
    return "";
  }
  std::string text = margin_in_words(lead.least, lead.most, lead.open);
  if (const std::string why = why_in(decision, lead, candidate); !why.empty()) {
    text += decision.collective == Collective::barrier ? "; " + why : "; at " + why;
  }
  return text;
}

std::string LimitRange::in_words() const {
  const std::string from = human_factor(least);
  const std::string to = human_factor(most);
  return from == to ? to : fmt::format("{} to {}", from, to);
}

void LimitRange::add(const LimitRange& other) {
  if (other.known()) {
    least = known() ? std::min(least, other.least) : other.least;
    most_at = other.most > most ? other.most_at : most_at;
    most = std::max(most, other.most);
  }
}

namespace {

// Cells of the grid that share a property, with its reasons.
struct CellsFor {
  std::size_t all = 0;  // number of cells of the grid
  std::size_t count = 0;
  // Ranges of cells, such as "p = 128: 1 MiB to 64 MiB", by reason.
  std::vector<std::pair<std::string, std::vector<std::string>>> ranges;

  // "tutti has no tree of NVLink domains (p = 128: 1 MiB to 64 MiB); ..."
  [[nodiscard]] std::string in_words() const {
    std::string text;
    for (const auto& [reason, of] : ranges) {
      text += fmt::format("{}{} ({})", text.empty() ? "" : "; ", reason, fmt::join(of, "; "));
    }
    return text;
  }
};

// Returns the reason why a cell has the property; "" if it does not have it.
using ReasonFor = std::function<std::string(const RankDecision& each, const TimedCell& cell)>;

CellsFor cells_for(const Decision& decision, const ReasonFor& reason_for) {
  CellsFor found;
  for (const RankDecision& each : decision.decisions) {
    std::vector<const TimedCell*> cells = each.cells_by_size();
    std::erase_if(cells, [](const TimedCell* cell) { return !cell->on_grid; });
    found.all += cells.size();
    const auto reason = [&](std::size_t i) { return reason_for(each, *cells[i]); };
    for (std::size_t first = 0; first < cells.size();) {
      const std::string why = reason(first);
      std::size_t end = first + 1;
      while (end < cells.size() && reason(end) == why) {
        ++end;
      }
      if (!why.empty()) {
        const auto size = [&](std::size_t i) {
          return call_size(decision.collective, cells[i]->bytes, each.ranks);
        };
        found.count += end - first;
        auto of =
            std::ranges::find(found.ranges, why, [](const auto& range) { return range.first; });
        if (of == found.ranges.end()) {
          of = found.ranges.insert(of, {why, {}});
        }
        of->second.push_back(end - first == 1 ? fmt::format("p = {}: {}", each.ranks, size(first))
                                              : fmt::format("p = {}: {} to {}", each.ranks,
                                                            size(first), size(end - 1)));
      }
      first = end;
    }
  }
  return found;
}

// Cells in which the time of the library's own choice is unknown.
CellsFor unknown_own(const Decision& decision) {
  return cells_for(decision, [](const RankDecision&, const TimedCell& cell) -> std::string {
    return cell.baseline && !cell.times[*cell.baseline].timed()
               ? with_fields(cell.times[*cell.baseline].refusal)
               : "";
  });
}

// Cells in which a candidate is faster than NCCL's own choice by simulation, but slower than
// allowed by NCCL's model. The fastest of these candidates is the reason.
CellsFor refused_by_model(const Decision& decision) {
  return cells_for(decision, [&](const RankDecision&, const TimedCell& cell) -> std::string {
    if (!cell.baseline || !cell.times[*cell.baseline].timed()) {
      return "";
    }
    const double least_gain = 1 + decision.limits.tolerance;
    double least_s = cell.times[*cell.baseline].seconds;
    std::string fastest;
    for (std::size_t i = 0; i < cell.times.size(); ++i) {
      if (cell.times[i].timed() && cell.bars(i) && cell.times[i].seconds * least_gain < least_s) {
        least_s = cell.times[i].seconds;
        fastest = in_words(decision.candidates[i], 0);
      }
    }
    return fastest;
  });
}

// Cells in which a rule chooses something else than the library's own choice.
CellsFor ruled(const Decision& decision) {
  return cells_for(decision, [&](const RankDecision& each, const TimedCell& cell) -> std::string {
    std::size_t choice = 0;
    for (const SizeInterval& interval : each.intervals) {
      choice = cell.bytes >= interval.from_bytes ? interval.candidate : choice;
    }
    return each.intervals.empty() || decision.candidates[choice].baseline
               ? ""
               : in_words(decision.candidates[choice], 0);
  });
}

}  // namespace

std::string own_choice_kept(const Decision& decision) {
  const CellsFor own = unknown_own(decision);
  std::string text =
      own.count == 0
          ? ""
          : fmt::format(
                "in {} of {}, where the library's own choice was not simulated and stays: {}",
                own.count, counted(own.all, "cell"), own.in_words());
  if (const CellsFor refused = refused_by_model(decision); refused.count > 0) {
    text += fmt::format(
        "{}in {} of {}, where what is faster by simulation is slower by NCCL's own model: {}",
        text.empty() ? "" : "; ", refused.count, counted(refused.all, "cell"), refused.in_words());
  }
  return text;
}

std::string why_no_rules(const Decision& decision) {
  const CellsFor own = unknown_own(decision);
  const CellsFor refused = refused_by_model(decision);
  std::vector<std::string> parts;
  const auto add = [&](std::size_t count, const std::string& text) {
    if (count > 0) {
      parts.push_back(fmt::format("in {} of {}, {}", count, counted(own.all, "cell"), text));
    }
  };
  add(own.count,
      fmt::format("the library's own choice was not simulated, so a rule might be slower: {}",
                  own.in_words()));
  add(refused.count, fmt::format("what is faster by simulation is slower by NCCL's own model: {}; "
                                 "$model_loss allows a loss",
                                 refused.in_words()));
  add(own.all - own.count - refused.count, "no rule saves more time than the tolerance");
  return fmt::format("no rule to write: {}", fmt::join(parts, "; "));
}

std::vector<std::string> cells_of_rules(const Decision& decision) {
  const CellsFor rules = ruled(decision);
  std::vector<std::string> sentences;
  if (decision.model_loss) {
    sentences.push_back(fmt::format(
        "A rule replaces NCCL's own choice only where it is faster by simulation, and {}.",
        allowed_by_model(*decision.model_loss)));
  }
  sentences.push_back(fmt::format("rules for {}: in {} of {}: {}", name(decision.collective),
                                  rules.count, counted(rules.all, "cell"), rules.in_words()));
  if (const std::string kept = own_choice_kept(decision); !kept.empty()) {
    sentences.push_back("no rules " + kept);
  }
  return sentences;
}

LimitRange limit_range(const RankDecision& each, const SizeInterval* interval) {
  LimitRange range;
  const std::vector<const TimedCell*> cells = each.cells_by_size();
  for (const SizeInterval& one : each.intervals) {
    for (std::size_t i = one.first_cell; i <= one.last_cell; ++i) {
      const auto seconds = cells[i]->seconds_of(cells[i]->as_unsegmented(one.way()));
      const auto of_limit = seconds ? cells[i]->of_limit(*seconds) : std::nullopt;
      if (of_limit && (interval == nullptr || interval == &one)) {
        range.add({*of_limit, *of_limit, cells[i]});
      }
    }
  }
  return range;
}

void print_intervals(const Decision& decision, std::ostream& out) {
  constexpr std::size_t kKey = 18;
  for (const RankDecision& each : decision.decisions) {
    out << '\n';
    print_heading(out, fmt::format("p = {}", each.ranks));
    if (each.intervals.empty()) {
      print_field(out, 2, kKey, "", rules_in_words(decision, each));
    }
    for (std::size_t i = 0; i < each.intervals.size(); ++i) {
      const SizeInterval& interval = each.intervals[i];
      const std::string from = decision.collective == Collective::barrier ? ""
                               : interval.from_bytes == 0
                                   ? "from 0"
                                   : "from " + size_of(decision, each, interval);
      const std::string lead = lead_in_words(decision, each, i);
      const LimitRange range = limit_range(each, &interval);
      print_field(out, 2, kKey, from,
                  choice_of(decision, interval) + (lead.empty() ? "" : ": " + lead) +
                      (range.known() ? fmt::format("; {} {}", kOfLimit, range.in_words()) : ""));
    }
  }
}

std::string reason(const CandidateTime& best, const CandidateTime& second,
                   const std::string& second_name) {
  if (second.state == CandidateTime::State::beaten) {
    return fmt::format("{} takes at least {:.3g} times as long", second_name,
                       second.seconds / best.seconds);
  }
  if (is_level(best, second)) {
    return fmt::format(
        "level{} with {}",
        best.time().ties_matter() || second.time().ties_matter() ? " within ties" : "",
        second_name);
  }
  std::vector<Part> parts;
  best.parts.each([&](Spending on, double seconds) {
    parts.push_back({in_words(on), seconds, second.parts[on]});
  });
  std::ranges::stable_sort(parts,
                           [](const Part& x, const Part& y) { return x.gain_s() > y.gain_s(); });
  const double most = parts.front().gain_s();
  if (most <= 0 || ties_in_lead(best, second) > kWorthSaying * most) {
    return "";
  }
  const auto also = [&](const Part& part) {
    return fmt::format("{}: {} against {}", part.name, brief_time(part.best_s),
                       brief_time(part.second_s));
  };
  std::string text = advantage(parts[0].name, parts[0].best_s, parts[0].second_s, second_name);
  if (parts[1].gain_s() >= kWorthSaying * most) {
    text += "; " + also(parts[1]);
  }
  if (-parts.back().gain_s() >= kWorthSaying * most) {
    text += "; but " + also(parts.back());
  }
  return text;
}

}}  // namespace tutti::output

#include "src/report/decision_text.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <map>

#include "base/human.hpp"
#include "base/printable.hpp"
#include "base/time_column.hpp"
#include "simulation/engines/engine_type.hpp"
#include "simulation/explain/why_first.hpp"
#include "src/experiments/decisions/decision.hpp"
#include "src/formats/text_table.hpp"

namespace tutti {

namespace {

std::string percent(double part) {
  return part >= 9.995 ? fmt::format("{:.0f} x", 1 + part) : fmt::format("{:.1f} %", 100 * part);
}

std::string times_in_words(const Decision& decision) {
  switch (decision.by) {
    case TimedBy::simulation:
      return fmt::format("simulated by the {} engine", decision.machines.front().engine->name);
    case TimedBy::exact:
      return "closed forms";
    case TimedBy::longest_path:
      return "longest path of each schedule, with ports and cores, without a network";
    case TimedBy::measured:
      return fmt::format("measured, {}", decision.measured_file);
  }
  return "";
}

std::string platform_of(const Decision& decision) {
  return decision.machines.front().made_on_the_fly() ? "a crossbar" : decision.facts->facts.name;
}

std::string sizes_in_words(const Decision& decision) {
  const std::string least = human_bytes(decision.sizes_bytes.front());
  return decision.sizes_bytes.size() == 1
             ? least
             : fmt::format("{} to {}", least, human_bytes(decision.sizes_bytes.back()));
}

void print_title(const Decision& decision, std::ostream& out) {
  const bool sizes = decision.collective != Collective::barrier;
  print_heading(
      out,
      fmt::format("{} on {}{} {}{}{}", name(decision.collective),
                  decision.ranks.size() > 1 ? fmt::format("{} to ", decision.ranks.front()) : "",
                  decision.ranks.back(), decision.ranks.back() == 1 ? "rank" : "ranks",
                  decision.facts ? fmt::format(" of {}", platform_of(decision)) : "",
                  sizes ? fmt::format(", {}", sizes_in_words(decision)) : ""));
}

// What the decision rests on.
void print_grounds(const Decision& decision, std::ostream& out) {
  constexpr std::size_t kKey = 12;
  const bool sizes = decision.collective != Collective::barrier;
  out << '\n';
  if (decision.facts) {
    const Prices& prices = decision.facts->prices;
    print_field(
        out, 2, kKey, "platform",
        fmt::format("{}; alpha {}, beta {} per byte, gamma {} per byte, of the slowest routes and "
                    "hosts in use by {} ranks",
                    decision.machines.front().made_on_the_fly() ? "a crossbar, made on the fly"
                                                                : decision.facts->facts.name,
                    human_time(prices.alpha_s), human_time(prices.beta_s_per_byte),
                    human_time(prices.gamma_s_per_byte), decision.ranks.back()));
  }
  if (decision.facts && !decision.machines.front().what_ifs.empty()) {
    print_field(out, 2, kKey, "what if",
                fmt::format("{}", fmt::join(decision.machines.front().what_ifs, "; ")));
  }
  print_field(out, 2, kKey, "times", times_in_words(decision));
  if (decision.crossover > 0 && sizes) {
    print_field(out, 2, kKey, "boundaries",
                fmt::format("known to {:.3g} %", 100 * decision.crossover));
  }
  if (decision.tolerance > 0) {
    print_field(out, 2, kKey, "tolerance",
                fmt::format("a choice is kept while it takes at most {:.3g} % longer than the best",
                            100 * decision.tolerance));
  }
  if (!decision.left_out.empty()) {
    print_field(
        out, 2, kKey, "left out",
        fmt::format("{}, which the library does not have", fmt::join(decision.left_out, ", ")));
  }
  if (decision.too_busy_runs > 0) {
    print_field(out, 2, kKey, "left out",
                fmt::format("{} of a machine that was too busy for their times to say anything",
                            counted(decision.too_busy_runs, "run")));
  }
}

std::string margin_in_words(double least, double most) {
  if (most < 1e-9) {
    return least > -1e-9 ? "" : fmt::format("behind by up to {}", percent(-least));
  }
  if (least < -5e-4) {
    return fmt::format("ahead by up to {}, behind by up to {}", percent(most), percent(-least));
  }
  return percent(least) == percent(most)
             ? fmt::format("ahead by {}", percent(most))
             : fmt::format("ahead by {} to {}", percent(std::max(least, 0.0)), percent(most));
}

// By the accounts of both where links decide; "" otherwise.
std::string why_by_links(const Decision& decision, const TimedCell& cell, std::size_t best,
                         std::size_t second) {
  const CandidateTime& own = cell.times[best];
  const CandidateTime& other = cell.times[second];
  const double gain_s = other.parts.network_s - own.parts.network_s;
  if (decision.machines.empty() || decision.by != TimedBy::simulation ||
      gain_s < (other.seconds - own.seconds) / 2 || gain_s <= 0) {
    return "";
  }
  const auto what = [&](std::size_t candidate) {
    const Candidate& one = decision.candidates[candidate];
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
  const TimedCell* typical = nullptr;

  [[nodiscard]] bool known() const { return typical != nullptr; }
};

Lead lead_of(const std::vector<const TimedCell*>& cells, const Reign& reign) {
  Lead lead;
  for (std::size_t c = reign.first_cell; c <= reign.last_cell; ++c) {
    const CandidateTime& own = cells[c]->times[reign.candidate];
    if (!own.timed()) {
      continue;
    }
    double other_s = -1;
    for (std::size_t i = 0; i < cells[c]->times.size(); ++i) {
      const CandidateTime& time = cells[c]->times[i];
      const bool known = time.timed() || time.state == CandidateTime::State::beaten;
      if (i != reign.candidate && known && (other_s < 0 || time.seconds < other_s)) {
        other_s = time.seconds;
      }
    }
    if (other_s < 0 || own.seconds <= 0) {
      continue;
    }
    const double margin = other_s / own.seconds - 1;
    lead.least = lead.known() ? std::min(lead.least, margin) : margin;
    lead.most = lead.known() ? std::max(lead.most, margin) : margin;
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
    if (i != best && time.timed() && (!second || time.seconds < cell.times[*second].seconds)) {
      second = i;
    }
  }
  if (!second) {
    return "";
  }
  const CandidateTime& other = cell.times[*second];
  const std::string second_name = candidate_in_words(decision.candidates[*second], 0);
  std::string why;
  if (other.seconds <= own.seconds) {
    why = fmt::format("level with {}", second_name);
  } else {
    why = why_by_links(decision, cell, best, *second);
    why = why.empty() ? reason(own, other, second_name) : why;
  }
  return why.empty() || decision.collective == Collective::barrier
             ? why
             : fmt::format("n = {}, {}", human_bytes(cell.bytes), why);
}

std::vector<const TimedCell*> cells_of(const RankDecision& decision) {
  std::vector<const TimedCell*> cells;
  for (const TimedCell& cell : decision.cells) {
    cells.push_back(&cell);
  }
  return cells;
}

std::string choice_of(const Decision& decision, const Reign& reign) {
  return candidate_in_words(decision.candidates[reign.candidate], reign.segment_bytes);
}

// "recursive_doubling, from 7.25 KiB on ring"
std::string rules_in_words(const Decision& decision, const RankDecision& each) {
  if (each.reigns.empty()) {
    const bool times = !each.cells.empty() && !each.cells.front().times.empty();
    return fmt::format("nothing runs: {}",
                       times ? each.cells.front().times.front().refusal : "no times");
  }
  std::string text;
  for (const Reign& reign : each.reigns) {
    text += text.empty() ? "" : fmt::format("; from {} on ", human_bytes(reign.from_bytes));
    text += choice_of(decision, reign);
  }
  return text;
}

// The answer: for each number of ranks what to take from which size on. Neighbours that decide
// alike share a line.
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
    table.add(
        {first == last ? fmt::format("{}", first) : fmt::format("{}..{}", first, last), rules},
        decision.decisions[i].reigns.empty() ? Style::warning : Style::best, 1);
    i = end;
  }
  table.print(out, 2);
}

// Why, for each that is taken anywhere: how far it is ahead, and what of it comes of where.
void print_reasons(const Decision& decision, std::ostream& out) {
  struct Reason {
    std::size_t candidate;
    double least;
    double most;
    std::uint32_t ranks;  // of the lead of which the most is
    const TimedCell* typical;
  };
  std::vector<Reason> reasons;
  for (const RankDecision& each : decision.decisions) {
    const std::vector<const TimedCell*> cells = cells_of(each);
    for (const Reign& reign : each.reigns) {
      const Lead lead = lead_of(cells, reign);
      if (!lead.known()) {
        continue;
      }
      const auto found = std::find_if(reasons.begin(), reasons.end(), [&](const Reason& one) {
        return one.candidate == reign.candidate;
      });
      if (found == reasons.end()) {
        reasons.push_back({reign.candidate, lead.least, lead.most, each.ranks, lead.typical});
        continue;
      }
      found->least = std::min(found->least, lead.least);
      if (lead.most > found->most) {
        found->most = lead.most;
        found->ranks = each.ranks;
        found->typical = lead.typical;
      }
    }
  }
  out << (reasons.empty() ? "" : "\n");
  for (const Reason& one : reasons) {
    std::string text = candidate_in_words(decision.candidates[one.candidate], 0);
    if (const std::string margin = margin_in_words(one.least, one.most); !margin.empty()) {
      text += ": " + margin;
    }
    if (const std::string why = why_in(decision, *one.typical, one.candidate); !why.empty()) {
      text += fmt::format("; at p = {}, {}", one.ranks, why);
    }
    print_field(out, 2, 2, "-", text);
  }
}

// One reign after the other, each with its lead and why.
void print_reigns(const Decision& decision, std::ostream& out) {
  constexpr std::size_t kKey = 18;
  for (const RankDecision& each : decision.decisions) {
    out << '\n';
    print_heading(out, fmt::format("p = {}", each.ranks));
    if (each.reigns.empty()) {
      print_field(out, 2, kKey, "", rules_in_words(decision, each));
    }
    const std::vector<const TimedCell*> cells = cells_of(each);
    for (const Reign& reign : each.reigns) {
      const std::string from = decision.collective == Collective::barrier ? ""
                               : reign.from_bytes == 0                    ? "from 0"
                                                       : "from " + human_bytes(reign.from_bytes);
      std::string text = choice_of(decision, reign);
      if (const Lead lead = lead_of(cells, reign); lead.known()) {
        if (const std::string margin = margin_in_words(lead.least, lead.most); !margin.empty()) {
          text += ": " + margin;
        }
        if (const std::string why = why_in(decision, *lead.typical, reign.candidate);
            !why.empty()) {
          text += decision.collective == Collective::barrier ? "; " + why : "; at " + why;
        }
      }
      print_field(out, 2, kKey, from, text);
    }
  }
}

}  // namespace

std::string made_by(const Decision& decision) {
  const std::string on = decision.facts
                             ? fmt::format(" on {}", decision.machines.front().made_on_the_fly()
                                                         ? "a crossbar"
                                                         : decision.facts->facts.name)
                             : "";
  return printable(fmt::format("{} decided by tutti, times by {}{}", name(decision.collective),
                               name(decision.by), on));
}

void print_decision(const Decision& decision, bool all, std::ostream& out) {
  print_title(decision, out);
  out << (decision.judgement ? "" : "\n");
  if (decision.judgement) {
    print_judgement(decision, *decision.judgement, all, out);
    out << '\n';
    print_heading(out, "The best");
  }
  print_rules(decision, out);
  if (all) {
    print_reigns(decision, out);
  } else {
    print_reasons(decision, out);
  }
  print_grounds(decision, out);
}

namespace {

// A loss of less is a matter of rounding.
constexpr double kLoses = 5e-4;

std::vector<const TableCell*> worst_first(const Judgement& judgement) {
  std::vector<const TableCell*> cells;
  for (const TableCell& cell : judgement.cells) {
    cells.push_back(&cell);
  }
  std::stable_sort(cells.begin(), cells.end(), [](const TableCell* a, const TableCell* b) {
    return a->loss().value_or(-1) > b->loss().value_or(-1);
  });
  return cells;
}

// What of the table does not run as it stands, and what becomes of it.
void print_refused(const Judgement& judgement, std::ostream& out) {
  std::map<std::string, std::size_t> refused;  // by what happens
  for (const TableCell& cell : judgement.cells) {
    if (!cell.refusal.empty()) {
      const std::string what = cell.choice ? in_words(*cell.choice) : "no rule";
      ++refused[cell.seconds
                    ? fmt::format("{} cannot run; the library runs {}", what, in_words(cell.runs))
                    : fmt::format("{}: not judged", what)];
    }
  }
  for (const auto& [what, count] : refused) {
    print_field(out, 2, 0, "", fmt::format("in {}, {}", counted(count, "cell"), what));
  }
}

void print_cells(const Decision& decision, const std::vector<const TableCell*>& cells,
                 bool times_too, std::ostream& out) {
  std::vector<double> times;
  for (const TableCell* cell : cells) {
    times.push_back(cell->best_s);
    times.push_back(cell->seconds.value_or(cell->best_s));
  }
  const TimeUnit unit = unit_of_column(times);
  const bool sizes = decision.collective != Collective::barrier;
  std::vector<TableColumn> columns{{"p", true}};
  if (sizes) {
    columns.push_back({"n", true});
  }
  columns.push_back({"loss", true});
  if (times_too) {
    columns.push_back({fmt::format("takes {}", unit.name), true, 1});
    columns.push_back({fmt::format("best {}", unit.name), true, 1});
  }
  columns.push_back({"table's choice"});
  columns.push_back({"best is"});
  Table table(std::move(columns));
  for (const TableCell* cell : cells) {
    const RankDecision& at = decision.decisions[cell->rank_index];
    const auto found = std::find_if(at.cells.begin(), at.cells.end(), [&](const TimedCell& each) {
      return each.bytes == cell->bytes;
    });
    const std::size_t best = found->best().value();
    const CandidateTime& time = found->times[best];
    std::vector<std::string> row{fmt::format("{}", decision.ranks[cell->rank_index])};
    if (sizes) {
      row.push_back(human_bytes(cell->bytes));
    }
    row.push_back(cell->loss() ? percent(*cell->loss()) : "-");
    if (times_too) {
      row.push_back(cell->seconds ? unit.print(*cell->seconds) : "-");
      row.push_back(unit.print(cell->best_s));
    }
    std::string choice = cell->choice ? in_words(*cell->choice) : "-";
    if (!cell->refusal.empty() && cell->seconds) {
      choice = fmt::format("{} for {}", in_words(cell->runs), choice);
    }
    row.push_back(std::move(choice));
    row.push_back(candidate_in_words(decision.candidates[best],
                                     time.segment_bytes < cell->bytes ? time.segment_bytes : 0));
    const bool loses = cell->loss().value_or(0) > kLoses;
    table.add(std::move(row), loses ? Style::warning : Style::plain, sizes ? 2 : 1);
  }
  table.print(out, 2);
}

}  // namespace

void print_judgement(const Decision& decision, const Judgement& judgement, bool all,
                     std::ostream& out) {
  // Without --all.
  constexpr std::size_t kMostShown = 10;
  std::string text = fmt::format("Against {}", judgement.file);
  if (!judgement.table.name.empty()) {
    text += fmt::format(" ({})", judgement.table.name);
  }
  std::vector<const TableCell*> cells = worst_first(judgement);
  const auto losing =
      static_cast<std::size_t>(std::count_if(cells.begin(), cells.end(), [](const TableCell* cell) {
        return cell->loss().value_or(0) > kLoses;
      }));
  text += fmt::format(": loses {:.1f} % in the mean over {} of {}", 100 * judgement.mean_loss(),
                      judgement.judged(), counted(judgement.cells.size(), "cell"));
  if (const TableCell* worst = judgement.worst(); worst != nullptr && losing > 0) {
    text += fmt::format(", takes {:.4g} times as long as the best at worst", 1 + *worst->loss());
  }
  print_field(out, 0, 0, "", text);
  const std::size_t shown = all ? cells.size() : std::min(losing, kMostShown);
  cells.resize(shown);
  if (!cells.empty()) {
    out << '\n';
    print_cells(decision, cells, all, out);
  }
  if (!all) {
    print_field(out, 2, 0, "",
                losing > shown ? fmt::format("and {} more that lose; --all shows every cell",
                                             human_count(losing - shown))
                : losing > 0   ? std::string("no other cell loses; --all shows every cell")
                               : std::string("no cell loses; --all shows every cell"));
  }
  print_refused(judgement, out);
}

}  // namespace tutti

#include "src/report/decision_text.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <map>

#include "base/human.hpp"
#include "base/printable.hpp"
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

void print_head(const Decision& decision, std::ostream& out) {
  constexpr std::size_t kKey = 20;
  const bool sizes = decision.collective != Collective::barrier;
  fmt::print(out, "{}: the best algorithm for {} of ranks{}\n\n", name(decision.collective),
             counted(decision.ranks.size(), "number"),
             sizes ? fmt::format(" and {}", counted(decision.sizes_bytes.size(), "size")) : "");
  if (decision.facts) {
    const Prices& prices = decision.facts->prices;
    print_field(
        out, 2, kKey, "platform",
        fmt::format("{}; alpha {}, beta {} per byte, gamma {} per byte, of the slowest "
                    "routes and hosts in use by {} ranks",
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

// How far the second best is behind, over the cells of a reign, and why in its middle.
void print_reign(const Decision& decision, const std::vector<const TimedCell*>& cells,
                 const Reign& reign, std::ostream& out) {
  double least = -1;
  double most = 0;
  const TimedCell* typical = nullptr;
  for (std::size_t c = reign.first_cell; c <= reign.last_cell; ++c) {
    const CandidateTime& own = cells[c]->times[reign.candidate];
    if (!own.timed()) {
      continue;
    }
    // Against the best of the others: where this one is kept though another is quicker, it loses.
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
    least = typical == nullptr ? margin : std::min(least, margin);
    most = typical == nullptr ? margin : std::max(most, margin);
    if (typical == nullptr || c <= (reign.first_cell + reign.last_cell) / 2) {
      typical = cells[c];
    }
  }
  constexpr std::size_t kKey = 18;
  const std::string from = decision.collective == Collective::barrier ? ""
                           : reign.from_bytes == 0                    ? "from 0"
                                                   : "from " + human_bytes(reign.from_bytes);
  std::string text = candidate_in_words(decision.candidates[reign.candidate], reign.segment_bytes);
  if (typical != nullptr) {
    const CandidateTime& own = typical->times[reign.candidate];
    const std::string margin = margin_in_words(least, most);
    text += margin.empty() ? "" : " | " + margin;
    std::optional<std::size_t> second;
    for (std::size_t i = 0; i < typical->times.size(); ++i) {
      if (i != reign.candidate && typical->times[i].timed() &&
          (!second || typical->times[i].seconds < typical->times[*second].seconds)) {
        second = i;
      }
    }
    if (second) {
      const CandidateTime& other = typical->times[*second];
      const std::string by_links = other.seconds > own.seconds
                                       ? why_by_links(decision, *typical, reign.candidate, *second)
                                       : std::string();
      const std::string why = reason(own, other);
      const std::string where = decision.collective == Collective::barrier
                                    ? ""
                                    : fmt::format(", at {}", human_bytes(typical->bytes));
      if (!by_links.empty()) {
        text += fmt::format(" | {}{}", by_links, where);
      } else if (!why.empty() && other.seconds > own.seconds) {
        text += fmt::format(" | {} than {}{}", why,
                            candidate_in_words(decision.candidates[*second], 0), where);
      } else if (other.seconds <= own.seconds) {
        text += fmt::format(" | level with {}{}",
                            candidate_in_words(decision.candidates[*second], 0), where);
      }
    }
  }
  print_field(out, 2, kKey, from, text);
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

void print_decision(const Decision& decision, std::ostream& out) {
  print_head(decision, out);
  for (const RankDecision& each : decision.decisions) {
    fmt::print(out, "\np = {}\n", each.ranks);
    std::vector<const TimedCell*> cells;
    for (const TimedCell& cell : each.cells) {
      cells.push_back(&cell);
    }
    if (each.reigns.empty()) {
      fmt::print(out, "  nothing runs: {}\n",
                 cells.empty() || cells.front()->times.empty()
                     ? "no times"
                     : printable(cells.front()->times.front().refusal));
    }
    for (const Reign& reign : each.reigns) {
      print_reign(decision, cells, reign, out);
    }
  }
}

void print_judgement(const Decision& decision, const Judgement& judgement, std::ostream& out) {
  constexpr std::size_t kKey = 14;
  fmt::print(out, "\nAgainst {}\n", printable(judgement.file));
  if (!judgement.table.name.empty()) {
    print_field(out, 2, kKey, "table", judgement.table.name);
  }
  const auto place = [&](const TableCell& cell) {
    return decision.collective == Collective::barrier
               ? fmt::format("p = {}", decision.ranks[cell.rank_index])
               : fmt::format("p = {}, n = {}", decision.ranks[cell.rank_index],
                             human_bytes(cell.bytes));
  };
  print_field(out, 2, kKey, "mean loss",
              fmt::format("{:.1f} %, over {} of {}", 100 * judgement.mean_loss(),
                          judgement.judged(), counted(judgement.cells.size(), "cell")));
  if (const TableCell* worst = judgement.worst()) {
    print_field(out, 2, kKey, "worst cell",
                fmt::format("{}: {} takes {} times as long as the best", place(*worst),
                            in_words(worst->runs), fmt::format("{:.4g}", 1 + *worst->loss())));
  }
  std::map<std::string, std::size_t> refused;  // by what happens
  for (const TableCell& cell : judgement.cells) {
    if (!cell.refusal.empty()) {
      const std::string what = cell.choice ? in_words(*cell.choice) : "no rule";
      ++refused[cell.seconds
                    ? fmt::format("{} cannot run; the library runs {}", what, in_words(cell.runs))
                    : fmt::format("{}: not judged", what)];
    }
  }
  bool first = true;
  for (const auto& [what, count] : refused) {
    print_field(out, 2, kKey, first ? "where not" : "",
                fmt::format("{}: {}", counted(count, "cell"), what));
    first = false;
  }

  std::size_t choice_width = 15;
  for (const TableCell& cell : judgement.cells) {
    choice_width = std::max(choice_width, cell.choice ? in_words(*cell.choice).size() : 0);
  }
  fmt::print(out, "\n  {:>6}  {:>12}  {:<{}}  {:>12}  {:>12}  {:>8}  {}\n", "p", "n",
             "table's choice", choice_width, "takes", "best", "loss", "best is");
  for (const TableCell& cell : judgement.cells) {
    const RankDecision& at = decision.decisions[cell.rank_index];
    const auto found = std::find_if(at.cells.begin(), at.cells.end(), [&](const TimedCell& each) {
      return each.bytes == cell.bytes;
    });
    const std::size_t best = found->best().value();
    const CandidateTime& time = found->times[best];
    const std::string note =
        !cell.refusal.empty() && cell.seconds ? fmt::format(" (runs {})", in_words(cell.runs)) : "";
    fmt::print(out, "  {:>6}  {:>12}  {:<{}}  {:>12}  {:>12}  {:>8}  {}{}\n",
               decision.ranks[cell.rank_index], human_bytes(cell.bytes),
               cell.choice ? in_words(*cell.choice) : "-", choice_width,
               cell.seconds ? human_time(*cell.seconds) : "-", human_time(cell.best_s),
               cell.loss() ? percent(*cell.loss()) : "-",
               candidate_in_words(decision.candidates[best],
                                  time.segment_bytes < cell.bytes ? time.segment_bytes : 0),
               note);
  }
}

}  // namespace tutti

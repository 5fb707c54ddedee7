#include "src/output/decision_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/field_names.hpp"
#include "base/human.hpp"
#include "base/printable.hpp"
#include "src/experiments/decisions/decision.hpp"
#include "src/formats/call_size.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/decision_rules.hpp"
#include "src/output/result_text.hpp"
#include "src/output/result_words.hpp"
#include "src/output/sure_text.hpp"
#include "src/rule_files/library_algorithms.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/message_changes.hpp"

namespace tutti { inline namespace output {

namespace {

constexpr std::size_t kDecisionKey = 12;

std::string times_in_words(const Decision& decision) {
  switch (decision.by) {
    case TimedBy::simulation:
      if (decision.model_loss) {
        return "NCCL's channels, simulated with the latencies that its model has for each protocol";
      }
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
  return decision.machines.front().spec.made_on_the_fly() ? "a crossbar"
                                                          : decision.facts->facts.name;
}

std::string sizes_in_words(const Decision& decision) {
  if (decision.sizes_bytes.size() == 1 && decision.ranks.size() == 1) {
    return call_size(decision.collective, decision.sizes_bytes.front(), decision.ranks.front());
  }
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

// Prints how much time is lost because the number of rules is limited.
void print_tolerance(const Decision& decision, std::ostream& out) {
  const RankDecision* worst = nullptr;
  double sum = 0;
  for (const RankDecision& each : decision.decisions) {
    sum += each.loss.mean;
    worst = worst == nullptr || each.loss.most > worst->loss.most ? &each : worst;
  }
  std::string lost = "nothing";
  if (worst != nullptr && worst->loss.most > kNoticeable) {
    const double mean = sum / static_cast<double>(decision.decisions.size());
    const ShareForm form = share_form(worst->loss.most);
    lost = fmt::format("{} on average, at most {} (p = {}, n = {})",
                       form == ShareForm::percent ? fmt::format("{:.2g} %", 100 * mean)
                                                  : longer_in_words(mean, form),
                       longer_in_words(worst->loss.most, form), worst->ranks,
                       call_size(decision.collective, worst->loss.worst->bytes, worst->ranks));
  }
  if (decision.limits.tolerance > 0) {
    print_field(out, 2, kDecisionKey, "tolerance",
                fmt::format("an extra rule must save at least {:.3g} % of the time over all sizes",
                            100 * decision.limits.tolerance));
  }
  if (decision.limits.at_most) {
    print_field(out, 2, kDecisionKey, "rules",
                fmt::format("at most {} per number of ranks", *decision.limits.at_most));
  }
  print_field(out, 2, kDecisionKey, "lost",
              fmt::format("{}, compared with the best {}for each size", lost,
                          decision.model_loss ? with_fields("that $model_loss allows ") : ""));
}

// Prints how far the choices are from the limits.
void print_limits(const Decision& decision, std::ostream& out) {
  LimitRange range;
  for (const RankDecision& each : decision.decisions) {
    range.add(limit_range(each, nullptr));
  }
  if (range.known()) {
    const std::uint32_t ranks = decision.ranks[range.most_at->rank_index];
    print_field(out, 2, kDecisionKey, kOfLimit,
                fmt::format("{}: {}; most at p = {}{}", range.in_words(), kOfLimitMeans, ranks,
                            decision.collective == Collective::barrier
                                ? ""
                                : fmt::format(", n = {}", call_size(decision.collective,
                                                                    range.most_at->bytes, ranks))));
  }
}

// Prints in how many cells other candidates are level with the best within ties, and what follows
// from that.
void print_ties(const Decision& decision, std::ostream& out) {
  std::size_t all = 0;
  std::size_t level = 0;
  for (const RankDecision& each : decision.decisions) {
    for (const TimedCell& cell : each.cells) {
      all += cell.on_grid ? 1 : 0;
      level += cell.on_grid && cell.level_within_ties() ? 1 : 0;
    }
  }
  if (level > 0) {
    print_field(
        out, 2, kDecisionKey, "ties",
        fmt::format(
            "in {} of {}, other algorithms are level with the best within ties: {}; times are "
            "medians over orders of such messages, and a difference within ties changes no rule",
            level, counted(all, "cell"), kLevelWithinTies));
  }
}

// Prints which of NCCL's algorithms have no time in any cell, and why.
void print_untimed(const Decision& decision, std::ostream& out) {
  std::vector<std::pair<std::string, std::vector<std::string>>> untimed;  // labels, by reason
  for (std::size_t i = 0; i < decision.candidates.size(); ++i) {
    std::string why;
    bool timed = false;
    for (const RankDecision& each : decision.decisions) {
      for (const TimedCell& cell : each.cells) {
        timed = timed || cell.times[i].timed();
        why = why.empty() ? with_fields(cell.times[i].refusal) : why;
      }
    }
    if (timed || why.empty() || decision.candidates[i].baseline) {
      continue;
    }
    auto of = std::ranges::find(untimed, why, [](const auto& each) { return each.first; });
    if (of == untimed.end()) {
      of = untimed.insert(of, {why, {}});
    }
    of->second.push_back(decision.candidates[i].contender.label);
  }
  for (const auto& [why, labels] : untimed) {
    print_field(out, 2, kDecisionKey, "no times",
                fmt::format("{}: {}", fmt::join(labels, "; "), why));
  }
}

// Prints which algorithms are not among the candidates, because rules cannot choose them.
void print_left_out(const Decision& decision, std::ostream& out) {
  if (decision.model_loss) {
    print_untimed(decision, out);
    print_field(out, 2, kDecisionKey, "candidates",
                "NCCL's own algorithms; rules cannot name tutti's other algorithms");
    return;
  }
  const auto with_library = std::ranges::find_if(
      decision.candidates, [](const Candidate& each) { return each.library.has_value(); });
  std::vector<std::string> lacking;
  std::vector<std::string> other_forms;
  for (const std::string& name : decision.left_out) {
    const bool has_form = with_library != decision.candidates.end() &&
                          has_form_of(*with_library->library, decision.collective, name);
    (has_form ? other_forms : lacking).push_back(name);
  }
  if (!lacking.empty()) {
    print_field(out, 2, kDecisionKey, "left out",
                fmt::format("{}, which the library does not have", fmt::join(lacking, ", ")));
  }
  if (!other_forms.empty()) {
    print_field(
        out, 2, kDecisionKey, "left out",
        fmt::format("{}, which the library has only in a variant that tutti cannot simulate",
                    fmt::join(other_forms, ", ")));
  }
}

// Prints for how many sizes no candidate has a time, so that they have the rule of another size.
void print_empty_cells(const Decision& decision, std::ostream& out) {
  std::size_t empty = 0;
  std::string first;
  for (const RankDecision& each : decision.decisions) {
    for (const TimedCell& cell : each.cells) {
      if (!cell.on_grid || cell.best() || cell.baseline) {
        continue;
      }
      if (empty++ == 0) {
        const auto refused = std::ranges::find_if(
            cell.times, [](const CandidateTime& time) { return !time.refusal.empty(); });
        first = ranks_and_size(decision.collective, cell.bytes, decision.ranks[cell.rank_index]);
        first += refused == cell.times.end()
                     ? ", for which there is no time"
                     : fmt::format(", where no candidate can run ({})", refused->refusal);
      }
    }
  }
  if (empty > 0) {
    print_field(out, 2, kDecisionKey, "no times",
                fmt::format("{}, the first at {}; the rule of the nearest other size applies",
                            counted(empty, "cell"), printable(first)));
  }
}

// Prints what the decision is based on.
void print_grounds(const Decision& decision, std::ostream& out) {
  const bool sizes = decision.collective != Collective::barrier;
  out << '\n';
  print_grounds_of_times(decision, out);
  if (decision.crossover > 0 && sizes) {
    print_field(
        out, 2, kDecisionKey, "boundaries",
        fmt::format(
            "known to within {:.3g} %, and rounded to a power of two or three times a power of two",
            100 * decision.crossover));
  }
  print_limits(decision, out);
  print_tolerance(decision, out);
  print_empty_cells(decision, out);
  print_ties(decision, out);
  if (decision.sure) {
    print_field(out, 2, kDecisionKey, "sure", sure_in_words(*decision.sure));
  }
  if (decision.model_loss) {
    print_field(out, 2, kDecisionKey, "rules", cells_of_rules(decision).front());
  }
  if (const std::string kept = own_choice_kept(decision); !kept.empty()) {
    print_field(out, 2, kDecisionKey, "no rules", kept);
  }
  print_left_out(decision, out);
  if (!decision.of_switches.empty()) {
    print_field(out, 2, kDecisionKey, "left out",
                fmt::format("{}, since rules cannot control switches; tutti compare includes {}",
                            fmt::join(decision.of_switches, ", "),
                            decision.of_switches.size() == 1 ? "it" : "them"));
  }
  if (decision.too_busy_runs > 0) {
    print_field(out, 2, kDecisionKey, "left out",
                fmt::format("{}, because the machine was too busy for reliable times",
                            counted(decision.too_busy_runs, "run")));
  }
}

}  // namespace

void print_grounds_of_times(const Decision& decision, std::ostream& out) {
  if (decision.facts) {
    const Prices& prices = decision.facts->prices;
    print_field(
        out, 2, kDecisionKey, "platform",
        fmt::format("{}; {}, beta {} per byte, gamma {} per byte: the slowest routes and "
                    "hosts that {} ranks use",
                    decision.machines.front().spec.made_on_the_fly() ? "a crossbar, made on the fly"
                                                                     : decision.facts->facts.name,
                    alpha_in_words(prices, decision.machines.front()),
                    human_time(prices.beta_s_per_byte), human_time(prices.gamma_s_per_byte),
                    decision.ranks.back()));
    for (const std::string& note : decision.facts->facts.notes) {
      print_field(out, 2, kDecisionKey, "note", note);
    }
  }
  if (decision.placements() > 1) {
    print_field(out, 2, kDecisionKey, "hosts",
                fmt::format("drawn at random {} times for each number of ranks, in the platform's "
                            "order; times are means over the draws",
                            decision.placements()));
  } else if (decision.facts && decision.machines.front().host_source != nullptr) {
    const Machine& machine = decision.machines.front();
    print_field(out, 2, kDecisionKey, "hosts",
                machine.spec.placement_seed
                    ? fmt::format("drawn by {}, in the platform's order", machine.host_source->from)
                    : fmt::format("those of {}, from the first on, as many as needed",
                                  machine.host_source->from));
  }
  if (decision.facts && !decision.machines.front().spec.what_ifs.empty()) {
    print_field(out, 2, kDecisionKey, "what if", what_ifs_in_words(decision.machines.front()));
  }
  print_field(out, 2, kDecisionKey, "times", times_in_words(decision));
}

std::string made_by(std::span<const Decision* const> decisions) {
  const Decision& decision = *decisions.front();
  std::string what;
  for (const Decision* const each : decisions) {
    what += fmt::format("{}{}", what.empty() ? "" : ", ", name(each->collective));
  }
  const std::string on = decision.facts ? fmt::format(" on {}", platform_of(decision)) : "";
  const std::string placed =
      decision.placements() > 1
          ? fmt::format(", the mean of {} random placements", decision.placements())
          : "";
  return printable(
      fmt::format("{} decided by tutti, times by {}{}{}", what, name(decision.by), on, placed));
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
    print_intervals(decision, out);
  } else {
    print_reasons(decision, out);
  }
  print_own(decision, out);
  print_placements(decision, all, out);
  if (decision.sure) {
    print_unsure_cells(
        *decision.sure, decision.collective, decision.ranks,
        [&](std::size_t i) { return decision.candidates[i].contender.label; }, out);
  }
  print_grounds(decision, out);
}

}}  // namespace tutti::output

// The document tutti-decide/2, and the table of --csv.
#include "src/rule_files/decision_json.hpp"

#include <ostream>

#include "base/field_names.hpp"
#include "src/experiments/decisions/decision.hpp"
#include "src/formats/csv.hpp"
#include "src/formats/made_by.hpp"
#include "src/output/common_fields.hpp"
#include "src/output/decision_rules.hpp"
#include "src/output/decision_text.hpp"
#include "src/output/sure_text.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/machine.hpp"

namespace tutti { inline namespace output {

namespace { namespace decision_fields {

const std::string& label_of(const Decision& decision, std::size_t candidate) {
  return decision.candidates[candidate].contender.label;
}
std::optional<std::string> label_of(const Decision& decision,
                                    const std::optional<std::size_t>& candidate) {
  return candidate ? std::optional(label_of(decision, *candidate)) : std::nullopt;
}

// Returns nothing if the vector is not segmented.
std::optional<std::uint64_t> segment_or_none(std::uint64_t bytes) {
  return value_if(bytes > 0, bytes);
}

constexpr auto kMachineHead = fields<Decision>({
    {"platform",
     [](const Decision& decision) {
       return decision.machines.front().spec.made_on_the_fly() ? "crossbar"
                                                               : decision.facts->facts.name;
     }},
    {"engine",
     [](const Decision& decision) {
       return value_if(decision.by == TimedBy::simulation,
                       std::string_view(decision.machines.front().engine->name));
     }},
    {"network_model",
     [](const Decision& decision) -> const auto& {
       return decision.machines.front().spec.network_model;
     }},
    {"ports",
     [](const Decision& decision) { return ports_value(decision.machines.front().setup.ports); },
     at_least(1) | one_of(kUnlimitedPortsName)},
});
constexpr auto kMachinePrices = fields<Decision>({
    {"alpha_s", [](const Decision& decision) { return decision.facts->prices.alpha_s; }},
    {"beta_s_per_byte",
     [](const Decision& decision) { return decision.facts->prices.beta_s_per_byte; }},
    {"gamma_s_per_byte",
     [](const Decision& decision) { return decision.facts->prices.gamma_s_per_byte; }},
    {"hosts",
     [](const Decision& decision) {
       const auto& hosts = decision.machines.front().host_source;
       return hosts != nullptr && decision.placements() == 1 ? std::optional(hosts->from)
                                                             : std::nullopt;
     },
     absent,
     "Source of the hosts: the name of the file of --hosts, \"--hosts\" for a list, or "
     "\"--placement random:SEED\". Absent without these options, and with --placements."},
    {"what_if",
     [](const Decision& decision) {
       const auto& what_ifs = decision.machines.front().spec.what_ifs;
       return value_if(!what_ifs.empty(), what_ifs);
     },
     absent, "Changes to the platform, as the user gave them. Absent if there are none."},
});

constexpr auto kMachine = fields<Decision>({
    kMachineHead,
    {"ranks_per_host",
     [](const Decision& decision) { return decision.machines.front().mapping.ranks_per_host; },
     at_least(1)},
    kMachinePrices,
});
// The machine of several decisions, whose numbers of ranks per host differ.
constexpr auto kSiteMachine = fields<Decision>({kMachineHead, kMachinePrices});

constexpr auto kCandidate = fields<Candidate>({
    {kChoiceFields, member<&Candidate::choice>},
    {"label", [](const Candidate& each) -> const auto& { return each.contender.label; }},
});

// A rule for an interval of sizes.
struct RuleRow {
  const Decision& decision;
  const RankDecision& of_ranks;
  std::size_t index;

  [[nodiscard]] const SizeInterval& interval() const { return of_ranks.intervals[index]; }
};

std::vector<RuleRow> rules_of(const Decision& decision) {
  std::vector<RuleRow> rows;
  for (const RankDecision& each : decision.decisions) {
    for (std::size_t i = 0; i < each.intervals.size(); ++i) {
      rows.push_back({decision, each, i});
    }
  }
  return rows;
}

constexpr auto kRule = fields<RuleRow>({
    {"ranks", [](const RuleRow& row) { return row.of_ranks.ranks; }, at_least(1)},
    {"from_bytes", [](const RuleRow& row) { return row.interval().from_bytes; }},
    {"candidate",
     [](const RuleRow& row) { return label_of(row.decision, row.interval().candidate); },
     "Label of a candidate."},
    {"segment_bytes",
     [](const RuleRow& row) { return segment_or_none(row.interval().segment_bytes); }},
    {"crossover_after", [](const RuleRow& row) { return row.interval().after_bytes; },
     "A size at which the previous rule is still the better one. 0 for the first rule."},
    {"crossover_by", [](const RuleRow& row) { return row.interval().by_bytes; },
     "A size at which this rule is the better one. 0 for the first rule."},
    {"reason",
     [](const RuleRow& row) { return lead_in_words(row.decision, row.of_ranks, row.index); },
     "How far the choice is ahead of the other candidates, and why. Empty if no lead is known."},
});

constexpr auto kLoss = fields<RankDecision>({
    {"ranks", member<&RankDecision::ranks>, at_least(1)},
    {"mean", [](const RankDecision& each) { return each.loss.mean; },
     "Mean loss over all sizes on a logarithmic scale: 0.1 means 10 % longer."},
    {"most", [](const RankDecision& each) { return each.loss.most; }},
    {"most_at_bytes",
     [](const RankDecision& each) {
       const TimedCell* const worst = each.loss.worst;
       return worst != nullptr ? std::optional(worst->bytes) : std::nullopt;
     }},
});

constexpr std::array<std::string_view, 5> kStates{"unknown", "timed", "refused", "beaten",
                                                  "too_large"};

// The time of a candidate in a cell.
struct TimeRow {
  const Decision& decision;
  const TimedCell& cell;
  std::size_t candidate;

  [[nodiscard]] const Candidate& of() const { return decision.candidates[candidate]; }
  [[nodiscard]] const CandidateTime& time() const { return cell.times[candidate]; }
  [[nodiscard]] std::optional<double> ties(double (RangedTime::*end)() const) const {
    return time().timed() && time().ties_matter() ? std::optional((time().*end)()) : std::nullopt;
  }
  [[nodiscard]] bool has_parts() const {
    return time().timed() && !decision.model_loss &&
           (decision.by == TimedBy::simulation || decision.by == TimedBy::longest_path);
  }
};

constexpr auto kTime = fields<TimeRow>({
    {"candidate", [](const TimeRow& row) { return label_of(row.decision, row.candidate); },
     "Label of a candidate."},
    {"state", [](const TimeRow& row) { return name(row.time().state); }, one_of(kStates),
     "timed: the time is known. refused: the candidate does not support the problem. beaten: the "
     "candidate takes at least twice as long as the best: its simulation was stopped at that time. "
     "unknown: there is no time. too_large: not simulated, because the schedule has too many "
     "messages."},
    {"seconds",
     [](const TimeRow& row) { return value_if(row.time().timed(), row.time().seconds); }},
    {"ties", kTieRangeFields,
     [](const TimeRow& row) {
       return row.time().timed() ? ties_of(row.time().time()) : std::nullopt;
     }},
    {"at_least_s",
     [](const TimeRow& row) {
       return value_if(row.time().state == CandidateTime::State::beaten, row.time().seconds);
     }},
    {"segment_bytes",
     [](const TimeRow& row) {
       const std::uint64_t bytes = row.time().segment_bytes;
       return value_if(bytes > 0 && bytes < row.cell.bytes, bytes);
     },
     "null: not segmented or, for a candidate with default_segments, as without --segment."},
    {"parts", kSpentFields,
     [](const TimeRow& row) { return row.has_parts() ? &row.time().parts : nullptr; },
     "Seconds spent on each cause along the critical chain, which is the chain of operations that "
     "ends last. They add up to the time. null if the time is not known, or is measured or from a "
     "closed form."},
    {"refused",
     [](const TimeRow& row) {
       return value_if(row.time().state == CandidateTime::State::refused,
                       with_fields(row.time().refusal));
     }},
});

using Recut = PartOf<Decision, SegmentTime>;

constexpr auto kRecut = fields<Recut>({
    {"candidate", [](const Recut& row) { return label_of(row.whole, row.part.way.candidate); }},
    {"segment_bytes", [](const Recut& row) { return segment_or_none(row.part.way.segment_bytes); },
     "null: not segmented."},
    {"seconds", [](const Recut& row) { return row.part.seconds; }},
    {"ties", kTieRangeFields, [](const Recut& row) { return ties_of(row.part.time()); }},
});

using Cell = PartOf<Decision, TimedCell>;

std::vector<TimeRow> times_of(const Cell& cell) {
  std::vector<TimeRow> rows;
  for (std::size_t i = 0; i < cell.part.times.size(); ++i) {
    rows.push_back({cell.whole, cell.part, i});
  }
  return rows;
}

std::vector<Recut> timed_recuts(const Cell& cell) {
  std::vector<Recut> rows;
  for (const SegmentTime& each : cell.part.recuts) {
    if (each.state == SegmentTime::State::timed) {
      rows.push_back({cell.whole, each});
    }
  }
  return rows;
}

std::vector<std::string> equal_labels(const Cell& cell) {
  std::vector<std::string> labels;
  for (const std::size_t equal : cell.part.equals()) {
    labels.push_back(label_of(cell.whole, equal));
  }
  return labels;
}

// Returns how much slower the second candidate is than the best, as a share of the time of the
// best; 0 if the two are level within ties.
std::optional<double> margin_of(const Cell& of) {
  const TimedCell& cell = of.part;
  const auto best = cell.best();
  const auto second = cell.second();
  if (!best || !second || cell.times[*best].seconds <= 0) {
    return std::nullopt;
  }
  const CandidateTime& first = cell.times[*best];
  const CandidateTime& next = cell.times[*second];
  return cell.level_within_ties() || is_level(first, next) ? 0 : next.seconds / first.seconds - 1;
}

std::string reason_of(const Cell& of) {
  const TimedCell& cell = of.part;
  const auto best = cell.best();
  const auto second = cell.second();
  return best && second ? reason(cell.times[*best], cell.times[*second],
                                 in_words(of.whole.candidates[*second], 0))
                        : "";
}

constexpr auto kCell = fields<Cell>({
    {"ranks", [](const Cell& of) { return of.whole.ranks[of.part.rank_index]; }, at_least(1)},
    {"bytes", [](const Cell& of) { return of.part.bytes; }},
    {"on_grid", [](const Cell& of) { return of.part.on_grid; },
     "False for a size that was added to locate a change of the choice."},
    {"best", [](const Cell& of) { return label_of(of.whole, of.part.best()); },
     "Label of the fastest candidate. null if no candidate has a time."},
    {"equal", from<equal_labels>, "Labels of the other candidates that take equally long."},
    {"second", [](const Cell& of) { return label_of(of.whole, of.part.second()); },
     "Label of the fastest candidate that takes longer than the best. null if there is none."},
    {"margin", from<margin_of>,
     "Time by which the second candidate takes longer, as a share of the best time: 0.1 means 10 % "
     "longer. A lower bound if the second candidate is beaten. 0 if a slower candidate is level "
     "with the best within ties. null if there is no second candidate."},
    {"bound_s", [](const Cell& of) { return of.part.bound_s; },
     "Lower bound on the time of any schedule on this network, as from tutti bound (from known "
     "cuts only, so that tutti bound may find a longer time); the mean over placements. null if it "
     "is unknown, or if times are not simulated by an engine."},
    {"of_limit",
     [](const Cell& of) {
       const auto best = of.part.best();
       return best ? of.part.of_limit(of.part.times[*best].seconds) : std::nullopt;
     },
     "Time of the best candidate / bound_s. null if one of them is null or 0."},
    {"reason", from<reason_of>},
    {"times", kTime, from<times_of>, "One entry per candidate, in the order of `candidates`."},
    {"cuts", kRecut, from<timed_recuts>, "Times with segment sizes other than those in `times`."},
});

std::vector<Cell> cells_of(const Decision& decision) {
  std::vector<Cell> cells;
  for (const RankDecision& each : decision.decisions) {
    for (const TimedCell& cell : each.cells) {
      cells.push_back({decision, cell});
    }
  }
  return cells;
}

constexpr auto kDecision = fields<Decision>({
    {"collective", [](const Decision& decision) { return name(decision.collective); }},
    {"by", [](const Decision& decision) { return name(decision.by); }, one_of(words_of<kTimedBy>)},
    {"machine", kMachine,
     [](const Decision& decision) { return decision.facts ? &decision : nullptr; },
     "The simulated machine. null if the times are measured."},
    {"element_bytes", member<&Decision::element_bytes>, at_least(1)},
    {"tolerance", [](const Decision& decision) { return decision.limits.tolerance; },
     "Share of the time that an additional rule must save. The time is averaged over all sizes on "
     "a logarithmic scale."},
    {"rules_at_most", [](const Decision& decision) { return decision.limits.at_most; },
     "Maximum number of rules for each number of ranks. null: no limit."},
    {"crossover", member<&Decision::crossover>,
     "Relative precision with which the sizes are located at which the choice changes: 0.05 is "
     "5 %. 0: only the sizes of the grid are timed."},
    {"ranks", member<&Decision::ranks>, at_least(1)},
    {"sizes_bytes", member<&Decision::sizes_bytes>},
    {"candidates", kCandidate, member<&Decision::candidates>},
    {"left_out", member<&Decision::left_out>,
     "Names of algorithms that are not candidates, because the library for which rules are made "
     "does not have them."},
    {"too_busy_runs", member<&Decision::too_busy_runs>,
     "Number of measured runs that are left out, because the machine was too busy for reliable "
     "times."},
    {"decisions", kRule, from<rules_of>,
     "One entry per rule, ordered by number of ranks and then by size. A rule applies from its "
     "`from_bytes` up to the start of the next rule."},
    {"losses", kLoss, member<&Decision::decisions>,
     "Time that the decisions lose against the best candidate for each size. One entry per number "
     "of ranks."},
    {"cells", kCell, from<cells_of>},
    {"against", kJudgementFields,
     [](const Decision& decision) {
       return decision.judgement ? std::optional<JudgementAnswer>({decision, *decision.judgement})
                                 : std::nullopt;
     }},
    {"placements", kPlacementFields,
     [](const Decision& decision) { return decision.placements() > 1 ? &decision : nullptr; },
     absent,
     "Results for the placements of --placements. All times in this document are then means over "
     "the placements. Absent without this option."},
    {"sure", kSureFields,
     [](const Decision& decision) {
       return decision.sure ? std::optional<SureAnswer>(
                                  {*decision.sure, decision.ranks,
                                   [&](std::size_t i) { return label_of(decision, i); }})
                            : std::nullopt;
     },
     absent, "Results of --sure. Absent without this option."},
    {"wall_s", member<&Decision::wall_s>},
});

// The columns of the table before and after those of the options.
constexpr auto kFirstColumns = fields<TimeRow>({
    {"collective", [](const TimeRow& row) { return name(row.decision.collective); }},
    {"ranks", [](const TimeRow& row) { return row.decision.ranks[row.cell.rank_index]; }},
    {"bytes", [](const TimeRow& row) { return row.cell.bytes; }},
    {"on_grid", [](const TimeRow& row) { return row.cell.on_grid ? 1U : 0U; }},
    {"algorithm",
     [](const TimeRow& row) {
       const Choice& choice = row.of().choice;
       return choice.left_to_library ? choice.library_algorithm : choice.algorithm;
     }},
});

// An uncut vector is written as one segment of its whole size, because an empty field would mean
// the default segment size.
std::optional<std::uint64_t> segment_column(const TimeRow& row) {
  const std::uint64_t bytes = row.time().segment_bytes;
  if (bytes > 0 && bytes <= row.cell.bytes) {
    return bytes;
  }
  return value_if(row.of().cuts, row.cell.bytes);
}

constexpr auto kLastColumns = fields<TimeRow>({
    {"segment_bytes", from<segment_column>},
    {"state", [](const TimeRow& row) { return name(row.time().state); }},
    {"seconds",
     [](const TimeRow& row) { return value_if(row.time().timed(), row.time().seconds); }},
    {"best", [](const TimeRow& row) { return row.cell.best() == row.candidate ? 1U : 0U; }},
    {"ties_least_s", [](const TimeRow& row) { return row.ties(&RangedTime::least_s); }},
    {"ties_most_s", [](const TimeRow& row) { return row.ties(&RangedTime::most_s); }},
});

bool put_option_column(JsonValue& out, const void* object, const Field& field) {
  const auto& type = *static_cast<const OptionType*>(field.data);
  out = static_cast<const TimeRow*>(object)->of().choice.options.text(type.option);
  return true;
}

FieldView columns() {
  static const std::vector<Field> list = [] {
    std::vector<Field> all(kFirstColumns.list.begin(), kFirstColumns.list.end());
    for (const OptionType* type : choice_options()) {
      all.push_back({type->json_key, {}, {}, {}, put_option_column, {}, nullptr, type});
    }
    all.insert(all.end(), kLastColumns.list.begin(), kLastColumns.list.end());
    return all;
  }();
  return {list.data(), list.size(), {}};
}

}}  // namespace ::decision_fields

std::string_view name(CandidateTime::State state) {
  return decision_fields::kStates[static_cast<std::size_t>(state)];
}

FieldView decision_machine_fields() { return decision_fields::kMachine.view(); }
FieldView site_machine_fields() { return decision_fields::kSiteMachine.view(); }

extern const DocumentOf<Decision> kDecisionDocument{
    {"tutti-decide/2",
     "times of all candidates on a grid of ranks and sizes, and the decisions based on them, as "
     "written by tutti decide --json",
     decision_fields::kDecision.view()}};

void write_decision_csv(const Decision& decision, std::ostream& out) {
  const FieldView columns = decision_fields::columns();
  write_csv_head(out);
  bool first = true;
  for (const decision_fields::Cell& cell : decision_fields::cells_of(decision)) {
    for (const decision_fields::TimeRow& row : decision_fields::times_of(cell)) {
      if (std::exchange(first, false)) {
        out << csv_names_line(columns, &row);
      }
      out << csv_values_line(columns, &row);
    }
  }
}

}}  // namespace tutti::output

// JSON and CSV output of results: the lists of fields also make tutti-result-1.schema.json.
#include "src/output/result_json.hpp"

#include <nlohmann/json.hpp>

#include "base/field_names.hpp"
#include "platforms/network_models.hpp"
#include "schedules/notation/program/program.hpp"
#include "schedules/options/cuts.hpp"
#include "schedules/options/fold.hpp"
#include "schedules/options/option_type.hpp"
#include "schedules/options/tree.hpp"
#include "schedules/run_words.hpp"
#include "src/formats/csv.hpp"
#include "src/formats/json_text.hpp"
#include "src/formats/made_by.hpp"
#include "src/output/common_fields.hpp"
#include "src/output/result_words.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/machine.hpp"
#include "src/simulation/message_setup.hpp"
#include "src/simulation/run_result.hpp"

namespace tutti { inline namespace output {

namespace {

using Json = nlohmann::ordered_json;

namespace result_fields {

using Result = RunResult;

// Value of an option that the algorithm takes.
template <Option kOption>
constexpr auto kWordOfOption = [](const Result& r) {
  return value_if(r.takes(kOption), std::get<std::string>(option_type(kOption).value(r.problem)));
};
template <Option kOption>
constexpr auto kNumberOfOption = [](const Result& r) {
  return value_if(r.takes(kOption), std::get<std::uint64_t>(option_type(kOption).value(r.problem)));
};

std::optional<std::string> file_of(const Result& result) {
  if (!result.file.empty()) {
    return result.file;
  }
  return value_if(result.algorithm->program != nullptr,
                  program_of(*result.algorithm, result.problem));
}

// In a schedule that was run, a segment is a block.
std::optional<std::uint64_t> segment_of(const Result& result, bool has_run) {
  return has_run && result.takes(Option::segment) && result.unproved.empty()
             ? result.largest_block_bytes
             : kNumberOfOption<Option::segment>(result);
}

constexpr std::array<std::string_view, 2> kSymmetries{"rotation", "exchange"};

std::span<const std::string_view> engine_words() {
  static const std::vector<std::string_view> words = [] {
    std::vector<std::string_view> all;
    for (const EngineType* engine : engine_types()) {
      all.push_back(engine->name);
    }
    return all;
  }();
  return words;
}
std::span<const std::string_view> requested_engine_words() {
  static const std::vector<std::string_view> words = [] {
    std::vector<std::string_view> all{"auto", "both"};
    all.insert(all.end(), engine_words().begin(), engine_words().end());
    return all;
  }();
  return words;
}

// The fields that describe the problem. They are known without a run.
constexpr auto kProblem = fields<Result>({
    {"collective", [](const Result& r) { return name(r.problem.collective); },
     one_of(collective_words)},
    {"algorithm", [](const Result& r) { return std::string_view(r.algorithm->name); }, not_empty},
    {"file", from<file_of>, added_later,
     "File from which the schedule, or the program that made it, was read. null for a built-in "
     "algorithm."},
    {"ranks", [](const Result& r) { return r.problem.ranks; }, at_least(1)},
    {"bytes", [](const Result& r) { return r.problem.bytes; },
     "Size of the largest buffer that any rank holds."},
    {"element_bytes", [](const Result& r) { return r.problem.element_bytes; }, at_least(1)},
    {"options", [](const Result& r) { return options_text(*r.algorithm, r.problem); },
     "Options that the algorithm takes, as on the command line: --skips halving. Empty if there "
     "are none."},
    {"root",
     [](const Result& r) { return value_if(has_root(r.problem.collective), r.problem.root); },
     "null if the collective has no root."},
    {"fold", kWordOfOption<Option::fold>, one_of(kFoldNames),
     "null if the algorithm does not take this option. The same holds for skips, tree, cuts, "
     "parts, segment_bytes and cores_per_node."},
    {"skips", kWordOfOption<Option::skips>},
    {"tree", kWordOfOption<Option::tree>, one_of(kTreeNames)},
    {"cuts", kWordOfOption<Option::cuts>, one_of(kCutsNames),
     "Library whose rounding determines the sizes of blocks and segments; even: tutti's own "
     "rounding."},
    {"parts", kWordOfOption<Option::parts>,
     "Algorithm for each of the two collectives of which the algorithm consists. Empty for the "
     "default, binomial trees for both."},
    {"segment_bytes",
     [](const Result& r) { return segment_of(r, r.described.facts.hosts_used > 0); },
     "Size of the largest segment, whether the user gave it, --segment auto found it, or the "
     "algorithm set it."},
    {"cores_per_node", kNumberOfOption<Option::ranks_per_node>, at_least(1)},
});

constexpr auto kRange = fields<SureRange>({
    {"level", member<&SureRange::level>, at_most(1)},
    {"low_s", [](const SureRange& each) { return each.range.low_s; }},
    {"high_s", [](const SureRange& each) { return each.range.high_s; }},
});

// The fields that have a single value. A table of results has a column for each of these fields, in
// the same order.
constexpr auto kScalars = fields<Result>({
    kProblem,
    {"engine", [](const Result& r) { return std::string_view(r.machine.engine->name); },
     one_of(engine_words), "Engine that ran."},
    {"engine_asked", [](const Result& r) { return r.machine.spec.engine; },
     one_of(requested_engine_words)},
    {"engines_differ_by",
     [](const Result& r) {
       return r.comparison ? std::optional(r.comparison->worst) : std::nullopt;
     },
     "Largest difference between the two engines in the start or the end of an operation, as a "
     "share of the longer total. null if only one engine ran."},
    {"symmetry",
     [](const Result& r) { return r.symmetry ? std::optional(name(*r.symmetry)) : std::nullopt; },
     one_of(kSymmetries),
     "Symmetry of the ranks, if one rank of each class was simulated in place of all ranks. "
     "rotation: rank r becomes r + k mod p. exchange: rank r becomes r xor k. null if every rank "
     "was simulated."},
    {"classes", [](const Result& r) { return value_if(r.symmetry.has_value(), r.classes); },
     at_least(1) | added_later,
     "Number of classes of ranks. One rank of each class was simulated. null without a symmetry."},
    {"platform", [](const Result& r) { return r.described.facts.name; },
     "Name of the platform file without its folder, or crossbar:HOSTS."},
    {"hosts_used", [](const Result& r) { return r.described.facts.hosts_used; }, at_least(1)},
    {"network_model",
     [](const Result& r) {
       return r.machine.engine->has_network ? std::string_view(r.machine.spec.network_model)
                                            : std::string_view("hockney");
     },
     one_of(network_models)},
    {"ports", [](const Result& r) { return ports_value(r.machine.setup.ports); },
     at_least(1) | one_of(kUnlimitedPortsName),
     "Number of messages that a rank can send at a time, and also the number that it can receive "
     "at a time."},
    {"eager_bytes", [](const Result& r) { return eager_value(r.machine.setup.eager_bytes); },
     added_later,
     "Size of the largest eager message, from --eager or from the message model of --parameters. "
     "null if no message is eager."},
    {"parameters", [](const Result& r) { return text_if_any(r.machine.spec.parameters); },
     added_later, "The file of --parameters. null without this option."},
    {kPriceFields, [](const Result& r) -> const Prices& { return r.described.prices; }},
    {"unproved", [](const Result& r) { return text_if_any(r.why_unproved()); },
     not_empty | added_later,
     "Why the schedule is not proved: names an operation of the file that has bytes but no blocks, "
     "or says that --no-verify was given. null for proved schedules and for algorithms of tutti."},
    {"messages", member<&Result::messages>},
    {"bytes_sent", member<&Result::bytes_sent>},
    {"bytes_reduced", member<&Result::bytes_reduced>},
    {"calculations_s",
     [](const Result& r) {
       return value_if(r.problem.collective == Collective::application, r.calculations_s);
     },
     absent,
     "Of an application: the time of all calculations together. Times named reduction_s are then "
     "those of calculations."},
    {"ops", member<&Result::ops>},
    {"ops_simulated", member<&Result::ops_simulated>, added_later,
     "Number of operations in the rounds that were simulated, of all ranks. Fewer than `ops` if "
     "rounds were left out because they repeat those before them and take the same time."},
    {"dependencies", member<&Result::dependencies>},
    {"rounds", member<&Result::rounds>},
    {"blocks", member<&Result::blocks>, at_least(1),
     "Number of blocks of the schedule, as 'tutti show' numbers them."},
    {"smallest_block_bytes", member<&Result::smallest_block_bytes>,
     "Size of the schedule's smallest block. 0 if the schedule has an empty block, for example for "
     "signals."},
    {"largest_block_bytes", member<&Result::largest_block_bytes>,
     "Size of the schedule's largest block."},
    {"simulated_s", member<&Result::simulated_s>},
    {"range", kRange, member<&Result::range>, absent,
     "Central range of the time that has the probability `level`. Absent without --sure."},
    {"bound_s", member<&Result::bound_s>,
     "Lower bound on the time of any schedule on this network, as from tutti bound (from known "
     "cuts only, so that tutti bound may find a longer time). null if it is unknown, or if the "
     "schedule is not proved."},
    {"of_limit", [](const Result& r) { return r.of_limit(); },
     "Time divided by bound_s. The time is that by which algorithms are ranked: the median of "
     "`ties` if these matter, otherwise simulated_s. null if bound_s is null or 0."},
    {"exact_s", member<&Result::exact_s>,
     "Exact cost by the closed form. null if no closed form is known."},
    {"longest_path_s", member<&Result::longest_path_s>,
     "Longest path of the schedule, including waiting for ports and for the cores of each rank."},
    {"published_s",
     [](const Result& r) {
       const PublishedCost* const main = r.main_published();
       return main != nullptr ? std::optional(main->seconds) : std::nullopt;
     },
     "Cost by the first entry of `published` that is not a misprint. null if no such formula holds "
     "for these ranks and options."},
    {"relative_error",
     [](const Result& r) {
       return r.exact_s ? relative_error(*r.exact_s, r.simulated_s) : std::nullopt;
     },
     any_sign,
     "Relative error of the exact cost as a prediction of the run, (exact_s - simulated_s) / "
     "simulated_s. null if exact_s is null, or if only simulated_s is 0."},
});

// The columns of a table of results.
constexpr auto kColumns = fields<Result>({
    kScalars,
    {"ties_least_s", [](const Result& r) { return value_if(r.ties.runs > 0, r.ties.least_s); }},
    {"ties_median_s", [](const Result& r) { return value_if(r.ties.runs > 0, r.ties.median_s); }},
    {"ties_most_s", [](const Result& r) { return value_if(r.ties.runs > 0, r.ties.most_s); }},
    {"repeats", [](const Result& r) { return value_if(r.repeats.runs > 0, r.repeats.runs); }},
    {"least_s", [](const Result& r) { return value_if(r.repeats.runs > 0, r.repeats.least_s); }},
    {"most_s", [](const Result& r) { return value_if(r.repeats.runs > 0, r.repeats.most_s); }},
    {"wall_emit_s", member<&Result::emit_wall_s>},
    {"wall_load_s", member<&Result::load_wall_s>},
    {"wall_simulate_s", member<&Result::simulate_wall_s>},
    {"peak_rss_bytes", member<&Result::peak_rss_bytes>},
});

constexpr auto kHosts = fields<HostSource>({
    {"from", member<&HostSource::from>,
     "Source of the hosts: the name of the file of --hosts, \"--hosts\" for a list, or "
     "\"--placement random:SEED\"."},
    {"ranks_given", [](const HostSource& hosts) { return value_if(hosts.by_rank, hosts.given); },
     at_least(1) | absent, "Number of ranks in a file that has the host of each rank."},
    {"hosts_given", [](const HostSource& hosts) { return value_if(!hosts.by_rank, hosts.given); },
     at_least(1) | absent,
     "Number of hosts in the list, or number of hosts that were drawn. The first of them are "
     "used."},
    {"of_ranks", member<&HostSource::names>, items_from(1), "Name of the host of each rank."},
});

constexpr auto kTies = fields<Result>({
    {"runs", [](const Result& r) { return r.ties.runs; }, at_least(1)},
    {"seed", [](const Result& r) { return r.ties.seed; }},
    {"least_s", [](const Result& r) { return r.ties.least_s; }},
    {"median_s", [](const Result& r) { return r.ties.median_s; }},
    {"most_s", [](const Result& r) { return r.ties.most_s; }},
    {"spread", from<tie_spread>, "(most_s - least_s) / simulated_s."},
});

constexpr auto kRepeats = fields<Repeats>({
    {"runs", member<&Repeats::runs>, at_least(2)},
    {"seed", member<&Repeats::seed>, "Seed of the run that this document reports."},
    {"least_s", member<&Repeats::least_s>},
    {"median_s", member<&Repeats::median_s>},
    {"most_s", member<&Repeats::most_s>},
});

constexpr auto kEngineOrders = fields<EngineComparison>({
    {"runs", [](const EngineComparison& both) { return both.orders.runs; }, at_least(1)},
    {"flow_least_s", [](const EngineComparison& both) { return both.orders.flow_least_s; }},
    {"flow_most_s", [](const EngineComparison& both) { return both.orders.flow_most_s; }},
    {"simgrid_least_s", [](const EngineComparison& both) { return both.orders.simgrid_least_s; }},
    {"simgrid_most_s", [](const EngineComparison& both) { return both.orders.simgrid_most_s; }},
    {"explain",
     [](const EngineComparison& both) {
       return both.orders.overlap() && both.orders.matter(std::max(both.tolerance, 1e-9));
     },
     "True if the orders change a total, and the two ranges overlap: ties explain the difference."},
});

using PublishedRow = PartOf<Result, PublishedCost>;

constexpr auto kPublished = fields<PublishedRow>({
    {kCitationFields, [](const PublishedRow& row) -> const PublishedFormula& { return row.part; }},
    {"seconds", [](const PublishedRow& row) { return row.part.seconds; }},
    {"relative_error",
     [](const PublishedRow& row) {
       return relative_error(row.part.seconds, row.whole.simulated_s);
     },
     any_sign, "(seconds - simulated_s) / simulated_s. null if only simulated_s is 0."},
    {"remark", [](const PublishedRow& row) { return row.part.remark; }},
    {"misprint", [](const PublishedRow& row) { return row.part.misprint(); }},
});

constexpr auto kChain = fields<Result>({
    {"ops", member<&Result::chain_ops>},
    {kSpentFields, [](const Result& r) -> const TimeBySpending& { return r.chain.spent; }},
});

constexpr auto kBestSegment = fields<BestSegment>({
    {"bytes", member<&BestSegment::bytes>},
    {"predicted_s", member<&BestSegment::predicted_s>},
    {"uncut_s", member<&BestSegment::whole_s>},
    {"sizes_tried", member<&BestSegment::tried>},
    {"by_closed_form", member<&BestSegment::by_closed_form>},
});

constexpr auto kWall = fields<Result>({
    {"emit", member<&Result::emit_wall_s>},
    {"load", member<&Result::load_wall_s>},
    {"simulate", member<&Result::simulate_wall_s>},
    {"analyse", member<&Result::other_wall_s>, added_later,
     "Everything else: attempts to simulate one rank for several, the longest path, the critical "
     "chain, the second engine of a comparison, the limit, the run with unlimited ports, and the "
     "runs with other parameters."},
});

constexpr auto kResult = fields<Result>({
    kScalars,
    {"hosts", kHosts, [](const Result& r) { return r.machine.host_source.get(); }, added_later,
     "Hosts of the ranks, if --hosts names them or --placement random draws them; otherwise null."},
    {"job_kinds",
     [](const Result& r) {
       std::vector<std::string> kinds = job_kinds_in_words(r.machine);
       return value_if(!kinds.empty(), std::move(kinds));
     },
     added_later,
     "The kinds of jobs in the file of --parameters to which this job belongs, with their values. "
     "null if there are none."},
    {"barrier",
     [](const Result& r) {
       return value_if(r.machine.spec.after_barrier, barrier_before_call(r.machine));
     },
     added_later, "The barrier before the call, with --after-barrier; otherwise null."},
    {"ties", kTies, [](const Result& r) { return r.ties.runs == 0 ? nullptr : &r; }, added_later,
     "Totals of the run itself and of runs of the same schedule in which the start of each "
     "operation is shifted by up to 1e-12 of simulated_s. If `spread` is more than 0.001, "
     "comparisons and decisions use the median. null if ties were not checked."},
    {"engine_orders", kEngineOrders,
     [](const Result& r) {
       return r.comparison && r.comparison->orders.runs > 0 ? &*r.comparison : nullptr;
     },
     added_later,
     "If the two engines disagree: the totals of both for this schedule and for schedules that "
     "differ from it only in the order in which simultaneous operations start. null if the engines "
     "agree, or if this was not tried."},
    {"engine_rounding",
     [](const Result& r) { return r.comparison ? r.comparison->rounding : std::nullopt; },
     added_later,
     "If the two engines disagree: how much the times of the engine flow change, measured as "
     "engines_differ_by, if each operation takes up to 1e-14 more or less time. Rounding errors "
     "explain the difference if this is at least engines_differ_by. null if the engines agree, or "
     "if this was not tried."},
    {"what_if",
     [](const Result& r) {
       return value_if(!r.machine.spec.what_ifs.empty(), r.machine.spec.what_ifs);
     },
     added_later, "Changes to the platform, as the user gave them. null if there are none."},
    {"repeats", kRepeats,
     [](const Result& r) { return r.repeats.runs == 0 ? nullptr : &r.repeats; }, added_later,
     "Totals of runs with different seeds. simulated_s is their median. null if there was only one "
     "run."},
    {"published", kPublished, [](const Result& r) { return parts_of(r, r.published); },
     "Published formulas that hold for these ranks and options. Misprints are included only with "
     "--misprints."},
    {"critical_chain", kChain, [](const Result& r) -> const Result& { return r; },
     "Number of operations on the critical chain, which is the chain of operations that ends last, "
     "and the seconds spent on each cause. The seconds add up to simulated_s, and are the rows of "
     "the account in tutti-explanation/1."},
    {"best_segment", kBestSegment, member<&Result::best_segment>,
     "Result of --segment auto. null without this option."},
    {"overrides", [](const Result& r) { return overrides_of(r.machine.spec.prices); },
     one_of(kPriceNames) | items_up_to(kPriceNames.size()),
     "Prices of the platform that the user replaced."},
    {"wall_s", kWall, [](const Result& r) -> const Result& { return r; }},
    {"peak_rss_bytes", member<&Result::peak_rss_bytes>},
    // Rows of a comparison have these two fields, and the output of simulate --explain the third.
    {"refused", {.kind = Shape::Kind::null}, {}, "Present in the rows of a comparison."},
    {"failed", {.kind = Shape::Kind::truth}, only_false, "Present in the rows of a comparison."},
    {"explanation",
     {},
     {},
     "The explanation of simulate --explain, in the form tutti-explanation/1 without its result. "
     "Absent without this option."},
});

constexpr auto kRefusal = fields<Result>(
    "A run of a comparison that has no result, because it was refused or has failed. It has the "
    "fields of a result, which are null except for those of the problem.",
    {
        kProblem,
        {"simulated_s", {.kind = Shape::Kind::null}, required, ""},
        {"refused", {.kind = Shape::Kind::text}, required | not_empty, "Why there is no result."},
        {"failed",
         {.kind = Shape::Kind::truth},
         {},
         "True if the run itself was lost, so that this is not a refusal."},
    });

// Returns the row of a table of results. A run without a result has the same fields, which are null
// except for those of the problem.
Json row(const CaseRun& run, const FieldView& fields) {
  const DocumentType type{kResultDocument.schema, {}, fields};
  if (const RunResult* const result = run.outcome.result()) {
    Json json = document_json(type, result);
    json["refused"] = nullptr;
    json["failed"] = false;
    return json;
  }
  RunResult none;
  none.algorithm = run.algorithm;
  none.problem = run.problem;
  Json json{{"schema", nullptr}};
  put_nulls(json, fields);
  json.update(document_json({kResultDocument.schema, {}, kProblem.view()}, &none));
  json["refused"] = or_null(with_fields(run.outcome.why_not()));
  json["failed"] = run.outcome.failure() != nullptr;
  return json;
}

}  // namespace result_fields

}  // namespace

extern const DocumentOf<RunResult> kResultDocument{
    {"tutti-result/1",
     "one simulated run, as written by tutti simulate --json; or the rows of a comparison (cells "
     "of "
     "tutti-comparison/1)",
     result_fields::kResult.view(), result_fields::kRefusal.view()}};

nlohmann::ordered_json result_json(const RunResult& result) {
  return document_json(kResultDocument, result);
}

void write_result_json(const RunResult& result, std::ostream& out) {
  write_document(kResultDocument, result, 2, out);
}

nlohmann::ordered_json result_row_json(const CaseRun& run) {
  return result_fields::row(run, result_fields::kResult.view());
}

void write_result_csv(const RunResult& result, std::ostream& out) {
  write_csv_head(out);
  const Json json =
      document_json({kResultDocument.schema, {}, result_fields::kColumns.view()}, &result);
  out << csv_names_line(json) << csv_values_line(json, json);
}

void write_results_csv(const std::vector<CaseRun>& runs, std::ostream& out) {
  write_csv_head(out);
  out << csv_names_line(result_fields::row(runs.front(), result_fields::kColumns.view()));
  for (const CaseRun& run : runs) {
    const Json json = result_fields::row(run, result_fields::kColumns.view());
    out << csv_values_line(json, json);
  }
}

}}  // namespace tutti::output

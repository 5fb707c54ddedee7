#include "src/output/explanation_json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <ostream>
#include <utility>

#include "base/human.hpp"
#include "src/formats/csv.hpp"
#include "src/formats/json_text.hpp"
#include "src/formats/made_by.hpp"
#include "src/output/common_fields.hpp"
#include "src/output/explanation_text.hpp"
#include "src/output/limit_gap_output.hpp"
#include "src/output/result_json.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/explain/explanation.hpp"

namespace tutti { inline namespace output {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 3> kResourceNames{"outgoing_port", "incoming_port", "core"};
std::string_view name(Resource resource) {
  return kResourceNames[static_cast<std::size_t>(resource)];
}

namespace explanation_fields {

template <typename Row>
using In = PartOf<Explanation, Row>;
using Account = OwnPartOf<Explanation, AccountRow>;
using Wait = OwnPartOf<Explanation, WaitRow>;
using WaitPart = PartOf<Explanation, RowPart>;

// Name of the link that cost the time. Nothing if links cost none; null if the link is unknown.
template <typename Row>
std::optional<std::optional<std::string>> link_of(const Row& row, const Explanation& explanation) {
  if (row.on != Spending::sharing) {
    return std::nullopt;
  }
  const LinkInRun* const known = explanation.link(row.link);
  return known != nullptr ? std::optional(known->link.name) : std::optional<std::string>();
}

// Where the time of a row was spent, and the parameters of the message model that cost it.
template <typename Row>
constexpr auto kPlace = fields<Row>({
    {"link", [](const Row& row) { return link_of(row.part, row.whole); },
     "Name of the link in the platform. Only for sharing. null if the link is unknown."},
    {"host", [](const Row& row) { return value_if(row.part.on == Spending::cores, row.part.link); },
     absent, "Number of the host. Only for cores."},
});
template <typename Row>
constexpr auto kModelPart = fields<Row>({
    {"part",
     [](const Row& row) {
       return value_if(row.part.part != MessagePart::none, name(row.part.part));
     },
     absent,
     "Part of the message model that cost the time, such as handshake. Absent if the platform "
     "alone determines the time."},
    {"parameters",
     [](const Row& row) {
       return value_if(row.part.part != MessagePart::none, parameters_of(row.part.part));
     },
     absent, "Parameters of the message model that determine the time. Present with part."},
});

std::span<const std::string_view> spending_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    TimeBySpending().each([&](Spending on, double) { all.push_back(name(on)); });
    return all;
  }();
  return names;
}

constexpr auto kAccount = fields<Account>({
    {"row", [](const Account& row) { return name(row.part.on); }, one_of(spending_names)},
    {"in_words",
     [](const Account& row) {
       return slowed_in_words(row.part.on, row.part.link, row.part.part, row.whole);
     }},
    kPlace<Account>,
    kModelPart<Account>,
    {"seconds", [](const Account& row) { return row.part.seconds; }},
    {"ops", [](const Account& row) -> const auto& { return row.part.ops; },
     "Operations of the chain that spent the time."},
    {"rounds", [](const Account& row) -> const auto& { return row.part.levels; }},
});

constexpr auto kWaitPart = fields<WaitPart>({
    {"row", [](const WaitPart& row) { return name(row.part.on); }, one_of(spending_names)},
    kPlace<WaitPart>,
    kModelPart<WaitPart>,
    {"seconds", [](const WaitPart& row) { return row.part.seconds; }},
});

constexpr auto kWait = fields<Wait>({
    {"in_words", [](const Wait& row) { return wait_in_words(row.part, row.whole); }},
    {"resource", [](const Wait& row) { return name(row.part.resource); }, one_of(kResourceNames)},
    {"rank", [](const Wait& row) { return row.part.rank; }, "Rank that has the port or the core."},
    {"seconds", [](const Wait& row) { return row.part.seconds; }},
    {"ops", [](const Wait& row) -> const auto& { return row.part.ops; },
     "Operations of the chain that held the port or the core."},
    {"rounds", [](const Wait& row) -> const auto& { return row.part.levels; }},
    {"of_which", kWaitPart, [](const Wait& row) { return parts_of(row.whole, row.part.parts); },
     "Causes on which the operations that held the port or the core spent the time. The largest "
     "comes first."},
});

using StepRow = In<WaterfallStep>;
constexpr std::array kStepKinds{WaterfallStep::Kind::term, WaterfallStep::Kind::difference,
                                WaterfallStep::Kind::subtotal};

bool is_of_cores(const StepRow& row) { return row.part.what == in_words(Spending::cores); }

constexpr auto kStep = fields<StepRow>({
    {"kind", [](const StepRow& row) { return name(row.part.kind); }, one_of(words_of<kStepKinds>)},
    {"what", [](const StepRow& row) -> const auto& { return row.part.what; }},
    {"link",
     [](const StepRow& row) {
       return row.part.link != kNoLink && !is_of_cores(row)
                  ? link_of(RowPart{Spending::sharing, row.part.link}, row.whole)
                  : std::nullopt;
     },
     "Name of the link in the platform. Only for sharing. null if the link is unknown."},
    {"host",
     [](const StepRow& row) {
       return value_if(row.part.link != kNoLink && is_of_cores(row), row.part.link);
     },
     absent, "Number of the host. Only for cores."},
    {"why", [](const StepRow& row) -> const auto& { return row.part.why; }},
    {"seconds", [](const StepRow& row) { return row.part.seconds; }, any_sign,
     "For a subtotal: the sum of the terms and differences before it."},
});

constexpr auto kWaterfall = fields<Explanation>({
    {"formula", [](const Explanation& of) { return text_if_any(of.waterfall.formula); },
     "The published formula from which the steps begin. null if none holds for the problem."},
    {"steps", kStep, [](const Explanation& of) { return parts_of(of, of.waterfall.steps); }},
});

using LinkRow = In<LinkInRun>;

double busy_share(const LinkRow& row) {
  const double total_s = row.whole.account.total_s;
  return total_s == 0 ? 0 : row.part.link.statistics.busy_s / total_s;
}

constexpr auto kLink = fields<LinkRow>({
    {"link", [](const LinkRow& row) -> const auto& { return row.part.link.name; }},
    {"place", [](const LinkRow& row) -> const auto& { return row.part.link.place.name; }},
    {"class", [](const LinkRow& row) -> const auto& { return row.part.link.place.group; }},
    {"capacity_bytes_per_s",
     [](const LinkRow& row) { return row.part.link.statistics.capacity_bytes_per_s; }},
    {"bytes", [](const LinkRow& row) { return row.part.link.statistics.bytes; }},
    {"busy_s", [](const LinkRow& row) { return row.part.link.statistics.busy_s; }},
    {"busy_share", from<busy_share>},
    {"most_at_once", [](const LinkRow& row) { return row.part.link.statistics.most_at_once; }},
    {"lost_on_chain_s", [](const LinkRow& row) { return row.part.lost_on_chain_s; },
     "Time that messages on the critical chain lost to the link. The rows for sharing in `account` "
     "and `waits` include this time."},
    {"lost_s", [](const LinkRow& row) { return row.part.link.statistics.lost_s; },
     "Total time that all messages lost while this link held them back."},
    {"rounds", [](const LinkRow& row) -> const auto& { return row.part.link.levels; },
     "Rounds of the messages that crossed the link. In a schedule with more than 65,536 "
     "operations, only the 64 links with the most lost time, then the most bytes, have this list; "
     "for the other links it is empty."},
    {"senders", [](const LinkRow& row) -> const auto& { return row.part.link.senders; },
     "Ranks whose messages crossed the link. The list is empty for the same links as `rounds`."},
    {"acknowledges", [](const LinkRow& row) { return row.part.link.acknowledges; },
     "True if the link also carries acknowledgements of messages in the other direction (network "
     "model lv08)."},
    {"parallel_links", [](const LinkRow& row) { return row.part.link.place.parallel.count; },
     at_least(1) | added_later,
     "Number of links that connect the same two switches in the same direction, including this "
     "one."},
});

constexpr auto kRank = fields<In<RankSlack>>({
    {"slack_s", [](const In<RankSlack>& row) { return row.part.slack_s; },
     "Least slack of the rank's operations: how much later they could have ended without making "
     "the run longer."},
    {"busy_s", [](const In<RankSlack>& row) { return row.part.busy_s; }},
    {"idle_s",
     [](const In<RankSlack>& row) {
       return std::max(0.0, row.whole.account.total_s - row.part.busy_s);  // below 0 by rounding
     }},
});

constexpr auto kImprovement = fields<Improvement>({
    {"what", member<&Improvement::what>},
    {"what_if", member<&Improvement::what_if>, "Value of --what-if for this change."},
    {"simulated_s", member<&Improvement::simulated_s>},
    {"saved", member<&Improvement::saved>, any_sign | at_most(1),
     "Time saved, as a share of the time without the change: 0.25 is a quarter less. Negative if "
     "the run takes longer."},
    {"ties_s", member<&Improvement::ties_s>,
     "Uncertainty of the saved time due to ties, in either direction. 0 if ties were not checked."},
    {"within_ties", member<&Improvement::within_ties>,
     "True if ties alone may explain the difference."},
});

// An operation of the critical chain.
struct ChainRow {
  const Schedule& schedule;
  const ChainStep& step;

  [[nodiscard]] const Op& op() const { return schedule.op(step.op); }
  [[nodiscard]] bool holds() const { return step.waiter != kNoOp; }
};

constexpr std::array<std::string_view, 4> kOpNames{"message", "reduce", "copy", "calc"};

std::string_view kind_of(const ChainRow& row) {
  return kOpNames[row.op().is_comm()                   ? 0
                  : calculates(row.schedule, row.op()) ? 3
                  : row.op().kind() == OpKind::reduce  ? 1
                                                       : 2];
}

std::vector<ChainRow> chain_of(const Explanation& explanation) {
  std::vector<ChainRow> rows;
  for (const ChainStep& step : explanation.account.chain) {
    rows.push_back({*explanation.run.schedule, step});
  }
  return rows;
}

constexpr auto kChain = fields<ChainRow>({
    {"op", [](const ChainRow& row) { return row.step.op; }},
    {"kind", from<kind_of>, one_of(kOpNames)},
    {"src", [](const ChainRow& row) { return row.op().src(); }},
    {"dst", [](const ChainRow& row) { return row.op().dst(); }},
    {"bytes",
     [](const ChainRow& row) {
       return calculates(row.schedule, row.op()) ? 0 : std::uint64_t{row.op().bytes()};
     }},
    {"round", [](const ChainRow& row) { return row.op().label().level; }},
    {"from_s", [](const ChainRow& row) { return row.step.from_s; }},
    {"until_s", [](const ChainRow& row) { return row.step.until_s; }},
    {"held", [](const ChainRow& row) { return value_if(row.holds(), name(row.step.resource)); },
     one_of(kResourceNames) | absent},
    {"waited_for_by", [](const ChainRow& row) { return value_if(row.holds(), row.step.waiter); },
     absent,
     "The next operation of the chain, which was ready while this operation held the port or the "
     "core. Absent if the next operation depended on this one."},
    {"waited_for_from_s",
     [](const ChainRow& row) { return value_if(row.holds(), row.step.wait_from_s); }, absent},
});

// The parts of a document, which are also documents of their own.
constexpr auto kHead = fields<Explanation>({
    {"total_s", [](const Explanation& of) { return of.account.total_s; },
     "Simulated time of the run."},
    {"sum_s", [](const Explanation& of) { return of.account.sum_s(); },
     "Sum of the seconds of all rows of the account. It equals the simulated time up to a relative "
     "1e-12."},
    kLimitFields,
    {"account", kAccount,
     [](const Explanation& of) { return own_parts_of(of, rows_of(of.account, *of.run.schedule)); },
     "Causes on which the time of the critical chain was spent. The largest comes first."},
    {"waits", kWait,
     [](const Explanation& of) { return own_parts_of(of, waits_of(of.account, *of.run.schedule)); },
     "Ports and cores for which the next operation of the chain waited although it was ready. The "
     "account includes this time. The longest wait comes first."},
    {"waterfall", kWaterfall, [](const Explanation& of) -> const auto& { return of; }},
});
constexpr auto kLinks = fields<Explanation>({
    {"links", kLink, [](const Explanation& of) { return parts_of(of, of.links); },
     "The links that the run used. Those to which the chain lost the most time come first."},
});
constexpr auto kRanks = fields<Explanation>({
    {"ranks", kRank, [](const Explanation& of) { return parts_of(of, of.slack.ranks); }},
    {"improvements", kImprovement,
     [](const Explanation& of) {
       return of.improvements ? std::optional(of.improvements->found) : std::nullopt;
     },
     absent,
     "Changes to the machine that were simulated, best first. Present only if the search for "
     "improvements was made, as tutti explain does for a single run."},
});
constexpr auto kChains = fields<Explanation>({
    {"chain", kChain, from<chain_of>,
     "The operations of the critical chain, in chronological order."},
    {"op_slack_s", [](const Explanation& of) -> const auto& { return of.slack.op_s; },
     "Slack of each operation, by operation id."},
});
constexpr auto kEnd = fields<Explanation>({
    {"slack_is_exact", [](const Explanation& of) { return of.slack.exact; },
     "False if the true slack may be larger, as is possible with several ports."},
});
constexpr auto kWithoutResult = fields<Explanation>({kHead, kLinks, kRanks, kChains, kEnd});
constexpr auto kSummary = fields<Explanation>({kHead, kRanks, kEnd});
constexpr auto kExplanation = fields<Explanation>({
    {"result", [](const Explanation& of) { return result_json(of.run.result); },
     "The run, in the form tutti-result/1."},
    kWithoutResult,
});

template <typename Value>
std::array<Value, 2> pair_of(const Both<Value>& both) {
  return {both.first, both.second};
}

constexpr auto kContrastRow = fields<Contrast::Row>({
    {"what", member<&Contrast::Row::what>},
    {"seconds", [](const Contrast::Row& row) { return pair_of(row.seconds); }},
});
constexpr auto kContrastRound = fields<Contrast::Round>({
    {"end_s",
     [](const Contrast::Round& round) {
       const auto end = [](double end_s) { return value_if(end_s >= 0, end_s); };
       return std::array{end(round.end_s.first), end(round.end_s.second)};
     }},
    {"messages", [](const Contrast::Round& round) { return pair_of(round.messages); }},
    {"bytes", [](const Contrast::Round& round) { return pair_of(round.bytes); }},
});
constexpr auto kContrastLink = fields<Contrast::Link>({
    {"link", member<&Contrast::Link::name>},
    {"place", member<&Contrast::Link::place>},
    {"bytes", [](const Contrast::Link& link) { return pair_of(link.bytes); }},
    {"lost_s", [](const Contrast::Link& link) { return pair_of(link.lost_s); }},
});

constexpr auto kContrast = fields<ContrastAnswer>({
    {"account", kContrastRow,
     [](const ContrastAnswer& of) -> const auto& { return of.contrast.rows; },
     "Seconds that each run spends on each cause. The largest difference comes first."},
    {"rounds", kContrastRound,
     [](const ContrastAnswer& of) -> const auto& { return of.contrast.rounds; },
     "One entry per round, in order. `end_s` is null for a run that has no such round."},
    {"links", kContrastLink,
     [](const ContrastAnswer& of) -> const auto& { return of.contrast.links; },
     "Use of each link in both runs. The largest difference in lost time comes first, then the "
     "largest difference in bytes."},
    {"explanations",
     [](const ContrastAnswer& of) {
       return std::array{document_json(kExplanationDocument, of.first),
                         document_json(kExplanationDocument, of.second)};
     },
     "The explanation of each run, in the form tutti-explanation/1."},
});

}  // namespace explanation_fields

TimelineCounter in_percent(LoadCurve&& curve, const LinkInRun& link) {
  for (auto& [at_s, load] : curve.values) {
    load *= 100;
  }
  return {fmt::format("load of {}, %", link.link.place.name), std::move(curve.values)};
}

}  // namespace

extern const DocumentOf<Explanation> kExplanationDocument{
    {"tutti-explanation/1", "where the time of one run goes, as written by tutti explain --json",
     explanation_fields::kExplanation.view()}};
extern const DocumentOf<ContrastAnswer> kContrastDocument{
    {"tutti-contrast/1",
     "comparison of two explained runs, as written by tutti explain --against --json; each pair "
     "has the value of the first run first",
     explanation_fields::kContrast.view()}};

nlohmann::ordered_json explanation_summary_json(const Explanation& explanation) {
  return document_json({kExplanationDocument.schema, {}, explanation_fields::kSummary.view()},
                       &explanation);
}

void write_explained_result_json(const Explanation& explanation, std::ostream& out) {
  Json json = result_json(explanation.run.result);
  json["explanation"] = document_json(
      {kExplanationDocument.schema, {}, explanation_fields::kWithoutResult.view()}, &explanation);
  write_document(json, 2, out);
}

void write_links_csv(const Explanation& explanation, std::ostream& out) {
  write_csv_head(out);
  constexpr std::size_t kAllRuns = std::size_t{1} << 20U;
  const double total_s = explanation.account.total_s;
  out << "link,place,class,capacity_bytes_per_s,bytes,busy_s,busy_share,most_at_once,"
         "lost_on_chain_s,lost_s,rounds,senders,parallel_links\n";
  for (const LinkInRun& link : explanation.links) {
    const LinkStatistics& figures = link.link.statistics;
    out << fmt::format(
        "{},{},{},{:.9g},{},{:.9g},{:.6f},{},{:.9g},{:.9g},{},{},{}\n", csv_field(link.link.name),
        csv_field(link.link.place.name), csv_field(link.link.place.group),
        figures.capacity_bytes_per_s, figures.bytes, figures.busy_s,
        total_s == 0 ? 0 : figures.busy_s / total_s, figures.most_at_once, link.lost_on_chain_s,
        figures.lost_s, csv_field(runs_in_words(link.link.levels, kAllRuns)),
        csv_field(runs_in_words(link.link.senders, kAllRuns)), link.link.place.parallel.count);
  }
}

TimelineExtras timeline_extras(const Explanation& explanation) {
  TimelineExtras extras;
  const TimeAccount& account = explanation.account;
  auto piece = account.pieces.begin();
  for (std::uint32_t i = 0; i < account.chain.size(); ++i) {
    const ChainStep& step = account.chain[i];
    std::string spent;
    for (; piece != account.pieces.end() && piece->step == i; ++piece) {
      spent += fmt::format("{}{} {}{}", spent.empty() ? "" : ", ",
                           slowed_in_words(piece->on, piece->link, piece->part, explanation),
                           human_time(piece->seconds),
                           piece->waited_for ? " (while the next waited)" : "");
    }
    extras.chain.push_back({step.op, step.from_s, step.until_s, std::move(spent)});
  }
  for (LoadCurve& curve : load_curves(explanation)) {
    extras.loads.push_back(in_percent(std::move(curve), explanation.links[curve.link]));
  }
  return extras;
}

}}  // namespace tutti::output

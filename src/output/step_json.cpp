// The document tutti-step/1.
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/field_names.hpp"
#include "src/output/common_fields.hpp"
#include "src/output/spent_fields.hpp"
#include "src/output/step_experts.hpp"
#include "src/output/step_text.hpp"

namespace tutti { inline namespace output {

namespace { namespace step_fields {

struct GroupOf {
  const StepAnswer* answer;
  std::uint32_t group;

  [[nodiscard]] const StepGroup& of() const { return answer->step.groups[group]; }
  [[nodiscard]] StepRow sum() const { return sum_of_group(answer->step, answer->account, group); }
};
struct CallOf {
  const StepAnswer* answer;
  std::size_t call;

  [[nodiscard]] const StepCall& of() const { return answer->step.calls[call]; }
  [[nodiscard]] const CallChoice& choice() const { return answer->choices[call]; }
};
struct RowOf {
  const StepAnswer* answer;
  const StepRow* row;

  [[nodiscard]] const StepLine& line() const { return answer->step.lines[row->line]; }
};

constexpr auto kAxis = fields<LayoutAxis>({
    {"name", member<&LayoutAxis::name>},
    {"size", member<&LayoutAxis::size>, at_least(1)},
});

constexpr auto kGroup = fields<GroupOf>({
    {"name", [](const GroupOf& of) -> const auto& { return of.of().name; }},
    {"communicators", [](const GroupOf& of) -> const auto& { return of.of().members; },
     "Ranks of each communicator of the group."},
    {"message_s",
     [](const GroupOf& of) {
       const auto& contention = of.answer->contention;
       return contention && contention->known ? std::optional(contention->message_s[of.group])
                                              : std::nullopt;
     },
     "Sum of the times of the group's messages, without latencies. null without --explain, or if "
     "it "
     "is not known."},
    {"last", kSpent, [](const GroupOf& of) { return of.sum().of_last; },
     "At the rank that ends last."},
    {"mean", kSpent, [](const GroupOf& of) { return of.sum().mean; }, "On average over all ranks."},
});

constexpr std::array<std::string_view, 3> kChosenBy{"named", "nccl", "best"};

// Returns all values of call_name().
std::span<const std::string_view> call_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const Collective each : kCollectives) {
      all.push_back(name(each));
    }
    for (const std::string_view other : {"handover", "message", "dispatch", "combine"}) {
      all.push_back(other);
    }
    return all;
  }();
  return names;
}

struct TokensOf {
  const StepAnswer* answer;
  const StepCall* call;
  const CallChoice* choice;
  std::optional<NetworkBytes> network;
};

constexpr auto kTokens = fields<TokensOf>({
    {"routing",
     [](const TokensOf& of) -> const auto& {
       return of.answer->step.routings[of.call->experts->routing].name;
     }},
    {"token_bytes", [](const TokensOf& of) { return of.call->experts->token_bytes; }, at_least(1)},
    {"pieces", [](const TokensOf& of) { return of.call->experts->pieces; },
     "Set if a token crosses the network once per node: the number of pieces in which the tokens "
     "of "
     "a rank are passed on. null if each copy is sent by itself."},
    {"proved", [](const TokensOf& of) { return of.choice->proved; },
     "Whether the schedule that sends tokens once per node is proved. null if it is too large for "
     "a "
     "proof, or if each copy is sent by itself."},
    {"network_bytes",
     [](const TokensOf& of) {
       return of.network ? std::optional(of.network->copies) : std::nullopt;
     },
     "Bytes that a rank sends to other nodes if each copy is sent by itself, on average. null if "
     "the ranks of the group are not on nodes of equal size."},
    {"network_bytes_closed_form",
     [](const TokensOf& of) {
       return of.network ? std::optional(of.network->copies_in_closed_form) : std::nullopt;
     },
     "The same for k (N-1)/N copies of each token."},
    {"network_bytes_once_per_node",
     [](const TokensOf& of) {
       return of.network ? std::optional(of.network->once_per_node) : std::nullopt;
     },
     "Bytes that a rank sends to other nodes if a token crosses the network once per node."},
    {"network_bytes_once_per_node_closed_form",
     [](const TokensOf& of) {
       return of.network ? std::optional(of.network->once_per_node_in_closed_form) : std::nullopt;
     },
     "The same for N (1-(1-1/N)^k) (N-1)/N copies of each token."},
});

std::optional<TokensOf> tokens_of(const CallOf& of) {
  const StepCall& call = of.of();
  const ExpertTraffic& traffic = of.choice().traffic;
  if (traffic.tokens == nullptr) {
    return std::nullopt;
  }
  return TokensOf{
      of.answer, &call, &of.choice(),
      traffic.on_nodes ? std::optional(network_bytes(traffic, *call.experts)) : std::nullopt};
}

constexpr auto kRouting = fields<ExpertRow>({
    {"name", [](const ExpertRow& of) -> const auto& { return of.routing().name; }},
    {"group",
     [](const ExpertRow& of) -> const auto& { return of.answer->step.groups[of.of().group].name; }},
    {"experts", [](const ExpertRow& of) { return of.routing().experts.experts; }, at_least(1)},
    {"top", [](const ExpertRow& of) { return of.routing().experts.top; }, at_least(1),
     "Experts of a token."},
    {"tokens", [](const ExpertRow& of) { return of.routing().experts.tokens; }, at_least(1),
     "Tokens of each rank."},
    {"skew", [](const ExpertRow& of) { return of.routing().experts.skew; }, at_least(0)},
    {"capacity",
     [](const ExpertRow& of) {
       return value_if(of.routing().experts.capacity > 0, of.routing().experts.capacity);
     },
     "Most copies of an expert, as a multiple of the mean. null: no limit."},
    {"most_nodes",
     [](const ExpertRow& of) {
       return value_if(of.routing().experts.most_nodes > 0, of.routing().experts.most_nodes);
     },
     "Most nodes of a token. null: no limit."},
    {"seed", [](const ExpertRow& of) { return of.routing().experts.seed; }},
    {"sent_mean", [](const ExpertRow& of) { return of.mean_sent(); },
     "Copies of tokens that a rank sends, its own included."},
    {"sent_most", [](const ExpertRow& of) { return of.most_sent(); }},
    {"received_mean", [](const ExpertRow& of) { return of.mean_received(); }},
    {"received_most", [](const ExpertRow& of) { return of.most_received(); }},
    {"load", [](const ExpertRow& of) { return of.copies.load(); }, at_least(1),
     "received_most / received_mean"},
    {"dropped", [](const ExpertRow& of) { return of.traffic().tokens->dropped(); },
     "Copies of all ranks that are over the capacity of their expert."},
});

constexpr auto kCall = fields<CallOf>({
    {"collective", [](const CallOf& of) { return call_name(of.of()); }, one_of(call_names),
     "\"handover\": a message from each rank of a stage of a pipeline to another stage. "
     "\"message\": one from a rank to another one, in a trace. "
     "\"dispatch\": tokens go to their experts. \"combine\": their results come back."},
    {"bytes", [](const CallOf& of) { return of.of().bytes; },
     "Size of the full vector. For a dispatch and a combine, that of all copies of a rank's "
     "tokens."},
    {"load", [](const CallOf& of) { return of.of().load; }, at_least(1),
     "What the busiest rank of an alltoall receives, as a multiple of the mean."},
    {"tokens", kTokens, from<tokens_of>, "null unless the call is a dispatch or a combine."},
    {"group",
     [](const CallOf& of) -> const auto& { return of.answer->step.groups[of.of().group].name; }},
    {"root", [](const CallOf& of) { return value_if(has_root(of.of().collective), of.of().root); }},
    {"chosen_by",
     [](const CallOf& of) { return value_if(!of.of().is_handover(), name(of.choice().by)); },
     one_of(kChosenBy), "null for a handover or a message."},
    {"algorithm", [](const CallOf& of) { return text_if_any(of.choice().algorithm); },
     "The algorithm and its options. null in a group with one rank, where nothing happens."},
    {"library", [](const CallOf& of) { return text_if_any(of.choice().library); },
     "NCCL's choice in its own words. null if NCCL does not choose."},
    {"note", [](const CallOf& of) { return text_if_any(with_fields(of.choice().note)); },
     "Why something else runs than asked for."},
    {"alone_s", [](const CallOf& of) { return of.choice().alone_s; },
     "Time on the first communicator, or of the first message, while nothing else runs."},
    {"model_s", [](const CallOf& of) { return of.choice().model_s; },
     "Time there by NCCL's cost model. null if NCCL does not choose, or has no model of the call."},
    {"limit_s", [](const CallOf& of) { return of.choice().limit_s; },
     "Least time of any schedule there. null if it is unknown."},
});

constexpr auto kRow = fields<RowOf>({
    {"line", [](const RowOf& of) { return of.line().number; }, at_least(1)},
    {"statement", [](const RowOf& of) -> const auto& { return of.line().text; }},
    {"call", [](const RowOf& of) { return of.row->call; },
     "Index into `calls`. null for computing."},
    {"times", [](const RowOf& of) { return of.row->times; }, at_least(1)},
    {"last", kSpent, [](const RowOf& of) -> const auto& { return of.row->of_last; }},
    {"mean", kSpent, [](const RowOf& of) -> const auto& { return of.row->mean; }},
});

constexpr auto kSimai = fields<SimaiComparison>({
    {"gpus_per_node", [](const SimaiComparison& of) { return of.machine.gpus_per_node; }},
    {"nics_per_node", [](const SimaiComparison& of) { return of.machine.nics_per_node; }},
    {"nvlink_gb_per_s", [](const SimaiComparison& of) { return of.machine.nvlink_gb_per_s; }},
    {"nic_gb_per_s", [](const SimaiComparison& of) { return of.machine.nic_gb_per_s; }},
    {"computing_s", [](const SimaiComparison& of) { return of.totals.computing_s; }},
    {"dp_s", [](const SimaiComparison& of) { return of.totals.dp_s; },
     "Exposed communication of the group, like the three fields below."},
    {"dp_ep_s", [](const SimaiComparison& of) { return of.totals.dp_ep_s; }},
    {"tp_s", [](const SimaiComparison& of) { return of.totals.tp_s; }},
    {"ep_s", [](const SimaiComparison& of) { return of.totals.ep_s; }},
    {"bubble_s", [](const SimaiComparison& of) { return of.totals.bubble_s; }},
    {"total_s", [](const SimaiComparison& of) { return of.totals.total_s(); }},
});

std::vector<GroupOf> groups_of(const StepAnswer& answer) {
  std::vector<GroupOf> all;
  for (std::uint32_t group = 0; group < answer.step.groups.size(); ++group) {
    all.push_back({&answer, group});
  }
  return all;
}
std::vector<CallOf> calls_of(const StepAnswer& answer) {
  std::vector<CallOf> all;
  for (std::size_t call = 0; call < answer.choices.size(); ++call) {
    all.push_back({&answer, call});
  }
  return all;
}
std::vector<RowOf> rows_of(const StepAnswer& answer) {
  std::vector<RowOf> all;
  for (const StepRow& row : answer.account.rows) {
    all.push_back({&answer, &row});
  }
  return all;
}

struct ChangeOf {
  const StepAnswer* answer;
  const StepChange* change;
};

constexpr std::array<std::string_view, 5> kChangeKinds{"free", "limit", "next", "blocking",
                                                       "links"};

constexpr auto kChange = fields<ChangeOf>({
    {"kind", [](const ChangeOf& of) { return name(of.change->kind); }, one_of(kChangeKinds),
     "\"free\": the collectives take no time, but still wait for their ranks. \"limit\": their "
     "messages are so much shorter that they take limit_s alone. \"next\": they run with the next "
     "best algorithm. \"blocking\": computing waits for them. \"links\": links have twice the "
     "bandwidth."},
    {"row", [](const ChangeOf& of) { return of.change->row; },
     "Index into `rows`: the collectives that are changed. null: those of a group, or links."},
    {"group",
     [](const ChangeOf& of) {
       return text_if_any(of.change->group ? of.answer->step.groups[*of.change->group].name : "");
     },
     "All collectives of this group are changed. null: those of a row, or links."},
    {"what", [](const ChangeOf& of) { return text_if_any(of.change->what); },
     "The next algorithm, or the class of links. null for other kinds."},
    {"in_words", [](const ChangeOf& of) { return change_in_words(*of.answer, *of.change); }},
    {"total_s", [](const ChangeOf& of) { return of.change->total_s; },
     "Time of the changed step, which was simulated."},
    {"won_s", [](const ChangeOf& of) { return of.answer->account.total_s - of.change->total_s; },
     any_sign, "How much shorter the step is. Negative if it is longer."},
});

std::vector<ChangeOf> changes_in(const StepAnswer& answer) {
  std::vector<ChangeOf> all;
  if (answer.changes) {
    for (const StepChange& change : answer.changes->found) {
      all.push_back({&answer, &change});
    }
  }
  return all;
}

struct LossOf {
  const StepAnswer* answer;
  const GroupLoss* loss;
};

constexpr auto kLoss = fields<LossOf>({
    {"group",
     [](const LossOf& of) -> const auto& { return of.answer->step.groups[of.loss->group].name; },
     "Whose messages lose time."},
    {"other",
     [](const LossOf& of) {
       return text_if_any(of.loss->other ? of.answer->step.groups[*of.loss->other].name : "");
     },
     "Whose messages the same link holds back meanwhile. null: none, because other links slow them "
     "more."},
    {"links", [](const LossOf& of) -> const auto& { return of.loss->links; }, "Class of links."},
    {"worst", [](const LossOf& of) -> const auto& { return of.loss->worst; },
     "Link of the class on which most time is lost."},
    {"lost_s", [](const LossOf& of) { return of.loss->lost_s; },
     "Sum over all messages, compared with messages alone."},
});

std::vector<LossOf> losses_in(const StepAnswer& answer) {
  std::vector<LossOf> all;
  if (answer.contention) {
    for (const GroupLoss& each : answer.contention->losses) {
      all.push_back({&answer, &each});
    }
  }
  return all;
}

struct SliceOf {
  const StepAnswer* answer;
  StreamSlice slice;
};
struct StreamsOf {
  const StepAnswer* answer;
  const RankStreams* streams;
};

constexpr std::array<std::string_view, 4> kStreamKinds{"computing", "collectives", "sent",
                                                       "received"};

constexpr auto kSlice = fields<SliceOf>({
    {"kind",
     [](const SliceOf& of) { return kStreamKinds[static_cast<std::size_t>(of.slice.kind)]; },
     one_of(kStreamKinds), "\"sent\" and \"received\": messages between stages."},
    {"group",
     [](const SliceOf& of) {
       return text_if_any(of.slice.group ? of.answer->step.groups[*of.slice.group].name : "");
     },
     "null for computing."},
    {"row", [](const SliceOf& of) { return of.slice.row; },
     "Index into `rows`; of the first statement."},
    {"count", [](const SliceOf& of) { return of.slice.count; }, at_least(1),
     "Number of statements. Short ones that follow each other are one slice."},
    {"start_s", [](const SliceOf& of) { return of.slice.start_s; }},
    {"end_s", [](const SliceOf& of) { return of.slice.end_s; }},
    {"busy_s", [](const SliceOf& of) { return of.slice.busy_s; },
     "Sum of the times of the statements."},
});

std::vector<SliceOf> slices_in(const StreamsOf& of) {
  constexpr double kParts = 800;  // of the step; shorter slices are joined
  std::vector<SliceOf> all;
  for (const StreamSlice& slice :
       joined_slices(of.streams->slices, of.answer->account.total_s / kParts)) {
    all.push_back({of.answer, slice});
  }
  return all;
}

constexpr auto kStreams = fields<StreamsOf>({
    {"rank", [](const StreamsOf& of) { return of.streams->rank; }},
    {"stage",
     [](const StreamsOf& of) {
       const auto& stages = of.answer->step.stage_of_rank;
       return stages.empty() ? std::nullopt : std::optional(stages[of.streams->rank]);
     },
     "Stage of the pipeline. null without a pipeline."},
    {"slices", kSlice, from<slices_in>, "By stream, in order of time."},
});

std::vector<StreamsOf> streams_in(const StepAnswer& answer) {
  std::vector<StreamsOf> all;
  for (const RankStreams& each : answer.streams) {
    all.push_back({&answer, &each});
  }
  return all;
}

constexpr auto kStep = fields<StepAnswer>({
    {"name", [](const StepAnswer& of) -> const auto& { return of.step.name; }},
    {"ranks", [](const StepAnswer& of) { return of.step.ranks; }, at_least(1)},
    {"layout", kAxis, [](const StepAnswer& of) -> const auto& { return of.step.layout; },
     "The axes. In the number of a rank, the first one changes fastest."},
    {"platform", [](const StepAnswer& of) -> const auto& { return of.facts.facts.name; }},
    {"notes", [](const StepAnswer& of) -> const auto& { return of.step.notes; },
     "Sentences on how the file was read."},
    {"operations", [](const StepAnswer& of) { return of.work.ops; }},
    {"messages", [](const StepAnswer& of) { return of.work.messages; }},
    {"simulated_ranks", [](const StepAnswer& of) { return of.work.simulated_ranks; }, at_least(1),
     "Fewer than `ranks` if replicas of a part of the step do the same at the same time."},
    {"simulated_operations", [](const StepAnswer& of) { return of.work.simulated_ops; },
     "Fewer than `operations` if replicas or repeated iterations were multiplied."},
    {"engines_differ",
     [](const StepAnswer& of) {
       return of.comparison ? std::optional(of.comparison->worst) : std::nullopt;
     },
     "With both engines: largest difference in the start or the end of an operation, as a share of "
     "the total time."},
    {"total_s", [](const StepAnswer& of) { return of.account.total_s; }, "Time of the step."},
    {"limit_s", [](const StepAnswer& of) { return of.limit_s; },
     "A time below which no run of the description is, whatever the algorithms: the longest path "
     "through computing, waits for the beginning of other ranks, and collectives at limit_s."},
    {"last_rank", [](const StepAnswer& of) { return of.account.last; }, "The rank that ends last."},
    {"last", kSpent, [](const StepAnswer& of) -> const auto& { return of.account.of_last; },
     "What this rank spends: computing_s, core_wait_s and exposed_s add up to total_s."},
    {"mean", kSpent, [](const StepAnswer& of) -> const auto& { return of.account.mean; },
     "The same on average over all ranks."},
    {"groups", kGroup, from<groups_of>},
    {"calls", kCall, from<calls_of>, "Collectives that differ, and their algorithms."},
    {"routings", kRouting, from<expert_rows>,
     "How tokens of a mixture of experts go to their experts, in each communicator of a group."},
    {"rows", kRow, from<rows_of>,
     "What each statement takes. A statement with several sizes has a row for each. The times of "
     "all rows add up to `last` and `mean`."},
    {"changes", kChange, from<changes_in>,
     "The step with one change at a time, the shortest first. Empty without --what-if."},
    {"contention", kLoss, from<losses_in>,
     "What the messages of groups lose to each other, most first. Empty without --explain."},
    {"streams", kStreams, from<streams_in>,
     "What the streams of some ranks do, and when: the first rank of each stage, and the one that "
     "ends last. Empty without --streams and --timeline."},
    {"not_compared",
     [](const StepAnswer& of) {
       return of.changes ? of.changes->not_compared : std::vector<std::string>();
     },
     "What was not simulated for `changes`, and why."},
    {"simai", kSimai, [](const StepAnswer& of) { return of.simai ? &*of.simai : nullptr; },
     "Totals of SimAI's analytical mode on the same nodes. null if the file is not a workload of "
     "SimAI, or if its formulas have no result."},
});

}}  // namespace ::step_fields

extern const DocumentOf<StepAnswer> kStepDocument{
    {"tutti-step/1", "the time of a training step, as written by tutti step --json",
     step_fields::kStep.view()}};

}}  // namespace tutti::output

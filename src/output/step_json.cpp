// The document tutti-step/1.
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/field_names.hpp"
#include "src/output/common_fields.hpp"
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

constexpr auto kSpent = fields<SpentTime>({
    {"computing_s", member<&SpentTime::computing_s>},
    {"slowed_s", member<&SpentTime::slowed_s>,
     "Part of computing_s: by how much communication beside it makes it longer."},
    {"core_wait_s", member<&SpentTime::core_wait_s>,
     "Computing that waits for the core, on which a collective reduces."},
    {"exposed_s", member<&SpentTime::exposed_s>, "Communication for which computing waits."},
    {"hidden_s", member<&SpentTime::hidden_s>,
     "Communication beside computing or other communication."},
});

constexpr auto kAxis = fields<LayoutAxis>({
    {"name", member<&LayoutAxis::name>},
    {"size", member<&LayoutAxis::size>, at_least(1)},
});

constexpr auto kGroup = fields<GroupOf>({
    {"name", [](const GroupOf& of) -> const auto& { return of.of().name; }},
    {"communicators", [](const GroupOf& of) -> const auto& { return of.of().members; },
     "Ranks of each communicator of the group."},
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
    all.emplace_back("handover");
    return all;
  }();
  return names;
}

constexpr auto kCall = fields<CallOf>({
    {"collective", [](const CallOf& of) { return call_name(of.of()); }, one_of(call_names),
     "\"handover\": a message from each rank of a stage of a pipeline to another stage."},
    {"bytes", [](const CallOf& of) { return of.of().bytes; }, "Size of the full vector."},
    {"group",
     [](const CallOf& of) -> const auto& { return of.answer->step.groups[of.of().group].name; }},
    {"root", [](const CallOf& of) { return value_if(has_root(of.of().collective), of.of().root); }},
    {"chosen_by",
     [](const CallOf& of) { return value_if(!of.of().is_handover(), name(of.choice().by)); },
     one_of(kChosenBy), "null for a handover."},
    {"algorithm", [](const CallOf& of) { return text_if_any(of.choice().algorithm); },
     "The algorithm and its options. null in a group with one rank, where nothing happens."},
    {"library", [](const CallOf& of) { return text_if_any(of.choice().library); },
     "NCCL's choice in its own words. null if NCCL does not choose."},
    {"note", [](const CallOf& of) { return text_if_any(with_fields(of.choice().note)); },
     "Why something else runs than asked for."},
    {"alone_s", [](const CallOf& of) { return of.choice().alone_s; },
     "Time on the first communicator, while nothing else runs."},
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
    {"last_rank", [](const StepAnswer& of) { return of.account.last; }, "The rank that ends last."},
    {"last", kSpent, [](const StepAnswer& of) -> const auto& { return of.account.of_last; },
     "What this rank spends: computing_s, core_wait_s and exposed_s add up to total_s."},
    {"mean", kSpent, [](const StepAnswer& of) -> const auto& { return of.account.mean; },
     "The same on average over all ranks."},
    {"groups", kGroup, from<groups_of>},
    {"calls", kCall, from<calls_of>, "Collectives that differ, and their algorithms."},
    {"rows", kRow, from<rows_of>,
     "What each statement takes. A statement with several sizes has a row for each. The times of "
     "all rows add up to `last` and `mean`."},
    {"simai", kSimai, [](const StepAnswer& of) { return of.simai ? &*of.simai : nullptr; },
     "Totals of SimAI's analytical mode on the same nodes. null if the file is not a workload of "
     "SimAI, or if its formulas have no result."},
});

}}  // namespace ::step_fields

extern const DocumentOf<StepAnswer> kStepDocument{
    {"tutti-step/1", "the time of a training step, as written by tutti step --json",
     step_fields::kStep.view()}};

}}  // namespace tutti::output

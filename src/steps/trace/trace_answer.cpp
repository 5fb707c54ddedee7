#include "src/steps/trace/trace_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "src/simulation/engine_run.hpp"
#include "src/steps/algorithm_rules.hpp"
#include "src/steps/trace/trace_account.hpp"

namespace tutti { inline namespace steps {

namespace {

// The calls of a trace. Rows and lines have the same numbers as the calls; computing comes last.
class TraceCalls {
 public:
  TraceCalls(const ChakraTrace& trace, const TraceMatches& matches, TraceSizes sizes)
      : trace_(trace), sizes_(sizes) {
    step_.file = printable(trace.file);
    step_.name = "Chakra trace";
    step_.ranks = static_cast<std::uint32_t>(trace.ranks.size());
    step_.notes = trace.notes;
    for (const TraceGroup& group : trace.groups) {
      group_of_.push_back(place_group(group));
    }
    for (const TraceMatch& match : matches.matches) {
      call_of_.push_back(match.group == kNoMatch ? message(match) : collective(match));
    }
    const bool rooted = std::ranges::any_of(
        step_.calls, [](const StepCall& call) { return has_root(call.collective); });
    if (rooted) {
      step_.notes.emplace_back(
          "a trace does not name the root of a collective; the first rank of the group is taken");
    }
    step_.lines.push_back({first_computing(), "computing"});
  }

  StepDescription step_;
  std::vector<std::uint32_t> call_of_;  // of each match

 private:
  // Returns the group with this name. Groups of a name with the same size, and without a common
  // rank, are the communicators of one.
  std::uint32_t place_group(const TraceGroup& group) {
    std::vector<std::uint32_t>& alike = alike_[{group.name, group.members.size()}];
    const auto found = std::ranges::find_if(alike, [&](std::uint32_t each) {
      return std::ranges::none_of(group.members,
                                  [&](Rank rank) { return ranks_of_[each].contains(rank); });
    });
    const auto number =
        found == alike.end() ? static_cast<std::uint32_t>(step_.groups.size()) : *found;
    if (found == alike.end()) {
      alike.push_back(number);
      step_.groups.push_back({group.name, {}});
      ranks_of_.emplace_back();
    }
    step_.groups[number].members.push_back(group.members);
    ranks_of_[number].insert(group.members.begin(), group.members.end());
    return number;
  }

  // Returns the position of the first calculation in the file of the first rank that has one.
  [[nodiscard]] std::uint32_t first_computing() const {
    for (const TraceRank& rank : trace_.ranks) {
      const auto found = std::ranges::find(rank.nodes, TraceNode::Kind::compute, &TraceNode::kind);
      if (found != rank.nodes.end()) {
        return static_cast<std::uint32_t>(found - rank.nodes.begin()) + 1;
      }
    }
    return 0;  // there is no row of computing
  }

  std::uint32_t collective(const TraceMatch& match) {
    const TraceGroup& group = trace_.groups[match.group];
    const TraceNode& node = trace_.ranks[group.members.front()].nodes[match.nodes.front()];
    const bool of_rank = sizes_ == TraceSizes::input && (node.collective == Collective::allgather ||
                                                         node.collective == Collective::gather);
    const std::uint64_t times = of_rank ? group.members.size() : 1;
    if (match.comm_size > kMaxMessageBytes / times) {
      throw UserError(fmt::format("{}: {} bytes in all; the maximum is {}",
                                  place_of(trace_, group.members.front(), match.nodes.front()),
                                  match.comm_size * times, kMaxMessageBytes));
    }
    StepCall call;
    call.collective = node.collective;
    call.bytes = match.comm_size * times;
    call.group = group_of_[match.group];
    const std::string size =
        call.collective == Collective::barrier ? "" : fmt::format(" whole {}B", call.bytes);
    return index_of(call, match.nodes.front(),
                    fmt::format("{}{} on {}", name(call.collective), size, group.name));
  }

  std::uint32_t message(const TraceMatch& match) {
    if (messages_ == kNoMatch) {
      messages_ = static_cast<std::uint32_t>(step_.groups.size());
      std::vector<Rank> all(step_.ranks);
      std::iota(all.begin(), all.end(), Rank{0});
      step_.groups.push_back({"messages", {std::move(all)}});
    }
    StepCall call;
    call.collective = Collective::application;
    call.bytes = match.comm_size;
    call.group = messages_;
    call.message = {match.src, match.dst};
    return index_of(call, match.nodes.front(), fmt::format("message {}B", call.bytes));
  }

  std::uint32_t index_of(const StepCall& call, std::uint32_t node, std::string text) {
    const auto index = static_cast<std::uint32_t>(step_.calls.size());
    const auto [found, is_new] =
        numbers_.try_emplace({call.collective, call.bytes, call.group}, index);
    if (is_new) {
      step_.calls.push_back(call);
      step_.lines.push_back({node + 1, std::move(text)});
      StepAction action;
      action.kind = StepAction::Kind::collective;
      action.line = action.what = index;
      step_.actions.push_back(action);
    }
    return found->second;
  }

  const ChakraTrace& trace_;
  TraceSizes sizes_;
  std::vector<std::uint32_t> group_of_;  // of each of the trace's groups
  // Groups by name and size, and the ranks of each group.
  std::map<std::pair<std::string, std::size_t>, std::vector<std::uint32_t>> alike_;
  std::vector<std::unordered_set<Rank>> ranks_of_;
  std::uint32_t messages_ = kNoMatch;  // the group of all messages
  std::map<std::tuple<Collective, std::uint64_t, std::uint32_t>, std::uint32_t> numbers_;
};

}  // namespace

StepAnswer answer_of(const ChakraTrace& trace, TraceSizes sizes, std::string_view rules,
                     StepMachine machine) {
  const TraceMatches matches = matches_of(trace);
  TraceCalls calls(trace, matches, sizes);
  StepAnswer answer;
  answer.step = std::move(calls.step_);
  answer.machine = std::move(machine);
  add_algorithm_rules("$algorithm", rules, answer.step);
  answer.choices = choose_algorithms(answer.step, answer.machine);
  CallParts parts_of_calls = parts_of(answer.choices, answer.machine);
  std::vector<SharedPart> parts;
  for (std::size_t call = 0; call < answer.choices.size(); ++call) {
    parts.push_back(answer.choices[call].run ? parts_of_calls.whole(call) : nullptr);
  }
  const TraceSchedule schedule = schedule_of(trace, matches, calls.call_of_, parts);
  if (schedule.schedule.size() == 0) {
    throw UserError(fmt::format("'{}': nothing takes time", printable(trace.file)));
  }
  answer.work.ops = answer.work.simulated_ops = schedule.schedule.size();
  answer.work.messages = schedule.schedule.messages();
  answer.work.simulated_ranks = answer.step.ranks;
  const EngineRun run = run_engine(schedule.schedule, answer.machine.machine);
  answer.facts = run.machine;
  answer.comparison = run.comparison;
  std::vector<StepRow> rows;
  for (std::uint32_t line = 0; line < answer.step.lines.size(); ++line) {
    StepRow row;
    row.line = line;
    if (line < answer.step.calls.size()) {
      row.call = line;
    }
    rows.push_back(row);
  }
  answer.account =
      account_of(trace, matches, calls.call_of_, static_cast<std::uint32_t>(rows.size() - 1), rows,
                 schedule, run.timeline);
  return answer;
}

}}  // namespace tutti::steps

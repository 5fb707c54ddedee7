#include "src/steps/choices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/nearest.hpp"
#include "base/plural.hpp"
#include "schedules/registry.hpp"
#include "schedules/run_words.hpp"
#include "src/experiments/compare/comparison.hpp"
#include "src/experiments/decisions/nccl_grouped.hpp"
#include "src/experiments/decisions/table_run.hpp"
#include "src/requests/common_options.hpp"
#include "src/simulation/machine_bound.hpp"
#include "src/steps/step_run.hpp"

namespace tutti { inline namespace steps {

namespace {

using By = AlgorithmRule::By;

class Chooser {
 public:
  Chooser(const StepDescription& step, const StepMachine& machine, const StepCall& call,
          ExpertTraffics& traffics, bool with_next)
      : step_(step),
        machine_(machine),
        call_(call),
        with_next_(with_next),
        members_(step.groups[call.group].members.front()),
        traffics_(traffics),
        collective_(call.collective) {}

  CallChoice choose() {
    if (call_.is_handover()) {
      take(message());
      choice_.by = By::name;
      choice_.algorithm = "a message";
      return std::move(choice_);
    }
    const AlgorithmRule* const rule = step_.rule_for(call_);
    choice_.by = rule != nullptr ? rule->by : machine_.gpus ? By::nccl : By::best;
    if (members_.size() == 1) {
      return std::move(choice_);
    }
    try {
      give_pairs();
      if (call_.experts && call_.experts->pieces) {
        take_once_per_node();
        return std::move(choice_);
      }
      if (choice_.by == By::name) {
        take(named(rule->words));
      } else if (choice_.by == By::best || !take_nccl(rule)) {
        take_best();
      }
    } catch (const UserError& error) {
      const std::uint32_t line = rule != nullptr ? rule->line : line_of_call();
      throw UserError(fmt::format("{}: {}", place_in_file(step_.file, line), error.what()));
    }
    choice_.limit_s = Limits(machine_of_members(machine_, members_)).of(limited_problem());
    return std::move(choice_);
  }

 private:
  [[nodiscard]] std::uint32_t ranks() const { return static_cast<std::uint32_t>(members_.size()); }

  // Returns the line of the call, if no rule does.
  [[nodiscard]] std::uint32_t line_of_call() const {
    for (const StepAction& action : step_.actions) {
      if (action.calls() && step_.calls[action.what] == call_) {
        return step_.lines[action.line].number;
      }
    }
    return 0;
  }

  [[nodiscard]] ProblemTemplate problem_template() const {
    ProblemTemplate made;
    made.element_bytes =
        call_.bytes % machine_.plain.element_bytes == 0 ? machine_.plain.element_bytes : 1;
    if (has_root(call_.collective)) {
      made.root = call_.root;
    }
    made.ranks_per_host = ranks_on_each_node(machine_, members_).value_or(1);
    return made;
  }

  [[nodiscard]] Problem limited_problem() const {
    const ProblemTemplate made = problem_template();
    Problem problem;
    problem.collective = collective_;
    problem.ranks = ranks();
    problem.bytes = call_.bytes;
    problem.element_bytes = made.element_bytes;
    problem.root = call_.root;
    return with_pairs(std::move(problem));
  }

  // Finds out what each rank sends to each other one, if this differs. The call is then an
  // alltoallv.
  void give_pairs() {
    if (call_.experts) {
      choice_.traffic = traffics_.of(step_, machine_, call_);
      pair_bytes_ = bytes_of_copies(*choice_.traffic.tokens, *call_.experts);
    } else if (call_.load != 1) {
      const std::uint32_t element_bytes = problem_template().element_bytes;
      pair_bytes_ = loaded_blocks(ranks(), call_.bytes / element_bytes, element_bytes, call_.load);
    }
    collective_ = pair_bytes_.empty() ? call_.collective : Collective::alltoallv;
  }

  [[nodiscard]] Problem with_pairs(Problem problem) const {
    if (!pair_bytes_.empty()) {
      problem.block_bytes = pair_bytes_;
      const auto most = largest_buffer(pair_bytes_, ranks());
      if (!most) {
        throw UserError("a rank sends or receives more than 16 TiB");
      }
      problem.bytes = *most;
      if (call_.experts) {
        problem.element_bytes = 1;
      }
    }
    return problem;
  }

  // Takes the schedule in which each token crosses the network once per node.
  void take_once_per_node() {
    const ExpertCall& call = *call_.experts;
    CallRun run;
    run.tokens = choice_.traffic.tokens;
    run.exchange = {call.phase, call.token_bytes, *call.pieces};
    run.problem.collective = call_.collective;
    run.problem.ranks = ranks();
    run.problem.bytes = call_.bytes;
    choice_.by = By::name;
    choice_.alone_s = time_alone_s(run, machine_, members_);
    choice_.algorithm = fmt::format("once per node in {}", number_of(*call.pieces, "piece"));
    choice_.proved = proof_of_tokens(*run.tokens, call);
    choice_.run = std::move(run);
  }

  // Simulates an algorithm alone.
  [[nodiscard]] OtherAlgorithm simulated(const CallRun& ready) const {
    const std::vector<Rank> members =
        call_.message ? std::vector<Rank>(call_.message->begin(), call_.message->end())
                      : std::vector<Rank>(members_.begin(), members_.begin() + ready.problem.ranks);
    OtherAlgorithm made;
    made.run = ready;
    made.alone_s = time_alone_s(ready, machine_, members);
    made.algorithm = std::string(ready.algorithm->name);
    Problem written = ready.problem;
    written.block_bytes.clear();
    if (const std::string options = options_text(*ready.algorithm, written); !options.empty()) {
      made.algorithm += " " + options;
    }
    return made;
  }

  // Simulates an algorithm alone, and keeps it if it is the first or the fastest so far. Keeps the
  // second fastest as the next one.
  void take(const CallRun& ready) {
    const OtherAlgorithm made = simulated(ready);
    const bool first = !choice_.run;
    const OtherAlgorithm before{choice_.algorithm, "", choice_.run.value_or(CallRun()),
                                choice_.alone_s};
    const bool fastest = first || made.alone_s < choice_.alone_s;
    if (fastest) {
      choice_.run = made.run;
      choice_.alone_s = made.alone_s;
      choice_.algorithm = made.algorithm;
    }
    const OtherAlgorithm& slower = fastest ? before : made;
    if (with_next_ && !first && (!choice_.next || slower.alone_s < choice_.next->alone_s)) {
      choice_.next = slower;
    }
  }

  // Returns a message between two ranks.
  [[nodiscard]] CallRun message() const {
    const Algorithm& algorithm = algorithm_of(Collective::bcast, "linear");
    ProblemTemplate made = problem_template();
    return {&algorithm, made.problem(algorithm, 2, call_.bytes)};
  }

  // Reads the name of an algorithm and its options, as on the command line.
  [[nodiscard]] CallRun named(const std::vector<std::string>& words) const {
    const Algorithm& algorithm = algorithm_of(collective_, words.front());
    ProblemTemplate made = problem_template();
    std::vector<std::string> flags;
    for (const OptionType* type : option_types()) {
      if (takes(algorithm, type->option) && type->option != Option::block_sizes) {
        flags.emplace_back(type->flag());
      }
    }
    for (std::size_t i = 1; i < words.size(); i += 2) {
      const auto found = std::ranges::find(flags, words[i]);
      if (found == flags.end() || i + 1 == words.size()) {
        throw UserError(
            found != flags.end() ? fmt::format("{} needs a value", words[i])
            : flags.empty()
                ? fmt::format("'{}': {} takes no options", words[i], algorithm.full_name())
                : fmt::format("'{}': {}", words[i], accepted_words(words[i], flags)));
      }
      const auto type = std::ranges::find(option_types(), words[i], &OptionType::flag);
      made.options.parse(**type, field_of(words[i]), words[i + 1], collective_);
    }
    CallRun ready{&algorithm, with_pairs(made.problem(algorithm, ranks(), call_.bytes))};
    check(algorithm, ready.problem);
    return ready;
  }

  void take_best() {
    choice_.by = By::best;
    std::string refusal;
    for (const Algorithm* algorithm : algorithms_to_compare(collective_, machine_.opened)) {
      try {
        CallRun ready{algorithm,
                      with_pairs(problem_template().problem(*algorithm, ranks(), call_.bytes))};
        check(*algorithm, ready.problem);
        take(ready);
      } catch (const UserError& error) {
        refusal = error.what();
      }
    }
    if (!choice_.run) {
      throw UserError(refusal);
    }
  }

  // Takes NCCL's choice. Returns false if nothing asks for it and NCCL has none.
  bool take_nccl(const AlgorithmRule* rule) {
    try {
      take(of_nccl(rule));
      return true;
    } catch (const UserError& error) {
      if (rule != nullptr) {
        throw;
      }
      choice_ = CallChoice();  // without what is known of the choice that cannot run
      choice_.note = fmt::format("no choice of NCCL's: {}", error.what());
      return false;
    }
  }

  [[nodiscard]] CallRun of_nccl(const AlgorithmRule* rule) {
    if (!machine_.gpus) {
      throw UserError(
          "NCCL chooses for GPUs only; give a platform of 'tutti platform gpu', or $gpu without "
          "$platform");
    }
    const auto per_node = ranks_on_each_node(machine_, members_);
    if (!per_node) {
      throw UserError(fmt::format("the nodes have different numbers of ranks of group {}",
                                  step_.groups[call_.group].name));
    }
    NcclOptions gpus = *machine_.gpus;
    if (rule != nullptr && !rule->words.empty()) {
      gpus.release = parse_nccl_release("release", rule->words.front());
    }
    const NcclJob job = gpus.job_of_communicator(ranks(), *per_node);
    choice_.by = By::nccl;
    if (!nccl_grouped_call(collective_).empty()) {
      const NcclAnswer answer = nccl_grouped_answer(job, collective_, call_.bytes);
      choice_.library = fmt::format("{}, grouped sends and receives", job.cluster.release->title());
      return ready_of(job, answer.grouped->schedule, 1);
    }
    NcclAnswer answer = nccl_answer(job, call_.collective, call_.bytes);
    const NcclWay& way = simulated_way(answer);
    if (const NcclWay* const next = with_next_ ? fastest_way(answer, &way) : nullptr) {
      choice_.next = simulated(ready_of_way(job, *next));
      choice_.next->library =
          fmt::format("{} with {}", name(next->algorithm), name(next->protocol));
    }
    return ready_of_way(job, way);
  }

  [[nodiscard]] CallRun ready_of_way(const NcclJob& job, const NcclWay& way) const {
    return ready_of(job, way.schedule.choice, 1 / nccl_payload(job, way.algorithm, way.protocol));
  }

  // Returns NCCL's choice or, without a schedule that runs on the machine, the fastest way by
  // NCCL's model. Leaves out `except`. Returns null if there is none.
  const NcclWay* fastest_way(NcclAnswer& answer, const NcclWay* except) const {
    const NcclWay* const chosen = answer.chosen();
    const NcclWay* best = nullptr;
    for (const NcclWay* way : ways_with_schedule(answer, true)) {
      const Algorithm* const algorithm =
          find_algorithm(call_.collective, way->schedule.choice.algorithm);
      if (way == except || !way->time_us || algorithm == nullptr ||
          (algorithm->in_network() && !machine_.opened.runs_switches())) {
        continue;
      }
      if (way == chosen || best == nullptr || (best != chosen && way->time_us < best->time_us)) {
        best = way;
      }
    }
    return best;
  }

  // Returns the way that is simulated: NCCL's choice or, without a schedule that runs on the
  // machine, the fastest one by NCCL's model.
  const NcclWay& simulated_way(NcclAnswer& answer) {
    const auto words = [](const NcclWay& way) {
      return fmt::format("{} with {}", name(way.algorithm), name(way.protocol));
    };
    const NcclWay* const chosen = answer.chosen();
    const NcclWay* const best = fastest_way(answer, nullptr);
    if (best == nullptr || chosen == nullptr) {
      throw UserError(fmt::format("tutti has no schedule for NCCL's {}", name(call_.collective)));
    }
    choice_.library = fmt::format("{}, {}", answer.job.cluster.release->title(), words(*best));
    choice_.model_s = static_cast<double>(*best->time_us) / 1e6;
    if (best != chosen) {
      choice_.note = fmt::format(
          "NCCL chooses {}, which cannot be simulated on this platform: {}", words(*chosen),
          chosen->schedule.choice.algorithm.empty() ? chosen->schedule.lacking
                                                    : std::string("its switches do not reduce"));
    }
    return *best;
  }

  // Returns the problem with a few more bytes, so that all ranks have equal shares: NCCL's callers
  // pad the vectors of an allgather or a reduce_scatter. That of an allreduce in a ring is padded
  // if this is less than 0.01 % of it.
  [[nodiscard]] Problem padded_problem(const Choice& choice) const {
    Problem problem = limited_problem();
    std::uint64_t grain = std::uint64_t{ranks()} * problem.element_bytes;
    if (choice.algorithm == "nccl_ring" && call_.collective == Collective::allreduce) {
      grain = std::uint64_t{16} * ranks() * std::max(choice.options.values().channels, 1U);
    }
    const std::uint64_t more = (grain - problem.bytes % grain) % grain;
    if (owns_parts(call_.collective) || more * 10'000 < problem.bytes) {
      problem.bytes += more;
    }
    return problem;
  }

  // Returns the run of a choice. Pieces are so long that the step has a moderate number of
  // messages.
  [[nodiscard]] CallRun ready_of(const NcclJob& job, Choice choice, double sent_per_byte) const {
    constexpr std::uint64_t kMostMessages = 20'000;
    constexpr std::uint64_t kWhole = 64;  // a multiple of every element size
    if (choice.segment_bytes > 0) {
      const std::uint64_t p = ranks();
      const std::uint64_t channels = std::max(choice.options.values().channels, 1U);
      const bool around = choice.algorithm == "nccl_ring" && !has_root(call_.collective);
      const std::uint64_t pieces =
          std::max<std::uint64_t>(kMostMessages / (2 * channels * p * (around ? p : 1)), 1);
      const std::uint64_t piece = call_.bytes / channels / (around ? p : 1) / pieces + 1;
      choice.segment_bytes = std::max(choice.segment_bytes, (piece + kWhole - 1) / kWhole * kWhole);
    }
    DecisionTable table;
    table.collective = collective_;
    ProblemTemplate made = problem_template();
    Problem nodes;
    nodes.ranks_per_node = job.gpus_per_node;
    made.give(Option::ranks_per_node, nodes);
    const TableRun run = table_run(table, choice, made, padded_problem(choice));
    if (!run.what) {
      throw UserError(run.refusal);
    }
    return {run.what->algorithm, with_pairs(run.what->problem), sent_per_byte};
  }

  const StepDescription& step_;
  const StepMachine& machine_;
  const StepCall& call_;
  bool with_next_;
  const std::vector<Rank>& members_;
  ExpertTraffics& traffics_;
  Collective collective_;                  // that runs
  std::vector<std::uint64_t> pair_bytes_;  // of an alltoallv, as in Problem::block_bytes
  CallChoice choice_;
};

}  // namespace

CallParts parts_of(const std::vector<CallChoice>& choices, const StepMachine& machine) {
  std::vector<std::optional<CallRun>> runs;
  for (const CallChoice& choice : choices) {
    runs.push_back(choice.run);
  }
  return {std::move(runs), machine.plain.copy_s_per_byte};
}

std::vector<CallChoice> choose_algorithms(const StepDescription& step, const StepMachine& machine,
                                          bool with_next) {
  std::vector<CallChoice> choices;
  ExpertTraffics traffics;
  for (const StepCall& call : step.calls) {
    choices.push_back(Chooser(step, machine, call, traffics, with_next).choose());
  }
  return choices;
}

}}  // namespace tutti::steps

#include "src/experiments/compare/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <unordered_set>

#include "base/error.hpp"
#include "schedules/notation/program/program.hpp"
#include "schedules/patterns/circulant_skips.hpp"
#include "schedules/registry.hpp"
#include "src/experiments/compare/tie_runs.hpp"
#include "src/experiments/runner/runner.hpp"
#include "src/requests/machine_options.hpp"
#include "src/simulation/best_segment.hpp"
#include "src/simulation/machine.hpp"
#include "src/simulation/machine_bound.hpp"

namespace tutti { inline namespace experiments {

namespace {

// Returns the label of a contender. A program is labelled with the name of its file and the values
// of its parameters, since the name in its header may be that of a built-in algorithm. Schedules
// that are written out may have several files, and have a name that no other algorithm has.
std::string label_of(const Algorithm& algorithm) {
  if (algorithm.program == nullptr || algorithm.program->written() != nullptr) {
    return std::string(algorithm.name);
  }
  return std::filesystem::path(algorithm.program->file()).filename().string() +
         algorithm.program->settings();
}

std::vector<Problem> values_side_by_side(const OptionType& type, const ProblemRequest& request) {
  if (const auto* const several = request.each.several(type.option)) {
    return *several;
  }
  std::vector<Problem> values;
  if ((request.all_values & bit(type.option)) != 0) {
    for (OptionTrial& trial : type.trials(Problem{})) {
      values.push_back(std::move(trial.problem));
    }
  }
  return values;
}

// Returns one contender per algorithm. If an algorithm takes an option for which the user gave
// several values (such as --skips all), returns one contender per value instead.
std::vector<Contender> contenders_of(std::span<const Algorithm* const> algorithms,
                                     const ProblemRequest& request) {
  std::vector<Contender> contenders;
  for (const Algorithm* algorithm : algorithms) {
    const Contender contender{algorithm, request.each.applicable_to(*algorithm),
                              label_of(*algorithm)};
    const std::size_t before = contenders.size();
    for (const OptionType* type : option_types()) {
      if (!takes(*algorithm, type->option)) {
        continue;
      }
      for (const Problem& value : values_side_by_side(*type, request)) {
        contenders.push_back(contender);
        contenders.back().problem_template.give(type->option, value);
        contenders.back().label += fmt::format(", {} {}", type->print(value), type->spaced());
      }
    }
    if (request.each.search_skips && takes(*algorithm, Option::skips)) {
      contenders.push_back(contender);
      contenders.back().label += ", best skips";
      contenders.back().finds_skips = true;
    }
    if (contenders.size() == before) {
      contenders.push_back(contender);
    }
  }
  return contenders;
}

template <typename Number>
void drop_repeated(std::vector<Number>& numbers) {
  std::unordered_set<Number> seen;
  std::erase_if(numbers, [&seen](Number number) { return !seen.insert(number).second; });
}

// Throws UserError if every run is refused, or if the user gave an option and every run to which it
// applies is refused.
void check_something_runs(const Comparison& comparison, const ProblemRequest& request) {
  const auto check_among = [&](const auto& concerned) {
    const CaseRun* first = nullptr;
    for (const CaseRun& run : comparison.runs) {
      if (concerned(run)) {
        if (run.outcome.open()) {
          return;
        }
        first = first == nullptr ? &run : first;
      }
    }
    if (first != nullptr) {
      throw UserError(first->outcome.why_not());
    }
  };
  for (const GivenOption& given : request.given_options) {
    check_among([&](const CaseRun& run) { return takes(*run.algorithm, given.option); });
  }
  check_among([](const CaseRun&) { return true; });
}

const Machine& largest_machine(const std::vector<Machine>& machines) {
  return *std::max_element(
      machines.begin(), machines.end(),
      [](const Machine& a, const Machine& b) { return a.mapping.ranks < b.mapping.ranks; });
}

// Finds the best segment size of each run, for --segment auto.
void find_segments(Comparison& comparison) {
  std::map<const Machine*, Prices> prices;
  for (const Machine& machine : comparison.machines) {
    prices.emplace(&machine, describe(machine).prices);
  }
  for (CaseRun& run : comparison.runs) {
    if (!takes(*run.algorithm, Option::segment) || !run.outcome.open()) {
      continue;
    }
    try {
      run.problem.segment_bytes =
          best_segment(*run.algorithm, run.problem, prices.at(run.machine), run.machine->setup)
              .bytes;
      check(*run.algorithm, run.problem);
    } catch (const UserError&) {
      run.outcome = outcome_of_exception();
    }
  }
}

// True if the options determine the total number of bytes, so that -n is not needed.
bool says_sizes(const ProblemTemplate& problem_template) {
  return problem_template.options.has(Option::block_sizes) ||
         (problem_template.pair_sizes && problem_template.pair_sizes->from_file());
}

}  // namespace

CaseRun first_look(const Contender& contender, std::uint32_t ranks,
                   std::optional<std::uint64_t> bytes) {
  CaseRun run;
  run.algorithm = contender.algorithm;
  const ProblemTemplate& problem_template = contender.problem_template;
  if (auto why = problem_template.why_not_these_blocks(*contender.algorithm, ranks)) {
    run.problem = problem_template.even_problem(*contender.algorithm, ranks, bytes);
    run.outcome = Refusal{RefusalKind::problem, std::move(*why)};
    return run;
  }
  run.problem = problem_template.problem(*contender.algorithm, ranks, bytes);
  try {
    check(*contender.algorithm, run.problem);
    if (takes(*contender.algorithm, Option::skips)) {
      (void)circulant_skips(run.problem.skips, run.problem.ranks);
    }
  } catch (const UserError&) {
    run.outcome = outcome_of_exception();
  }
  return run;
}

std::vector<const Algorithm*> algorithms_to_compare(Collective collective,
                                                    const OpenedMachine& machine,
                                                    std::span<const Algorithm* const> programs,
                                                    std::span<const Algorithm* const> only) {
  const auto builtin = only.empty() ? algorithms() : only;
  std::vector<const Algorithm*> all(builtin.begin(), builtin.end());
  all.insert(all.end(), programs.begin(), programs.end());
  const bool switches = !only.empty() || machine.runs_switches();
  std::erase_if(all, [&](const Algorithm* each) {
    return each->collective != collective || (each->in_network() && !switches);
  });
  if (all.empty()) {
    throw UserError(fmt::format("tutti has no algorithm for {} yet", name(collective)));
  }
  return all;
}

Comparison prepare_comparison(ComparisonRequest request) {
  Comparison comparison;
  comparison.collective = request.collective;
  ProblemTemplate& each = request.problems.each;
  refuse_what_none_takes(request.problems.given_options, request.algorithms);
  take_groups_from(request.machine, each);
  comparison.contenders = contenders_of(request.algorithms, request.problems);
  comparison.ranks = request.problems.ranks;
  drop_repeated(comparison.ranks);
  if (!request.problems.bytes.empty()) {
    comparison.sizes_bytes = request.problems.bytes;
    drop_repeated(comparison.sizes_bytes);
  } else if (request.collective == Collective::alltoallv && says_sizes(each)) {
    const Algorithm& any = *request.algorithms.front();
    comparison.sizes_bytes = {
        each.applicable_to(any).problem(any, comparison.ranks.front(), std::nullopt).bytes};
  } else if (each.options.has(Option::block_sizes)) {
    const auto& blocks = each.options.values().block_bytes;
    comparison.sizes_bytes = {std::accumulate(blocks.begin(), blocks.end(), std::uint64_t{0})};
  } else if (request.collective == Collective::barrier) {
    comparison.sizes_bytes = {0};
  } else {
    throw UserError("the size is missing; give $bytes, such as 1K..16MiB*4");
  }

  // This product cannot overflow: the two lists have at most a million entries each, and there are
  // few contenders.
  check_number_of("run", comparison.ranks.size() * comparison.sizes_bytes.size() *
                             comparison.contenders.size());
  for (const std::uint32_t ranks : comparison.ranks) {
    for (const std::uint64_t bytes : comparison.sizes_bytes) {
      for (const Contender& contender : comparison.contenders) {
        comparison.runs.push_back(first_look(contender, ranks, bytes));
      }
    }
    comparison.machines.push_back(
        request.machine.machine(ranks, each.ranks_per_host, each.element_bytes));
  }
  const std::size_t of_each = comparison.runs.size() / comparison.machines.size();
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    comparison.runs[i].machine = &comparison.machines[i / of_each];
  }
  if (each.best_segment) {
    comparison.finds_segments = true;
    find_segments(comparison);
  }
  check_something_runs(comparison, request.problems);
  if (!request.machine.spec.made_on_the_fly()) {
    // Before any work is done, this throws UserError if the platform is invalid, or too small for
    // the largest number of ranks.
    (void)describe(largest_machine(comparison.machines));
  }
  return comparison;
}

void find_limits(Comparison& comparison) {
  const std::size_t of_each = comparison.runs.size() / comparison.machines.size();
  // Routes of the machine with most ranks, which comes last, may serve all others.
  for (std::size_t i = comparison.machines.size(); i-- > 0;) {
    Limits limits(comparison.machines[i]);
    for (std::size_t at = i * of_each; at < (i + 1) * of_each; ++at) {
      if (RunResult* const result = comparison.runs[at].outcome.result()) {
        limits.put_in(*result);
      }
    }
  }
}

void run(Comparison& comparison, Runner& runner) {
  runner.run(comparison.runs, "comparing");
  std::vector<std::size_t> cell_ends;
  for (std::size_t end = comparison.contenders.size(); end <= comparison.runs.size();
       end += comparison.contenders.size()) {
    cell_ends.push_back(end);
  }
  run_leaders_again(comparison.runs, cell_ends, runner);
  find_limits(comparison);
}

}}  // namespace tutti::experiments

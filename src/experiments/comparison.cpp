#include "src/experiments/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <new>
#include <numeric>
#include <unordered_set>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "schedules/notation/program/program.hpp"
#include "schedules/patterns/circulant_skips.hpp"
#include "schedules/registry.hpp"
#include "simulation/best_segment.hpp"
#include "simulation/engine_run.hpp"
#include "simulation/machine.hpp"
#include "simulation/schedule_shelf.hpp"
#include "simulation/simgrid_run.hpp"
#include "src/requests/problem_request.hpp"

namespace tutti {

namespace {

// What a contender is called. Programs may bear the names of others, so they go by their files.
std::string label_of(const Algorithm& algorithm) {
  return algorithm.program != nullptr
             ? std::filesystem::path(algorithm.program->file()).filename().string()
             : std::string(algorithm.name);
}

std::vector<const Algorithm*> algorithms_of(Collective collective,
                                            std::span<const Algorithm* const> programs) {
  std::vector<const Algorithm*> all(algorithms().begin(), algorithms().end());
  all.insert(all.end(), programs.begin(), programs.end());
  std::erase_if(all,
                [collective](const Algorithm* each) { return each->collective != collective; });
  if (all.empty()) {
    throw UserError(fmt::format("no algorithm for {} yet", name(collective)));
  }
  return all;
}

// With --skips all, one for each scheme.
std::vector<Contender> contenders_of(std::span<const Algorithm* const> algorithms,
                                     const ProblemRequest& request) {
  std::vector<Contender> contenders;
  for (const Algorithm* algorithm : algorithms) {
    const Contender contender{algorithm, request.each.applicable_to(*algorithm),
                              label_of(*algorithm)};
    const std::size_t before = contenders.size();
    for (const OptionType* type : option_types()) {
      if (!takes(*algorithm, type->option) || (request.all_values & bit(type->option)) == 0) {
        continue;
      }
      for (const OptionTrial& trial : type->trials(Problem{})) {
        contenders.push_back(contender);
        contenders.back().asked.give(type->option, trial.problem);
        contenders.back().label += fmt::format(", {}", type->print(trial.problem));
      }
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

// Sizes that are all refused are bad input; so is an option with which nothing runs that takes it.
void check_something_runs(const Comparison& comparison, const ProblemOptions& options) {
  const auto check_among = [&](const auto& concerned) {
    const RunOutcome* first = nullptr;
    for (const RunOutcome& outcome : comparison.outcomes) {
      if (concerned(outcome)) {
        if (outcome.refusal.empty()) {
          return;
        }
        first = first == nullptr ? &outcome : first;
      }
    }
    if (first != nullptr) {
      throw UserError(first->refusal);
    }
  };
  for (const SaidOption& given : options.said()) {
    check_among([&](const RunOutcome& outcome) { return takes(*outcome.algorithm, given.option); });
  }
  check_among([](const RunOutcome&) { return true; });
}

std::vector<std::size_t> largest_first(const std::vector<RunOutcome>& outcomes) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i].refusal.empty()) {
      order.push_back(i);
    }
  }
  // Of equal ones, those of an algorithm one after the other: the shelf keeps few schedules.
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const double work = expected_work(outcomes[a]);
    const double other = expected_work(outcomes[b]);
    return work != other ? work > other : outcomes[a].algorithm->name < outcomes[b].algorithm->name;
  });
  return order;
}

std::uint32_t machine_index(const Comparison& comparison, std::size_t outcome) {
  return static_cast<std::uint32_t>(outcome /
                                    (comparison.sizes_bytes.size() * comparison.contenders.size()));
}

const Machine& largest_machine(const std::vector<Machine>& machines) {
  return *std::max_element(
      machines.begin(), machines.end(),
      [](const Machine& a, const Machine& b) { return a.mapping.ranks < b.mapping.ranks; });
}

// --segment auto, for each run on its own.
void find_segments(Comparison& comparison) {
  std::vector<Prices> prices;
  prices.reserve(comparison.machines.size());
  for (const Machine& machine : comparison.machines) {
    prices.push_back(describe(machine).prices);
  }
  for (std::size_t i = 0; i < comparison.outcomes.size(); ++i) {
    RunOutcome& outcome = comparison.outcomes[i];
    if (!takes(*outcome.algorithm, Option::segment) || !outcome.refusal.empty()) {
      continue;
    }
    const std::uint32_t own = machine_index(comparison, i);
    const Machine& machine = comparison.machines[own];
    try {
      outcome.problem.segment_bytes =
          best_segment(*outcome.algorithm, outcome.problem, prices[own], machine.setup).bytes;
      check(*outcome.algorithm, outcome.problem);
    } catch (const UserError& error) {
      outcome.refusal = error.what();
    }
  }
}

RunResult run_one(const RunOutcome& outcome, const Machine& machine, const RunEngine& engine) {
  return simulate(*outcome.algorithm, outcome.problem, machine, Detail::times_only, engine).result;
}

// What becomes of a run that is lost: its process died, or there was no memory for it.
enum class Losses : std::uint8_t {
  recorded,  // as failed; the others go on
  thrown,
};

// One run, and what it came to.
template <typename Run>
void run_into(RunOutcome& outcome, Losses losses, Run&& run) {
  try {
    outcome.result = run();
  } catch (const UserError& error) {
    outcome.refusal = error.what();
  } catch (const std::exception& error) {
    if (losses == Losses::thrown) {
      throw;
    }
    const bool memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
    outcome.refusal = memory ? "out of memory" : error.what();
    outcome.failed = true;
  }
}

// Each worker has a process that has the platform loaded.
void run_with_processes(const Runs& runs, const std::vector<std::size_t>& order, std::size_t jobs,
                        Losses losses, const std::function<void(std::size_t)>& progress) {
  const auto run = [&runs](const std::string& request, const RunEngine& engine) {
    const std::size_t i = std::stoul(request);
    return pack_result(run_one(runs.outcomes[i], runs.machines[runs.machine_of[i]], engine));
  };
  // On this thread: the processes end with the thread that made them.
  std::vector<std::unique_ptr<SimGridRuns>> processes;
  for (std::size_t worker = 0; worker < std::min(jobs, order.size()); ++worker) {
    processes.push_back(std::make_unique<SimGridRuns>(largest_machine(runs.machines), run));
  }
  run_parallel(
      order, processes.size(),
      [&](std::size_t worker, std::size_t i) {
        RunOutcome& outcome = runs.outcomes[i];
        const Machine& machine = runs.machines[runs.machine_of[i]];
        run_into(outcome, losses, [&] {
          RunResult result = unpack_result(processes[worker]->run(std::to_string(i)),
                                           *outcome.algorithm, outcome.problem, machine);
          if (machine.made_on_the_fly()) {
            // The crossbar of the largest p serves all; each result names the one it stands for.
            const PlatformFacts own = describe(machine).facts;
            result.described.facts.name = own.name;
            result.described.facts.hosts = own.hosts;
          }
          return result;
        });
      },
      progress);
}

void run_in_threads(const Runs& runs, const std::vector<std::size_t>& order, std::size_t jobs,
                    Losses losses, const std::function<void(std::size_t)>& progress) {
  ScheduleShelf shelf;
  // Emission with what the shelf needs takes longer: only for runs that are likely to use it.
  std::vector<ScheduleShelf::Place*> places(runs.outcomes.size());
  for (const std::size_t i : order) {
    const RunOutcome& outcome = runs.outcomes[i];
    if (takes_whole_schedule(*outcome.algorithm, outcome.problem,
                             runs.machines[runs.machine_of[i]])) {
      places[i] = shelf.expect(*outcome.algorithm, outcome.problem);
    }
  }
  std::vector<MachineFacts> facts;
  facts.reserve(runs.machines.size());
  for (const Machine& machine : runs.machines) {
    facts.push_back(describe(machine));
  }
  run_parallel(
      order, jobs,
      [&](std::size_t, std::size_t i) {
        RunOutcome& outcome = runs.outcomes[i];
        const std::uint32_t own = runs.machine_of[i];
        const Machine& machine = runs.machines[own];
        run_into(outcome, losses, [&] {
          RunResult result = simulate_times(*outcome.algorithm, outcome.problem, machine,
                                            engine_here(machine, &facts[own]), shelf, places[i]);
          result.chain.ops = {};
          return result;
        });
        shelf.over(places[i]);
      },
      progress);
}

void run(const Runs& runs, std::size_t jobs, Losses losses,
         const std::function<void(std::size_t)>& progress) {
  const std::vector<std::size_t> order = largest_first(runs.outcomes);
  if (order.empty()) {
    return;
  }
  if (runs_on_simgrid_platform(runs.machines.front())) {
    run_with_processes(runs, order, jobs, losses, progress);
  } else {
    run_in_threads(runs, order, jobs, losses, progress);
  }
}

}  // namespace

RunOutcome first_look(const Contender& contender, std::uint32_t ranks,
                      std::optional<std::uint64_t> bytes) {
  RunOutcome outcome;
  outcome.algorithm = contender.algorithm;
  const ProblemTemplate& asked = contender.asked;
  if ((asked.block_skew || asked.options.has(Option::block_sizes)) &&
      !takes(*contender.algorithm, Option::block_sizes)) {
    ProblemTemplate even = asked;
    even.drop(Option::block_sizes);  // -n stands for their sum
    outcome.problem = even.problem(*contender.algorithm, ranks, bytes);
    outcome.refusal =
        fmt::format("{} splits the vector evenly; it takes no --block-bytes and no --block-skew",
                    contender.label);
    return outcome;
  }
  outcome.problem = asked.problem(*contender.algorithm, ranks, bytes);
  try {
    check(*contender.algorithm, outcome.problem);
    if (takes(*contender.algorithm, Option::skips)) {
      (void)circulant_skips(outcome.problem.skips, outcome.problem.ranks);
    }
  } catch (const UserError& error) {
    outcome.refusal = error.what();
  }
  return outcome;
}

Comparison prepare_comparison(Collective collective, const ProblemOptions& problem,
                              const MachineOptions& machine,
                              std::span<const Algorithm* const> programs) {
  Comparison comparison;
  comparison.collective = collective;
  const std::vector<const Algorithm*> algorithms = algorithms_of(collective, programs);
  problem.refuse_what_none_takes(algorithms);
  problem.need_ranks("4,8,16");
  const ProblemRequest request = parse_request(
      problem, algorithms, {.lists = true, .best_segment = true, .all_values = bit(Option::skips)});
  comparison.contenders = contenders_of(algorithms, request);
  comparison.ranks = request.ranks;
  drop_repeated(comparison.ranks);
  if (!request.bytes.empty()) {
    comparison.sizes_bytes = request.bytes;
    drop_repeated(comparison.sizes_bytes);
  } else if (request.each.options.has(Option::block_sizes)) {
    const auto& blocks = request.each.options.values().block_bytes;
    comparison.sizes_bytes = {std::accumulate(blocks.begin(), blocks.end(), std::uint64_t{0})};
  } else if (collective == Collective::barrier) {
    comparison.sizes_bytes = {0};
  } else {
    throw UserError("how many bytes? Give -n/--bytes, such as -n 1K..16MiB*4");
  }

  // Lists are of a million at most, and contenders few: no overflow.
  check_number_of("run", comparison.ranks.size() * comparison.sizes_bytes.size() *
                             comparison.contenders.size());
  for (const std::uint32_t ranks : comparison.ranks) {
    for (const std::uint64_t bytes : comparison.sizes_bytes) {
      for (const Contender& contender : comparison.contenders) {
        comparison.outcomes.push_back(first_look(contender, ranks, bytes));
      }
    }
    comparison.machines.push_back(
        machine.machine(comparison.outcomes.back().problem, request.each.ranks_per_host));
  }
  if (request.each.best_segment) {
    comparison.finds_segments = true;
    find_segments(comparison);
  }
  check_something_runs(comparison, problem);
  if (!comparison.machines.front().made_on_the_fly()) {
    // A platform that is no good, or too small for the largest p, is refused before all work.
    (void)describe(largest_machine(comparison.machines));
  }
  return comparison;
}

// More ranks, then more segments.
double expected_work(const RunOutcome& outcome) {
  const Problem& problem = outcome.problem;
  const double segments =
      takes(*outcome.algorithm, Option::segment) && problem.segment_bytes > 0
          ? static_cast<double>(problem.bytes) / static_cast<double>(problem.segment_bytes)
          : 0;
  return static_cast<double>(problem.ranks) * (problem.ranks + segments);
}

std::size_t runs_to_do(const Comparison& comparison) {
  return static_cast<std::size_t>(
      std::count_if(comparison.outcomes.begin(), comparison.outcomes.end(),
                    [](const RunOutcome& outcome) { return outcome.refusal.empty(); }));
}

void run_all(const Runs& runs, std::size_t jobs, const std::function<void(std::size_t)>& progress) {
  run(runs, jobs, Losses::thrown, progress);
}

Runs runs_of(Comparison& comparison) {
  Runs runs{comparison.outcomes, comparison.machines, {}};
  for (std::size_t i = 0; i < comparison.outcomes.size(); ++i) {
    runs.machine_of.push_back(machine_index(comparison, i));
  }
  return runs;
}

void run_comparison(Comparison& comparison, std::size_t jobs,
                    const std::function<void(std::size_t)>& progress) {
  run(runs_of(comparison), jobs, Losses::recorded, progress);
}

}  // namespace tutti

#include "src/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>

#include "schedules/error.hpp"
#include "schedules/patterns/circulant_skips.hpp"
#include "schedules/registry.hpp"
#include "src/best_segment.hpp"
#include "src/parallel.hpp"
#include "src/quantities.hpp"

namespace tutti {

namespace {

constexpr std::array<std::string_view, 4> kSkipSchemes{"halving", "doubling", "linear", "sqrt"};

struct GivenOption {
  Option option;
  std::string_view name;
  const OptionText* text;
};

std::array<GivenOption, 7> single_options(const ProblemOptions& options) {
  return {{{Option::fold, "--fold", &options.fold},
           {Option::segment, "--segment", &options.segment},
           {Option::skips, "--skips", &options.skips},
           {Option::tree, "--tree", &options.tree},
           {Option::ranks_per_node, "--cores-per-node", &options.cores_per_node},
           {Option::block_sizes, "--block-bytes", &options.block_bytes},
           {Option::block_sizes, "--block-skew", &options.block_skew}}};
}

bool takes(const Algorithm& algorithm, Option option) {
  return (algorithm.options & static_cast<unsigned>(option)) != 0;
}

std::vector<Contender> contenders_of(Collective collective, const ProblemOptions& options) {
  std::vector<Contender> contenders;
  for (const Algorithm* algorithm : algorithms()) {
    if (algorithm->collective != collective) {
      continue;
    }
    Contender contender{algorithm, options.applicable_to(*algorithm), std::string(algorithm->name)};
    // Other sizes of blocks are another problem, and not another way to solve this one.
    contender.options.block_bytes = options.block_bytes;
    contender.options.block_skew = options.block_skew;
    if (contender.options.skips == "all") {
      for (const std::string_view scheme : kSkipSchemes) {
        contender.options.skips = scheme;
        contender.label = fmt::format("{}, {}", algorithm->name, scheme);
        contenders.push_back(contender);
      }
    } else {
      contenders.push_back(std::move(contender));
    }
  }
  if (contenders.empty()) {
    throw UserError(fmt::format("no algorithm for {} yet", name(collective)));
  }
  return contenders;
}

void check_options_taken(Collective collective, const std::vector<Contender>& contenders,
                         const ProblemOptions& options) {
  for (const GivenOption& given : single_options(options)) {
    if (*given.text && std::none_of(contenders.begin(), contenders.end(), [&](const auto& each) {
          return takes(*each.algorithm, given.option);
        })) {
      throw UserError(fmt::format("no algorithm of {} takes {}; 'tutti list {}' shows what they do",
                                  name(collective), given.name, name(collective)));
    }
  }
}

template <typename Number>
void drop_repeated(std::vector<Number>& numbers) {
  std::vector<Number> kept;
  for (const Number number : numbers) {
    if (std::find(kept.begin(), kept.end(), number) == kept.end()) {
      kept.push_back(number);
    }
  }
  numbers = std::move(kept);
}

// What can be known before the run.
RunOutcome first_look(const Contender& contender, ProblemOptions options) {
  RunOutcome outcome;
  outcome.algorithm = contender.algorithm;
  const bool sizes_not_taken = (options.block_bytes || options.block_skew) &&
                               !takes(*contender.algorithm, Option::block_sizes);
  if (sizes_not_taken) {
    options.block_bytes.reset();  // -n stands for their sum
    options.block_skew.reset();
  }
  outcome.problem = options.problem(*contender.algorithm, true);
  if (sizes_not_taken) {
    outcome.refusal =
        fmt::format("{} splits the vector evenly; it takes no --block-bytes and no --block-skew",
                    contender.label);
    return outcome;
  }
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
  for (const GivenOption& given : single_options(options)) {
    if (*given.text) {
      check_among(
          [&](const RunOutcome& outcome) { return takes(*outcome.algorithm, given.option); });
    }
  }
  check_among([](const RunOutcome&) { return true; });
}

// More ranks, then more segments, then more bytes: what takes longer to simulate. Only the order of
// the work depends on it.
double expected_size(const RunOutcome& outcome) {
  const Problem& problem = outcome.problem;
  const double segments =
      takes(*outcome.algorithm, Option::segment) && problem.segment_bytes > 0
          ? static_cast<double>(problem.bytes) / static_cast<double>(problem.segment_bytes)
          : 0;
  return static_cast<double>(problem.ranks) * (problem.ranks + segments);
}

std::vector<std::size_t> largest_first(const Comparison& comparison) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < comparison.outcomes.size(); ++i) {
    if (comparison.outcomes[i].refusal.empty()) {
      order.push_back(i);
    }
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return expected_size(comparison.outcomes[a]) > expected_size(comparison.outcomes[b]);
  });
  return order;
}

const Machine& machine_of(const Comparison& comparison, std::size_t outcome) {
  return comparison
      .machines[outcome / (comparison.sizes_bytes.size() * comparison.contenders.size())];
}

const Machine& largest_machine(const Comparison& comparison) {
  const auto most = std::max_element(comparison.ranks.begin(), comparison.ranks.end());
  return comparison.machines[static_cast<std::size_t>(most - comparison.ranks.begin())];
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
    const Machine& machine = machine_of(comparison, i);
    const auto own = static_cast<std::size_t>(&machine - comparison.machines.data());
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

// Each worker has a process that has the platform loaded, and forks itself for each run.
void run_with_processes(Comparison& comparison, const std::vector<std::size_t>& order,
                        std::size_t jobs, const std::function<void(std::size_t)>& progress) {
  const auto run = [&comparison](std::size_t i, const RunEngine& engine) {
    return pack_result(run_one(comparison.outcomes[i], machine_of(comparison, i), engine));
  };
  // On this thread: the processes end with the thread that made them.
  std::vector<std::unique_ptr<SimGridRuns>> processes;
  for (std::size_t worker = 0; worker < std::min(jobs, order.size()); ++worker) {
    processes.push_back(std::make_unique<SimGridRuns>(largest_machine(comparison), run));
  }
  run_parallel(
      order, processes.size(),
      [&](std::size_t worker, std::size_t i) {
        RunOutcome& outcome = comparison.outcomes[i];
        const Machine& machine = machine_of(comparison, i);
        try {
          RunResult result = unpack_result(processes[worker]->run(i), *outcome.algorithm,
                                           outcome.problem, machine);
          if (machine.made_on_the_fly()) {
            // The crossbar of the largest p serves all; each result names the one it stands for.
            const PlatformFacts own = describe(machine).facts;
            result.described.facts.name = own.name;
            result.described.facts.hosts = own.hosts;
          }
          outcome.result = std::move(result);
        } catch (const UserError& error) {
          outcome.refusal = error.what();
        }
      },
      progress);
}

void run_in_threads(Comparison& comparison, const std::vector<std::size_t>& order, std::size_t jobs,
                    const std::function<void(std::size_t)>& progress) {
  std::vector<MachineFacts> facts;
  facts.reserve(comparison.machines.size());
  for (const Machine& machine : comparison.machines) {
    facts.push_back(describe(machine));
  }
  run_parallel(
      order, jobs,
      [&](std::size_t, std::size_t i) {
        RunOutcome& outcome = comparison.outcomes[i];
        const Machine& machine = machine_of(comparison, i);
        const auto own = static_cast<std::size_t>(&machine - comparison.machines.data());
        try {
          outcome.result = run_one(outcome, machine, [&](const Schedule& schedule) {
            return run_critical_path(schedule, machine, facts[own]);
          });
          outcome.result->chain.ops = {};
        } catch (const UserError& error) {
          outcome.refusal = error.what();
        }
      },
      progress);
}

}  // namespace

Comparison prepare_comparison(Collective collective, const ProblemOptions& problem,
                              const MachineOptions& machine) {
  Comparison comparison;
  comparison.collective = collective;
  comparison.contenders = contenders_of(collective, problem);
  check_options_taken(collective, comparison.contenders, problem);
  if (!problem.ranks) {
    throw UserError("how many ranks? Give -p/--ranks, such as -p 4,8,16");
  }
  comparison.ranks = parse_counts("-p/--ranks", *problem.ranks);
  drop_repeated(comparison.ranks);
  if (problem.bytes) {
    comparison.sizes_bytes = parse_byte_list("-n/--bytes", *problem.bytes);
    drop_repeated(comparison.sizes_bytes);
  } else if (problem.block_bytes) {
    const auto blocks = parse_byte_list("--block-bytes", *problem.block_bytes);
    comparison.sizes_bytes = {std::accumulate(blocks.begin(), blocks.end(), std::uint64_t{0})};
  } else if (collective == Collective::barrier) {
    comparison.sizes_bytes = {0};
  } else {
    throw UserError("how many bytes? Give -n/--bytes, such as -n 1K..16MiB*4");
  }

  for (const std::uint32_t ranks : comparison.ranks) {
    for (const std::uint64_t bytes : comparison.sizes_bytes) {
      for (const Contender& contender : comparison.contenders) {
        ProblemOptions options = contender.options;
        options.ranks = std::to_string(ranks);
        options.bytes = std::to_string(bytes);
        comparison.outcomes.push_back(first_look(contender, std::move(options)));
      }
    }
    comparison.machines.push_back(
        machine.machine(comparison.outcomes.back().problem, problem.ranks_per_host_count()));
  }
  if (problem.wants_best_segment()) {
    comparison.finds_segments = true;
    find_segments(comparison);
  }
  check_something_runs(comparison, problem);
  if (!comparison.machines.front().made_on_the_fly()) {
    // A platform that is no good, or too small for the largest p, is refused before all work.
    (void)describe(largest_machine(comparison));
  }
  return comparison;
}

std::size_t runs_to_do(const Comparison& comparison) {
  return static_cast<std::size_t>(
      std::count_if(comparison.outcomes.begin(), comparison.outcomes.end(),
                    [](const RunOutcome& outcome) { return outcome.refusal.empty(); }));
}

void run_comparison(Comparison& comparison, std::size_t jobs,
                    const std::function<void(std::size_t)>& progress) {
  const std::vector<std::size_t> order = largest_first(comparison);
  if (comparison.machines.front().engine == EngineKind::simgrid) {
    run_with_processes(comparison, order, jobs, progress);
  } else {
    run_in_threads(comparison, order, jobs, progress);
  }
}

}  // namespace tutti

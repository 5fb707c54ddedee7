#include "src/experiments/comparison.hpp"

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
#include "simulation/best_segment.hpp"
#include "simulation/machine.hpp"
#include "src/requests/quantities.hpp"

namespace tutti {

namespace {

bool takes(const Algorithm& algorithm, Option option) {
  return (algorithm.options & static_cast<unsigned>(option)) != 0;
}

// What a contender is called. Programs may bear the names of others, so they go by their files.
std::string label_of(const Algorithm& algorithm) {
  return algorithm.program != nullptr
             ? std::filesystem::path(algorithm.program->file()).filename().string()
             : std::string(algorithm.name);
}

std::vector<Contender> contenders_of(Collective collective, const ProblemOptions& options,
                                     std::span<const Algorithm* const> programs) {
  std::vector<const Algorithm*> all(algorithms().begin(), algorithms().end());
  all.insert(all.end(), programs.begin(), programs.end());
  std::vector<Contender> contenders;
  for (const Algorithm* algorithm : all) {
    if (algorithm->collective != collective) {
      continue;
    }
    Contender contender{algorithm, options.applicable_to(*algorithm), label_of(*algorithm)};
    // Other sizes of blocks are another problem, and not another way to solve this one.
    contender.options.block_bytes = options.block_bytes;
    contender.options.block_skew = options.block_skew;
    if (contender.options.skips == "all") {
      for (const std::string_view scheme : kSkipSchemes) {
        contender.options.skips = scheme;
        contender.label = fmt::format("{}, {}", label_of(*algorithm), scheme);
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

template <typename Number>
void drop_repeated(std::vector<Number>& numbers) {
  std::unordered_set<Number> seen;
  std::erase_if(numbers, [&seen](Number number) { return !seen.insert(number).second; });
}

// Sizes that are all refused are bad input; so is an option with which nothing runs that takes it.
void check_something_runs(const Comparison& comparison, const ProblemOptions& options) {
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
  for (const ProblemOptions::Single& given : options.singles()) {
    if (*given.text) {
      check_among([&](const CaseRun& run) { return takes(*run.algorithm, given.option); });
    }
  }
  check_among([](const CaseRun&) { return true; });
}

const Machine& largest_machine(const std::vector<Machine>& machines) {
  return *std::max_element(
      machines.begin(), machines.end(),
      [](const Machine& a, const Machine& b) { return a.mapping.ranks < b.mapping.ranks; });
}

// --segment auto, for each run on its own.
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

}  // namespace

CaseRun first_look(const Contender& contender, ProblemOptions options) {
  CaseRun run;
  run.algorithm = contender.algorithm;
  const bool sizes_not_taken = (options.block_bytes || options.block_skew) &&
                               !takes(*contender.algorithm, Option::block_sizes);
  if (sizes_not_taken) {
    options.block_bytes.reset();  // -n stands for their sum
    options.block_skew.reset();
  }
  run.problem = options.problem(*contender.algorithm, true);
  if (sizes_not_taken) {
    run.outcome = Refusal{
        RefusalKind::problem,
        fmt::format("{} splits the vector evenly; it takes no --block-bytes and no --block-skew",
                    contender.label)};
    return run;
  }
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

Comparison prepare_comparison(Collective collective, const ProblemOptions& problem,
                              const MachineOptions& machine,
                              std::span<const Algorithm* const> programs) {
  Comparison comparison;
  comparison.collective = collective;
  comparison.contenders = contenders_of(collective, problem, programs);
  std::vector<const Algorithm*> algorithms;
  for (const Contender& contender : comparison.contenders) {
    algorithms.push_back(contender.algorithm);
  }
  problem.refuse_what_none_takes(algorithms);
  if (!problem.ranks) {
    throw UserError("how many ranks? Give -p/--ranks, such as -p 4,8,16");
  }
  comparison.ranks = parse_rank_list(*problem.ranks);
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

  // Lists are of a million at most, and contenders few: no overflow.
  check_number_of("run", comparison.ranks.size() * comparison.sizes_bytes.size() *
                             comparison.contenders.size());
  for (const std::uint32_t ranks : comparison.ranks) {
    for (const std::uint64_t bytes : comparison.sizes_bytes) {
      for (const Contender& contender : comparison.contenders) {
        ProblemOptions options = contender.options;
        options.ranks = std::to_string(ranks);
        options.bytes = std::to_string(bytes);
        comparison.runs.push_back(first_look(contender, std::move(options)));
      }
    }
    comparison.machines.push_back(
        machine.machine(comparison.runs.back().problem, problem.ranks_per_host_count()));
  }
  const std::size_t of_each = comparison.runs.size() / comparison.machines.size();
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    comparison.runs[i].machine = &comparison.machines[i / of_each];
  }
  if (problem.wants_best_segment()) {
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

}  // namespace tutti

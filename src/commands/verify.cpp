// tutti verify: proves that schedules are correct, for given numbers of ranks, sizes and roots.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/nearest.hpp"
#include "schedules/patterns/arithmetic.hpp"
#include "schedules/registry.hpp"
#include "src/commands/cli.hpp"
#include "src/commands/command.hpp"
#include "src/commands/shared_options.hpp"
#include "src/experiments/runner/proof_cells.hpp"
#include "src/experiments/sweep/shard.hpp"
#include "src/formats/output_file.hpp"
#include "src/formats/progress.hpp"
#include "src/formats/run_watch.hpp"
#include "src/output/proof_report.hpp"
#include "src/requests/common_options.hpp"
#include "src/requests/problem_request.hpp"
#include "src/requests/schedule_file.hpp"

namespace tutti { inline namespace commands {

namespace {

struct VerifyCommand {
  std::string what;
  ProblemOptions problem;
  std::optional<Shard> shard;
  JsonPath json;
};

// Returns the arguments with which the user selects several algorithms: "all", and the name of each
// collective.
std::vector<std::string> groups() {
  std::vector<std::string> names{"all"};
  for (const Collective collective : kCollectives) {
    names.emplace_back(name(collective));
  }
  return names;
}

// Returns the algorithms that `what` names: a single algorithm, all algorithms of a collective, or
// all algorithms. Throws UserError if `what` names none of these.
std::vector<const Algorithm*> chosen(const std::string& what) {
  if (what.find('/') != std::string::npos) {
    return {&algorithm_named(what)};
  }
  std::vector<const Algorithm*> found;
  const auto collective = collective_meant(what);
  for (const Algorithm* algorithm : algorithms()) {
    if (what == "all" || algorithm->collective == collective) {
      found.push_back(algorithm);
    }
  }
  if (found.empty()) {
    const std::string best = nearest(what, groups());
    if (best.empty()) {
      static_cast<void>(algorithm_named(what));  // throws UserError, and suggests an algorithm
    }
    throw UserError(fmt::format(
        "'{}' is not an algorithm, a collective or 'all': did you mean '{}'?", what, best));
  }
  return found;
}

// Returns a size in bytes that all algorithms can split into equal blocks, as the closed forms
// require. It is the size of `ranks` * `factor` elements, where `factor` is the largest power of
// two that is at most `ranks`. If this size is above kMaxMessageBytes, `factor` is a smaller power
// of two.
std::uint64_t even_bytes(std::uint32_t ranks, std::uint32_t element_bytes) {
  const std::uint64_t per_rank = std::uint64_t{element_bytes} * ranks;
  std::uint64_t factor = power_of_two_below(ranks);
  while (factor > 1 && per_rank > kMaxMessageBytes / factor) {
    factor /= 2;
  }
  return per_rank * factor;
}

std::vector<std::optional<std::uint64_t>> sizes_for(std::uint32_t ranks, Collective collective,
                                                    const ProblemRequest& request) {
  const auto& pair_sizes = request.each.pair_sizes;
  const bool sizes_say_it =
      request.each.options.has(Option::block_sizes) ||
      (collective == Collective::alltoallv && pair_sizes && pair_sizes->from_file());
  if (collective == Collective::barrier || (request.bytes.empty() && sizes_say_it)) {
    return {std::nullopt};
  }
  return request.bytes.empty()
             ? std::vector{std::optional(even_bytes(ranks, request.each.element_bytes))}
             : request.sizes();
}

void add_cells(const ProblemRequest& request, const Algorithm& algorithm, bool alone,
               std::vector<ProofCell>& cells) {
  ProblemTemplate each = alone ? request.each : request.each.applicable_to(algorithm);
  if (!alone && !has_root(algorithm.collective)) {
    each.root.reset();
  }
  const bool all_roots = request.all_roots && has_root(algorithm.collective);
  const std::uint64_t roots =
      all_roots ? std::accumulate(request.ranks.begin(), request.ranks.end(), std::uint64_t{0})
                : request.ranks.size();
  const std::size_t sizes = sizes_for(request.ranks.front(), algorithm.collective, request).size();
  check_number_of("proof", cells.size() + roots * sizes);
  for (const std::uint32_t ranks : request.ranks) {
    for (const auto& bytes : sizes_for(ranks, algorithm.collective, request)) {
      const auto why_not = alone ? std::nullopt : each.why_not_these_blocks(algorithm, ranks);
      Problem problem = why_not ? each.even_problem(algorithm, ranks, bytes)
                                : each.problem(algorithm, ranks, bytes);
      for (Rank root = 0; root < (all_roots ? ranks : 1); ++root) {
        if (all_roots) {
          problem.root = root;
        }
        cells.push_back({&algorithm, problem, why_not});
      }
    }
  }
}

// Throws UserError if --ranks-per-host or -n has no effect on the proofs.
void refuse_what_means_nothing(const ProblemOptions& options, const ProblemRequest& request,
                               const std::vector<const Algorithm*>& algorithms) {
  if (options.ranks_per_host && std::ranges::none_of(algorithms, [](const Algorithm* algorithm) {
        return takes(*algorithm, Option::ranks_per_node);
      })) {
    throw UserError(
        fmt::format("$ranks_per_host '{}': only proofs of algorithms that use nodes depend on "
                    "hosts; leave the option out",
                    options.ranks_per_host->text));
  }
  if (options.bytes && std::ranges::all_of(algorithms, [](const auto* each) {
        return each->collective == Collective::barrier;
      })) {
    for (const std::uint64_t bytes : request.bytes) {
      if (bytes != 0) {
        throw UserError(fmt::format("$bytes '{}': a barrier moves no data; leave the option out",
                                    options.bytes->text));
      }
    }
  }
}

// The schedules to prove: those of built-in algorithms or of a program, or the schedule in a file.
struct Subjects {
  std::unique_ptr<ScheduleFile> file;
  std::unique_ptr<ProgramFile> program;
  std::vector<const Algorithm*> algorithms;
  std::vector<ProofCell> cells;
};

Subjects subjects_of(const VerifyCommand& command) {
  Subjects subjects;
  if (command.what != "all" && !collective_meant(command.what) && means_file(command.what)) {
    auto read = read_notation_file(command.what, command.problem);
    subjects.file = std::move(read.schedule);
    subjects.program = std::move(read.program);
  }
  if (subjects.file) {
    subjects.algorithms = {&subjects.file->algorithm};
    subjects.cells = {{&subjects.file->algorithm, problem_of(*subjects.file, command.problem)}};
    return subjects;
  }
  if (subjects.program) {
    subjects.algorithms = {&subjects.program->algorithm};
  } else {
    subjects.algorithms = chosen(command.what);
  }
  command.problem.need_ranks("2..64", subjects.algorithms);
  // If there is only one algorithm, parse_request() itself refuses options that the algorithm does
  // not have.
  if (subjects.algorithms.size() > 1) {
    command.problem.refuse_what_none_takes(subjects.algorithms);
  }
  const ProblemRequest request = parse_request(command.problem, subjects.algorithms, {});
  refuse_what_means_nothing(command.problem, request, subjects.algorithms);
  for (const Algorithm* algorithm : subjects.algorithms) {
    add_cells(request, *algorithm, subjects.algorithms.size() == 1, subjects.cells);
  }
  return subjects;
}

// Distributes the proofs over the shards round-robin, and keeps only the proofs of `shard`.
void keep_shard(const Shard& shard, Subjects& subjects) {
  std::size_t i = 0;
  std::erase_if(subjects.cells, [&](const ProofCell&) { return !shard.has(i++); });
  std::erase_if(subjects.algorithms, [&](const Algorithm* algorithm) {
    return std::ranges::none_of(subjects.cells,
                                [&](const ProofCell& cell) { return cell.algorithm == algorithm; });
  });
}

int verify_command(const VerifyCommand& command, Streams streams) {
  Subjects subjects = subjects_of(command);
  const std::size_t all = subjects.cells.size();
  const Shard shard = command.shard.value_or(Shard());
  keep_shard(shard, subjects);
  const auto& [file, program, algorithms, cells] = subjects;
  OptionalOutput json("$json", command.json, kJsonFile, streams.out);
  const auto write_json = [&](const std::vector<ProofOutcome>& outcomes) {
    json.write([&](std::ostream& out) {
      write_proofs_json(subjects.file.get(), subjects.cells, outcomes, out);
    });
  };
  if (cells.empty()) {
    if (json) {
      write_json({});
      return kExitOk;
    }
    throw ShardEnd{
        kExitOk, fmt::format("shard {}: has none of the {}", shard.text(), counted(all, "proof"))};
  }
  std::vector<ProofOutcome> outcomes;
  if (file || cells.size() == 1) {
    const RunWatch watch("proving", streams.messages);
    outcomes.push_back(file ? ProofOutcome{std::nullopt, prove(*file)} : prove(cells.front()));
  } else {
    const InterruptMessage when_interrupted([] { return std::string("; nothing was written"); });
    Progress progress("proving", "schedule", cells.size(), streams.messages);
    outcomes = prove_all(cells, [&](std::size_t done) { progress.show(done); });
  }
  if (shard.is_all() && std::ranges::all_of(outcomes, [](const ProofOutcome& outcome) {
        return outcome.refusal.has_value();
      })) {
    throw UserError(outcomes.front().refusal.value_or(""));
  }
  bool right = std::ranges::none_of(outcomes, [](const ProofOutcome& outcome) {
    return !outcome.refusal && !(outcome.verdict.proved() && outcome.verdict.claims_hold());
  });
  if (command.json != "-") {
    right = print_proofs(algorithms, file.get(), cells, outcomes, streams.out) && right;
  }
  write_json(outcomes);
  return right ? kExitOk : kExitCheckFailed;
}

}  // namespace

Action add_verify(Command& app, Streams streams) {
  Command& command = app.add_command(
      "verify", "Prove that schedules are correct, in whatever order messages arrive");
  auto options = std::make_shared<VerifyCommand>();
  command
      .add_option("what", options->what,
                  "collective/algorithm, a collective (all of its algorithms), all, or a file")
      .type_name("ALG")
      .required()
      .words(groups());
  options->problem.add_to(command, Values::list);
  command.option("--ranks").description(kRanksHelp);
  command.option("--bytes").description(std::string(kSizesHelp) +
                                        " [for each p, one that all algorithms split evenly]");
  command.option("--root")
      .read_into(options->problem.root, parse_root_or_all)
      .description("Root, for collectives that have one; all: each rank is the root once [0]");
  add_shard_option(OptionGroup(command, "Which proofs"), options->shard);
  add_json_option(command, options->json, "all verdicts");
  command.add_examples({"tutti verify allreduce/ring -p 1..16",
                        "tutti verify bcast -p 1..9 --root all",
                        "tutti verify examples/schedules/bruck_allgather.sched -p 2..9"});
  return [options, streams] { return verify_command(*options, streams); };
}

}}  // namespace tutti::commands

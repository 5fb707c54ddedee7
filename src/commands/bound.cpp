// tutti bound: shows the least time that a collective takes on a machine with any schedule, and
// which part of the network sets it.
#include <fmt/format.h>

#include <memory>
#include <vector>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "schedules/registry.hpp"
#include "src/commands/cli.hpp"
#include "src/commands/command.hpp"
#include "src/commands/shared_options.hpp"
#include "src/formats/interrupts.hpp"
#include "src/formats/output_file.hpp"
#include "src/formats/run_watch.hpp"
#include "src/output/bound_output.hpp"
#include "src/output/network_json.hpp"
#include "src/requests/command_line.hpp"
#include "src/requests/machine_options.hpp"
#include "src/requests/problem_request.hpp"
#include "src/simulation/machine_bound.hpp"
#include "src/simulation/recording/routed_network.hpp"

namespace tutti { inline namespace commands {

namespace {

struct BoundOptions {
  std::string collective;
  ProblemOptions problem;
  MachineOptions machine;
  JsonPath json;
};

// Stands for all algorithms of a collective, since a bound holds for each of them.
Algorithm any_algorithm(Collective collective) {
  Algorithm any{};
  any.collective = collective;
  any.options = takes_block_sizes(collective) ? bit(Option::block_sizes) : 0;
  return any;
}

std::vector<Algorithm> bounded_collectives(const BoundOptions& options) {
  std::vector<Algorithm> found;
  if (const auto one = collective_meant(options.collective)) {
    found.push_back(any_algorithm(*one));
  } else if (options.collective != "all") {
    throw UserError(unknown_collective(options.collective, {.all = true}));
  } else {
    for (const Collective collective : kCollectives) {
      found.push_back(any_algorithm(collective));
    }
  }
  for (const GivenOption& given : options.problem.given_options()) {
    if (found.size() > 1 || !takes_block_sizes(found.front().collective)) {
      throw UserError(fmt::format(
          "{} '{}': blocks of different sizes need a collective that has them, such as allgatherv",
          given.field, given.text));
    }
  }
  return found;
}

// Adds the options of ProblemOptions that change the problem.
void add_problem_options(Command& command, ProblemOptions& problem) {
  const OptionGroup group(command, "Problem");
  problem.add_plain_to(command, Values::list);
  command.option("--ranks").description(kRanksHelp);
  command.option("--bytes").description(kSizesHelp);
  group.add("--root", problem.root, "RANK", "Root rank, for the collectives that have a root [0]",
            parse_root);
  group.add(
      "--block-bytes", problem.own[index_of(Option::block_sizes)], "SIZES",
      "Sizes of the ranks' blocks in bytes, if they differ, as in 'tutti compare' [all blocks "
      "equal]");
  group.add("--block-skew", problem.block_skew, "X",
            "Instead of --block-bytes: each rank's block is 1+X times as large as the next rank's, "
            "in whole elements; 0: all blocks are equal",
            AsNumber());
  group.add("--sizes", problem.pair_sizes, "WHAT",
            "For alltoallv, number of bytes that each rank sends to each other rank, as in 'tutti "
            "compare' [uniform]",
            parse_pair_sizes);
  problem.add_ranks_per_host(group);
}

// Larger networks are not in the JSON document: their routes would take seconds to find, and a
// drawing could not show their links.
constexpr std::uint32_t kMostDrawnHosts = 2048;

int bound(const BoundOptions& options, Streams streams) {
  const std::vector<Algorithm> collectives = bounded_collectives(options);
  options.problem.need_ranks("64");
  std::vector<const Algorithm*> any;
  for (const Algorithm& each : collectives) {
    any.push_back(&each);
  }
  const OpenedMachine opened = options.machine.open(streams.messages);
  const ProblemRequest request = parse_request(options.problem, any, {});
  check_number_of(
      "bound", std::uint64_t{request.ranks.size()} * request.sizes().size() * collectives.size());
  OptionalOutput file("$json", options.json, kJsonFile, streams.out);
  BoundAnswers answers;
  {
    const InterruptMessage when_interrupted([] { return std::string("; nothing was written"); });
    const RunWatch watch("searching for bounds", streams.messages);
    for (const std::uint32_t ranks : request.ranks) {
      const Machine machine =
          opened.machine(ranks, options.problem.ranks_per_host_count(), request.each.element_bytes);
      MachineBounds bounds = bounds_of(machine);
      if (options.json) {
        if (const auto routed = routed_network(*bounds.network, platform_shape(machine),
                                               bounds.setup.host_of_rank, kMostDrawnHosts)) {
          answers.networks.push_back(named_network(*routed, *bounds.network));
        }
      }
      for (const Algorithm& algorithm : collectives) {
        ProblemTemplate each = request.each;
        if (!has_root(algorithm.collective)) {
          each.root.reset();
        }
        const bool sizes_matter = algorithm.collective != Collective::barrier;
        const auto sizes = sizes_matter || collectives.size() == 1
                               ? request.sizes()
                               : std::vector<std::optional<std::uint64_t>>{std::nullopt};
        for (const auto& bytes : sizes) {
          const Problem problem = each.problem(algorithm, ranks, bytes);
          check(algorithm, problem);
          answers.bounds.push_back(
              bound_answer(problem, machine, bounds.bounds.of(problem), *bounds.network));
        }
      }
    }
  }
  file.write([&](std::ostream& out) { write_document(kBoundDocument, answers, 2, out); });
  if (options.json == "-") {
    return kExitOk;
  }
  if (answers.bounds.size() == 1) {
    print_bound(answers.bounds.front(), streams.out);
  } else {
    print_bounds(answers.bounds, streams.out);
  }
  return kExitOk;
}

}  // namespace

Action add_bound(Command& app, Streams streams) {
  Command& command = app.add_command(
      "bound", "Show a time that no schedule of a collective can beat on a machine, and why");
  auto options = std::make_shared<BoundOptions>();
  std::vector<std::string> words{"all"};
  for (const Collective collective : kCollectives) {
    words.emplace_back(name(collective));
  }
  command
      .add_option("collective", options->collective, fmt::format("{}; or all", collective_help()))
      .type_name("COLLECTIVE")
      .required()
      .words(words);
  add_problem_options(command, options->problem);
  options->machine.add_to(command, false);
  options->machine.what_if.add_to(command, false);
  add_json_option(command, options->json, "all bounds and their certificates");
  command.add_examples(
      {"tutti bound allreduce -p 64 -n 1MiB --platform platforms/torus_64.xml",
       "tutti bound all -p 128 -n 64K,16MiB --platform platforms/infiniband_hdr_128_thin.xml",
       "tutti bound alltoall -p 64 -n 1MiB --ports unlimited --json -"});
  return [options, streams] { return bound(*options, streams); };
}

}}  // namespace tutti::commands

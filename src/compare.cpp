// tutti compare: all algorithms of a collective, side by side.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <thread>

#include "schedules/error.hpp"
#include "schedules/registry.hpp"
#include "src/cli.hpp"
#include "src/command.hpp"
#include "src/comparison.hpp"
#include "src/output_file.hpp"
#include "src/progress.hpp"
#include "src/quantities.hpp"

namespace tutti {

namespace {

struct CompareOptions {
  std::string collective;
  ProblemOptions problem;
  MachineOptions machine;
  ResultOptions results;
  OptionText jobs;
};

Collective collective_of(const std::string& text) {
  if (const auto collective = collective_named(text)) {
    return *collective;
  }
  std::vector<std::string> names;
  names.reserve(kCollectives.size());
  for (const Collective candidate : kCollectives) {
    names.emplace_back(name(candidate));
  }
  const std::string best = nearest(text.substr(0, text.find('/')), names);
  throw UserError(fmt::format("unknown collective '{}'{}", text,
                              best.empty() ? fmt::format("; there are {}", fmt::join(names, ", "))
                                           : fmt::format(": did you mean '{}'?", best)));
}

std::size_t jobs_of(const OptionText& text) {
  constexpr std::uint32_t kMost = 1024;
  if (!text) {
    return std::max(1U, std::thread::hardware_concurrency());
  }
  const std::uint32_t jobs = parse_count("--jobs", *text, kMost);
  if (jobs == 0) {
    throw UserError(fmt::format("--jobs '0': accepted is a number from 1 to {}", kMost));
  }
  return jobs;
}

int compare(const CompareOptions& options, Streams streams) {
  const std::size_t jobs = jobs_of(options.jobs);
  check_one_standard_output({&options.results.json, &options.results.csv});
  Comparison comparison =
      prepare_comparison(collective_of(options.collective), options.problem, options.machine);
  const auto open = [&streams](const OptionText& path) {
    return path ? std::make_unique<OutputFile>(*path, streams.out) : nullptr;
  };
  const auto json_file = open(options.results.json);
  const auto csv_file = open(options.results.csv);
  {
    Progress progress("comparing", "runs", runs_to_do(comparison), streams.err);
    run_comparison(comparison, jobs, [&](std::size_t done) { progress.show(done); });
  }
  if (json_file) {
    write_results_json(comparison.outcomes, json_file->stream());
    json_file->commit();
  }
  if (csv_file) {
    write_results_csv(comparison.outcomes, csv_file->stream());
    csv_file->commit();
  }
  if (options.results.json != "-" && options.results.csv != "-") {
    print_comparison(comparison, streams.out);
  }
  return kExitOk;
}

}  // namespace

Action add_compare(CLI::App& app, Streams streams) {
  CLI::App* command =
      app.add_subcommand("compare", "All algorithms of a collective over ranks and sizes");
  auto options = std::make_shared<CompareOptions>();
  command
      ->add_option("collective", options->collective,
                   "allreduce, bcast, reduce, reduce_scatter, allgather, alltoall, gather, scatter "
                   "or barrier")
      ->type_name("COLLECTIVE")
      ->required();
  options->problem.add_to(*command);
  command->get_option("--ranks")->description("Numbers of ranks: 8, 4,8,16, 2..64, 2..256*2");
  command->get_option("--bytes")->description("Sizes, in the same way: 64K, 8..16MiB*2");
  command->get_option("--skips")->description(
      "Skips of circulant algorithms: halving [default], doubling, linear, sqrt, a list such as "
      "5,3,2,1, or all: the named ones side by side");
  options->machine.add_to(*command, true);
  options->results.add_to(*command);
  command->add_option("--jobs", options->jobs, "Runs at a time [as many as there are processors]")
      ->type_name("COUNT");
  return [options, streams] { return compare(*options, streams); };
}

}  // namespace tutti

// tutti jobs: simulates several jobs on one cluster, together and each alone.
#include <memory>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/file_text.hpp"
#include "src/commands/command.hpp"
#include "src/commands/shared_options.hpp"
#include "src/formats/output_file.hpp"
#include "src/formats/run_watch.hpp"
#include "src/output/jobs_text.hpp"
#include "src/output/step_text.hpp"
#include "src/requests/exit_codes.hpp"
#include "src/requests/machine_options.hpp"
#include "src/requests/nccl_options.hpp"
#include "src/requests/problem_options.hpp"

namespace tutti { inline namespace commands {

namespace {

constexpr InputKind kJobsFile{"a list of jobs", std::uint64_t{1} << 20U, true};

struct JobsCommand {
  std::string file;
  ProblemOptions problem;
  MachineOptions machine;
  NcclOptions gpus;
  bool no_pairs = false;
  JsonPath json;
};

int jobs(const JobsCommand& options, Streams streams) {
  OptionalOutput file("$json", options.json, kJsonFile, streams.out);
  JobFile read = parse_jobs(read_file(options.file, kJobsFile), options.file);
  const JobsAnswer answer = [&] {
    const RunWatch watch("choosing algorithms", streams.messages);
    const auto element_bytes = options.problem.element_bytes;
    return answer_of(
        ready_jobs(std::move(read), options.machine.open(streams.messages),
                   gpus_for_steps(options.gpus, options.machine, options.problem.ranks_per_host),
                   options.problem.ranks_per_host_count(),
                   element_bytes ? element_bytes->value : Problem{}.element_bytes),
        !options.no_pairs);
  }();
  file.write([&](std::ostream& out) { write_document(kJobsDocument, answer, 2, out); });
  if (options.json != "-") {
    print_jobs(answer, streams.out);
  }
  if (answer.comparison && !answer.comparison->agrees()) {
    streams.messages.error(step_engines_in_words(*answer.comparison));
    return kExitCheckFailed;
  }
  return kExitOk;
}

}  // namespace

Action add_jobs_command(Command& app, Streams streams) {
  Command& command = app.add_command(
      "jobs",
      "Simulate several jobs on one cluster: what they cost each other, and on which links");
  auto options = std::make_shared<JobsCommand>();
  command
      .add_option("file", options->file,
                  "List of jobs, one on each line: job NAME = FILE on hosts LIST, and optionally "
                  "'start TIME' and 'repeat COUNT' or 'repeat until NAME'. FILE is that of 'tutti "
                  "step', relative to the list")
      .type_name("FILE")
      .required();
  options->problem.add_plain_to(command, Values::one);
  command.remove_option("--ranks");
  command.remove_option("--bytes");
  options->problem.add_ranks_per_host(OptionGroup(command, "Problem"));
  options->machine.add_to(command, true);
  command.remove_option("--placement");
  command.remove_option("--hosts");
  options->gpus.add_to(command);
  command.add_flag("--no-pairs", options->no_pairs,
                   "Do not simulate each two of several jobs without the others");
  add_json_option(command, options->json, "all results");
  command.add_examples({"tutti jobs examples/jobs/near.jobs --gpu h100",
                        "tutti jobs examples/jobs/spread.jobs --platform "
                        "platforms/gpu_h100_64.xml",
                        "tutti jobs examples/jobs/near.jobs --gpu h100 --json jobs.json"});
  return [options, streams] { return jobs(*options, streams); };
}

}}  // namespace tutti::commands

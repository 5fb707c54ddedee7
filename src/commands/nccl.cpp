// tutti nccl: shows what NCCL would run on a machine, according to NCCL's own cost model. The
// machine is described by options, so it need not be available.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/error.hpp"
#include "base/human.hpp"
#include "src/commands/cli.hpp"
#include "src/commands/command.hpp"
#include "src/commands/shared_options.hpp"
#include "src/experiments/decisions/nccl_answer.hpp"
#include "src/experiments/decisions/table_run.hpp"
#include "src/formats/made_by.hpp"
#include "src/formats/output_file.hpp"
#include "src/output/nccl_text.hpp"
#include "src/requests/common_options.hpp"
#include "src/requests/machine_options.hpp"
#include "src/requests/nccl_options.hpp"
#include "src/requests/problem_request.hpp"

namespace tutti { inline namespace commands {

namespace {

struct NcclCommand {
  std::string collective;
  ProblemOptions problem;
  NcclOptions machine;
  const NcclRelease* version = &nccl_default_release();
  std::optional<std::string> platform;  // path of a file
  std::optional<ValueWithText<std::uint32_t>> gpus_per_host;
  JsonPath json;
  bool model_only = false;
};

// Sets the number of ranks on each host of the platform. Throws UserError if the hosts may be nodes
// or GPUs, and the user does not say which.
void place_on_hosts(const NcclCommand& options, const NcclOptions& gpus,
                    const std::optional<OpenedMachine>& platform, NcclJob& job) {
  if (options.gpus_per_host) {
    const auto& [count, text] = *options.gpus_per_host;
    if (!options.platform) {
      throw UserError(fmt::format(
          "$gpus_per_host '{}' has no effect without $platform; for the GPUs of a node, give "
          "$gpus_per_node",
          text));
    }
    if (gpus.hosts_are_gpus() ? count != 1 : job.gpus_per_node % count != 0) {
      throw UserError(
          gpus.hosts_are_gpus()
              ? fmt::format("$gpus_per_host '{}': the hosts of '{}' are GPUs, and NCCL runs one "
                            "rank on each; leave it out",
                            text, *options.platform)
              : fmt::format("$gpus_per_host '{}': does not divide the {} GPUs of a node", text,
                            job.gpus_per_node));
    }
    job.ranks_per_host = count;
    return;
  }
  if (!platform || gpus.hosts_are_gpus() || job.gpus_per_node == 1) {
    return;
  }
  const PlatformFacts facts =
      describe(platform->machine(job.cluster.ranks, job.gpus_per_node, Problem{}.element_bytes))
          .facts;
  if (!facts.notes.empty() && facts.hosts >= job.cluster.ranks) {
    throw UserError(fmt::format(
        "$platform '{}': its {} may be nodes or single GPUs; give $gpus_per_host={} if they are "
        "nodes, or $gpus_per_host=1 if each {} of them in a row are the GPUs of a node",
        *options.platform, counted(facts.hosts, "host"), job.gpus_per_node, job.gpus_per_node));
  }
}

int nccl(const NcclCommand& options, Streams streams) {
  const Collective collective = parse_collective(
      options.collective, {.collectives = nccl_collectives(),
                           .why_no_other = "NCCL's model does not cover this collective"});
  options.problem.need_ranks("64");
  if (!options.problem.bytes) {
    throw UserError("the size is missing; give $bytes, such as $bytes=1K..1GiB*4");
  }
  MachineOptions machine;
  machine.platform = options.platform;
  NcclOptions gpus = options.machine.on_platform(machine.platform_file());
  gpus.release = options.version;
  if (options.platform && options.model_only && !gpus.hosts_are_gpus()) {
    throw UserError(fmt::format(
        "$platform '{}' with $model_only: nothing is simulated on it; leave out one of the two",
        *options.platform));
  }
  Algorithm any{};
  any.collective = collective;
  const Algorithm* const alone = &any;
  const ProblemRequest request = parse_request(options.problem, {&alone, 1}, {});
  const bool one = request.ranks.size() == 1 && request.bytes.size() == 1;
  check_number_of("answer", std::uint64_t{request.ranks.size()} * request.bytes.size());
  const NcclSimulation simulated = options.model_only ? NcclSimulation::none
                                   : one              ? NcclSimulation::all
                                                      : NcclSimulation::chosen;
  OptionalOutput file("$json", options.json, kJsonFile, streams.out);
  std::optional<OpenedMachine> platform;
  if (options.platform && !options.model_only) {
    platform = machine.open(streams.messages);
  }
  std::vector<NcclAnswer> answers;
  std::vector<std::string> notes;
  for (const std::uint32_t ranks : request.ranks) {
    NcclJob job = gpus.job(ranks);
    place_on_hosts(options, gpus, platform, job);
    if (!job.note.empty() && std::ranges::find(notes, job.note) == notes.end()) {
      notes.push_back(job.note);
    }
    for (const std::uint64_t bytes : request.bytes) {
      answers.push_back(
          nccl_answer(job, collective, bytes, simulated, platform ? &*platform : nullptr));
    }
  }
  report_notes(notes, streams.messages);
  file.write([&](std::ostream& out) { write_document(kNcclDocument, answers, 2, out); });
  if (options.json == "-") {
    return kExitOk;
  }
  if (one) {
    print_nccl_answer(answers.front(), streams.out);
  } else {
    print_nccl_answers(answers, streams.out);
  }
  return kExitOk;
}

}  // namespace

Action add_nccl(Command& app, Streams streams) {
  Command& command = app.add_command(
      "nccl", "Show what NCCL would run by its own cost model, with simulated times; needs no GPU");
  auto options = std::make_shared<NcclCommand>();
  command
      .add_option("collective", options->collective,
                  "bcast, reduce, allgather, reduce_scatter or allreduce")
      .type_name("COLLECTIVE")
      .required();
  options->problem.add_plain_to(command, Values::list);
  command.option("--ranks")
      .read_into(options->problem.ranks, parse_gpus)
      .description("Numbers of GPUs, such as 64 or 8..1024*2 (8, 16, 32, ..., 1024)");
  command.option("--bytes").description(
      "Sizes of the largest buffer of a rank, such as 64MiB or 1K..1GiB*4 (1K, 4K, 16K, ..., "
      "1GiB)");
  command.remove_option("--elem-bytes");
  options->machine.add_to(command);
  OptionGroup(command, "Options")
      .add("--version", options->version, "RELEASE",
           fmt::format("Release of NCCL, such as 2.27 or 2.27.5; {} to {} are known [{}, that of "
                       "the newest PyTorch]",
                       nccl_releases().front().name, nccl_releases().back().name,
                       nccl_default_release().name),
           parse_nccl_release)
      .words(nccl_release_lines());
  const OptionGroup machine(command, "Machine");
  machine.add("--platform", options->platform, "FILE",
              "SimGrid platform on which schedules are simulated. One of 'tutti platform gpu' also "
              "sets the nodes, cards and rates of NCCL's model; the hosts of others are nodes [a "
              "platform with the machine's links and the latencies of NCCL's model]");
  machine.add("--gpus-per-host", options->gpus_per_host, "COUNT",
              "Number of GPUs on each host of --platform; 1: hosts are GPUs, and nodes are hosts "
              "in a row [all GPUs of a node; 1 if the file says that hosts are GPUs]",
              AsPositiveCount<1024>());
  machine.flag("--model-only", options->model_only,
               "Show only what NCCL's model predicts, and simulate nothing");
  add_json_option(command, options->json, "all results");
  command.add_examples(
      {"tutti nccl allreduce -p 64 -n 64MiB --gpu h100",
       "tutti nccl allgather -p 8..512*4 -n 64K..256MiB*16 --gpu b300 --nics 4",
       "tutti nccl allreduce -p 16 -n 1MiB --gpu a100 --gpus-per-node 1 --json -"});
  return [options, streams] { return nccl(*options, streams); };
}

}}  // namespace tutti::commands

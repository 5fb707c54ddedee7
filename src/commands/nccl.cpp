// tutti nccl: shows what NCCL would run on a machine, according to NCCL's own cost model. The
// machine is described by options, so it need not be available.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/text_lines.hpp"
#include "base/text_words.hpp"
#include "src/commands/cli.hpp"
#include "src/commands/command.hpp"
#include "src/commands/shared_options.hpp"
#include "src/experiments/decisions/nccl_answer.hpp"
#include "src/experiments/decisions/nccl_grouped.hpp"
#include "src/experiments/decisions/table_run.hpp"
#include "src/formats/made_by.hpp"
#include "src/formats/output_file.hpp"
#include "src/formats/terminal_line.hpp"
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
  // Releases to show. Null: the default of the GPU.
  std::vector<const NcclRelease*> releases{nullptr};
  std::optional<std::string> platform;  // path of a file
  std::optional<ValueWithText<std::uint32_t>> gpus_per_host;
  std::optional<std::string> parameters;  // path of a file
  SureLevel sure;
  JsonPath json;
  bool model_only = false;
};

// Parses names of releases, separated by commas.
std::vector<const NcclRelease*> parse_nccl_releases(std::string_view from,
                                                    const std::string& text) {
  std::vector<const NcclRelease*> found;
  for (const std::string_view part : split(text, ',')) {
    const NcclRelease* const release = parse_nccl_release(from, std::string(trimmed(part)));
    if (std::ranges::find(found, release) != found.end()) {
      throw UserError(fmt::format("{} '{}': names NCCL {} twice", from, text, release->name));
    }
    found.push_back(release);
  }
  return found;
}

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

// Parses the name of a call of NCCL. The result for sendrecv is alltoallv.
Collective parse_nccl_call(const std::string& text) {
  if (plain_name(text) == kNcclSendrecv) {
    return Collective::alltoallv;
  }
  const auto modelled = nccl_collectives();
  std::vector<Collective> accepted(modelled.begin(), modelled.end());
  accepted.insert(accepted.end(), kNcclGroupedCollectives.begin(), kNcclGroupedCollectives.end());
  return parse_collective(text, {.collectives = accepted,
                                 .why_no_other = "NCCL does not have this collective",
                                 .words = {&kNcclSendrecv, 1}});
}

// The answers of a command, and the platform of its simulations.
struct NcclRun {
  std::vector<NcclAnswer> answers;
  std::optional<OpenedMachine> platform;
  bool simulates = false;

  [[nodiscard]] const OpenedMachine* simulated_on() const {
    return platform ? &*platform : nullptr;
  }
};

// Returns the jobs with `ranks` ranks, one for each release.
std::vector<NcclJob> jobs_of(const NcclCommand& options, NcclOptions gpus, const NcclRun& run,
                             std::uint32_t ranks) {
  std::vector<NcclJob> jobs;
  for (const NcclRelease* const release : options.releases) {
    gpus.release = release;
    NcclJob& job = jobs.emplace_back(gpus.job(ranks));
    place_on_hosts(options, gpus, run.platform, job);
  }
  return jobs;
}

// Reads the file of --parameters, and checks that it matters. Throws UserError.
void take_parameters(const NcclCommand& options, Collective collective, NcclOptions& gpus) {
  if (!options.parameters) {
    if (options.sure) {
      throw UserError(
          fmt::format("$sure '{}': needs $parameters FILE, which 'tutti fit' with $gpu writes",
                      options.sure->text));
    }
    return;
  }
  const std::string given = fmt::format("$parameters '{}'", *options.parameters);
  if (collective != Collective::allreduce && collective != Collective::allgather &&
      collective != Collective::reduce_scatter) {
    throw UserError(fmt::format(
        "{}: has no effect on {}; such files cover allreduce, allgather and reduce_scatter", given,
        options.collective));
  }
  if (options.releases.size() > 1) {
    throw UserError(fmt::format(
        "{} with several releases: it describes one of them; give one to $version", given));
  }
  if (options.platform && !gpus.hosts_are_gpus()) {
    throw UserError(
        fmt::format("{} with $platform '{}': has an effect only on nodes of GPUs; leave $platform "
                    "out, or give a file of 'tutti platform gpu'",
                    given, *options.platform));
  }
  if (gpus.used_release().library != "NCCL") {
    throw UserError(fmt::format("{}: describes NCCL, not {}", given, gpus.used_release().library));
  }
  gpus.fabric = std::make_shared<const FabricFile>(read_fabric_file(*options.parameters));
  if (options.sure) {
    (void)fabric_range(*gpus.fabric, options.sure->value, 1, {});
  }
}

// Returns the answers without simulated times. Throws UserError for what a simulation would refuse,
// too, so that no row is printed before an error.
NcclRun modelled(const NcclCommand& options, Collective collective, Streams streams) {
  MachineOptions machine;
  machine.platform = options.platform;
  NcclOptions gpus = options.machine.on_platform(machine.platform_file());
  take_parameters(options, collective, gpus);
  NcclRun run;
  run.simulates = !options.model_only && options.releases.size() == 1;
  if (options.platform && !run.simulates && !gpus.hosts_are_gpus()) {
    throw UserError(
        fmt::format("$platform '{}' with {}: nothing is simulated on it; leave out one of the two",
                    *options.platform, options.model_only ? "$model_only" : "several releases"));
  }
  Algorithm any{};
  any.collective = collective;
  const Algorithm* const alone = &any;
  const ProblemRequest request = parse_request(options.problem, {&alone, 1}, {});
  check_number_of("answer", std::uint64_t{request.ranks.size()} * request.bytes.size() *
                                options.releases.size());
  if (options.platform && run.simulates) {
    run.platform = machine.open(streams.messages);
  }
  const bool grouped = !nccl_grouped_call(collective).empty();
  for (const std::uint32_t ranks : request.ranks) {
    const std::vector<NcclJob> jobs = jobs_of(options, gpus, run, ranks);
    for (const std::uint64_t bytes : request.bytes) {
      for (const NcclJob& job : jobs) {
        NcclAnswer& answer =
            run.answers.emplace_back(grouped ? nccl_grouped_answer(job, collective, bytes)
                                             : nccl_answer(job, collective, bytes));
        if (options.sure) {
          add_ranges(answer, options.sure->value);
        }
        if (run.platform) {
          use_platform(answer, *run.platform);
        }
      }
    }
  }
  return run;
}

// Calls `simulate`, and meanwhile shows on a terminal what it does.
template <typename Simulate>
void while_shown(TerminalLine& line, const std::string& doing, Simulate&& simulate) {
  line.show(doing);
  simulate();
  line.wipe();
}

void simulate_and_explain(const NcclAnswer& answer, const OpenedMachine* platform, NcclWay& way) {
  simulate_nccl_way(answer, platform, way);
  explain_nccl_way(answer, platform, way);
}

// Simulates all ways of the only answer, and prints each row as soon as it is known, unless `text`
// is null.
void simulate_all(NcclRun& run, NcclAnswerText* text, TerminalLine& line) {
  NcclAnswer& answer = run.answers.front();
  const std::vector<NcclWay*> ways =
      run.simulates ? ways_with_schedule(answer, true) : std::vector<NcclWay*>();
  const bool choice_first = !ways.empty() && ways.front() == answer.chosen();
  if (text != nullptr && !choice_first) {
    text->print_choice();
  }
  for (std::size_t i = 0; i < ways.size(); ++i) {
    while_shown(line,
                fmt::format("simulating {} with {}, {} of {}", name(ways[i]->algorithm),
                            name(ways[i]->protocol), i + 1, ways.size()),
                [&] { simulate_and_explain(answer, run.simulated_on(), *ways[i]); });
    if (text != nullptr && i == 0 && choice_first) {
      text->print_choice();
    }
    if (text != nullptr && i + 1 < ways.size()) {
      text->print_ways(static_cast<std::size_t>(ways[i + 1] - answer.ways.data()));
    }
  }
  if (text != nullptr) {
    text->print_end();
  }
}

// Simulates NCCL's choice in each answer, and prints a row for each, unless `rows` is null.
void simulate_choices(NcclRun& run, NcclRows* rows, TerminalLine& line) {
  for (std::size_t i = 0; i < run.answers.size(); ++i) {
    NcclAnswer& answer = run.answers[i];
    while_shown(line,
                fmt::format("simulating {} on {}, {} of {}", human_bytes(answer.bytes),
                            counted(answer.job.cluster.ranks, "rank"), i + 1, run.answers.size()),
                [&] {
                  if (!run.simulates) {
                    return;
                  }
                  if (answer.grouped) {
                    simulate_grouped(answer, run.simulated_on());
                  }
                  for (NcclWay* const way : ways_with_schedule(answer, false)) {
                    simulate_and_explain(answer, run.simulated_on(), *way);
                  }
                });
    if (rows != nullptr) {
      rows->print(answer);
    }
  }
  if (rows != nullptr) {
    rows->print_end();
  }
}

int nccl(const NcclCommand& options, Streams streams) {
  const Collective collective = parse_nccl_call(options.collective);
  if (const std::string_view call = nccl_grouped_call(collective);
      !call.empty() && (options.model_only || options.releases.size() > 1)) {
    throw UserError(fmt::format("{} with {}: NCCL's model does not cover this call", call,
                                options.model_only ? "$model_only" : "several releases"));
  }
  options.problem.need_ranks("64");
  if (!options.problem.bytes) {
    throw UserError("the size is missing; give $bytes, such as $bytes=1K..1GiB*4");
  }
  OptionalOutput file("$json", options.json, kJsonFile, streams.out);
  NcclRun run = modelled(options, collective, streams);
  const bool prints = options.json != "-";
  TerminalLine line(streams.messages.progress());
  if (options.releases.size() > 1) {
    if (prints) {
      print_nccl_releases(run.answers, options.releases.size(), streams.out);
    }
  } else if (run.answers.size() > 1) {
    std::optional<NcclRows> rows;
    if (prints) {
      rows.emplace(run.answers, streams.out);
    }
    simulate_choices(run, rows ? &*rows : nullptr, line);
  } else if (NcclAnswer& answer = run.answers.front(); answer.grouped) {
    simulate_choices(run, nullptr, line);
    if (prints) {
      print_grouped_answer(answer, streams.out);
    }
  } else {
    NcclAnswerText text(answer, streams.out);
    simulate_all(run, prints ? &text : nullptr, line);
  }
  file.write([&](std::ostream& out) { write_document(kNcclDocument, run.answers, 2, out); });
  return kExitOk;
}

}  // namespace

Action add_nccl(Command& app, Streams streams) {
  Command& command = app.add_command(
      "nccl", "Show what NCCL would run by its own cost model, with simulated times; needs no GPU");
  auto options = std::make_shared<NcclCommand>();
  command
      .add_option("collective", options->collective,
                  "bcast, reduce, allgather, reduce_scatter or allreduce; or alltoall, gather, "
                  "scatter or sendrecv, which NCCL runs as grouped sends and receives")
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
      .add("--version", options->releases, "RELEASES",
           fmt::format("Release of NCCL, such as 2.27 or 2.27.5; {} to {} are known. Several, such "
                       "as 2.27,2.29, are shown side by side, without simulated times [{}, that of "
                       "the newest PyTorch]",
                       nccl_releases().front().name, nccl_releases().back().name,
                       nccl_default_release().name),
           parse_nccl_releases)
      .words(nccl_release_lines());
  const OptionGroup machine(command, "Machine");
  machine.add("--platform", options->platform, "FILE",
              "SimGrid platform on which schedules are simulated. One of 'tutti platform gpu' also "
              "sets the nodes, cards and rates of NCCL's model; the hosts of others are nodes [a "
              "platform with the machine's links and the latencies of NCCL's model]");
  machine.add("--gpus-per-host", options->gpus_per_host, "COUNT",
              "Number of GPUs on each host of --platform; 1 if each host is a GPU, and consecutive "
              "hosts are a node [all GPUs of a node; must be given if there are as many hosts as "
              "ranks]",
              AsPositiveCount<1024>());
  machine
      .add("--parameters", options->parameters, "FILE",
           "How NCCL uses the network of the machine, in a file of 'tutti fit --gpu': trees and "
           "rings between nodes have the times of these figures, and NCCL's choices stay those "
           "of its own model [NCCL's own figures]")
      .usual();
  add_sure(machine, options->sure,
           "Also give the range in which the true time of a call lies with this probability");
  machine.flag("--model-only", options->model_only,
               "Show only what NCCL's model predicts, and simulate nothing");
  add_json_option(command, options->json, "all results");
  command.add_examples({"tutti nccl allreduce -p 64 -n 64MiB --gpu h100",
                        "tutti nccl alltoall -p 64 -n 64K..256MiB*16 --gpu h200",
                        "tutti nccl allreduce -p 8..512*4 -n 64K..1GiB*16 --version 2.27,2.29"});
  return [options, streams] { return nccl(*options, streams); };
}

}}  // namespace tutti::commands

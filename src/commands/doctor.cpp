// tutti doctor: says whether measured times are those of a healthy machine, and what likely causes
// of differences are.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/error.hpp"
#include "base/text_lines.hpp"
#include "base/text_words.hpp"
#include "src/commands/cli.hpp"
#include "src/commands/command.hpp"
#include "src/commands/shared_options.hpp"
#include "src/experiments/decisions/nccl_grouped.hpp"
#include "src/experiments/doctor/doctor_report.hpp"
#include "src/experiments/points/measured_source.hpp"
#include "src/formats/output_file.hpp"
#include "src/output/doctor_output.hpp"
#include "src/requests/common_options.hpp"
#include "src/requests/fabric_file.hpp"
#include "src/requests/machine_options.hpp"
#include "src/requests/nccl_options.hpp"
#include "src/rule_files/library_catalogue.hpp"

namespace tutti { inline namespace commands {

namespace {

struct DoctorCommand {
  std::vector<std::string> files;
  std::optional<Collective> collective;
  std::optional<std::uint32_t> ranks;
  std::optional<std::uint32_t> nodes;
  std::optional<std::string> library;
  NcclOptions nccl;
  MachineOptions machine;
  JsonPath json;
};

// Parses the name of a collective, or sendrecv, which is alltoallv here.
Collective parse_measured_call(std::string_view /*from*/, const std::string& text) {
  return lower_case(text) == kNcclSendrecv ? Collective::alltoallv
                                           : parse_collective(text, {.words = {&kNcclSendrecv, 1}});
}

// Takes the library that the user names: a release of NCCL, or an MPI library.
void take_library(const DoctorCommand& options, ExpectationOptions& expected) {
  constexpr std::string_view kNccl = "nccl";
  if (!options.library) {
    return;
  }
  const std::string text = lower_case(*options.library);
  if (text.starts_with(kNccl)) {
    expected.release_given = true;
    expected.nccl.release =
        parse_nccl_release("$library", std::string(trimmed(text.substr(kNccl.size()))));
  } else {
    (void)library_version_named("$library", *options.library);
    expected.library = options.library;
  }
}

// Reads all files, and judges each curve in them.
DoctorReport diagnosed(const DoctorCommand& options, const ExpectationOptions& expected,
                       std::vector<std::string>& notes) {
  const CurveDefaults defaults{options.collective, options.ranks, options.nodes};
  DoctorReport report;
  for (const std::string& path : options.files) {
    for (const std::string& each : files_of_runs(path, notes)) {
      for (MeasuredCurve& curve : read_curves(each, defaults, notes)) {
        Expectation of = curve.pair      ? pair_expectation(curve, expected)
                         : curve.is_nccl ? nccl_expectation(curve, expected)
                                         : mpi_expectation(curve, expected);
        report.diagnoses.push_back(diagnose(std::move(curve), std::move(of)));
      }
    }
  }
  report.comparisons = compare_outputs(report.diagnoses);
  return report;
}

int doctor(const DoctorCommand& options, Streams streams) {
  ExpectationOptions expected;
  expected.nccl = options.nccl;
  expected.platform_file = options.machine.platform_file();
  take_library(options, expected);
  MachineOptions machine = options.machine;
  if (machine.parameters && is_fabric_file(*machine.parameters)) {
    expected.nccl.fabric =
        std::make_shared<const FabricFile>(read_fabric_file(*machine.parameters));
    machine.parameters.reset();
  }
  std::optional<OpenedMachine> platform;
  if (machine.platform || machine.alpha_s) {
    platform = machine.open(streams.messages);
    expected.platform = &*platform;
  }
  OptionalOutput file("$json", options.json, kJsonFile, streams.out);
  std::vector<std::string> notes;
  const DoctorReport report = diagnosed(options, expected, notes);
  if (expected.nccl.fabric != nullptr &&
      std::ranges::none_of(report.diagnoses,
                           [](const Diagnosis& each) { return each.curve.is_nccl; })) {
    throw UserError(fmt::format("$parameters '{}': has an effect only on outputs of nccl-tests",
                                *options.machine.parameters));
  }
  report_notes(notes, streams.messages);
  file.write([&](std::ostream& out) { write_document(kDoctorDocument, report, 2, out); });
  if (options.json != "-") {
    print_diagnoses(report, streams.out);
  }
  return kExitOk;
}

}  // namespace

Action add_doctor(Command& app, Streams streams) {
  Command& command = app.add_command("doctor",
                                     "Say whether measured times are those of a healthy machine, "
                                     "and if not, what is likely wrong");
  auto options = std::make_shared<DoctorCommand>();
  command
      .add_option("files", options->files,
                  "Outputs of nccl-tests or rccl-tests, OSU micro-benchmarks, the Intel MPI "
                  "Benchmarks (of collectives, and of messages between pairs of ranks), PICO or "
                  "'tutti-mpi run --json', comma-separated values as for 'tutti "
                  "score', or folders of such files; several are also compared with each other")
      .type_name("FILE")
      .required();
  const OptionGroup run(command, "What was measured");
  run.add("--collective", options->collective, "NAME",
          "Collective, or sendrecv, of files that do not name it", parse_measured_call)
      .usual();
  run.add("-p,--ranks", options->ranks, "COUNT",
          "Number of ranks [from the file; OSU micro-benchmarks do not print it]",
          AsPositiveCount<kMostRanks>())
      .usual();
  run.add("--nodes", options->nodes, "COUNT",
          "Number of nodes [from the file, otherwise as few as the ranks need]",
          AsPositiveCount<kMostRanks>())
      .usual();
  run.add("--library", options->library, "NAME",
          "Library with its version, such as 'NCCL 2.27' or 'Open MPI 5.0' [NCCL: from the file; "
          "MPI: the fastest algorithm is expected]")
      .usual();
  options->nccl.add_to(command, "from the file");
  options->machine.add_to(command, true);
  add_json_option(command, options->json, "diagnoses");
  command.add_examples(
      {"tutti doctor examples/doctor/before.txt examples/doctor/after.txt",
       "tutti doctor examples/fit/osu_allreduce.txt -p 16 --library 'Open MPI 5.0' --platform "
       "crossbar:16,bw=100Gbps,lat=1us",
       "tutti doctor examples/doctor/osu_bw.txt --nic-bw 200Gbps"});
  return [options, streams] { return doctor(*options, streams); };
}

}}  // namespace tutti::commands

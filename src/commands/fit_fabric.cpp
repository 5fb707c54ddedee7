#include "src/commands/fit_fabric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/printable.hpp"
#include "base/shell_word.hpp"
#include "base/text_lines.hpp"
#include "base/text_words.hpp"
#include "src/experiments/points/measured_source.hpp"
#include "src/formats/output_file.hpp"
#include "src/output/fabric_text.hpp"
#include "src/requests/command_table.hpp"
#include "src/requests/exit_codes.hpp"

namespace tutti { inline namespace commands {

namespace {

// Returns the start of a fit: the figures of --parameters, and those that its file leaves out, as
// they are without a file.
NcclFabric start_of(const FabricRequest& request) {
  NcclFabric start = nccl_fabric_start();
  if (request.parameters) {
    const NcclFabric given = read_fabric_file(*request.parameters).model;
    for (const NcclFabricParameter& each : nccl_fabric_parameters()) {
      start.*each.value = std::isnan(given.*each.value) ? start.*each.value : given.*each.value;
    }
  }
  return start;
}

// Throws UserError if no measured time is between nodes.
void check_nodes(const MeasuredCalls& calls) {
  if (calls.nodes.back() == 1) {
    throw UserError("no measured time is between nodes; within one, NCCL's own model is used");
  }
}

MeasuredCalls calls_of(const FabricRequest& request, Streams streams) {
  std::vector<std::string> notes;
  std::vector<MeasuredCurve> curves;
  for (const std::string& path : request.files) {
    for (const std::string& each : files_of_runs(path, notes)) {
      std::ranges::move(read_curves(each, {{}, request.ranks, {}}, notes),
                        std::back_inserter(curves));
    }
  }
  MeasuredCalls calls =
      measured_calls(curves, request.nccl, request.nccl.release != nullptr, notes);
  report_notes(notes, streams.messages);
  check_nodes(calls);
  return calls;
}

}  // namespace

void add_nccl_library(const OptionGroup& group, std::optional<std::string>& library) {
  group.add("--library", library, "NAME",
            "With a machine of NCCL: its release, such as 'NCCL 2.27' [from the files]");
}

bool is_for_nccl(const PointOptions& points, const NcclOptions& nccl,
                 const std::optional<std::string>& library) {
  if (library && nccl.given().empty()) {
    if (nccl.on_platform(points.machine.platform_file()).hosts_are_gpus()) {
      return true;
    }
    throw UserError(fmt::format(
        "$library '{}': has an effect only on machines of NCCL, which $gpu describes", *library));
  }
  return !nccl.given().empty();
}

FabricRequest fabric_request(const PointOptions& points, const NcclOptions& nccl,
                             const std::optional<std::string>& library,
                             std::span<const std::string_view> allowed) {
  if (const std::string given = nccl.given_besides(allowed); !given.empty()) {
    throw UserError(
        fmt::format("{} with {}: has an effect only on message models, not on machines of NCCL",
                    given, nccl.given().empty() ? "$library" : nccl.given()));
  }
  FabricRequest request;
  request.files = points.files;
  if (points.ranks) {
    request.ranks = points.ranks->value;
  }
  request.nccl = nccl.on_platform(points.machine.platform_file());
  if (points.machine.platform) {
    if (!request.nccl.hosts_are_gpus()) {
      throw UserError(fmt::format(
          "$platform '{}': does not describe GPUs; give a file of 'tutti platform gpu', or $gpu "
          "alone",
          printable(*points.machine.platform)));
    }
    request.platform = *points.machine.platform;
  }
  if (request.nccl.used_release().library != "NCCL") {
    throw UserError(fmt::format("{}: figures of a network are known only for NCCL, not for {}",
                                nccl.given().empty() ? "$platform" : nccl.given(),
                                request.nccl.used_release().library));
  }
  request.parameters = points.machine.parameters;
  constexpr std::string_view kNccl = "nccl";
  if (library) {
    const bool has_name = lower_case(*library).starts_with(kNccl);
    request.nccl.release = parse_nccl_release(
        "$library", std::string(trimmed(has_name ? library->substr(kNccl.size()) : *library)));
  }
  return request;
}

int fit_fabric(const FabricRequest& request, Streams streams) {
  check_one_standard_output({&request.output, &request.json});
  const NcclFabric start = start_of(request);
  OptionalOutput output_file("$output", request.output, kParametersKind, streams.out);
  OptionalOutput json_file("$json", request.json, kJsonFile, streams.out);
  const MeasuredCalls calls = calls_of(request, streams);
  FabricReport report;
  report.measured = &calls;
  report.fit = fit_fabric(calls, start, request.prior);
  report.predictions = fabric_predictions(calls, &report.fit->file);
  if (report.fit->left_out) {
    report.predictions.push_back(*report.fit->left_out);
  }
  write_together(
      {{output_file, [&](std::ostream& out) { write_fabric_file(report.fit->file, out); }},
       {json_file, [&](std::ostream& out) { write_document(kFabricReport, report, 2, out); }}});
  if (request.output != "-" && request.json != "-") {
    print_fabric_fit(*report.fit, streams.out);
    print_fabric_scores(report, streams.out);
  }
  if (!report.fit->at_rest) {
    streams.messages.warning(fmt::format(
        "the fit did not converge after {}; start closer to the solution with $parameters",
        counted(report.fit->steps, "step")));
  }
  return report.fit->at_rest ? kExitOk : kExitCheckFailed;
}

int plan_fabric_runs(const FabricRequest& request, std::uint32_t ranks, double most_s,
                     Streams streams) {
  check_one_standard_output({&request.output, &request.json});
  const NcclFabric start = start_of(request);
  OptionalOutput output_file(request.output, streams.out);
  OptionalOutput json_file("$json", request.json, kJsonFile, streams.out);
  FabricPlanReport report;
  report.plan = plan_fabric(request.nccl, start, ranks, most_s);
  report.most_s = most_s;
  report.machine = "up to " + request.nccl.job(ranks).machine;
  report.options = request.nccl.as_given();
  if (!request.platform.empty()) {
    report.options += fmt::format("{}--platform {}", report.options.empty() ? "" : " ",
                                  shell_path(request.platform));
  }
  if (request.nccl.release != nullptr) {
    report.options += fmt::format(" --library {}", request.nccl.release->name);
  }
  write_together({{output_file, [&](std::ostream& out) { write_fabric_script(report, out); }},
                  {json_file, [&](std::ostream& out) {
                     write_document(kFabricPlanDocument, report, 2, out);
                   }}});
  if (request.output != "-" && request.json != "-") {
    print_fabric_plan(report, streams.out);
  }
  return kExitOk;
}

int score_fabric(const FabricRequest& request, Streams streams) {
  std::optional<FabricFile> file;
  if (request.parameters) {
    file = read_fabric_file(*request.parameters);
  }
  OptionalOutput json_file("$json", request.json, kJsonFile, streams.out);
  const MeasuredCalls calls = calls_of(request, streams);
  if (file && ((!file->library.empty() && file->library != calls.library) ||
               (!file->gpu.empty() && file->gpu != calls.gpu))) {
    streams.messages.warning(
        fmt::format("$parameters '{}': the figures are of {}, {}; the times are of {}, {}",
                    printable(*request.parameters), file->machine, file->library, calls.machine,
                    calls.library));
  }
  FabricReport report;
  report.measured = &calls;
  report.predictions = fabric_predictions(calls, file ? &*file : nullptr);
  json_file.write([&](std::ostream& out) { write_document(kFabricReport, report, 2, out); });
  if (request.json != "-") {
    print_fabric_scores(report, streams.out);
  }
  return kExitOk;
}

}}  // namespace tutti::commands

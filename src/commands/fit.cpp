// tutti fit: fits parameters of the message model to measured times.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <numeric>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/printable.hpp"
#include "base/quantities.hpp"
#include "base/work_ticker.hpp"
#include "src/commands/cli.hpp"
#include "src/commands/command.hpp"
#include "src/commands/fit_fabric.hpp"
#include "src/commands/plan_fit.hpp"
#include "src/commands/point_options.hpp"
#include "src/commands/shared_options.hpp"
#include "src/experiments/fit/message_fit.hpp"
#include "src/experiments/points/measured_source.hpp"
#include "src/formats/interrupts.hpp"
#include "src/formats/output_file.hpp"
#include "src/output/fit_text.hpp"
#include "src/requests/common_options.hpp"
#include "src/requests/message_file.hpp"

namespace tutti { inline namespace commands {

namespace {

template <typename Name>
std::vector<std::string> names_of(const FittedPoints& points, const std::vector<std::size_t>& these,
                                  Name&& name) {
  std::vector<std::string> names;
  for (const std::size_t i : these) {
    if (const std::string each = name(points.point(i));
        std::ranges::find(names, each) == names.end()) {
      names.push_back(each);
    }
  }
  return names;
}

MessageFile fitted_file(MessageFile file, const MessageFitResult& fit, const std::string& machine) {
  file.model = fit.model;
  if (!machine.empty() && file.machine.empty()) {
    file.machine = machine;
  }
  file.fit.emplace();
  file.fit->points = fit.points;
  file.fit->error = fit.error;
  file.fit->uncertainty = fit.uncertainty;
  for (const FittedFigure& each : fit.figures) {
    const std::string name(each.parameter->name);
    file.fit->parameters.push_back({name, each.low, each.high});
    file.sources[name] = fmt::format("fitted to {}", counted(fit.points, "measured time"));
  }
  return file;
}

// Returns the points of FILE and of --spread-only; of the latter only those with a known algorithm.
// Replaces the folders among these files by the files in them.
std::vector<BenchmarkPoint> all_points(FitOptions& options, std::vector<std::string>& notes) {
  std::vector<std::string> spread_files;
  for (const std::string& path : options.spread_files) {
    std::ranges::move(files_of_runs(path, notes), std::back_inserter(spread_files));
  }
  options.spread_files = std::move(spread_files);
  std::vector<std::string> files = options.points.files;
  for (const std::string& file : options.spread_files) {
    if (std::ranges::find(options.points.files, file) != options.points.files.end()) {
      throw UserError(
          fmt::format("$spread_only '{}': is also a file to fit; name it once", printable(file)));
    }
    files.push_back(file);
  }
  std::vector<BenchmarkPoint> points = options.points.read_points_of(files, notes);
  std::erase_if(points, [&](const BenchmarkPoint& point) {
    return point.algorithm == nullptr && counts_for_spread_only(options, point);
  });
  for (const std::string& file : options.spread_files) {
    if (std::ranges::find(points, file, &BenchmarkPoint::file) == points.end()) {
      throw UserError(
          fmt::format("$spread_only '{}': no point in it has a known algorithm", printable(file)));
    }
  }
  return points;
}

std::string kept_fit(const MessageFitResult& fit) {
  if (fit.points == 0) {
    return "; nothing was written";
  }
  return fit.stopped ? fmt::format("; the fit has not converged: its values are those after {}",
                                   counted(fit.steps, "step"))
                     : "; the fit to all jobs is complete";
}

// Fits the parameters on which points depend. Removes the others from `request`, and adds them to
// `kept`.
MessageFitResult fit_observable(FitRequest& request, std::vector<KeptParameter>& kept,
                                const FittedPoints& points, const std::vector<std::size_t>& these,
                                const std::vector<std::size_t>& spread_only,
                                const InterruptMessage& when_interrupted) {
  while (true) {
    try {
      return fit_messages(request, points, these, "fitting", spread_only);
    } catch (const UnobservableParameter& error) {
      if (request.parameters.size() == 1) {
        throw;
      }
      kept.push_back(keep_parameter(request, error));
    } catch (const Cancellation&) {
      when_interrupted.stop_if_interrupted();
      throw;
    }
  }
}

int fit_points(FitOptions options, Streams streams) {
  check_one_standard_output({&options.output, &options.json});
  const double prior = options.prior ? options.prior->value : 0;
  std::vector<std::string> notes;
  const std::vector<BenchmarkPoint> points = all_points(options, notes);
  std::vector<std::size_t> places = fitted_places(options, points);
  options.points.check_machine(points);
  report_notes(notes, streams.messages);
  std::vector<std::size_t> these(places.size());
  std::iota(these.begin(), these.end(), 0);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (counts_for_spread_only(options, points[i])) {
      places.push_back(i);
    }
  }
  std::vector<std::size_t> spread_only(places.size() - these.size());
  std::iota(spread_only.begin(), spread_only.end(), these.size());
  const MessageFile start = read_message_file(start_file(options, points, places));
  FitRequest request = fit_request(start.model, options.parameters, prior);
  OptionalOutput output_file("$output", options.output, kParametersKind, streams.out);
  OptionalOutput json_file("$json", options.json, kJsonFile, streams.out);
  const std::optional<std::uint32_t> per_host = options.points.ranks_per_host;
  PointMachines machines(options.points.machine, streams.messages, per_host, parameters_of(start));
  const FittedPoints fitted(points, places, machines, per_host, options.points.jobs,
                            streams.messages);
  FitReport report;
  const InterruptMessage when_interrupted([&report] { return kept_fit(report.fit); },
                                          InterruptMessage::End::stops_work);
  report.fit = fit_observable(request, report.kept, fitted, these, spread_only, when_interrupted);
  report.spread_only = report.fit.stopped ? 0 : spread_only.size();
  report.jobs = names_of(fitted, these, [](const BenchmarkPoint& point) { return point.job; });
  std::vector<std::size_t> all = these;
  all.insert(all.end(), spread_only.begin(), spread_only.end());
  report.cells = names_of(fitted, all, [](const BenchmarkPoint& point) { return point.cell; });
  if (options.leave_out_jobs && !report.fit.stopped) {
    try {
      report.left_out = leave_jobs_out(request, points, fitted, these);
    } catch (const Cancellation&) {
      stop_requested = false;
    }
  }
  if (!report.fit.at_rest && !report.fit.stopped) {
    streams.messages.warning(fmt::format(
        "the fit did not converge after {}; start closer to the solution, or fit fewer parameters",
        counted(report.fit.steps, "step")));
  }
  const auto write_fitted = [&](std::ostream& out) {
    write_message_file(fitted_file(start, report.fit, points[places.front()].machine), out);
  };
  write_together({{output_file, write_fitted}, {json_file, [&](std::ostream& out) {
                                                  write_document(kFitDocument, report, 2, out);
                                                }}});
  if (options.output != "-" && options.json != "-") {
    print_fit(report, streams.out);
  }
  streams.out.flush();
  when_interrupted.stop_if_interrupted();
  return report.fit.at_rest ? kExitOk : kExitCheckFailed;
}

std::vector<std::string> fittable_names() {
  std::vector<std::string> names;
  for (const MessageParameter& each : message_parameters()) {
    if (changes_gradually(each)) {
      names.emplace_back(each.name);
    }
  }
  return names;
}

// Checks what the command line cannot require, because it depends on --plan.
void check_fit_options(const FitOptions& options) {
  if (options.points.files.empty()) {
    throw UserError(
        "FILE is missing: name files with measured times, or give $plan TIME to choose benchmark "
        "runs");
  }
  if (options.parameters.empty()) {
    throw UserError(
        "$fit is missing: name the parameters to fit, such as latency_s,rank_bytes_per_s");
  }
  if (options.count) {
    throw UserError(
        fmt::format("$count '{}': has an effect only with $plan", options.count->value));
  }
}

double parse_minutes(std::string_view from, const std::string& text) {
  return parse_time_s(from, text, "min");
}

int fit_of_nccl(const FitOptions& options, Streams streams) {
  constexpr std::array<std::string_view, 7> kAllowed{
      "--library", "--ranks", "--platform", "--parameters", "--prior", "--output", "--json"};
  constexpr std::array<std::string_view, 7> kOfPlan{
      "--library", "--ranks", "--platform", "--parameters", "--plan", "--output", "--json"};
  FabricRequest request = fabric_request(options.points, options.nccl, options.library,
                                         options.plan_s ? kOfPlan : kAllowed);
  request.output = options.output;
  request.json = options.json;
  if (options.plan_s) {
    if (!options.points.files.empty()) {
      throw UserError("$plan with a machine of NCCL makes its own runs; name no files");
    }
    if (!options.points.ranks) {
      throw UserError("$ranks is missing: $plan needs the largest number of GPUs, such as 64");
    }
    return plan_fabric_runs(request, options.points.ranks->value, *options.plan_s, streams);
  }
  if (options.points.files.empty()) {
    throw UserError(
        "FILE is missing: name outputs of nccl-tests, or give $plan TIME to choose runs");
  }
  constexpr double kPrior = 0.01;
  request.prior = options.prior ? options.prior->value : kPrior;
  return fit_fabric(request, streams);
}

int run_fit(const FitOptions& options, Streams streams) {
  if (is_for_nccl(options.points, options.nccl, options.library)) {
    return fit_of_nccl(options, streams);
  }
  if (options.plan_s) {
    return plan_fit(options, streams);
  }
  check_fit_options(options);
  return fit_points(options, streams);
}

}  // namespace

Action add_fit(Command& app, Streams streams) {
  Command& command = app.add_command(
      "fit",
      "Fit parameters of the message model to measured times, and give bounds for each; or choose "
      "the benchmarks to run for a fit");
  auto options = std::make_shared<FitOptions>();
  options->points.add_to(command,
                         "; without a file, --plan chooses from benchmarks of the "
                         "collectives of the library that --parameters names");
  options->nccl.add_to(command, "none: a message model of MPI is fitted");
  const OptionGroup fit(command, "Fit");
  add_nccl_library(fit, options->library);
  fit.add("--fit", options->parameters, "NAME,...",
          "Parameters of the message model to fit, by name; the others keep their values from "
          "--parameters [with --plan: all that have a value there]")
      .delimiter(',')
      .one_at_a_time()
      .words(fittable_names())
      .usual();
  fit.add("--job", options->jobs, "JOB,...", "Fit only to points of these jobs")
      .delimiter(',')
      .one_at_a_time();
  fit.add("--prior", options->prior, "SHARE",
          "Weight of the starting values: a parameter that differs from its start by a factor of e "
          "(2.718) counts as much as a time with this relative error, such as 0.05 [0; 0.01 with a "
          "machine of NCCL]",
          AsNumber());
  fit.add("--spread-only", options->spread_files, "FILE,...",
          "Files with more points, to which no parameter is fitted; they count only for the spread "
          "of jobs and of times, such as times of jobs that were unusually slow. Options that "
          "select points do not apply to them")
      .delimiter(',')
      .one_at_a_time();
  fit.flag("--leave-out-jobs", options->leave_out_jobs,
           "For each job, also make two fits: one to this job only, and one to all other jobs; "
           "score each on the points that it left out");
  const OptionGroup plan(command, "Plan");
  plan.add("--plan", options->plan_s, "TIME",
           "Do not fit. Choose the benchmark runs that fit into this time on the machine, such as "
           "30min, and that determine the parameters best. Measured times are not used",
           parse_minutes)
      .usual();
  plan.add("--count", options->count, "RUNS",
           "With --plan: the largest number of runs [12, or twice the number of parameters if that "
           "is more; then as many as determine all parameters]",
           AsPositiveCount());
  OptionGroup(command, "Output")
      .add("-o,--output", options->output, kWrittenFile,
           "Write the fitted model, as a file for --parameters; with --plan, write the chosen "
           "points of FILE, or a shell script that runs the chosen benchmarks; - is standard "
           "output")
      .usual();
  add_json_option(command, options->json, "the result");
  command.add_examples(
      {"tutti fit examples/fit/points.csv --platform platforms/infiniband_hdr_128_thin.xml "
       "--parameters examples/fit/start.json --job a --fit latency_s,rank_bytes_per_s",
       "tutti fit examples/fit/points.csv --platform platforms/infiniband_hdr_128_thin.xml "
       "--parameters examples/fit/start.json --job a --fit latency_s,rank_bytes_per_s -o -",
       "tutti fit examples/fit/points.csv --platform platforms/infiniband_hdr_128_thin.xml "
       "--parameters examples/fit/start.json --plan 10min --count 12"});
  return [options, streams] { return run_fit(*options, streams); };
}

}}  // namespace tutti::commands

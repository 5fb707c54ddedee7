// tutti fit --plan: chooses benchmark runs that determine parameters of the message model.
#include "src/commands/plan_fit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "base/quantities.hpp"
#include "base/shell_word.hpp"
#include "src/commands/cli.hpp"
#include "src/experiments/fit/message_fit.hpp"
#include "src/experiments/fit/plan.hpp"
#include "src/experiments/fit/plan_candidates.hpp"
#include "src/formats/interrupts.hpp"
#include "src/formats/output_file.hpp"
#include "src/output/plan_text.hpp"
#include "src/requests/common_options.hpp"
#include "src/requests/message_file.hpp"

namespace tutti { inline namespace commands {

bool counts_for_spread_only(const FitOptions& options, const BenchmarkPoint& point) {
  return std::ranges::find(options.spread_files, point.file) != options.spread_files.end();
}

std::vector<std::size_t> fitted_places(const FitOptions& options,
                                       const std::vector<BenchmarkPoint>& points) {
  const ScoreSelection selection = options.points.selection(points);
  std::vector<std::string> jobs;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const BenchmarkPoint& point = points[i];
    if (counts_for_spread_only(options, point)) {
      continue;
    }
    if (std::ranges::find(jobs, point.job) == jobs.end()) {
      jobs.push_back(point.job);
    }
    if (point.algorithm != nullptr && takes_part(selection, point) &&
        (options.jobs.empty() ||
         std::ranges::find(options.jobs, point.job) != options.jobs.end())) {
      places.push_back(i);
    }
  }
  for (const std::string& job : options.jobs) {
    if (jobs == std::vector<std::string>{""}) {
      throw UserError(
          fmt::format("$job '{}': no point names a job; add $job {} to the line '# tutti: ...' "
                      "of an output",
                      printable(job), printable(shell_word(job))));
    }
    if (std::ranges::find(jobs, job) == jobs.end()) {
      throw UserError(fmt::format("$job '{}': {}", printable(job), accepted_words(job, jobs)));
    }
  }
  if (places.empty()) {
    throw UserError(
        "no points are left to fit: $job, $only, $largest, $without and $leave_out exclude "
        "all of them");
  }
  return places;
}

std::string start_file(const FitOptions& options, const std::vector<BenchmarkPoint>& points,
                       const std::vector<std::size_t>& places) {
  const std::optional<std::string>& pattern = options.points.machine.parameters;
  if (!pattern) {
    throw UserError(
        "$parameters is missing: name a file with the message model from which the fit starts");
  }
  std::string first = fill_pattern("$parameters", *pattern, points[places.front()]);
  for (const std::size_t i : places) {
    const std::string other = fill_pattern("$parameters", *pattern, points[i]);
    if (other != first) {
      throw UserError(
          fmt::format("$parameters '{}': the points need '{}' and '{}', but a fit starts from one "
                      "file; leave out points with $only or $job",
                      printable(*pattern), printable(first), printable(other)));
    }
  }
  return first;
}

namespace {

// Returns the names of all parameters that can be fitted and have another value than by default.
std::vector<std::string> given_parameters(const MessageModel& model, const std::string& path) {
  const MessageModel without;
  std::vector<std::string> names;
  for (const MessageParameter& each : message_parameters()) {
    if (changes_gradually(each) && model.*each.value != without.*each.value &&
        model.*each.value != 0 && std::isfinite(model.*each.value)) {
      names.emplace_back(each.name);
    }
  }
  if (names.empty()) {
    throw UserError(fmt::format(
        "$parameters '{}': sets no parameter that can be fitted; give starting values there",
        printable(path)));
  }
  return names;
}

// Throws UserError for options that only files with measured times need.
void refuse_options_of_files(const FitOptions& options) {
  const auto refuse = [](std::string_view option) {
    throw UserError(
        fmt::format("{}: $plan without a file makes its own candidates, which do not "
                    "have it; leave it out, or name a file",
                    option));
  };
  if (!options.points.algorithms.empty()) {
    refuse("$algorithm");
  }
  if (options.points.element_bytes) {
    refuse("$elem_bytes");
  }
  if (!options.jobs.empty()) {
    refuse("$job");
  }
}

std::vector<BenchmarkPoint> candidates_of(const FitOptions& options, const std::string& path,
                                          const std::string& library_name,
                                          const std::optional<LibraryRelease>& library) {
  if (!library) {
    throw UserError(fmt::format(
        "$parameters '{}': library is '{}'; benchmarks are known for Open MPI, and for MPICH 4.0 "
        "to 5.0, such as \"Open MPI 4.1.6\"; set the library there, or name a file of points",
        printable(path), printable(library_name)));
  }
  if (!options.points.ranks) {
    throw UserError("$ranks is missing: $plan without a file needs the number of ranks");
  }
  const std::uint32_t ranks = options.points.ranks->value;
  const std::uint32_t per_host = options.points.ranks_per_host.value_or(1);
  if (ranks < 2 || per_host > ranks) {
    throw UserError(
        fmt::format("$ranks '{}': must be at least 2, and at least $ranks_per_host", ranks));
  }
  return candidate_points(*library, ranks, per_host);
}

// Returns the command that fits the parameters to the measured times of the plan in `files`.
std::string command_of_fit(const FitOptions& options, const std::string& files,
                           const FitPlan& plan) {
  std::string command = "tutti fit " + files;
  const MachineOptions& machine = options.points.machine;
  const auto add = [&command](const char* option, const std::optional<std::string>& text) {
    if (text) {
      command += fmt::format(" {} {}", option, shell_path(*text));
    }
  };
  add("--platform", machine.platform);
  add("--hosts", machine.hosts);
  add("--parameters", machine.parameters);
  if (options.prior) {
    add("--prior", options.prior->text);
  }
  if (machine.after_barrier) {
    command += " --after-barrier";
  }
  return command + " --fit " + determined_parameters(plan);
}

// Says that candidates are left out, because they would be too much.
std::string without_large(std::size_t too_large) {
  return fmt::format("{} with more than {} operations {} left out", counted(too_large, "candidate"),
                     human_count(kMostCandidateOps), too_large == 1 ? "is" : "are");
}

// Tells how much work a plan is, if it may take minutes, and how many candidates are left
// out.
void say_how_many(const FittedPoints& candidates, std::size_t too_large, Streams streams) {
  constexpr std::uint32_t kMany = 256;
  std::uint32_t most = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    most = std::max(most, candidates.point(i).ranks);
  }
  if (most <= kMany && too_large == 0) {
    return;
  }
  std::string text = fmt::format("planning from {} on up to {} ranks",
                                 counted(candidates.size(), "candidate"), human_count(most));
  if (most > kMany) {
    text +=
        ", which may take minutes; fewer ranks ($ranks, or $largest), or a part of the cells "
        "($only) "
        "take less time; an interrupt (Ctrl-C) plans from the candidates that are simulated by "
        "then";
  }
  if (too_large > 0) {
    text += "; " + without_large(too_large);
  }
  streams.messages.status(text);
}

std::string kept_plan(const PlanReport& report) {
  return report.plan.runs.empty()
             ? "; too few candidates were simulated for a plan; nothing was written"
             : fmt::format("; the plan is made from the {} of {} that were simulated by then",
                           report.plan.priced, counted(report.candidates, "candidate"));
}

// Throws UserError, which asks for the machine, if the options do not describe one.
void check_planned_machine(const MachineOptions& machine) {
  if (!machine.platform && !(machine.alpha_s && machine.beta_s_per_byte)) {
    throw UserError(
        "$platform is missing: name the machine for which the plan is: a SimGrid file ('tutti "
        "platform' writes one), or crossbar:HOSTS,bw=RATE,lat=TIME");
  }
}

}  // namespace

int plan_fit(const FitOptions& options, Streams streams) {
  check_one_standard_output({&options.output, &options.json});
  if (options.leave_out_jobs) {
    throw UserError("$leave_out_jobs: has no effect with $plan, which fits nothing");
  }
  if (!options.spread_files.empty()) {
    throw UserError("$spread_only: has no effect with $plan, which fits nothing");
  }
  PlanRequest request;
  request.most_s = *options.plan_s;
  if (options.count) {
    request.most_runs = options.count->value;
  }
  const double prior = options.prior ? options.prior->value : 0;
  const bool from_files = !options.points.files.empty();
  std::vector<std::string> notes;
  std::vector<BenchmarkPoint> points;
  if (from_files) {
    std::vector<std::string> files = options.points.files;
    points = options.points.read_points_of(files, notes);
  } else {
    refuse_options_of_files(options);
    points.emplace_back();  // start_file() needs a point
  }
  std::vector<std::size_t> places =
      from_files ? fitted_places(options, points) : std::vector<std::size_t>{0};
  const std::string path = start_file(options, points, places);
  const MessageFile start = read_message_file(path);
  const std::optional<LibraryRelease> library = forced_library(start.library);
  std::size_t too_large = 0;
  if (!from_files) {
    points = candidates_of(options, path, start.library, library);
    places = fitted_places(options, points);
    too_large = leave_out_large(points, places);
    if (places.empty()) {
      throw UserError("no candidates remain: " + without_large(too_large) +
                      "; give fewer ranks ($ranks)");
    }
  }
  request.fit = fit_request(
      start.model,
      options.parameters.empty() ? given_parameters(start.model, path) : options.parameters, prior);
  check_planned_machine(options.points.machine);
  report_notes(notes, streams.messages);
  OptionalOutput output_file(options.output, streams.out);
  OptionalOutput json_file("$json", options.json, kJsonFile, streams.out);
  const std::optional<std::uint32_t> per_host =
      from_files ? options.points.ranks_per_host : std::nullopt;
  PointMachines machines(options.points.machine, streams.messages, per_host, parameters_of(start));
  const FittedPoints candidates(points, places, machines, per_host, options.points.jobs,
                                streams.messages);
  PlanReport report;
  const InterruptMessage when_interrupted([&report] { return kept_plan(report); },
                                          InterruptMessage::End::stops_work);
  say_how_many(candidates, too_large, streams);
  try {
    report.plan = plan_runs(request, candidates);
  } catch (const UserError&) {
    // Too few candidates are priced for a plan.
    when_interrupted.stop_if_interrupted();
    throw;
  }
  report.most_s = request.most_s;
  report.has_script = !from_files;
  report.candidates = candidates.size();
  for (const PlannedRun& run : report.plan.runs) {
    report.points.push_back(candidates.point(run.candidate));
    report.ranks_per_host.push_back(candidates.ranks_per_host(run.candidate));
    report.forced.push_back(
        library ? forced_run(*library, report.points.back(), report.ranks_per_host.back())
                : std::nullopt);
  }
  const bool to_file = options.output && *options.output != "-";
  report.next = command_of_fit(options,
                               !from_files ? "run*.txt"
                               : to_file   ? shell_path(*options.output)
                                           : "chosen.csv",
                               report.plan);
  const auto write_runs = [&](std::ostream& out) {
    from_files ? write_plan_points(report, out) : write_plan_script(report, out);
  };
  write_together({{output_file, write_runs}, {json_file, [&](std::ostream& out) {
                                                write_document(kPlanDocument, report, 2, out);
                                              }}});
  if (options.output != "-" && options.json != "-") {
    print_plan(report, streams.out);
  }
  streams.out.flush();
  when_interrupted.stop_if_interrupted();
  return kExitOk;
}

}}  // namespace tutti::commands

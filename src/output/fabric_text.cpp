#include "src/output/fabric_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "base/field_names.hpp"
#include "base/human.hpp"
#include "src/experiments/fit/message_fit.hpp"
#include "src/formats/progress.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/common_fields.hpp"

namespace tutti { inline namespace output {

namespace {

std::vector<std::string_view> names_of(const std::vector<const NcclFabricParameter*>& parameters) {
  std::vector<std::string_view> names;
  for (const NcclFabricParameter* const each : parameters) {
    names.push_back(each->name);
  }
  return names;
}

std::string in_percent(double share) { return fmt::format("{:.0f}%", share * 100); }

}  // namespace

void print_fabric_fit(const FabricFitResult& fit, std::ostream& out) {
  const FabricFile& file = fit.file;
  print_heading(
      out, fmt::format("fit of {} to {} on {} {}, {}: {}", counted(fit.figures.size(), "figure"),
                       counted(file.fit->points, "measured time"), fmt::join(file.nodes, ", "),
                       file.machine, file.library, counted(fit.steps, "step")));
  out << fmt::format("median error {:.1f}%, at the start {:.1f}%\n\n", 100 * file.fit->error,
                     100 * fit.error_before);
  Table table({{"# figure"},
               {"unit"},
               {"fitted", true},
               {"95 % from", true},
               {"to", true},
               {"what it is"}});
  for (const FabricFigure& each : fit.figures) {
    table.add({std::string(each.parameter->name), std::string(each.parameter->unit),
               fmt::format("{:.4g}", each.fitted), fmt::format("{:.4g}", each.low),
               fmt::format("{:.4g}", each.high), std::string(each.parameter->meaning)});
  }
  table.print(out, 0);
  out << '\n';
  if (std::isfinite(file.model.eager_bytes)) {
    print_field(out, 0, 0, "",
                fmt::format("eager_bytes: {} fits best of the powers of two",
                            human_bytes(static_cast<std::uint64_t>(file.model.eager_bytes))));
  }
  const FabricUncertainty& uncertainty = *file.fit->uncertainty;
  print_field(out, 0, 0, "",
              fmt::format("spread beyond these intervals: {} between numbers of nodes{}, {} "
                          "between sizes",
                          in_percent(std::expm1(uncertainty.job_spread)),
                          uncertainty.jobs > 0 ? "" : " (the default, for fewer than 3)",
                          in_percent(std::expm1(uncertainty.point_spread))));
  std::vector<std::string_view> wide;
  for (const FabricFigure& each : fit.figures) {
    if (each.high > kWideBounds * each.low) {
      wide.push_back(each.parameter->name);
    }
  }
  if (!wide.empty()) {
    print_field(out, 0, 0, "",
                fmt::format("hardly determined: {}; measure other sizes, protocols or numbers of "
                            "nodes, as 'tutti fit' with {} chooses them",
                            fmt::join(wide, ", "), flag_of("plan")));
  }
  const auto print_others = [&](const std::vector<const NcclFabricParameter*>& parameters,
                                std::string_view what) {
    if (!parameters.empty()) {
      print_field(out, 0, 0, "",
                  fmt::format(fmt::runtime(what), fmt::join(names_of(parameters), ", ")));
    }
  };
  print_others(fit.unknown,
               "unknown, because no measured time depends on them: {}; what needs them keeps the "
               "time of NCCL's model");
  print_others(fit.kept,
               "kept at the start of the fit, because no measured time depends on them: {}");
  if (!fit.not_left_out.empty()) {
    print_field(out, 0, 0, "",
                fmt::format("without the times on {} nodes, the others determine no figures",
                            fmt::join(fit.not_left_out, ", ")));
  }
  out << '\n';
}

void print_fabric_scores(const FabricReport& report, std::ostream& out) {
  const MeasuredCalls& measured = *report.measured;
  print_heading(out, fmt::format("predicted beside measured times between nodes: {}, {}",
                                 measured.machine, measured.library));
  for (const FabricPrediction& model : report.predictions) {
    out << '\n' << "  by " << model.model << '\n';
    Table table({{"# calls"},
                 {"calls", true},
                 {"factor", true},
                 {"in 25%", true},
                 {"bias", true},
                 {"in 80% range", true, 0, !model.ranges.empty()}});
    for (const FabricScore& score : model.scores) {
      table.add({score.what, fmt::format("{}", score.calls), fmt::format("{:.3f}", score.factor),
                 in_percent(score.near), fmt::format("{:.2f}", score.bias),
                 score.in_range
                     ? fmt::format("{} of {}", in_percent(*score.in_range), score.with_range)
                     : "-"});
    }
    table.print(out, 2);
  }
  out << '\n';
  print_field(out, 0, 2, "#",
              "factor: predicted over measured or its inverse, whichever is above 1, geometric "
              "mean; bias: predicted over measured, geometric mean; ways that a model does not "
              "cover have the time of NCCL's model");
}

namespace {

// Returns the name of the file with the output of a run.
std::string output_of(const FabricRun& run, std::size_t number) {
  return run.is_check() ? fmt::format("check_{:02}_{}_nodes.txt", number, run.nodes)
                        : fmt::format("fit_{:02}_{}_nodes_{}_{}.txt", number, run.nodes,
                                      run.algorithm, run.protocol);
}

std::string settings_of(const FabricRun& run) {
  return run.is_check() ? ""
                        : fmt::format(" NCCL_ALGO={} NCCL_PROTO={}", run.algorithm, run.protocol);
}

std::string benchmark() {
  return fmt::format("all_reduce_perf -b {} -e {} -f {} -g 1", kFirstPlannedSize, kLastPlannedSize,
                     kPlannedFactor);
}

// Returns the commands after the runs.
std::vector<std::string> next_commands(const FabricPlanReport& report) {
  return {fmt::format("tutti fit fit_*.txt {} -o parameters.json", report.options),
          fmt::format("tutti score check_*.txt {} {} parameters.json", report.options,
                      flag_of("parameters"))};
}

}  // namespace

void print_fabric_plan(const FabricPlanReport& report, std::ostream& out) {
  const FabricPlan& plan = report.plan;
  print_heading(out, fmt::format("{} on {}: about {} of {}", counted(plan.runs.size(), "run"),
                                 report.machine, about(plan.run_s), about(report.most_s)));
  Table table({{"# figure"}, {"unit"}, {"start", true}, {"expected 95 % bounds"}});
  for (const FabricFigure& each : plan.figures) {
    table.add({std::string(each.parameter->name), std::string(each.parameter->unit),
               fmt::format("{:.4g}", each.start),
               each.high > kWideBounds * each.low
                   ? "hardly determined"
                   : fmt::format("/ and x {:.2f}", each.high / each.start)});
  }
  table.print(out, 0);
  out << "\nRuns to fit, ordered by how much they determine per second, and runs to check the "
         "fit\n";
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    const FabricRun& run = plan.runs[i];
    print_field(
        out, 0, 4, fmt::format("{:>3}", i + 1),
        fmt::format(
            "{}, {}; {:.0f} s; {}", counted(run.nodes, "node"),
            run.is_check() ? "NCCL's own choice"
                           : fmt::format("NCCL_ALGO={} NCCL_PROTO={}", run.algorithm, run.protocol),
            run.run_s,
            run.is_check()
                ? "checks the fit"
                : fmt::format("determines {}", fmt::join(names_of(run.determines), " and "))));
  }
  print_field(out, 0, 0, "",
              fmt::format("Each runs {}. With -o plan.sh, a script runs them with srun or mpirun.",
                          benchmark()));
  out << "\nThen\n";
  for (const std::string& command : next_commands(report)) {
    out << "  " << command << '\n';
  }
}

void write_fabric_script(const FabricPlanReport& report, std::ostream& out) {
  out << "#!/bin/sh\n"
         "# Runs nccl-tests to learn how NCCL uses the network of this machine: "
      << report.machine
      << ".\n# ALL_REDUCE_PERF names the program, built with MPI. LAUNCH starts one rank for each "
         "GPU:\n"
         "# by default srun within a job of Slurm, otherwise mpirun.\n"
         "set -eu\n"
         "run() { # FILE HOSTS RANKS [VARIABLE=VALUE...]\n"
         "  file=$1 hosts=$2 ranks=$3\n"
         "  shift 3\n"
         "  set -- NCCL_DEBUG=VERSION \"$@\"\n"
         "  if [ -n \"${LAUNCH:-}\" ]; then launch=$LAUNCH\n"
         "  elif [ -n \"${SLURM_JOB_ID:-}\" ]; then launch=\"srun -N $hosts -n $ranks\"\n"
         "  else\n"
         "    launch=\"mpirun -np $ranks --map-by ppr:$((ranks / hosts)):node\"\n"
         "    for each in \"$@\"; do launch=\"$launch -x ${each%%=*}\"; done\n"
         "  fi\n"
         "  echo \"$file\" >&2\n"
         "  { echo \"# $*\"; env \"$@\" $launch \"${ALL_REDUCE_PERF:-all_reduce_perf}\" "
      << benchmark().substr(benchmark().find(' ') + 1)
      << "; } > \"$file.part\"\n"
         "  mv \"$file.part\" \"$file\"\n"
         "}\n";
  for (std::size_t i = 0; i < report.plan.runs.size(); ++i) {
    const FabricRun& run = report.plan.runs[i];
    out << fmt::format("run {} {} {}{}\n", output_of(run, i + 1), run.hosts, run.ranks,
                       settings_of(run));
  }
  out << "cat >&2 <<'EOF'\nThen\n";
  for (const std::string& command : next_commands(report)) {
    out << "  " << command << '\n';
  }
  out << "EOF\n";
}

namespace { namespace fabric_fields {

constexpr auto kScore = fields<FabricScore>({
    {"what", member<&FabricScore::what>},
    {"calls", member<&FabricScore::calls>},
    {"factor", member<&FabricScore::factor>, at_least(1),
     "Geometric mean of predicted over measured time or its inverse, whichever is above 1."},
    {"near", member<&FabricScore::near>, at_most(1), "Share of the calls within 25 %."},
    {"bias", member<&FabricScore::bias>, "Geometric mean of predicted over measured time."},
    {"in_range", member<&FabricScore::in_range>, at_most(1),
     "Share of the calls with a range whose measured time lies in the 80 % range of the predicted "
     "one. null without ranges."},
    {"with_range", member<&FabricScore::with_range>, "Number of the calls with a range."},
});

constexpr auto kModel = fields<FabricPrediction>({
    {"model", member<&FabricPrediction::model>},
    {"scores", kScore, member<&FabricPrediction::scores>,
     "By number of nodes, by size, and of all calls between nodes."},
});

struct CallOf {
  const FabricReport* report;
  std::size_t index;

  [[nodiscard]] const MeasuredCall& call() const { return report->measured->calls[index]; }
};

std::vector<std::pair<std::string, std::optional<double>>> predicted(const CallOf& of) {
  std::vector<std::pair<std::string, std::optional<double>>> times;
  for (const FabricPrediction& each : of.report->predictions) {
    times.emplace_back(each.model, each.seconds[of.index]);
  }
  return times;
}

constexpr auto kCall = fields<CallOf>({
    {"file", [](const CallOf& of) -> const auto& { return of.call().file; }},
    {"line", [](const CallOf& of) { return of.call().line; }},
    {"collective", [](const CallOf& of) { return name(of.call().collective); }},
    {"nodes", [](const CallOf& of) { return of.call().nodes(); }},
    {"ranks", [](const CallOf& of) { return of.call().model->cluster().ranks; }},
    {"bytes", [](const CallOf& of) { return of.call().bytes; }},
    {"algorithm", [](const CallOf& of) { return name(of.call().algorithm); }},
    {"protocol", [](const CallOf& of) { return name(of.call().protocol); }},
    {"measured_s", [](const CallOf& of) { return of.call().measured_s; },
     "Geometric mean of the times out of place and in place."},
    {"predicted_s", from<predicted>, "By model. null if the model has no time."},
});

std::vector<CallOf> calls_of(const FabricReport& report) {
  std::vector<CallOf> calls;
  for (std::size_t i = 0; i < report.measured->calls.size(); ++i) {
    calls.push_back({&report, i});
  }
  return calls;
}

constexpr auto kFigure = fields<FabricFigure>({
    {"name", [](const FabricFigure& of) { return of.parameter->name; }},
    {"unit", [](const FabricFigure& of) { return of.parameter->unit; }},
    {"start", member<&FabricFigure::start>},
    {"fitted", member<&FabricFigure::fitted>},
    {"low", member<&FabricFigure::low>, "Lower bound of the 95 % confidence interval."},
    {"high", member<&FabricFigure::high>},
});

constexpr auto kReport = fields<FabricReport>({
    {"machine", [](const FabricReport& of) -> const auto& { return of.measured->machine; }},
    {"library", [](const FabricReport& of) -> const auto& { return of.measured->library; }},
    {"nodes", [](const FabricReport& of) -> const auto& { return of.measured->nodes; }},
    {"figures", kFigure,
     [](const FabricReport& of) { return of.fit ? of.fit->figures : std::vector<FabricFigure>(); },
     "The fitted figures. Empty for scores of figures from a file."},
    {"at_rest", [](const FabricReport& of) { return of.fit ? of.fit->at_rest : true; },
     "True if the fit has converged."},
    {"models", kModel, member<&FabricReport::predictions>},
    {"calls", kCall, from<calls_of>},
});

constexpr auto kRun = fields<FabricRun>({
    {"nodes", member<&FabricRun::nodes>, "Number of nodes, or of NVLink domains of several hosts."},
    {"hosts", member<&FabricRun::hosts>},
    {"ranks", member<&FabricRun::ranks>},
    {"algorithm", [](const FabricRun& of) { return text_if_any(of.algorithm); },
     "Value of NCCL_ALGO. null for a run that checks the fit."},
    {"protocol", [](const FabricRun& of) { return text_if_any(of.protocol); }},
    {"run_s", member<&FabricRun::run_s>, "Expected time of the run: start-up and all calls."},
    {"determines", [](const FabricRun& of) { return names_of(of.determines); },
     "The figures whose bounds the run narrows most, given the runs before it."},
});

constexpr auto kPlannedFigure = fields<FabricFigure>({
    {"name", [](const FabricFigure& of) { return of.parameter->name; }},
    {"unit", [](const FabricFigure& of) { return of.parameter->unit; }},
    {"start", member<&FabricFigure::start>},
    {"low", member<&FabricFigure::low>,
     "Lower bound of the 95 % confidence interval that a fit is expected to have around start."},
    {"high", member<&FabricFigure::high>},
});

constexpr auto kPlan = fields<FabricPlanReport>({
    {"machine", member<&FabricPlanReport::machine>},
    {"most_s", member<&FabricPlanReport::most_s>, "Time that the runs may take."},
    {"run_s", [](const FabricPlanReport& of) { return of.plan.run_s; }},
    {"runs", kRun, [](const FabricPlanReport& of) -> const auto& { return of.plan.runs; }},
    {"figures", kPlannedFigure,
     [](const FabricPlanReport& of) -> const auto& { return of.plan.figures; },
     "The figures that the runs depend on, with the bounds that a fit is expected to have."},
    {"next", from<next_commands>, "Commands after the runs."},
});

}}  // namespace ::fabric_fields

extern const DocumentOf<FabricPlanReport> kFabricPlanDocument{
    {"tutti-fabric-plan/1",
     "runs of nccl-tests that determine how NCCL uses a network, as written by tutti fit --plan "
     "--gpu --json",
     fabric_fields::kPlan.view()}};

extern const DocumentOf<FabricReport> kFabricReport{
    {"tutti-fabric-score/1",
     "how far predicted times of NCCL are from measured ones, as written by tutti score --gpu "
     "--json and tutti fit --gpu --json",
     fabric_fields::kReport.view()}};

}}  // namespace tutti::output

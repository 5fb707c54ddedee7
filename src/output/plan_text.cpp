#include "src/output/plan_text.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <ostream>

#include "base/field_names.hpp"
#include "base/human.hpp"
#include "src/formats/call_size.hpp"
#include "src/formats/csv.hpp"
#include "src/formats/json_text.hpp"
#include "src/formats/made_by.hpp"
#include "src/formats/progress.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/fit_text.hpp"

namespace tutti { inline namespace output {

namespace {

bool is_determined(const FittedFigure& figure) { return figure.high <= kWideBounds * figure.low; }

std::vector<std::string_view> names_of(const std::vector<const MessageParameter*>& parameters) {
  std::vector<std::string_view> names;
  for (const MessageParameter* each : parameters) {
    names.push_back(each->name);
  }
  return names;
}

std::string called(const BenchmarkPoint& point) {
  const std::string collective = fmt::format("{}/", name(point.collective));
  return point.algorithm_text.starts_with(collective) ? point.algorithm_text
                                                      : collective + point.algorithm_text;
}

// Returns a type with elements of this size; "" if no type has this size.
std::string_view type_of(std::uint32_t element_bytes) {
  switch (element_bytes) {
    case 1:
      return "int8";
    case 2:
      return "int16";
    case 4:
      return "int32";
    case 8:
      return "int64";
    default:
      return "";
  }
}

void print_parameters(const FitPlan& plan, std::ostream& out) {
  Table table({{"# parameter"}, {"unit"}, {"start", true}, {"expected 95 % bounds"}});
  for (const FittedFigure& each : plan.figures) {
    table.add({std::string(each.parameter->name), std::string(each.parameter->unit),
               fmt::format("{:.4g}", each.start),
               is_determined(each)
                   ? fmt::format("/ and x {:.2f}", each.high / each.start)
                   : "hardly determined; give more time or a larger " + flag_of("count")});
  }
  table.print(out, 0);
  print_alike_parameters(plan.alike, "runs", out);
  if (!plan.left_out.empty()) {
    out << "\nNot worth fitting\n";
    for (const LeftOutParameter& each : plan.left_out) {
      print_field(out, 2, 0, "",
                  fmt::format("{}: {}", each.parameter->name, with_fields(each.why)));
    }
  }
}

}  // namespace

std::string determined_parameters(const FitPlan& plan) {
  std::vector<std::string_view> names;
  for (const FittedFigure& each : plan.figures) {
    if (is_determined(each)) {
      names.push_back(each.parameter->name);
    }
  }
  return fmt::format("{}", fmt::join(names, ","));
}

void print_plan(const PlanReport& report, std::ostream& out) {
  const FitPlan& plan = report.plan;
  fmt::print(
      out, "{} of {} candidates{}: about {} of {} on the machine{}\n\n",
      counted(plan.runs.size(), "run"), report.candidates,
      plan.priced < report.candidates ? fmt::format(", of which {} were simulated", plan.priced)
                                      : "",
      about(plan.run_s), about(report.most_s),
      plan.stopped_by_count ? "; there is time for more with a larger " + flag_of("count") : "");
  print_parameters(plan, out);
  out << "\nRuns, ordered by how much they determine per second\n";
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    const BenchmarkPoint& point = report.points[i];
    print_field(out, 0, 4, fmt::format("{:>3}", i + 1),
                fmt::format("{}, {}, {} per host: {:.1f} s; determines {}", called(point),
                            ranks_and_size(point.collective, point.bytes, point.ranks),
                            report.ranks_per_host[i], plan.runs[i].run_s,
                            fmt::join(names_of(plan.runs[i].tells), " and ")));
    if (report.forced[i]) {
      fmt::print(out, "     {}\n", report.forced[i]->command());
    }
  }
  if (report.has_script) {
    print_field(
        out, 0, 0, "",
        "With -o plan.sh, a script runs these commands with mpirun or srun, and spreads the "
        "ranks of a host over its sockets.");
  }
  fmt::print(out, "\nThen\n  {}\n", report.next);
}

namespace { namespace plan_fields {

// A run, with its place in the plan.
struct Run {
  const PlanReport& report;
  std::size_t place;

  [[nodiscard]] const BenchmarkPoint& point() const { return report.points[place]; }
  [[nodiscard]] const PlannedRun& run() const { return report.plan.runs[place]; }
};

std::vector<Run> runs_of(const PlanReport& report) {
  std::vector<Run> runs;
  for (std::size_t i = 0; i < report.plan.runs.size(); ++i) {
    runs.push_back({report, i});
  }
  return runs;
}

constexpr auto kRun = fields<Run>({
    {"collective", [](const Run& of) { return name(of.point().collective); }},
    {"algorithm", [](const Run& of) { return called(of.point()); },
     "The algorithm with its options."},
    {"cell", [](const Run& of) -> const auto& { return of.point().cell; }},
    {"ranks", [](const Run& of) { return of.point().ranks; }, at_least(1)},
    {"ranks_per_host", [](const Run& of) { return of.report.ranks_per_host[of.place]; },
     at_least(1)},
    {"bytes", [](const Run& of) { return of.point().bytes; }},
    {"call_s", [](const Run& of) { return of.run().call_s; }, "Predicted time of a call."},
    {"run_s", [](const Run& of) { return of.run().run_s; },
     "Expected time of the run: start-up and all calls."},
    {"tells", [](const Run& of) { return names_of(of.run().tells); },
     "The parameters whose bounds the run narrows most, given the runs before it."},
    {"command",
     [](const Run& of) {
       const auto& forced = of.report.forced[of.place];
       return forced ? std::optional(forced->command()) : std::nullopt;
     },
     "Shell command that runs the benchmark. null if the library cannot be forced to run the "
     "algorithm."},
});

constexpr auto kFigure = fields<FittedFigure>({
    {"name", [](const FittedFigure& of) { return of.parameter->name; }},
    {"unit", [](const FittedFigure& of) { return of.parameter->unit; }},
    {"start", member<&FittedFigure::start>},
    {"low", member<&FittedFigure::low>,
     "Lower bound of the 95 % confidence interval that a fit to the runs is expected to have "
     "around start."},
    {"high", member<&FittedFigure::high>},
    {"determined", [](const FittedFigure& of) { return is_determined(of); },
     "True if high is at most ten times low."},
});

constexpr auto kLeftOut = fields<LeftOutParameter>({
    {"name", [](const LeftOutParameter& of) { return of.parameter->name; }},
    {"why", [](const LeftOutParameter& of) { return with_fields(of.why); }},
});

constexpr auto kPlan = fields<PlanReport>({
    {"candidates", member<&PlanReport::candidates>, at_least(1), "Number of runs to choose from."},
    {"allowed_s", member<&PlanReport::most_s>, "Time on the machine that --plan allows."},
    {"run_s", [](const PlanReport& of) { return of.plan.run_s; }, "Expected time of all runs."},
    {"stopped_by_count", [](const PlanReport& of) { return of.plan.stopped_by_count; },
     "True if there is time for another run, which --count excludes."},
    {"runs", kRun, from<runs_of>,
     "The chosen runs, ordered by how much they determine per second."},
    {"parameters", kFigure, [](const PlanReport& of) -> const auto& { return of.plan.figures; },
     "The parameters that are worth fitting."},
    {"alike", kAlikeFields, [](const PlanReport& of) -> const auto& { return of.plan.alike; },
     "Sets of parameters that the runs hardly distinguish, as in tutti-fit/1."},
    {"left_out", kLeftOut, [](const PlanReport& of) -> const auto& { return of.plan.left_out; },
     "Parameters that not even all candidates together determine."},
    {"next", member<&PlanReport::next>,
     "Shell command that fits the parameters to the measured times."},
});

}}  // namespace ::plan_fields

extern const DocumentOf<PlanReport> kPlanDocument{
    {"tutti-plan/1",
     "benchmark runs that determine message parameters, as written by tutti fit --plan --json",
     plan_fields::kPlan.view()}};

namespace {

// Shell functions of the script. A host whose ranks cannot be divided among its sockets has them on
// the first one.
constexpr const char* kLaunchHead =
    R"(sockets=${SOCKETS:-$(lscpu 2>/dev/null | sed -n 's/^Socket(s): *//p')}
sockets=${sockets:-1}
# Settings that may change the times.
{
  env | grep -E '^(UCX|OMPI|PMIX|PRTE|MPIR|MPICH|FI|PSM|PSM2|OMP|KMP)_' | sort
  ucx_info -v 2>/dev/null
  ucx_info -c 2>/dev/null
} >environment$job.txt
launch() { # RANKS RANKS-ON-A-HOST SETTINGS BENCHMARK...
  ranks=$1 per_host=$2 settings=$3
  shift 3
  hosts=$(((ranks + per_host - 1) / per_host))
  case $launcher in
  srun*)
    env $settings $launcher -N $hosts -n $ranks --ntasks-per-node=$per_host \
      --distribution=block:cyclic "$@"
    ;;
  *)
)";
constexpr const char* kOpenMpi = R"(    map=ppr:$per_host:node
    if [ $((per_host % sockets)) -eq 0 ]; then
      map=ppr:$((per_host / sockets)):socket
    fi
    env $settings $launcher -np $ranks --map-by $map "$@"
)";
constexpr const char* kMpich =
    "    env $settings $launcher -n $ranks -ppn $per_host -map-by socket \"$@\"\n";
constexpr const char* kLaunchEnd = "    ;;\n  esac\n}\n";

}  // namespace

void write_plan_script(const PlanReport& report, std::ostream& out) {
  const bool open_mpi = report.forced.front() && report.forced.front()->open_mpi;
  fmt::print(out,
             "#!/bin/sh\n"
             "# Runs the benchmarks that {} chose. Run this script in at least three jobs. "
             "Afterwards:\n",
             shell_command("tutti fit $plan"));
  fmt::print(out, "#   {}\n", report.next);
  if (report.plan.priced < report.candidates) {
    fmt::print(out, "# The plan was interrupted: {} of {} were simulated.\n", report.plan.priced,
               counted(report.candidates, "candidate"));
  }
  fmt::print(out,
             "# LAUNCHER=srun starts the ranks with srun instead of {0}. SOCKETS is the number of "
             "sockets of a host\n# [from lscpu].\n"
             "launcher=${{LAUNCHER:-{0}}}\n",
             open_mpi ? "mpirun" : "mpiexec");
  out << "job=${SLURM_JOB_ID:-${PBS_JOBID:-$(date +%Y%m%d-%H%M%S)}}\n"
      << kLaunchHead << (open_mpi ? kOpenMpi : kMpich) << kLaunchEnd;
  for (std::size_t i = 0; i < report.points.size(); ++i) {
    const ForcedRun& run = *report.forced[i];
    fmt::print(out,
               "{{ echo \"# tutti: {} -p {} {} {} {} $job\"\n"
               "  launch {} {} '{}' {}\n}} >run$job.{}.txt\n",
               called(report.points[i]), run.ranks, flag_of("ranks_per_host"), run.ranks_per_host,
               flag_of("job"), run.ranks, run.ranks_per_host, run.environment(), run.benchmark,
               i + 1);
  }
}

void write_plan_points(const PlanReport& report, std::ostream& out) {
  out << "machine,job,cell,collective,ranks,nodes,ranks_per_node,bytes,type,tutti,median_s\n";
  for (const BenchmarkPoint& point : report.points) {
    fmt::print(out, "{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(point.machine),
               csv_field(point.job), csv_field(point.cell), name(point.collective), point.ranks,
               point.nodes ? fmt::format("{}", *point.nodes) : "",
               point.ranks_per_node ? fmt::format("{}", *point.ranks_per_node) : "", point.bytes,
               type_of(point.element_bytes), csv_field(point.algorithm_text), point.measured_s);
  }
}

}}  // namespace tutti::output

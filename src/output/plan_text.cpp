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

using Json = nlohmann::ordered_json;

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
  return point.asked.starts_with(collective) ? point.asked : collective + point.asked;
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
  out << "\nRuns, those that tell most per second first\n";
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    const BenchmarkPoint& point = report.points[i];
    print_field(out, 0, 4, fmt::format("{:>3}", i + 1),
                fmt::format("{}, {}, {} per host: {:.1f} s; tells {}", called(point),
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

void write_plan_json(const PlanReport& report, std::ostream& out) {
  const FitPlan& plan = report.plan;
  Json json;
  json["schema"] = "tutti-plan/1";
  json["candidates"] = report.candidates;
  json["allowed_s"] = report.most_s;
  json["run_s"] = plan.run_s;
  json["stopped_by_count"] = plan.stopped_by_count;
  json["runs"] = Json::array();
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    const BenchmarkPoint& point = report.points[i];
    json["runs"].push_back(
        {{"collective", name(point.collective)},
         {"algorithm", called(point)},
         {"cell", point.cell},
         {"ranks", point.ranks},
         {"ranks_per_host", report.ranks_per_host[i]},
         {"bytes", point.bytes},
         {"call_s", plan.runs[i].call_s},
         {"run_s", plan.runs[i].run_s},
         {"tells", names_of(plan.runs[i].tells)},
         {"command", report.forced[i] ? Json(report.forced[i]->command()) : Json()}});
  }
  json["parameters"] = Json::array();
  for (const FittedFigure& each : plan.figures) {
    json["parameters"].push_back({{"name", each.parameter->name},
                                  {"unit", each.parameter->unit},
                                  {"start", each.start},
                                  {"low", each.low},
                                  {"high", each.high},
                                  {"determined", is_determined(each)}});
  }
  json["alike"] = alike_json(plan.alike);
  json["left_out"] = Json::array();
  for (const LeftOutParameter& each : plan.left_out) {
    json["left_out"].push_back({{"name", each.parameter->name}, {"why", with_fields(each.why)}});
  }
  json["next"] = report.next;
  write_document(json, 2, out);
}

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
               type_of(point.element_bytes), csv_field(point.asked), point.measured_s);
  }
}

}}  // namespace tutti::output

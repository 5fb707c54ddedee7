// Tests the readers of files: each of their system calls fails in turn. Formats that only parse a
// text that is in memory have no entry of their own: tests/fuzz tests their parsers.
#include <catch2/catch.hpp>

#include <fstream>
#include <vector>

#include "platforms/xml_check.hpp"
#include "schedules/algorithm.hpp"
#include "schedules/notation/parse.hpp"
#include "schedules/notation/print.hpp"
#include "src/experiments/points/benchmark_point.hpp"
#include "src/experiments/points/measured_run.hpp"
#include "src/experiments/points/measured_source.hpp"
#include "src/experiments/profiles/profile.hpp"
#include "src/output/decision_text.hpp"
#include "src/requests/hosts.hpp"
#include "src/requests/node_map.hpp"
#include "src/requests/parameters.hpp"
#include "src/requests/schedule_file.hpp"
#include "src/requests/what_if_options.hpp"
#include "src/rule_files/rule_file.hpp"
#include "tests/faults/sweep.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/source_dir.hpp"

namespace tutti::faults {
namespace {

std::string printed(const Schedule& schedule) {
  std::string text;
  for (OpId id = 0; id < schedule.size(); ++id) {
    text += label_text(schedule.op(id));
    text += ' ';
  }
  return text;
}

std::vector<Operation> readers(const ScratchFolder& scratch) {
  std::vector<Operation> all;
  const auto add = [&](std::string name, std::function<std::string()> run) {
    all.push_back({std::move(name), {}, std::move(run), {}});
  };
  const auto file = [&scratch](const char* name, const char* text) {
    std::string path = scratch.path / name;
    std::ofstream(path) << text;
    return path;
  };
  const std::string source = source_dir();
  const std::string corpus = source + "/tests/fuzz/corpus/";
  add("schedule", [path = source + "/tests/golden/ring_p3.tutti"] {
    return printed(read_notation(path).schedule);
  });
  add("program", [path = source + "/examples/schedules/pipeline.sched"] {
    const NotationFile read = read_notation_file(path, {});
    Problem problem;
    problem.collective = read.program->algorithm.collective;
    problem.ranks = 5;
    problem.bytes = 8000;
    problem.segment_bytes = 1000;
    return printed(read.program->program.schedule(problem));
  });
  add("platform", [path = source + "/platforms/crossbar_64.xml"] {
    check_platform_file(path);
    return std::string("sound");
  });
  add("parameters", [path = source + "/tests/mpi/recorded/machine.json"] {
    const Parameters parameters = read_parameters(path);
    return parameters.library + parameters.placement + parameters.type + parameters.op;
  });
  add("late ranks", [path = file("late", "1us\n2us # two\n\n3us\n")] {
    std::string text;
    for (const double late_s : read_late_ranks(path)) {
      text += std::to_string(1e6 * late_s) + ' ';
    }
    return text;
  });
  for (const std::string& path : {file("hosts.csv", "rank,host\n1,node-9\n0,node-3\n"),
                                  file("hosts", "node-[1-3]\nnode-7 # last\n")}) {
    add("hosts in " + path, [path] {
      const NamedHosts named = read_hosts(path);
      return named.names.front() + named.names.back();
    });
  }
  add("map of hosts", [path = file("map.csv", "host,leaf,group\nn1,a,x\nn2,b,x\nn3,a,y\n")] {
    return to_xml({.kind = "islands",
                   .groups = read_node_map(path, {}),
                   .cable = {},
                   .trunk = {},
                   .pair = {},
                   .out = LinkFigures(),
                   .node = {}});
  });
  add("runs", [path = corpus + "runs/several.json"] {
    std::string text;
    for (const MeasuredRun& run : measured_runs_of("runs", path).runs) {
      text += run.algorithm->full_name() + ' ' + std::to_string(run.problem.bytes) + '\n';
    }
    return text;
  });
  // The file contains the algorithms and the numbers of ranks.
  add("points", [path = corpus + "points/values.csv"] {
    std::string text;
    std::vector<std::string> notes;
    for (const BenchmarkPoint& point : read_points({path}, {}, notes)) {
      text +=
          point.cell + ' ' + point.algorithm_text + ' ' + std::to_string(point.measured_s) + '\n';
    }
    return text;
  });
  // A time-independent trace may name further files, so that its reader differs from the others.
  for (const char* name : {"profiles_csv/calls.csv", "profiles_ti/run.trace"}) {
    add(name, [path = corpus + name] {
      std::string text;
      for (const ProfileCalls& each : read_profile(path).calls) {
        text += std::to_string(static_cast<int>(each.collective)) + ' ' +
                std::to_string(each.ranks) + ' ' + std::to_string(each.bytes) + ' ' +
                std::to_string(each.calls) + '\n';
      }
      return text;
    });
  }
  add("decisions", [path = source + "/examples/decisions/open_mpi_4.1.json"] {
    return std::to_string(read_tables(path).size());
  });
  return all;
}

void sweep_readers(Share share) {
  const ScratchFolder scratch;
  for (const Operation& operation : readers(scratch)) {
    sweep(operation, Kind::io_error, share);
    sweep(operation, Kind::short_count, share);
  }
}

}  // namespace

TEST_CASE("a reader reports a fault in one line, and keeps no partial data") {
  sweep_readers(Share::some);
}

TEST_CASE("a reader reports any fault at all", "[slow]") { sweep_readers(Share::all); }

}  // namespace tutti::faults

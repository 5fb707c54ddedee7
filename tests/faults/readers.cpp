// Tests every reader of files: each of its system calls fails in turn.
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <unistd.h>
#include <vector>

#include "base/file_text.hpp"
#include "cost_models/nccl/graph_file.hpp"
#include "platforms/xml_check.hpp"
#include "schedules/algorithm.hpp"
#include "schedules/notation/parse.hpp"
#include "schedules/notation/print.hpp"
#include "schedules/registry.hpp"
#include "src/experiments/measured_run.hpp"
#include "src/experiments/points/benchmark_point.hpp"
#include "src/experiments/points/measured_source.hpp"
#include "src/experiments/profiles/profile.hpp"
#include "src/output/decision_text.hpp"
#include "src/requests/hosts.hpp"
#include "src/requests/node_map.hpp"
#include "src/requests/parameters.hpp"
#include "src/requests/schedule_file.hpp"
#include "src/requests/what_if_options.hpp"
#include "src/rule_files/compositions.hpp"
#include "src/rule_files/decision_json.hpp"
#include "src/rule_files/han_rules.hpp"
#include "src/rule_files/rule_file.hpp"
#include "src/rule_files/write_rules.hpp"
#include "tests/faults/sweep.hpp"
#include "tests/source_dir.hpp"

namespace tutti::faults {
namespace {

const std::string kSource = source_dir();

// A temporary file of one test; the destructor removes it.
class Scratch {
 public:
  explicit Scratch(const std::string& text, const char* name = "file")
      : folder_(std::filesystem::temp_directory_path() /
                ("tutti-faults-" + std::to_string(::getpid()))),
        path_((folder_ / name).string()) {
    std::filesystem::create_directories(folder_);
    std::ofstream(path_) << text;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { std::filesystem::remove_all(folder_); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::filesystem::path folder_;
  std::string path_;
};

std::string printed(const Schedule& schedule) {
  std::string text;
  for (OpId id = 0; id < schedule.size(); ++id) {
    text += label_text(schedule.op(id));
    text += ' ';
  }
  return text;
}

std::string parameters_text() {
  Parameters parameters;
  parameters.library = "a library";
  parameters.placement = "2 ranks on 1 node";
  parameters.type = "int64";
  parameters.op = "sum";
  parameters.within = {1e-6, 1e-9, 1e-10, 1e-10};
  parameters.curves.within_node.one_way = {{{8, 1e-6, 1e-9}, {4096, 2e-6, 1e-9}}, {{1e6, 2e-9}}};
  parameters.curves.within_node.exchange = parameters.curves.within_node.one_way;
  parameters.curves.reduce = parameters.curves.within_node.one_way;
  parameters.curves.copy = parameters.curves.within_node.one_way;
  parameters.points = {{"reduce", 8, 0, 1e-6, 0.1}, {"copy", 4096, 0, 2e-6, 0.1}};
  std::ostringstream text;
  write_parameters(parameters, text);
  return text.str();
}

std::string digest(const Parameters& parameters) {
  std::string text = parameters.library + parameters.placement + parameters.type + parameters.op;
  for (const CostPiece& piece : parameters.curves.within_node.one_way.pieces) {
    text += ' ' + std::to_string(piece.from_bytes);
  }
  return text;
}

constexpr const char* kRun = R"({"schema": "tutti-run/1", "collective": "allreduce",
  "algorithm": "ring", "ranks": 2, "bytes": 80, "element_bytes": 8, "type": "int64", "op": "sum",
  "root": null, "fold": null, "skips": null, "tree": null, "segment_bytes": null,
  "cores_per_node": null, "block_bytes": [], "engine": "mpi", "library": "a library", "nodes": 1,
  "placement": "2 ranks on 1 node", "oversubscribed": false, "messages": 4, "bytes_sent": 160,
  "bytes_reduced": 80, "ops": 6, "dependencies": 4, "rounds": 2, "warmup": 1, "iterations": 2,
  "left_out": 0, "median_s": 1e-6, "median_low_s": 1e-6, "median_high_s": 1e-6, "fastest_s": 1e-6,
  "first_rank_s": 1e-6, "last_rank_s": 1e-6, "times_s": [1e-6, 1e-6], "library_call": null,
  "library_median_s": null, "library_times_s": [], "check": "full", "bytes_compared": 160,
  "relative_bound": 0, "wrong": [], "clock_error_s": 0})";

std::string digest(const MeasuredRuns& runs) {
  std::string text;
  for (const MeasuredRun& run : runs.runs) {
    text += run.algorithm->full_name() + ' ' + std::to_string(run.problem.bytes) + '\n';
  }
  return text;
}

std::string digest(const RuleFile& rules) {
  std::string text;
  for (const RuleFinding& finding : rules.findings) {
    text += std::to_string(finding.line) + finding.text + '\n';
  }
  std::size_t count = 0;
  for (const DecisionTable& table : rules.tables) {
    text += std::to_string(static_cast<int>(table.collective)) + ' ' +
            std::to_string(table.rules.size()) + '\n';
    for (const Rule& rule : table.rules) {
      count += rule.then.size() + rule.line;
      text += rule.choice ? rule.choice->algorithm + '|' + rule.choice->library_algorithm : "";
    }
  }
  return text + std::to_string(count);
}

// Returns the text of a rule file in the given format.
std::string rules_text(RuleFormat format) {
  if (format == RuleFormat::tutti) {
    return read_text_file(kSource + "/examples/decisions/allreduce_tree.json");
  }
  std::ostringstream text;
  if (format == RuleFormat::han) {
    write_han_rules(all_to_tuned(500, "a test"), text);
    return text.str();
  }
  if (format == RuleFormat::mpich_ch4) {
    write_compositions(all_flat(403), text);
    return text.str();
  }
  if (format == RuleFormat::mpich_posix) {
    write_posix_rules(std::array{Collective::bcast, Collective::reduce}, text);
    return text.str();
  }
  RulesToWrite rules;
  rules.collective = Collective::allreduce;
  const bool nccl = format == RuleFormat::nccl;
  Choice small;
  small.algorithm = nccl ? "double_tree" : "recursive_doubling";
  Choice large;
  large.algorithm =
      format == RuleFormat::mpich || format == RuleFormat::mpich41 || format == RuleFormat::mpich43
          ? "reduce_scatter_allgather"
          : "ring";
  rules.ranks = {4, 8};
  rules.made_by = "a test";
  for (const std::uint32_t ranks : rules.ranks) {
    RankStep step;
    step.from_ranks = ranks;
    step.sizes = {{0, small}, {65536, large}};
    rules.steps.push_back(std::move(step));
  }
  write_rules(rules, format, text);
  return text.str();
}

std::string digest_of_points(const std::string& path) {
  // values.csv contains the algorithms and the numbers of ranks; the other files need defaults.
  const bool values = path.ends_with("values.csv");
  PointDefaults defaults;
  if (!values) {
    defaults.algorithms = {path.ends_with("osu.txt") ? "allgather/ring" : "allreduce/ring"};
    defaults.ranks = 8;
  }
  std::string text;
  for (const BenchmarkPoint& point : read_points({path}, defaults)) {
    text += point.cell + ' ' + point.asked + ' ' + std::to_string(point.measured_s) + '\n';
  }
  return text;
}

std::vector<Operation> readers(std::vector<std::unique_ptr<Scratch>>& files) {
  std::vector<Operation> all;
  const auto add = [&](std::string name, std::function<std::string()> run) {
    all.push_back({std::move(name), {}, std::move(run), {}});
  };
  const auto file = [&files](const std::string& text, const char* name) {
    files.push_back(std::make_unique<Scratch>(text, name));
    return files.back()->path();
  };
  add("schedule", [path = kSource + "/tests/golden/ring_p3.tutti"] {
    return printed(read_notation(path).schedule);
  });
  add("schedule of added requests",
      [path = kSource + "/tests/fuzz/corpus/notation/added_requests_p3"] {
        return printed(read_notation(path).schedule);
      });
  add("bare program", [path = kSource + "/tests/fuzz/corpus/program/bare_pipeline.sched"] {
    const NotationFile read = read_notation_file(path, {});
    Problem problem;
    problem.collective = read.program->algorithm.collective;
    problem.ranks = 5;
    problem.bytes = 80;
    return printed(read.program->program.schedule(problem));
  });
  add("NCCL's graphs", [path = kSource + "/tests/fuzz/corpus/nccl_graphs/one"] {
    const NcclGraphFile read = read_nccl_graphs(read_file(path, kPlatformFile), path);
    return std::to_string(read.gpus_per_node) + ' ' + std::to_string(read.graphs.ring.channels) +
           ' ' + std::to_string(read.graphs.tree.inter_latency_us);
  });
  add("program", [path = kSource + "/examples/schedules/pipeline.sched"] {
    const NotationFile read = read_notation_file(path, {});
    Problem problem;
    problem.collective = read.program->algorithm.collective;
    problem.ranks = 5;
    problem.bytes = 8000;
    problem.segment_bytes = 1000;
    return printed(read.program->program.schedule(problem));
  });
  add("program of calls", [path = kSource + "/tests/fuzz/corpus/program/calls.sched"] {
    const NotationFile read = read_notation_file(path, {});
    Problem problem;
    problem.collective = read.program->algorithm.collective;
    problem.ranks = 5;
    problem.bytes = 80;
    return printed(read.program->program.schedule(problem));
  });
  add("platform", [path = kSource + "/platforms/crossbar_64.xml"] {
    check_platform_file(path);
    return std::string("sound");
  });
  add("parameters", [path = file(parameters_text(), "parameters.json")] {
    return digest(read_parameters(path));
  });
  add("late ranks", [path = file("1us\n2us # two\n\n3us\n", "late")] {
    std::string text;
    for (const double late_s : read_late_ranks(path)) {
      text += std::to_string(1e6 * late_s) + ' ';
    }
    return text;
  });
  add("hosts by rank", [path = file("rank,host\n1,node-9\n0,node-3\n", "hosts.csv")] {
    const NamedHosts named = read_hosts(path);
    return named.names.front() + named.names.back();
  });
  add("hosts in a list", [path = file("node-[1-3]\nnode-7 # last\n", "hosts")] {
    const NamedHosts named = read_hosts(path);
    return named.names.front() + named.names.back();
  });
  add("map of hosts", [path = file("host,leaf,group\nn1,a,x\nn2,b,x\nn3,a,y\n", "map.csv")] {
    return to_xml({.kind = "islands",
                   .groups = read_node_map(path, {}),
                   .cable = {},
                   .trunk = {},
                   .pair = {},
                   .out = LinkFigures(),
                   .node = {}});
  });
  add("runs", [path = file(std::string("[") + kRun + ", " + kRun + "]", "runs.json")] {
    return digest(measured_runs_of("runs", path));
  });
  for (const char* form : {"values.csv", "osu.txt", "nccl.txt", "imb.txt", "8_ring_int32.csv"}) {
    add("points in " + std::string(form),
        [path = kSource + "/tests/fuzz/corpus/points/" + form] { return digest_of_points(path); });
  }
  for (const char* form :
       {"profiles_csv/calls.csv", "profiles_ti/run.trace", "profiles_mpip/report.mpiP",
        "profiles_ipm/log.xml", "profiles_ompi/monitoring.prof"}) {
    add("profile in " + std::string(form), [path = kSource + "/tests/fuzz/corpus/" + form] {
      std::string text;
      for (const ProfileCalls& each : read_profile(path).calls) {
        text += std::to_string(static_cast<int>(each.collective)) + ' ' +
                std::to_string(each.ranks) + ' ' + std::to_string(each.bytes) + ' ' +
                std::to_string(each.calls) + '\n';
      }
      return text;
    });
  }
  for (const RuleFormat format : kRuleFormats) {
    add("rules of " + std::string(name(format)),
        [format, path = file(rules_text(format), name(format).data())] {
          return digest(read_rules(read_text_file(path), format));
        });
  }
  add("decisions", [path = kSource + "/examples/decisions/open_mpi_4.1.json"] {
    return std::to_string(read_tables(path).size());
  });
  return all;
}

void sweep_readers(Share share) {
  std::vector<std::unique_ptr<Scratch>> files;
  for (const Operation& operation : readers(files)) {
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

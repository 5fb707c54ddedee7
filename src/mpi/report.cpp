// What a run on real MPI has to say, for people and for programs.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <ostream>

#include "sim/mpi/measure.hpp"
#include "src/human.hpp"
#include "src/mpi/run.hpp"

namespace tutti::mpi {

void print_report(const RunReport& report, std::ostream& out) {
  const Problem& problem = report.schedule->problem();
  out << fmt::format(
      "{} on {}, {} ({}{})\n", report.algorithm->full_name(), counted(problem.ranks, "rank"),
      human_bytes(problem.bytes), name(report.element.type),
      reduces(problem.collective) ? fmt::format(", {}", name(report.element.op)) : "");
  out << fmt::format("  MPI       {}\n", report.library);
  out << fmt::format("  placement {}{}\n", report.placement,
                     report.oversubscribed ? "; more ranks than cores, so times say little" : "");
  out << fmt::format(
      "  schedule  {}, {} sent, {}\n", counted(report.schedule->messages(), "message"),
      human_bytes(report.schedule->bytes_sent()), counted(report.schedule->rounds(), "round"));
  const double ours_s = median(report.ours_s);
  out << fmt::format("  time      {} (median of {}, slowest rank; fastest {})\n",
                     human_time(ours_s), report.iterations,
                     human_time(*std::min_element(report.ours_s.begin(), report.ours_s.end())));
  if (!report.library_s.empty()) {
    const double library_s = median(report.library_s);
    const auto fastest = [](const std::vector<double>& times_s) {
      return *std::min_element(times_s.begin(), times_s.end());
    };
    out << fmt::format("  {} {} (fastest {}); ours takes {:.2f} times as long (fastest {:.2f})\n",
                       report.library_call, human_time(library_s),
                       human_time(fastest(report.library_s)), ours_s / library_s,
                       fastest(report.ours_s) / fastest(report.library_s));
  }
  if (report.wrong.empty()) {
    out << fmt::format("  check     {}\n", report.check_note);
  } else {
    out << fmt::format("  check     WRONG on {}\n", counted(report.wrong.size(), "rank"));
  }
}

void write_report_json(const RunReport& report, std::ostream& out) {
  using Json = nlohmann::ordered_json;
  const Schedule& schedule = *report.schedule;
  const Problem& problem = schedule.problem();
  const auto takes = [&](Option option) {
    return (report.algorithm->options & static_cast<unsigned>(option)) != 0;
  };
  Json json;
  json["schema"] = "tutti-run/1";
  json["collective"] = name(problem.collective);
  json["algorithm"] = report.algorithm->name;
  json["ranks"] = problem.ranks;
  json["bytes"] = problem.bytes;
  json["element_bytes"] = problem.element_bytes;
  json["type"] = name(report.element.type);
  json["op"] = reduces(problem.collective) ? Json(name(report.element.op)) : Json();
  json["root"] = has_root(problem.collective) ? Json(problem.root) : Json();
  json["fold"] =
      takes(Option::fold) ? Json(problem.fold == Fold::far ? "far" : "neighbours") : Json();
  json["skips"] = takes(Option::skips) ? Json(problem.skips) : Json();
  json["tree"] = takes(Option::tree) ? Json(problem.tree) : Json();
  json["segment_bytes"] = takes(Option::segment) ? Json(problem.segment_bytes) : Json();
  json["engine"] = "mpi";
  json["library"] = report.library;
  json["nodes"] = report.nodes;
  json["placement"] = report.placement;
  json["oversubscribed"] = report.oversubscribed;
  json["messages"] = schedule.messages();
  json["bytes_sent"] = schedule.bytes_sent();
  json["bytes_reduced"] = schedule.bytes_reduced();
  json["ops"] = schedule.size();
  json["dependencies"] = schedule.dependencies();
  json["rounds"] = schedule.rounds();
  json["warmup"] = report.warmup;
  json["iterations"] = report.iterations;
  json["median_s"] = median(report.ours_s);
  json["times_s"] = report.ours_s;
  json["library_call"] = report.library_s.empty() ? Json() : Json(report.library_call);
  json["library_median_s"] = report.library_s.empty() ? Json() : Json(median(report.library_s));
  json["library_times_s"] = report.library_s;
  json["check"] = report.check;
  json["bytes_compared"] = report.bytes_compared;
  json["relative_bound"] = relative_bound(report.element, problem.ranks);
  json["wrong"] = report.wrong;
  json["clock_error_s"] = report.clock_error_s;
  out << json.dump(2) << '\n';
}

}  // namespace tutti::mpi

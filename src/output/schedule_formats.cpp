#include "src/output/schedule_formats.hpp"

#include <fmt/format.h>

#include <ostream>

#include "base/error.hpp"
#include "base/human.hpp"
#include "schedules/notation/print.hpp"
#include "src/interchange/chakra.hpp"
#include "src/interchange/goal.hpp"
#include "src/interchange/msccl.hpp"
#include "src/output/schedule_export.hpp"

namespace tutti { inline namespace output {

namespace {

bool is_application(const WrittenSchedule& written) {
  return written.schedule.problem().collective == Collective::application;
}

std::string full_name(const WrittenSchedule& written) {
  return fmt::format("{}/{}", written.collective, written.algorithm);
}

void refuse_switches(const WrittenSchedule& written, std::string_view format) {
  if (written.schedule.switches() > 0) {
    throw UserError(fmt::format("{} uses {}, which {} cannot express", full_name(written),
                                counted(written.schedule.switches(), "switch"), format));
  }
}

void notation(const WrittenSchedule& written, std::ostream& out) {
  print_notation(written.schedule, written.algorithm, out);
}

void document(const WrittenSchedule& written, std::ostream& out) {
  print_document(written.schedule, written.algorithm, out);
}

void dot(const WrittenSchedule& written, std::ostream& out) {
  write_dot(written.schedule, full_name(written), out);
}

void graphml(const WrittenSchedule& written, std::ostream& out) {
  write_graphml(written.schedule, out);
}

void json(const WrittenSchedule& written, std::ostream& out) {
  write_schedule_json(written.schedule, written.algorithm, out);
}

void goal(const WrittenSchedule& written, std::ostream& out) {
  refuse_switches(written, "GOAL");
  write_goal(nodes_of(written.schedule, written.prices), out);
}

void msccl(const WrittenSchedule& written, std::ostream& out) {
  write_msccl(written.schedule, full_name(written), out);
}

std::string lost_root(const WrittenSchedule& written) {
  const Problem& problem = written.schedule.problem();
  return has_root(problem.collective)
             ? fmt::format(
                   "the file does not say that the root is {}: the executor uses it for "
                   "calls with any root",
                   problem.root)
             : "";
}

std::string lost_only_blocks(const WrittenSchedule& written) {
  return written.schedule.bytes_only() ? ""
                                       : "the file has no blocks, so that nothing can be proved of "
                                         "it; a .tutti file has them";
}

std::string lost_blocks(const WrittenSchedule& written) {
  return is_application(written)
             ? ""
             : fmt::format(
                   "the file has messages and times, but neither the collective nor the "
                   "data of {}, so that nothing can be proved of it",
                   full_name(written));
}

std::function<void(Rank, std::ostream&)> chakra(const WrittenSchedule& written) {
  refuse_switches(written, "Chakra");
  return [nodes = nodes_of(written.schedule, written.prices)](Rank rank, std::ostream& out) {
    write_chakra(nodes, rank, out);
  };
}

std::string lost_blocks_and_nanoseconds(const WrittenSchedule& written) {
  std::string lost = lost_blocks(written);
  if (written.schedule.has_units()) {
    lost += fmt::format(
        "{}processors and network interfaces are left out, so the calculations "
        "of a rank follow each other",
        lost.empty() ? "" : "; ");
  }
  for (const RankNode& node : nodes_of(written.schedule, written.prices).nodes) {
    if (node.kind == NodeKind::calculation && node.amount % 1000 != 0) {
      return lost + (lost.empty() ? "" : "; ") +
             "other tools see calculations in whole microseconds";
    }
  }
  return lost;
}

}  // namespace

const std::vector<ScheduleFormat>& schedule_formats() {
  static const std::vector<ScheduleFormat> formats{
      {"notation", {".tutti", ".sched"}, notation, nullptr, nullptr},
      {"document", {}, document, nullptr, lost_only_blocks},
      {"dot", {".dot"}, dot, nullptr, nullptr},
      {"graphml", {".graphml"}, graphml, nullptr, nullptr},
      {"json", {".json"}, json, nullptr, nullptr},
      {"goal", {".goal"}, goal, nullptr, lost_blocks},
      {"msccl", {".xml"}, msccl, nullptr, lost_root},
      {"chakra", {".et"}, nullptr, chakra, lost_blocks_and_nanoseconds}};
  return formats;
}

}}  // namespace tutti::output

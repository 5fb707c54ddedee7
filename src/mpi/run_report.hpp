// What there is to say after runs on real MPI, on rank 0.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "schedules/algorithm.hpp"
#include "sim/mpi/measure.hpp"
#include "sim/mpi/plan/admission.hpp"
#include "sim/mpi/plan/element.hpp"
#include "sim/timeline.hpp"

namespace tutti::mpi {

// What all runs of a job have in common.
struct JobFacts {
  std::uint32_t ranks = 1;
  std::string library;    // its name and version
  std::string placement;  // World::description()
  std::uint32_t nodes = 1;
  bool oversubscribed = false;
  Element element;
  std::uint32_t warmup = 0;
};
[[nodiscard]] JobFacts job_facts(const World& world, const Element& element);

struct RunReport {
  std::string algorithm;  // without its collective
  const Algorithm* facts = nullptr;
  Problem problem;
  std::optional<Refusal> refusal;  // what follows is then empty
  std::uint64_t messages = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_reduced = 0;
  std::uint32_t ops = 0;
  std::uint64_t dependencies = 0;
  std::uint32_t rounds = 0;
  TimedRuns ours;     // all that were done
  TimedRuns library;  // the library's, in turn with ours; where it was timed
  CountedRuns counted_ours;
  CountedRuns counted_library;
  std::string library_call;
  std::string check;
  std::uint64_t bytes_compared = 0;  // of one run, over all ranks
  std::uint32_t runs_compared = 0;   // warm-up and recorded ones among them
  std::string check_note;            // what was left out, and why
  std::vector<std::string> wrong;
  std::optional<Timeline> timeline;  // of one run, after those that were timed
  double clock_error_s = 0;

  // Nothing can be concluded from the times, about ours or about the library's.
  [[nodiscard]] bool too_busy() const { return counted_ours.too_busy || counted_library.too_busy; }
  [[nodiscard]] std::uint32_t disturbed() const {
    return counted_ours.disturbed + counted_library.disturbed;
  }
  [[nodiscard]] std::uint32_t left_out() const {
    return counted_ours.left_out() + counted_library.left_out();
  }
  [[nodiscard]] std::uint32_t done() const { return counted_ours.done + counted_library.done; }
};

// One run in words; several as a table, as benchmarks of MPI print it.
void print_report(const JobFacts& job, const RunReport& report, std::ostream& out);
void print_table(const JobFacts& job, const std::vector<RunReport>& reports, std::ostream& out);
// src/formats/schemas/tutti-run-1.schema.json: an object, or for several an array of them.
void write_reports_json(const JobFacts& job, const std::vector<RunReport>& reports, bool several,
                        std::ostream& out);
// The plain values of the same, one row for each run.
void write_reports_csv(const JobFacts& job, const std::vector<RunReport>& reports,
                       std::ostream& out);

}  // namespace tutti::mpi

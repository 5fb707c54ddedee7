// Reports of runs on real MPI. A report is complete on rank 0 only.
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

// Facts that all runs of a job share.
struct JobFacts {
  std::uint32_t ranks = 1;
  std::string library;    // name and version of the MPI library
  std::string placement;  // World::description()
  std::uint32_t nodes = 1;
  bool oversubscribed = false;
  Element element;
  std::uint32_t warmup = 0;
};
[[nodiscard]] JobFacts job_facts(const World& world, const Element& element);

struct RunReport {
  std::string algorithm;  // name of the algorithm, without its collective
  const Algorithm* facts = nullptr;
  Problem problem;
  std::optional<Refusal> refusal;  // if set, the members below are empty
  std::uint64_t messages = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_reduced = 0;
  std::uint32_t ops = 0;
  std::uint64_t dependencies = 0;
  std::uint32_t rounds = 0;
  TimedRuns ours;     // all runs, including disturbed ones
  TimedRuns library;  // runs of the library's collective, alternating with ours; empty if not timed
  CountedRuns counted_ours;
  CountedRuns counted_library;
  std::string library_call;
  std::string check;
  std::uint64_t bytes_compared = 0;  // bytes compared in one run, summed over all ranks
  // Number of compared runs, including warm-up runs and recorded runs.
  std::uint32_t runs_compared = 0;
  std::string check_note;  // result of the checks, and which of them were left out
  std::vector<std::string> wrong;
  std::optional<Timeline> timeline;  // recorded in a separate run after the timed ones
  double clock_error_s = 0;

  // True if too many of our runs, or of the library's, were disturbed. The times then allow no
  // conclusion.
  [[nodiscard]] bool too_busy() const { return counted_ours.too_busy || counted_library.too_busy; }
  [[nodiscard]] std::uint32_t disturbed() const {
    return counted_ours.disturbed + counted_library.disturbed;
  }
  [[nodiscard]] std::uint32_t left_out() const {
    return counted_ours.left_out() + counted_library.left_out();
  }
  [[nodiscard]] std::uint32_t done() const { return counted_ours.done + counted_library.done; }
};

// Print one run in words, or several runs as a table like those of MPI benchmarks.
void print_report(const JobFacts& job, const RunReport& report, std::ostream& out);
void print_table(const JobFacts& job, const std::vector<RunReport>& reports, std::ostream& out);
// Writes JSON (schema src/formats/schemas/tutti-run-1.schema.json): one object, or an array of
// objects if `several` is set.
void write_reports_json(const JobFacts& job, const std::vector<RunReport>& reports, bool several,
                        std::ostream& out);
// Writes those values of the JSON that are not objects or arrays as CSV, with a row for each run.
void write_reports_csv(const JobFacts& job, const std::vector<RunReport>& reports,
                       std::ostream& out);

}  // namespace tutti::mpi

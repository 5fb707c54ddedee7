// Simulates several jobs at once: their steps are appended to one union over the ranks of all jobs.
//
// A job carries out its step several times, without a barrier: a rank goes on when the step, and
// all collectives that it began, are over there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/simulation/engine_run.hpp"
#include "src/steps/account.hpp"
#include "src/steps/jobs/ready_job.hpp"

namespace tutti { inline namespace steps {

// A job of a simulation.
struct JobTask {
  const ReadyJob* job = nullptr;
  // The job carries out `runs` steps or, if `until` is set, those that begin before that job of the
  // simulation ends; `runs` is then a guess.
  std::uint32_t runs = 1;
  std::optional<std::size_t> until = std::nullopt;
  // With a number, the first ones of these steps are counted.
  std::optional<std::uint32_t> counted = std::nullopt;
};

struct JobTimes {
  std::uint32_t begun = 0;  // steps that were carried out
  // Steps that are counted: those that were over when the job of `until` ended, or the first one if
  // there is none; otherwise all.
  std::uint32_t counted = 0;
  double end_s = 0;      // when the last rank was over, with all steps that were carried out
  double counted_s = 0;  // from the start of the job to the end of its counted steps
  StepAccount account;   // of the counted steps

  // Time of a step, on average.
  [[nodiscard]] double step_s() const { return counted_s / counted; }
};

// A link, by its name in the platform. Names of links are the same in all simulations of a machine.
struct JobsLink {
  LinkPlace place;
  double capacity_bytes_per_s = 0;
  // By job of the simulation: time that its messages lost while the link held them back.
  std::vector<double> lost_s;
};

struct JobsRun {
  std::vector<JobTimes> jobs;
  double total_s = 0;
  std::uint64_t ops = 0;
  std::uint64_t messages = 0;
  MachineFacts facts;
  std::optional<EngineComparison> comparison;  // set if both engines were requested
  std::map<std::string, JobsLink> links;       // empty if the engine does not watch links
  // By link and job: bytes that its messages carried over the link. A job without an entry does not
  // use the link. Filled in by bytes_of_links().
  std::map<std::string, std::map<std::size_t, std::uint64_t>> bytes;
};

// Simulates the jobs. `with_bytes`: also finds JobsRun::bytes. Throws UserError, and
// ScheduleTooLarge before anything is built.
[[nodiscard]] JobsRun run_jobs(const ReadyJobs& all, std::vector<JobTask> tasks, bool with_bytes);

}}  // namespace tutti::steps

// Slowdowns of jobs on one cluster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/steps/jobs/jobs_run.hpp"

namespace tutti { inline namespace steps {

// A job alone on its hosts, and beside all others. Both times are those of the same steps.
struct JobAnswer {
  JobTimes alone;
  JobTimes together;

  [[nodiscard]] double slowdown() const { return together.step_s() / alone.step_s(); }
};

// A job while only one other job runs beside it.
struct JobBeside {
  std::size_t job = 0;
  std::size_t beside = 0;
  // False if no link carries messages of both. The job then takes exactly its time alone.
  bool meets = false;
  double slowdown = 1;
  // The link of both on which the messages of the job lose most more time than alone, if any.
  std::string link;
  LinkPlace place;
  double lost_s = 0;        // sum over the messages of the job
  double lost_alone_s = 0;  // the same while the job is alone
};

// A link that carries messages of several jobs.
struct SharedLink {
  struct Use {
    std::size_t job = 0;
    std::uint64_t bytes = 0;
    double lost_s = 0;        // sum over the messages of the job, with all jobs
    double lost_alone_s = 0;  // while the job is alone
  };
  std::string name;
  LinkPlace place;
  double capacity_bytes_per_s = 0;
  std::vector<Use> uses;

  // Time that the messages of all jobs lose more than alone.
  [[nodiscard]] double lost_more_s() const;
};

struct JobsAnswer {
  ReadyJobs ready;
  JobsRun together;             // of all jobs
  std::vector<JobAnswer> jobs;  // in the order of the file
  // Each job beside each other one; without the pairs if they were not wanted.
  std::vector<JobBeside> pairs;
  std::vector<SharedLink> shared;  // those on which most time is lost first
  // Largest difference of the two engines in any simulation, if both were requested.
  std::optional<EngineComparison> comparison;

  // True if no job takes longer than alone, but for rounding.
  [[nodiscard]] bool all_as_alone() const;
  [[nodiscard]] const JobBeside* pair(std::size_t job, std::size_t beside) const;
};

// Factors of slowdowns that differ from 1 by less than this are those of rounding.
inline constexpr double kNotSlower = 1e-9;

// Simulates the jobs together and each alone. `pairs`: also each two of them, if there are more
// than two. Throws UserError.
[[nodiscard]] JobsAnswer answer_of(ReadyJobs ready, bool pairs);

}}  // namespace tutti::steps

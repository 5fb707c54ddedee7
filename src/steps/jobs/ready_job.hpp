// Jobs on the hosts of a machine, with the algorithms of their collectives.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/steps/choices.hpp"
#include "src/steps/description.hpp"
#include "src/steps/jobs/job_file.hpp"
#include "src/steps/machine.hpp"
#include "src/steps/step_schedule.hpp"

namespace tutti { inline namespace steps {

struct ReadyJob {
  JobRequest request;
  StepDescription step;
  std::vector<Rank> members;         // its ranks among those of the machine
  std::vector<std::uint32_t> hosts;  // in the order of its ranks, each once
  std::vector<CallChoice> choices;
  StepPlaces places;              // all ranks
  std::vector<PlacedCall> calls;  // schedules of the choices
  std::uint64_t ops = 0;          // of one run: at most

  [[nodiscard]] double start_s() const { return static_cast<double>(request.start_ps) * 1e-12; }
};

struct ReadyJobs {
  std::string file;
  StepMachine machine;  // of all hosts up to the last one in use
  std::vector<ReadyJob> jobs;
};

// Reads the descriptions of the jobs, places the jobs on hosts, and chooses the algorithms of each
// job as if it were alone. `gpus` and the other arguments are those of step_machine(). Throws
// UserError, which names the line of the job.
[[nodiscard]] ReadyJobs ready_jobs(JobFile file, OpenedMachine opened,
                                   const std::optional<NcclOptions>& gpus,
                                   std::uint32_t ranks_per_host, std::uint32_t element_bytes);

}}  // namespace tutti::steps

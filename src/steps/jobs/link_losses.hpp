// Bytes and lost time of several jobs on the links of a platform.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "src/simulation/engine_run.hpp"
#include "src/steps/jobs/jobs_run.hpp"

namespace tutti { inline namespace steps {

// Returns a list of all messages, for RunSetup::watched.
[[nodiscard]] WatchListPtr watched_messages(const Schedule& schedule);

// Returns the links that were used, and the time that the messages of each job lost there. The
// operations of job i end at ends[i]. The run must have link statistics and, with several jobs,
// have watched the messages.
[[nodiscard]] std::map<std::string, JobsLink> link_losses(const EngineRun& run,
                                                          const std::vector<OpId>& ends);

// Returns JobsRun::bytes.
[[nodiscard]] std::map<std::string, std::map<std::size_t, std::uint64_t>> bytes_of_links(
    const Schedule& schedule, const Machine& machine, const std::vector<OpId>& ends);

}}  // namespace tutti::steps

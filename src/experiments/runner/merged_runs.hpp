// Runs several searches at once. A search submits runs in waves, because its next runs depend on
// earlier results. The last waves of a search are often small, and would leave processors idle. So
// the waves of all searches are merged: each wave of the real runner has the runs of all searches.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "base/messages.hpp"
#include "src/experiments/runner/runner.hpp"

namespace tutti { inline namespace experiments {

class MergedRuns {
 public:
  using Search = std::function<void(Runner&)>;

  // `runner` must accept the cases of all searches. At most `active` searches compute at a time,
  // in addition to the runner's work while all searches wait.
  MergedRuns(Runner& runner, std::size_t active) : runner_(runner), free_(active) {}

  // Calls each search in a thread of its own, with a runner of its own, which must not be used
  // after this call. Rethrows the exception of the first search in the list that has failed.
  void run(const std::vector<Search>& searches);

 private:
  class Submitter;
  struct Wave {
    std::vector<CaseRun>* runs = nullptr;
    std::string doing;
    bool done = false;
  };

  // Runs a wave together with those of the other searches. Called by a search that is active.
  void submit(std::vector<CaseRun>& runs, const std::string& doing);
  void call(const Search& search, std::exception_ptr& failure);
  void run_waves(std::unique_lock<std::mutex>& lock);

  Runner& runner_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t free_;            // number of searches that may become active
  std::size_t unfinished_ = 0;  // number of searches that have not returned
  std::vector<Wave*> waves_;    // waves of the searches that wait for results
  std::exception_ptr broken_;   // exception of the runner, which ends all searches
  KeptMessages unread_;         // of the runners of searches
};

}}  // namespace tutti::experiments

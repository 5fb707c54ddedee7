#include "src/experiments/runner/merged_runs.hpp"

#include <algorithm>
#include <iterator>
#include <system_error>
#include <thread>
#include <utility>

namespace tutti { inline namespace experiments {

class MergedRuns::Submitter final : public Runner {
 public:
  explicit Submitter(MergedRuns& merged) : Runner(merged.unread_), merged_(merged) {}

 private:
  void run_open(std::vector<CaseRun>& runs, const std::string& doing) override {
    merged_.submit(runs, doing);
  }

  MergedRuns& merged_;
};

void MergedRuns::run(const std::vector<Search>& searches) {
  std::vector<std::exception_ptr> failures(searches.size());
  std::vector<std::jthread> threads;
  {
    std::unique_lock lock(mutex_);
    unfinished_ = searches.size();
    for (std::size_t i = 0; i < searches.size(); ++i) {
      try {
        threads.emplace_back([&, i] { call(searches[i], failures[i]); });
      } catch (const std::system_error&) {  // no more threads can be started
        unfinished_ = i;
        break;
      }
    }
    run_waves(lock);
  }
  const std::size_t started = threads.size();
  threads.clear();  // joins all threads
  if (broken_) {
    std::rethrow_exception(broken_);
  }
  for (std::size_t i = 0; i < searches.size(); ++i) {
    if (i >= started) {
      searches[i](runner_);
    } else if (failures[i]) {
      std::rethrow_exception(failures[i]);
    }
  }
}

void MergedRuns::call(const Search& search, std::exception_ptr& failure) {
  bool stop = false;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return free_ > 0; });
    --free_;
    stop = broken_ != nullptr;
  }
  try {
    Submitter runner(*this);
    if (!stop) {
      search(runner);
    }
  } catch (...) {
    failure = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  ++free_;
  --unfinished_;
  changed_.notify_all();
}

void MergedRuns::submit(std::vector<CaseRun>& runs, const std::string& doing) {
  Wave wave{&runs, doing};
  std::unique_lock lock(mutex_);
  if (broken_) {
    std::rethrow_exception(broken_);
  }
  waves_.push_back(&wave);
  ++free_;
  changed_.notify_all();
  changed_.wait(lock, [&] { return (wave.done || broken_) && free_ > 0; });
  --free_;
  if (!wave.done) {
    std::rethrow_exception(broken_);
  }
}

void MergedRuns::run_waves(std::unique_lock<std::mutex>& lock) {
  for (;;) {
    changed_.wait(lock, [this] { return waves_.size() == unfinished_; });
    if (unfinished_ == 0) {
      return;
    }
    const std::vector<Wave*> waves = std::exchange(waves_, {});
    lock.unlock();
    std::vector<CaseRun> all;
    std::exception_ptr broken;
    try {
      for (const Wave* const wave : waves) {
        std::move(wave->runs->begin(), wave->runs->end(), std::back_inserter(all));
      }
      runner_.run(all, waves.front()->doing, Runner::KnownCases::so_far);
    } catch (...) {
      broken = std::current_exception();
    }
    lock.lock();
    broken_ = broken;
    auto next = all.begin();
    for (Wave* const wave : waves) {
      if (!broken_) {
        const auto end = next + static_cast<std::ptrdiff_t>(wave->runs->size());
        std::move(next, end, wave->runs->begin());
        next = end;
        wave->done = true;
      }
    }
    changed_.notify_all();
  }
}

}}  // namespace tutti::experiments

#include "sim/mpi/measure.hpp"

#include <algorithm>
#include <limits>

#include "sim/mpi/call_watch.hpp"
#include "sim/mpi/clock.hpp"
#include "sim/mpi/synchronised_start.hpp"

namespace tutti::mpi {

namespace {

constexpr double kMost = 1000;
// Limit of the time, as a multiple of the budget. On a machine that also does other work, runs take
// longer than planned.
constexpr double kMostBudgets = 5;

// The runs of one kind on this rank. All ranks have the same list of clean runs.
struct Series {
  std::vector<double> elapsed_s;
  std::vector<bool> clean;
  std::uint32_t clean_count = 0;
};

// All ranks must call this. Returns the times of all ranks on rank 0.
RankTimes by_rank(const World& world, const std::vector<double>& mine) {
  const std::vector<double> all = world.gather(mine);
  RankTimes times;
  for (std::size_t start = 0; start < all.size(); start += mine.size()) {
    const auto at = all.begin() + static_cast<std::ptrdiff_t>(start);
    times.emplace_back(at, at + static_cast<std::ptrdiff_t>(mine.size()));
  }
  return times;
}

class Measurement {
 public:
  Measurement(Executor& executor, const World& world, const MeasureOptions& options)
      : executor_(executor),
        world_(world),
        options_(options),
        start_(world, own_offset_s(world, read_clocks(world))) {}

  RunTimes run() {
    Series discarded;
    for (std::uint32_t i = 0; i < options_.warmup && !over(); ++i) {
      iteration(discarded, discarded);
    }
    const bool fit = options_.iterations == kAsManyAsFit;
    const std::uint32_t wanted = fit ? iterations_that_fit(discarded) : options_.iterations;
    Series ours;
    Series library;
    const std::uint32_t most = fit ? 2 * wanted : wanted;
    const double begin_s = now_s_;
    const auto in_time = [&] {
      return !fit || now_s_ - begin_s < kMostBudgets * options_.budget_s;
    };
    for (std::uint32_t done = 0; done < most && !enough(ours, library, wanted); ++done) {
      if ((done >= options_.fewest && !in_time()) || (done > 0 && over())) {
        break;
      }
      iteration(ours, library);
    }
    before(0);
    RunTimes measured;
    measured.ours = gathered(ours, wanted);
    measured.library = gathered(library, options_.library == nullptr ? 0 : wanted);
    measured.now_s = now_s_;
    return measured;
  }

 private:
  [[nodiscard]] bool over() const { return options_.end_s > 0 && now_s_ > options_.end_s; }

  [[nodiscard]] TimedRuns gathered(const Series& series, std::uint32_t wanted) const {
    return {by_rank(world_, series.elapsed_s), series.clean, wanted};
  }

  // Starts the next run. At that point, all ranks learn whether the previous run was clean.
  void before(double elapsed_s) {
    const SynchronisedStart::Before facts = start_.wait(elapsed_s);
    if (elapsed_s > 0) {
      least_s_ = std::min(least_s_, facts.slowest_s);
    }
    now_s_ = facts.now_s;
    if (last_ != nullptr) {
      const bool clean = world_.oversubscribed() || (!facts.late && !facts.interrupted);
      last_->clean.push_back(clean);
      last_->clean_count += clean ? 1 : 0;
      last_ = nullptr;
    }
  }

  template <typename Run>
  void timed(Series& series, Run&& run) {
    executor_.reset_buffers();
    before(elapsed_s_);
    run();
    elapsed_s_ = start_.stop();
    series.elapsed_s.push_back(elapsed_s_);
    last_ = &series;
  }

  void iteration(Series& ours, Series& library) {
    if (options_.library != nullptr) {
      const CallWatch watch(2 * world_.deadline().seconds(), options_.library->call());
      timed(library, [&] { options_.library->run_blocking(executor_.input(), executor_.work()); });
    }
    timed(ours, [&] { executor_.run(); });
    if (options_.after_run) {
      options_.after_run(executor_.work());
    }
  }

  std::uint32_t iterations_that_fit(Series& discarded) {
    iteration(discarded, discarded);
    // The common start makes all ranks compute the same number.
    before(elapsed_s_);
    elapsed_s_ = start_.stop();
    const double fit = options_.budget_s / std::max(least_s_, 1e-9);
    return static_cast<std::uint32_t>(std::clamp<double>(fit, options_.fewest, kMost));
  }

  [[nodiscard]] bool enough(const Series& ours, const Series& library, std::uint32_t wanted) const {
    // On every rank, the most recent run has not been judged yet, so all ranks return the same
    // value.
    return ours.clean_count >= wanted &&
           (options_.library == nullptr || library.clean_count >= wanted);
  }

  Executor& executor_;
  const World& world_;
  const MeasureOptions& options_;
  SynchronisedStart start_;
  Series* last_ = nullptr;
  double elapsed_s_ = 0;
  // Time of the slowest rank in the fastest run.
  double least_s_ = std::numeric_limits<double>::infinity();
  double now_s_ = 0;  // time of the most recent start, equal on all ranks
};

}  // namespace

RunTimes measure(Executor& executor, const World& world, const MeasureOptions& options) {
  return Measurement(executor, world, options).run();
}

}  // namespace tutti::mpi

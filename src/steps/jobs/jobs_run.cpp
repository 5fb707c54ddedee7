#include "src/steps/jobs/jobs_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/machine_memory.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "src/steps/jobs/link_losses.hpp"

namespace tutti { inline namespace steps {

namespace {

// Memory for an operation and all that is known of it, in bytes. A million messages of two jobs
// that do not meet took 200 each. A message that is held back by links takes 32 more for each
// stretch.
constexpr std::uint64_t kBytesOfOp = 300;

// A job in a union.
struct Part {
  OpId first = 0;
  OpId end = 0;
  std::vector<StepSchedule> steps;
  std::vector<std::vector<OpId>> over;  // by step and place: the operation that ends it
};

struct UnionRun {
  Schedule schedule;
  std::vector<Part> parts;
  EngineRun run;
};

class JobsSimulation {
 public:
  JobsSimulation(const ReadyJobs& all, std::vector<JobTask> tasks)
      : all_(all), tasks_(std::move(tasks)) {
    std::vector<Rank> members;
    for (const JobTask& task : tasks_) {
      members.insert(members.end(), task.job->members.begin(), task.job->members.end());
    }
    machine_ = part_of_machine(all.machine, members).machine;
    machine_.setup.ties = {};
    machine_.record.link_statistics = machine_.engine->counts_links;
  }

  JobsRun run(bool with_bytes) {
    // Each round is right up to the first time at which a job lacks a step, or has one too many. A
    // round moves this time, because the steps before it are right.
    constexpr int kMostRounds = 100;
    for (int round = 0; round < kMostRounds; ++round) {
      UnionRun made = simulate();
      if (!adjust(made)) {
        return results(made, with_bytes);
      }
    }
    throw UserError(
        fmt::format("{}: the jobs that repeat until others end do not settle", all_.file));
  }

 private:
  UnionRun simulate() {
    check_size();
    ScheduleUnion into(machine_.mapping.ranks);
    std::vector<Part> parts;
    Rank first = 0;
    for (const JobTask& task : tasks_) {
      into.count_ranks_from(first);
      parts.push_back(append(task, into));
      first += task.job->step.ranks;
    }
    Schedule schedule = into.finish();
    Machine machine = machine_;
    if (tasks_.size() > 1 && machine.engine->counts_links) {
      machine.setup.watched = watched_messages(schedule);
    }
    machine.setup.slow_computing = slow_computing(parts, schedule.size());
    EngineRun run = run_engine(schedule, machine);
    return {std::move(schedule), std::move(parts), std::move(run)};
  }

  // Returns how computing depends on communication in all jobs; null if it does not.
  [[nodiscard]] std::shared_ptr<const SlowComputing> slow_computing(const std::vector<Part>& parts,
                                                                    OpId ops) const {
    auto slow = std::make_shared<SlowComputing>();
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      if (const StepDescription& step = tasks_[i].job->step; !step.slowdowns.empty()) {
        add_slow_computing(step, parts[i].steps, ops, *slow);
      }
    }
    return slow->factors.empty() ? nullptr : slow;
  }

  static Part append(const JobTask& task, ScheduleUnion& into) {
    const ReadyJob& job = *task.job;
    Part part;
    part.first = into.size();
    std::vector<OpId> at(job.step.ranks, kNoOp);
    if (job.request.start_ps > 0) {
      for (Rank place = 0; place < job.step.ranks; ++place) {
        at[place] = into.calculate(place, job.request.start_ps, kNoOp);
      }
    }
    for (std::uint32_t i = 0; i < task.runs; ++i) {
      part.steps.push_back(schedule_of(job.step, job.places, job.calls, into, at));
      part.over.push_back(at);
    }
    part.end = into.size();
    return part;
  }

  // Throws if the operations need more memory than may be used.
  void check_size() const {
    std::uint64_t ops = 0;
    const JobTask* largest = &tasks_.front();
    for (const JobTask& task : tasks_) {
      ops += task.runs * task.job->ops;
      largest = task.runs * task.job->ops > largest->runs * largest->job->ops ? &task : largest;
    }
    const std::uint64_t most = std::min<std::uint64_t>(usable_memory_bytes() / kBytesOfOp, kNoOp);
    if (ops <= most) {
      return;
    }
    const ReadyJob& job = *largest->job;
    throw ScheduleTooLarge(fmt::format(
        "{}: {} need about {} GiB of memory for {} operations, but only {} GiB may be used; most "
        "of them are {} of job {}, with {} operations each: give it fewer steps, fewer hosts, or "
        "algorithms with longer segments",
        all_.file, counted(tasks_.size(), "job"), (ops * kBytesOfOp) >> 30U, human_count(ops),
        usable_memory_bytes() >> 30U, counted(largest->runs, "step"), job.request.name,
        human_count(job.ops)));
  }

  // Returns when each step of a job begins at the first rank that begins it, and at the end when
  // the first rank is over with all of them.
  std::vector<double> begins_s(const JobTask& task, const Part& part, const EngineRun& run) const {
    std::vector<double> begins{task.job->start_s()};
    for (const std::vector<OpId>& over : part.over) {
      double first_s = end_s(task, over.front(), run);
      for (const OpId op : over) {
        first_s = std::min(first_s, end_s(task, op, run));
      }
      begins.push_back(first_s);
    }
    return begins;
  }
  static double end_s(const JobTask& task, OpId op, const EngineRun& run) {
    return op == kNoOp ? task.job->start_s() : run.timeline.end_s[op];
  }
  static double end_s(const JobTask& task, const std::vector<OpId>& over, const EngineRun& run) {
    double last_s = 0;
    for (const OpId op : over) {
      last_s = std::max(last_s, end_s(task, op, run));
    }
    return last_s;
  }

  // Gives the jobs that repeat until another one ends the steps that they need, judging by a run.
  // Returns false if they have them already.
  bool adjust(const UnionRun& made) {
    bool changed = false;
    std::vector<std::uint32_t> runs;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      const JobTask& task = tasks_[i];
      runs.push_back(task.until ? needed_runs(i, made) : task.runs);
      changed |= runs.back() != task.runs;
    }
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      tasks_[i].runs = runs[i];
    }
    return changed;
  }

  [[nodiscard]] std::uint32_t needed_runs(std::size_t which, const UnionRun& made) const {
    const JobTask& task = tasks_[which];
    const JobTask& other = tasks_[*task.until];
    const double until_s = end_s(other, made.parts[*task.until].over.back(), made.run);
    const std::vector<double> begins = begins_s(task, made.parts[which], made.run);
    // A step that begins when the other job ends is not carried out, whatever the rounding errors.
    const double before_s = until_s * (1 - 1e-9);
    const auto begun = static_cast<std::uint32_t>(
        std::ranges::count_if(begins, [&](double begin) { return begin < before_s; }));
    if (begun == 0) {
      throw UserError(fmt::format(
          "{}: job {} starts at {}, but {} ends at {}, so it never runs; "
          "let it start earlier",
          place_in_file(all_.file, task.job->request.line), task.job->request.name,
          human_time(task.job->start_s()), other.job->request.name, human_time(until_s)));
    }
    if (begun <= task.runs) {
      return begun;
    }
    const double step_s = (begins.back() - begins.front()) / task.runs;
    const double missing =
        step_s > 0 ? std::ceil((until_s - begins.back()) / step_s) + 1 : double{kMostRunsOfJob};
    if (task.runs + missing > kMostRunsOfJob) {
      throw UserError(
          fmt::format("{}: job {} would carry out about {:.0f} steps until {} ends; the most is {}",
                      place_in_file(all_.file, task.job->request.line), task.job->request.name,
                      task.runs + missing, other.job->request.name, kMostRunsOfJob));
    }
    return task.runs + static_cast<std::uint32_t>(missing);
  }

  JobsRun results(UnionRun& made, bool with_bytes) const {
    JobsRun found;
    found.ops = made.schedule.size();
    found.messages =
        static_cast<std::uint64_t>(std::ranges::count_if(made.schedule.ops(), &Op::is_comm));
    found.facts = made.run.machine;
    found.comparison = made.run.comparison;
    found.total_s = made.run.timeline.total_s;
    std::vector<OpId> ends;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      found.jobs.push_back(times_of(i, made));
      ends.push_back(made.parts[i].end);
    }
    if (machine_.engine->counts_links) {
      found.links = link_losses(made.run, ends);
    }
    if (with_bytes && machine_.engine->counts_links) {
      found.bytes = bytes_of_links(made.schedule, machine_, ends);
    }
    return found;
  }

  [[nodiscard]] JobTimes times_of(std::size_t which, const UnionRun& made) const {
    const JobTask& task = tasks_[which];
    const Part& part = made.parts[which];
    JobTimes times;
    times.begun = task.runs;
    times.counted = task.counted.value_or(task.runs);
    times.end_s = end_s(task, part.over.back(), made.run);
    if (task.until) {
      const double until_s =
          end_s(tasks_[*task.until], made.parts[*task.until].over.back(), made.run);
      while (times.counted > 1 &&
             end_s(task, part.over[times.counted - 1], made.run) > until_s * (1 + 1e-9)) {
        --times.counted;
      }
    }
    times.counted_s = end_s(task, part.over[times.counted - 1], made.run) - task.job->start_s();
    times.account =
        account_of(task.job->step, task.job->places, std::span(part.steps).first(times.counted),
                   made.run.timeline, task.job->start_s());
    return times;
  }

  const ReadyJobs& all_;
  std::vector<JobTask> tasks_;
  Machine machine_;
};

}  // namespace

JobsRun run_jobs(const ReadyJobs& all, std::vector<JobTask> tasks, bool with_bytes) {
  return JobsSimulation(all, std::move(tasks)).run(with_bytes);
}

}}  // namespace tutti::steps

#include "src/steps/jobs/jobs_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/work_ticker.hpp"
#include "src/simulation/engines/engine_type.hpp"

namespace tutti { inline namespace steps {

namespace {

class Answerer {
 public:
  explicit Answerer(JobsAnswer& answer) : answer_(answer), jobs_(answer.ready.jobs) {}

  void run(bool pairs) {
    run_together();
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      const JobTimes& together = answer_.together.jobs[i];
      answer_.jobs.push_back({alone(i, together).jobs.front(), together});
    }
    find_shared();
    for (std::size_t i = 0; pairs && i < jobs_.size(); ++i) {
      for (std::size_t j = i + 1; j < jobs_.size(); ++j) {
        run_pair(i, j);
      }
    }
  }

 private:
  void run_together() {
    std::vector<JobTask> tasks;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      tasks.push_back({&jobs_[i], first_guess(i), jobs_[i].request.until});
    }
    const TickedWork ticked("simulating all jobs together");
    answer_.together = run_jobs(answer_.ready, std::move(tasks), jobs_.size() > 1);
    note(answer_.together);
  }

  // Returns how many steps a job would carry out if no job were slower than alone.
  std::uint32_t first_guess(std::size_t which) {
    const JobRequest& request = jobs_[which].request;
    if (!request.until) {
      return request.runs;
    }
    const double end_s = end_alone_s(*request.until);
    const double step_s = alone(which, 1, 1).jobs.front().step_s();
    const double steps = step_s > 0 ? (end_s - jobs_[which].start_s()) / step_s : 1;
    if (steps > kMostRunsOfJob) {
      throw UserError(
          fmt::format("{}: job {} would carry out about {:.0f} steps until {} ends; the most is {}",
                      place_in_file(answer_.ready.file, request.line), request.name, steps,
                      jobs_[*request.until].request.name, kMostRunsOfJob));
    }
    return static_cast<std::uint32_t>(std::max(std::ceil(steps), 1.0));
  }
  double end_alone_s(std::size_t which) {
    const std::uint32_t steps = first_guess(which);
    return alone(which, steps, steps).jobs.front().end_s;
  }

  // Returns the run of a job alone, with `begun` steps, of which `counted` count.
  const JobsRun& alone(std::size_t which, std::uint32_t begun, std::uint32_t counted) {
    const auto [found, is_new] = alone_.try_emplace({which, begun, counted});
    if (is_new) {
      const TickedWork ticked("simulating jobs alone");
      found->second =
          run_jobs(answer_.ready, {{&jobs_[which], begun, std::nullopt, counted}}, false);
      note(found->second);
    }
    return found->second;
  }
  // The same, with as many steps as the job has beside others.
  const JobsRun& alone(std::size_t which, const JobTimes& beside) {
    return alone(which, beside.begun, beside.counted);
  }

  void note(const JobsRun& run) {
    if (run.comparison &&
        (!answer_.comparison || run.comparison->worst > answer_.comparison->worst)) {
      answer_.comparison = run.comparison;
    }
  }

  static bool uses(const JobsRun& together, const std::string& link, std::size_t job) {
    const auto found = together.bytes.find(link);
    return found != together.bytes.end() && found->second.contains(job);
  }

  double lost_alone_s(std::size_t which, const JobTimes& beside, const std::string& link) {
    const JobsRun& run = alone(which, beside);
    const auto found = run.links.find(link);
    return found == run.links.end() ? 0 : found->second.lost_s.front();
  }

  void find_shared() {
    for (const auto& [name, of_jobs] : answer_.together.bytes) {
      if (of_jobs.size() < 2) {
        continue;
      }
      const JobsLink& link = answer_.together.links.at(name);
      SharedLink shared{name, link.place, link.capacity_bytes_per_s, {}};
      for (const auto& [job, bytes] : of_jobs) {
        shared.uses.push_back(
            {job, bytes, link.lost_s[job], lost_alone_s(job, answer_.together.jobs[job], name)});
      }
      answer_.shared.push_back(std::move(shared));
    }
    std::ranges::stable_sort(answer_.shared, std::greater(), &SharedLink::lost_more_s);
  }

  [[nodiscard]] bool meet(std::size_t a, std::size_t b) const {
    return !answer_.ready.machine.machine.engine->counts_links ||
           std::ranges::any_of(answer_.shared, [&](const SharedLink& link) {
             return uses(answer_.together, link.name, a) && uses(answer_.together, link.name, b);
           });
  }

  // Simulates two jobs without the others. A job that repeats until a third one ends repeats until
  // the other one of the pair does or, if both do so, as often as with all jobs.
  void run_pair(std::size_t a, std::size_t b) {
    if (!meet(a, b)) {
      answer_.pairs.push_back({.job = a, .beside = b, .link = {}, .place = {}});
      answer_.pairs.push_back({.job = b, .beside = a, .link = {}, .place = {}});
      return;
    }
    if (jobs_.size() == 2) {
      add_pair(a, b, answer_.together, 0);
      add_pair(b, a, answer_.together, 1);
      return;
    }
    const bool both = jobs_[a].request.until && jobs_[b].request.until &&
                      jobs_[a].request.until != b && jobs_[b].request.until != a;
    const auto task = [&](std::size_t which, std::size_t position_of_other) {
      JobTask made{&jobs_[which], answer_.together.jobs[which].begun, std::nullopt};
      if (jobs_[which].request.until && !both) {
        made.until = position_of_other;
      }
      return made;
    };
    const TickedWork ticked("simulating pairs of jobs");
    const JobsRun run = run_jobs(answer_.ready, {task(a, 1), task(b, 0)}, false);
    note(run);
    add_pair(a, b, run, 0);
    add_pair(b, a, run, 1);
  }

  void add_pair(std::size_t job, std::size_t beside, const JobsRun& run, std::size_t position) {
    const JobTimes& times = run.jobs[position];
    JobBeside pair{.job = job, .beside = beside, .meets = true, .link = {}, .place = {}};
    pair.slowdown = times.step_s() / alone(job, times).jobs.front().step_s();
    double most_s = 0;
    for (const SharedLink& link : answer_.shared) {
      const auto found = run.links.find(link.name);
      if (found == run.links.end() || !uses(answer_.together, link.name, job) ||
          !uses(answer_.together, link.name, beside)) {
        continue;
      }
      const double lost_s = found->second.lost_s[position];
      const double before_s = lost_alone_s(job, times, link.name);
      if (lost_s - before_s > most_s) {
        most_s = lost_s - before_s;
        pair.link = link.name;
        pair.place = link.place;
        pair.lost_s = lost_s;
        pair.lost_alone_s = before_s;
      }
    }
    answer_.pairs.push_back(std::move(pair));
  }

  JobsAnswer& answer_;
  const std::vector<ReadyJob>& jobs_;
  // By job, and the steps that it carries out and counts.
  std::map<std::tuple<std::size_t, std::uint32_t, std::uint32_t>, JobsRun> alone_;
};

}  // namespace

double SharedLink::lost_more_s() const {
  double sum_s = 0;
  for (const Use& use : uses) {
    sum_s += use.lost_s - use.lost_alone_s;
  }
  return sum_s;
}

bool JobsAnswer::all_as_alone() const {
  return std::ranges::all_of(
      jobs, [](const JobAnswer& job) { return std::abs(job.slowdown() - 1) <= kNotSlower; });
}

const JobBeside* JobsAnswer::pair(std::size_t job, std::size_t beside) const {
  const auto found = std::ranges::find_if(
      pairs, [&](const JobBeside& each) { return each.job == job && each.beside == beside; });
  return found == pairs.end() ? nullptr : &*found;
}

JobsAnswer answer_of(ReadyJobs ready, bool pairs) {
  if (!ready.machine.machine.engine->has_network) {
    throw UserError(
        "$engine 'critical-path': it has no network on which jobs could meet; use $engine=flow");
  }
  JobsAnswer answer;
  answer.ready = std::move(ready);
  Answerer(answer).run(pairs);
  return answer;
}

}}  // namespace tutti::steps

// The document tutti-jobs/1.
#include <optional>
#include <string>
#include <vector>

#include "src/output/common_fields.hpp"
#include "src/output/jobs_text.hpp"
#include "src/output/spent_fields.hpp"

namespace tutti { inline namespace output {

namespace { namespace jobs_fields {

struct JobOf {
  const JobsAnswer* answer;
  std::size_t index;

  [[nodiscard]] const ReadyJob& ready() const { return answer->ready.jobs[index]; }
  [[nodiscard]] const JobAnswer& times() const { return answer->jobs[index]; }
};
struct PairOf {
  const JobsAnswer* answer;
  const JobBeside* pair;
};
struct LinkOf {
  const JobsAnswer* answer;
  const SharedLink* link;
};
struct UseOf {
  const JobsAnswer* answer;
  const SharedLink::Use* use;
};

const std::string& name_of(const JobsAnswer& answer, std::size_t job) {
  return answer.ready.jobs[job].request.name;
}

constexpr auto kTimes = fields<JobTimes>({
    {"step_s", [](const JobTimes& of) { return of.step_s(); },
     "Time of a step on average: total_s divided by the number of steps."},
    {"total_s", [](const JobTimes& of) { return of.counted_s; },
     "From the start of the job to the end of its last counted step at the last rank."},
    {"last_rank", [](const JobTimes& of) { return of.account.last; },
     "The rank of the job that ends last."},
    {"last", kSpent, [](const JobTimes& of) -> const auto& { return of.account.of_last; },
     "What this rank spends in all counted steps: computing_s, core_wait_s and exposed_s add up to "
     "total_s."},
    {"mean", kSpent, [](const JobTimes& of) -> const auto& { return of.account.mean; },
     "The same on average over all ranks of the job."},
});

constexpr auto kJob = fields<JobOf>({
    {"name", [](const JobOf& of) -> const auto& { return of.ready().request.name; }},
    {"file", [](const JobOf& of) -> const auto& { return of.ready().request.path; },
     "Description of the job's step."},
    {"ranks", [](const JobOf& of) { return of.ready().step.ranks; }, at_least(1)},
    {"hosts", [](const JobOf& of) -> const auto& { return of.ready().hosts; },
     "In the order of the job's ranks. The first host of the platform is 0."},
    {"start_s", [](const JobOf& of) { return of.ready().start_s(); }},
    {"until",
     [](const JobOf& of) {
       const auto& until = of.ready().request.until;
       return until ? std::optional(name_of(*of.answer, *until)) : std::nullopt;
     },
     "The job until whose end this one repeats its step. null if it has a number of steps."},
    {"begun", [](const JobOf& of) { return of.times().together.begun; }, at_least(1),
     "Steps that the job carries out."},
    {"steps", [](const JobOf& of) { return of.times().together.counted; }, at_least(1),
     "Steps that are counted: those that are over when the job of `until` ends, or the first one "
     "if "
     "there is none. Without `until`, all."},
    {"alone", kTimes, [](const JobOf& of) -> const auto& { return of.times().alone; },
     "The same steps while no other job runs."},
    {"together", kTimes, [](const JobOf& of) -> const auto& { return of.times().together; },
     "While all jobs run."},
    {"slowdown", [](const JobOf& of) { return of.times().slowdown(); },
     "Time of a step together, divided by that alone."},
});

constexpr auto kPair = fields<PairOf>({
    {"job", [](const PairOf& of) -> const auto& { return name_of(*of.answer, of.pair->job); }},
    {"beside", [](const PairOf& of) -> const auto& { return name_of(*of.answer, of.pair->beside); },
     "The only other job that runs."},
    {"meets", [](const PairOf& of) { return of.pair->meets; },
     "False if no link carries messages of both jobs. They then take their times alone, and were "
     "not simulated together."},
    {"slowdown", [](const PairOf& of) { return of.pair->slowdown; },
     "Time of a step of `job` in this pair, divided by that alone."},
    {"link", [](const PairOf& of) { return text_if_any(of.pair->link); },
     "The link of both jobs on which messages of `job` lose most more time than alone. null if "
     "there is none, or if the engine does not watch links."},
    {"lost_s", [](const PairOf& of) { return of.pair->lost_s; },
     "Time that messages of `job` lose on this link, summed over the messages."},
    {"lost_alone_s", [](const PairOf& of) { return of.pair->lost_alone_s; },
     "The same while `job` runs alone."},
});

constexpr auto kUse = fields<UseOf>({
    {"job", [](const UseOf& of) -> const auto& { return name_of(*of.answer, of.use->job); }},
    {"bytes", [](const UseOf& of) { return of.use->bytes; }},
    {"lost_s", [](const UseOf& of) { return of.use->lost_s; },
     "Time that messages of the job lose because the link is shared, summed over the messages, "
     "while all jobs run."},
    {"lost_alone_s", [](const UseOf& of) { return of.use->lost_alone_s; },
     "The same while the job runs alone."},
});

std::vector<UseOf> uses_of(const LinkOf& of) {
  std::vector<UseOf> all;
  for (const SharedLink::Use& use : of.link->uses) {
    all.push_back({of.answer, &use});
  }
  return all;
}

constexpr auto kLink = fields<LinkOf>({
    {"name", [](const LinkOf& of) -> const auto& { return of.link->name; },
     "Name in the platform."},
    {"place", [](const LinkOf& of) -> const auto& { return of.link->place.name; }},
    {"class", [](const LinkOf& of) -> const auto& { return of.link->place.group; }},
    {"bytes_per_s", [](const LinkOf& of) { return of.link->capacity_bytes_per_s; }},
    {"jobs", kUse, from<uses_of>},
});

std::vector<JobOf> jobs_of(const JobsAnswer& answer) {
  std::vector<JobOf> all;
  for (std::size_t i = 0; i < answer.jobs.size(); ++i) {
    all.push_back({&answer, i});
  }
  return all;
}
std::vector<PairOf> pairs_of(const JobsAnswer& answer) {
  std::vector<PairOf> all;
  for (const JobBeside& pair : answer.pairs) {
    all.push_back({&answer, &pair});
  }
  return all;
}
std::vector<LinkOf> links_of(const JobsAnswer& answer) {
  std::vector<LinkOf> all;
  for (const SharedLink& link : answer.shared) {
    all.push_back({&answer, &link});
  }
  return all;
}

constexpr auto kJobs = fields<JobsAnswer>({
    {"file", [](const JobsAnswer& of) -> const auto& { return of.ready.file; }},
    {"platform", [](const JobsAnswer& of) -> const auto& { return of.together.facts.facts.name; }},
    {"operations", [](const JobsAnswer& of) { return of.together.ops; },
     "Of all jobs together, with all their steps."},
    {"messages", [](const JobsAnswer& of) { return of.together.messages; }},
    {"engines_differ",
     [](const JobsAnswer& of) {
       return of.comparison ? std::optional(of.comparison->worst) : std::nullopt;
     },
     "With both engines: largest difference in the start or the end of an operation in any of the "
     "simulations, as a share of the total time of the simulation."},
    {"total_s", [](const JobsAnswer& of) { return of.together.total_s; },
     "When the last job ends, with all jobs."},
    {"jobs", kJob, from<jobs_of>},
    {"pairs", kPair, from<pairs_of>,
     "Each job beside each other one. Empty with the option --no-pairs."},
    {"shared_links", kLink, from<links_of>,
     "Links that carry messages of several jobs, those first on which most more time is lost than "
     "alone. Empty if the engine does not watch links."},
});

}}  // namespace ::jobs_fields

extern const DocumentOf<JobsAnswer> kJobsDocument{
    {"tutti-jobs/1", "what jobs on one cluster cost each other, as written by tutti jobs --json",
     jobs_fields::kJobs.view()}};

}}  // namespace tutti::output

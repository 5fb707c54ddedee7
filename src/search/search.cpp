#include "src/search/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "base/stopwatch.hpp"
#include "schedules/run_words.hpp"
#include "src/search/least_times.hpp"
#include "src/search/robustness.hpp"
#include "src/simulation/engine_run.hpp"
#include "src/simulation/machine_bound.hpp"
#include "src/simulation/run_result.hpp"
#include "src/simulation/schedule_cache.hpp"

namespace tutti { inline namespace search {

namespace {

// Drafts that are judged together. A constant, so that the result does not depend on the number
// of threads.
constexpr std::size_t kBatch = 16;
// Number of candidates of a family that are varied.
constexpr std::size_t kElite = 6;

struct RatedDraft {
  std::shared_ptr<const Draft> draft;
  double seconds = 0;
};

struct FamilyState {
  const Family* family = nullptr;
  std::vector<std::shared_ptr<const Draft>> proposed;
  std::size_t next = 0;           // of `proposed`
  std::vector<RatedDraft> elite;  // the fastest first
  std::uint64_t evaluations = 0;

  [[nodiscard]] bool has_more() const { return next < proposed.size() || !elite.empty(); }
  [[nodiscard]] double limit_s() const {
    return elite.size() < kElite ? std::numeric_limits<double>::infinity() : elite.back().seconds;
  }
  void add(const RatedDraft& judged) {
    if (std::ranges::any_of(elite, [&](const RatedDraft& each) {
          return each.seconds == judged.seconds;  // most likely the same schedule
        })) {
      return;
    }
    const auto at = std::ranges::upper_bound(elite, judged.seconds, {}, &RatedDraft::seconds);
    elite.insert(at, judged);
    if (elite.size() > kElite) {
      elite.pop_back();
    }
  }
};

class Searcher {
 public:
  Searcher(const Goal& goal, const std::vector<std::unique_ptr<Family>>& families,
           const SearchBudget& setup)
      : setup_(setup), random_(setup.seed), machine_(*goal.machine), least_times_(goal) {
    machine_.setup.ties = {};
    machine_.record = {.message_ends = false};
    for (const auto& family : families) {
      FamilyState state;
      state.family = family.get();
      for (auto& draft : family->propose(random_)) {
        state.proposed.push_back(std::move(draft));
      }
      if (!state.proposed.empty()) {
        states_.push_back(std::move(state));
      }
    }
  }

  SearchResult run(const std::function<void(const Find&)>& found,
                   const std::function<bool()>& proceed) {
    proceed_ = proceed;
    SearchResult result;
    double best_s = setup_.best_known_s;
    while (result.evaluations < setup_.most_evaluations && may_go_on() &&
           best_s > setup_.bound_s * (1 + 1e-6)) {
      std::vector<Trial> trials = next_trials(setup_.most_evaluations - result.evaluations);
      if (trials.empty()) {
        break;
      }
      judge(trials, best_s);
      for (Trial& trial : trials) {
        if (!trial.judged) {
          continue;
        }
        ++result.evaluations;
        ++trial.state->evaluations;
        result.bounded += trial.bounded ? 1 : 0;
        if (trial.seconds == std::numeric_limits<double>::infinity()) {
          continue;
        }
        if (trial.seconds < best_s * (1 - 1e-9)) {
          // The time may depend on ties, so the median counts.
          trial.seconds =
              time_over_ties(trial.draft->schedule(Detail::times_only), machine_).seconds;
        }
        trial.state->add({trial.draft, trial.seconds});
        if (trial.seconds < best_s * (1 - 1e-9)) {
          best_s = trial.seconds;
          result.best =
              Find{trial.state->family->name(), trial.draft, trial.seconds, result.evaluations};
          found(*result.best);
        }
      }
    }
    for (const FamilyState& state : states_) {
      FamilyCount count{state.family->name(), state.evaluations, nullptr, 0};
      if (!state.elite.empty()) {
        count.best = state.elite.front().draft;
        count.best_s = state.elite.front().seconds;
      }
      result.families.push_back(std::move(count));
    }
    return result;
  }

 private:
  struct Trial {
    FamilyState* state = nullptr;
    std::shared_ptr<const Draft> draft;
    double limit_s = 0;
    double seconds = std::numeric_limits<double>::infinity();
    bool judged = false;   // false if the search ended before
    bool bounded = false;  // it cannot be faster than the best, as its least time shows
  };

  // Families take turns. Once its proposals are used up, a family gets more turns the closer its
  // best is to the best of all.
  std::vector<Trial> next_trials(std::uint64_t most) {
    std::vector<Trial> trials;
    while (trials.size() < std::min<std::uint64_t>(kBatch, most)) {
      FamilyState* const state = next_state();
      if (state == nullptr) {
        break;
      }
      Trial trial{state, nullptr, state->limit_s()};
      if (state->next < state->proposed.size()) {
        trial.draft = std::move(state->proposed[state->next++]);
      } else {
        // The faster half of the elite is varied more often.
        const std::uint32_t size = static_cast<std::uint32_t>(state->elite.size());
        const std::uint32_t which = std::min(random_.below(size), random_.below(size));
        trial.draft = state->elite[which].draft->neighbour(random_);
      }
      trials.push_back(std::move(trial));
    }
    return trials;
  }

  [[nodiscard]] bool may_go_on() const { return watch_.seconds() < setup_.most_s && proceed_(); }

  FamilyState* next_state() {
    double least_s = std::numeric_limits<double>::infinity();
    for (const FamilyState& state : states_) {
      if (!state.elite.empty()) {
        least_s = std::min(least_s, state.elite.front().seconds);
      }
    }
    std::vector<double> weights;
    for (const FamilyState& state : states_) {
      const double ratio = state.elite.empty() ? 1 : state.elite.front().seconds / least_s;
      weights.push_back(!state.has_more() ? 0 : 0.02 + 1 / (1 + 1000 * (ratio - 1) * (ratio - 1)));
    }
    const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
    if (all == 0) {
      return nullptr;
    }
    double at = random_.fraction() * all;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      at -= weights[i];
      if (at < 0) {
        return &states_[i];
      }
    }
    return &states_.back();
  }

  void judge(std::vector<Trial>& trials, double best_s) const {
    for_each_parallel(trials.size(), {.jobs = setup_.jobs}, [&](std::size_t i) {
      if (!may_go_on()) {
        return;
      }
      trials[i].judged = true;
      try {
        judge_one(trials[i], best_s);
      } catch (const UserError&) {
        // The candidate cannot be made, or is slower than the limit.
      }
    });
  }

  void judge_one(Trial& trial, double best_s) const {
    Machine machine = machine_;
    machine.setup.give_up_s = trial.limit_s;
    if (const std::optional<KnownCase> known = trial.draft->known_case()) {
      check(*known->algorithm, known->problem);
      ScheduleCache unused(0);
      trial.seconds = simulate_times(*known->algorithm, known->problem, machine, engine_of(machine),
                                     unused, nullptr, Fingerprint::left_out, ResultFields::time)
                          .simulated_s;
      return;
    }
    const Schedule schedule = trial.draft->schedule(Detail::times_only);
    trial.bounded = least_times_.of(schedule) > best_s;
    if (!trial.bounded) {
      trial.seconds = run_engine(schedule, machine).timeline.total_s;
    }
  }

  const SearchBudget& setup_;
  SearchRandom random_;
  Machine machine_;
  LeastTimes least_times_;
  const Stopwatch watch_;
  std::function<bool()> proceed_;
  std::vector<FamilyState> states_;
};

}  // namespace

std::string with_options(const Algorithm& algorithm, const Problem& problem) {
  const std::string options = options_text(algorithm, problem);
  return algorithm.full_name() + (options.empty() ? "" : " " + options);
}

void check_searchable(const Machine& machine) {
  if (machine.files.messages) {
    throw UserError(fmt::format(
        "$parameters '{}': a search needs one latency and one bandwidth for messages of all sizes; "
        "give the platform's own costs, or $alpha, $beta and $gamma",
        machine.spec.parameters));
  }
  if (const auto why = why_no_bound(machine)) {
    throw UserError(*why);
  }
}

SearchResult search_schedules(const Goal& goal,
                              const std::vector<std::unique_ptr<Family>>& families,
                              const SearchBudget& setup,
                              const std::function<void(const Find&)>& found,
                              const std::function<bool()>& proceed) {
  return Searcher(goal, families, setup).run(found, proceed);
}

}}  // namespace tutti::search

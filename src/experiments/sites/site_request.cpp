#include "src/experiments/sites/site_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/human.hpp"
#include "src/built_in/built_in.hpp"
#include "src/experiments/decisions/leads.hpp"
#include "src/experiments/profiles/profile_decision.hpp"
#include "src/experiments/runner/merged_runs.hpp"
#include "src/experiments/sites/site_files.hpp"
#include "src/experiments/sites/undecided_ranks.hpp"
#include "src/formats/call_size.hpp"
#include "src/simulation/simgrid_run.hpp"

namespace tutti { inline namespace experiments {

namespace {

// A schedule with at most this many messages is simulated within a few seconds.
constexpr std::uint64_t kUsualMessages = 2'200'000;

// Returns the number of hosts of the platform; empty for a crossbar that has as many hosts as the
// ranks need.
std::optional<std::uint32_t> hosts_of(const OpenedMachine& machine) {
  if (machine.spec.made_on_the_fly()) {
    return std::nullopt;
  }
  return describe(machine.machine(1, 1, Problem{}.element_bytes)).facts.hosts;
}

// Returns the powers of 4 below `room`, `room` itself (the largest number of ranks that fits on the
// machine), and the number of ranks on one host. Every composition of a library has a part for the
// ranks on one host.
std::vector<std::uint32_t> usual_ranks(std::uint32_t room, std::uint32_t ranks_per_host) {
  constexpr std::uint32_t kFirst = 4;
  std::set<std::uint32_t> ranks{room};
  for (std::uint64_t each = kFirst; each < room; each *= 4) {
    ranks.insert(static_cast<std::uint32_t>(each));
  }
  if (ranks_per_host > 1 && ranks_per_host < room) {
    ranks.insert(ranks_per_host);
  }
  return {ranks.begin(), ranks.end()};
}

// Returns `ranks` or, if it is empty, the usual numbers of ranks, but without the numbers for which
// the hosts have no room. Adds the numbers that are left out to `without_room`.
std::vector<std::uint32_t> ranks_on(std::vector<std::uint32_t> ranks,
                                    std::optional<std::uint32_t> hosts,
                                    std::uint32_t ranks_per_host,
                                    std::set<std::uint32_t>& without_room) {
  if (ranks.empty() && !hosts) {
    throw UserError(
        "the number of ranks is missing; give $ranks, such as 4..256*4, or a $platform");
  }
  const std::string rank_list = fmt::format("{}", fmt::join(ranks, ","));
  if (hosts) {
    const std::uint64_t room = std::uint64_t{*hosts} * ranks_per_host;
    if (ranks.empty()) {
      ranks = usual_ranks(static_cast<std::uint32_t>(std::min<std::uint64_t>(room, 1U << 30)),
                          ranks_per_host);
    }
    std::erase_if(ranks, [&](std::uint32_t each) {
      if (each > room) {
        without_room.insert(each);
      }
      return each > room;
    });
    if (ranks.empty()) {
      throw UserError(
          fmt::format("$ranks '{}': with {} per host, the platform has room for at most {} ranks",
                      rank_list, ranks_per_host, room));
    }
  }
  return ranks;
}

// Returns the sizes 8 bytes, 64 bytes, ..., 256 KiB, and the largest size: 1 MiB for blocks, or 2
// MiB for vectors.
std::vector<std::uint64_t> usual_sizes(bool blocks) {
  std::vector<std::uint64_t> sizes;
  constexpr std::uint64_t kMost = 1U << 18U;
  for (std::uint64_t each = 8; each <= kMost; each *= 8) {
    sizes.push_back(each);
  }
  sizes.push_back(blocks ? 1U << 20U : 1U << 21U);
  return sizes;
}

// Removes the cells in which some ranks have nothing to send or to receive.
void leave_out_empty_blocks(Decision& decision) {
  for (RankDecision& each : decision.decisions) {
    std::erase_if(each.cells, [&](const TimedCell& cell) {
      return owns_parts(decision.collective) &&
             cell.bytes < std::uint64_t{each.ranks} * decision.element_bytes;
    });
  }
}

std::string why_undecided(const Decision& decision) {
  if (!decision.too_many_ranks.empty()) {
    return fmt::format("{} (for {} ranks)", too_many_messages(decision),
                       decision.too_many_ranks.front());
  }
  return first_refusal(decision).value_or(owns_parts(decision.collective)
                                              ? "these sizes leave ranks without data"
                                              : "no algorithm can run");
}

class SiteDecider {
 public:
  SiteDecider(const SiteRequest& request, const RunnerOf& runner_of, bool& lost)
      : request_(request),
        runner_of_(runner_of),
        lost_(lost),
        hosts_(hosts_of(request.decisions.front().machine)) {
    site_.release = request.release;
    site_.form = request.form;
    site_.profile = request.profile;
  }

  Site decide() {
    std::vector<OpenPart> open;
    for (const std::uint32_t ranks_per_host : request_.ranks_per_host) {
      for (const DecisionRequest& each : request_.decisions) {
        open.push_back(prepare_part(each, ranks_per_host));
      }
    }
    time(open);
    for (const std::uint32_t ranks_per_host : request_.ranks_per_host) {
      decide_on_hosts(ranks_per_host, open);
    }
    for (SitePart& part : site_.parts) {
      find_leads(part.decision, LeadsToExplain::all);
    }
    return std::move(site_);
  }

 private:
  // A part that is not in site_ yet.
  struct OpenPart {
    std::uint32_t ranks_per_host = 1;
    PreparedDecision prepared;
  };

  // Adds the parts for one number of ranks per host.
  void decide_on_hosts(std::uint32_t ranks_per_host, std::vector<OpenPart>& open) {
    std::vector<ProblemTemplate>
        problem_templates;  // one per added part, in case the part is timed again
    const std::size_t first = site_.parts.size();
    for (OpenPart& each : open) {
      if (each.ranks_per_host == ranks_per_host && add_part(each)) {
        problem_templates.push_back(std::move(each.prepared.problem_template));
      }
    }
    const bool reached = ranks_per_host > 1 && rules_reach_parts(site_.release);
    UndecidedRanks undecided(request_.decisions.front().machine, hosts_);
    for (bool again = true; again;) {
      const InstalledRules tables = rules_in_force(site_, ranks_per_host);
      for (std::size_t i = 0; i < problem_templates.size(); ++i) {
        SitePart& part = site_.parts[first + i];
        if (reached) {
          const auto runner = runner_of_(part.decision);
          judge_composed(site_.release, problem_templates[i], tables, runner.get(), part);
          sum_up(runner.get());
        }
        find_levels(site_.release, part);
      }
      const InstalledRules rules = rules_in_force(site_, ranks_per_host);
      for (std::size_t i = 0; i < problem_templates.size(); ++i) {
        SitePart& part = site_.parts[first + i];
        const auto runner = runner_of_(part.decision);
        judge_installed(site_.release, problem_templates[i], rules, runner.get(), part);
        sum_up(runner.get());
      }
      again = take_back_losing(site_, ranks_per_host, rules) ||
              end_losing(first, problem_templates, rules, undecided);
      if (again) {
        decide_anew(site_, ranks_per_host);
      }
    }
  }

  // Checks the parts from index `first` on; see UndecidedRanks::end_losing().
  bool end_losing(std::size_t first, const std::vector<ProblemTemplate>& problem_templates,
                  const InstalledRules& rules, UndecidedRanks& undecided) {
    bool any = false;
    for (std::size_t i = 0; i < problem_templates.size(); ++i) {
      const auto runner = runner_of_(site_.parts[first + i].decision);
      any =
          undecided.end_losing(site_, first + i, problem_templates[i], rules, runner.get()) || any;
      sum_up(runner.get());
    }
    return any;
  }

  // Returns the part for one collective, without times.
  OpenPart prepare_part(DecisionRequest each, std::uint32_t ranks_per_host) {
    const Collective collective = each.collective;
    ProblemRequest& problems = each.problems;
    problems.each.ranks_per_host = ranks_per_host;
    problems.ranks = ranks_on(std::move(problems.ranks), hosts_, ranks_per_host,
                              site_.without_room[ranks_per_host]);
    if (collective == Collective::barrier) {
      problems.bytes.clear();
    } else if (problems.bytes.empty()) {
      each.sizes_are_blocks = benchmarks_count_blocks(collective);
      problems.bytes = usual_sizes(each.sizes_are_blocks);
    }
    PreparedDecision prepared = prepare_decision(std::move(each));
    Decision& decision = prepared.decision;
    leave_out_empty_blocks(decision);
    if (request_.profile) {
      keep_called(decision, calls_of(*request_.profile, collective));
    }
    add_baseline(site_.release, prepared.problem_template, decision);
    decision.most_messages = request_.most_messages.value_or(kUsualMessages);
    return {ranks_per_host, std::move(prepared)};
  }

  // Times the candidates of all parts: of all at once if one runner can do so on several
  // processors.
  void time(std::vector<OpenPart>& open) {
    const bool at_once = request_.one_runner && request_.jobs > 1 && open.size() > 1 &&
                         std::ranges::none_of(open, [](const OpenPart& each) {
                           return runs_on_simgrid_platform(each.prepared.decision.machines.front());
                         });
    const auto shared = at_once ? runner_of_(open.front().prepared.decision) : nullptr;
    if (shared == nullptr) {
      for (OpenPart& each : open) {
        const auto runner = runner_of_(each.prepared.decision);
        time(each.prepared, runner.get(), request_.jobs);
        sum_up(runner.get());
      }
      return;
    }
    std::vector<MergedRuns::Search> searches;
    for (OpenPart& each : open) {
      searches.emplace_back([&](Runner& runner) { time(each.prepared, &runner, 1); });
    }
    MergedRuns(*shared, request_.jobs).run(searches);
    sum_up(shared.get());
  }

  void time(PreparedDecision& prepared, Runner* runner, std::size_t jobs) const {
    Decision& decision = prepared.decision;
    carry_out(decision, runner, jobs, false);
    if (something_runs(decision)) {
      decision.judgement =
          judge(decision, built_in_rival(*site_.release.line, prepared.problem_template), runner);
    }
  }

  // Adds a part with times to site_. Returns false if nothing runs.
  bool add_part(OpenPart& open) {
    Decision& decision = open.prepared.decision;
    if (!something_runs(decision)) {
      site_.undecided.push_back(
          {decision.collective, open.ranks_per_host, why_undecided(decision)});
      return false;
    }
    SitePart part;
    part.ranks_per_host = open.ranks_per_host;
    part.decision = std::move(decision);
    site_.parts.push_back(std::move(part));
    return true;
  }

  void sum_up(Runner* runner) { lost_ = (runner != nullptr && runner->sum_up()) || lost_; }

  const SiteRequest& request_;
  const RunnerOf& runner_of_;
  bool& lost_;
  std::optional<std::uint32_t> hosts_;  // number of hosts of the platform
  Site site_;
};

}  // namespace

Site decide_site(const SiteRequest& request, const RunnerOf& runner_of, bool& lost) {
  return SiteDecider(request, runner_of, lost).decide();
}

std::string too_many_messages(const Decision& decision) {
  return fmt::format(
      "too large: a candidate that might be best has about {}, but at most {} are simulated; add "
      "$messages_at_most {}",
      counted(decision.messages_needed, "message"), human_count(decision.most_messages.value_or(0)),
      decision.messages_needed);
}

}}  // namespace tutti::experiments

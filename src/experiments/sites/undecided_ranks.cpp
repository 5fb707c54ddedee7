#include "src/experiments/sites/undecided_ranks.hpp"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <map>
#include <ranges>
#include <set>
#include <utility>

#include "base/error.hpp"

namespace tutti { inline namespace experiments {

namespace {

// Returns the size on `to_ranks` ranks that a rule by block size treats as it treats `bytes` on
// `ranks` ranks.
std::uint64_t same_block(std::uint64_t bytes, std::uint32_t ranks, std::uint32_t to_ranks) {
  return bytes / ranks * to_ranks;
}

// Ends the rules for decision.ranks[rank_index] at the size `bytes` of a call on `ranks` ranks.
// Returns true if they had not ended there. Files of some formats compare block sizes.
bool end_rules(Decision& decision, std::size_t rank_index, std::uint32_t ranks,
               std::uint64_t bytes) {
  RankDecision& own = decision.decisions[rank_index];
  bool any = own.ends_at.insert(bytes).second;
  if (owns_parts(decision.collective)) {
    any = own.ends_at.insert(same_block(bytes, ranks, own.ranks)).second || any;
  }
  return any;
}

// Returns the index of the largest number of decided ranks that is at most `ranks`.
std::size_t index_for(const Decision& decision, std::uint32_t ranks) {
  const auto after = std::ranges::upper_bound(decision.ranks, ranks);
  TUTTI_INVARIANT(after != decision.ranks.begin());
  return static_cast<std::size_t>(after - decision.ranks.begin()) - 1;
}

// Returns the sizes at which rules are checked on `ranks` ranks: those of the grid, and those on
// both sides of each boundary between rules: of those for all ranks and, with several ranks per
// host, of those for the nodes and for the ranks of a node. Leaves out sizes with which some ranks
// have no data.
std::set<std::uint64_t> sizes_to_check(const Decision& decision, std::uint32_t ranks,
                                       std::uint32_t ranks_per_host) {
  if (decision.collective == Collective::barrier) {
    return {0};
  }
  // Whole elements, and equal blocks, which some collectives need.
  const std::uint64_t unit =
      std::uint64_t{decision.element_bytes} * (owns_parts(decision.collective) ? ranks : 1);
  std::set<std::uint64_t> sizes;
  const auto add = [&](std::uint64_t bytes) {
    const std::uint64_t whole = bytes / unit * unit;
    if (whole > 0) {
      sizes.insert(whole);
    }
  };
  std::uint64_t most = 0;
  for (const std::uint64_t size : decision.sizes_bytes) {
    most = decision.bytes_of(size, ranks);
    add(most);
  }
  std::set<std::size_t> rows{index_for(decision, ranks)};
  for (const std::uint32_t part : {(ranks - 1) / ranks_per_host + 1, ranks_per_host}) {
    if (part >= decision.ranks.front()) {
      rows.insert(index_for(decision, part));
    }
  }
  for (const std::size_t row : rows) {
    const RankDecision& own = decision.decisions[row];
    for (const SizeInterval& interval : own.intervals) {
      for (const std::uint64_t from :
           {interval.from_bytes, same_block(interval.from_bytes, own.ranks, ranks)}) {
        if (from < most) {
          add(from + unit - 1);
          add(from - std::min(from, std::uint64_t{1}));
        }
      }
    }
  }
  return sizes;
}

// True if there are too many numbers of ranks between this one and the next to check all of them.
bool is_wide_gap(const Decision& decision, std::size_t rank_index) {
  constexpr std::uint32_t kMostChecked = 12;
  return rank_index + 1 < decision.ranks.size() &&
         decision.ranks[rank_index + 1] - decision.ranks[rank_index] - 1 > kMostChecked;
}

// Ends all rules whose gap to the next decided number of ranks is too wide to be checked.
// Returns true if a rule was ended.
bool end_unchecked(Decision& decision) {
  bool any = false;
  for (std::size_t r = 0; r < decision.ranks.size(); ++r) {
    RankDecision& own = decision.decisions[r];
    if (is_wide_gap(decision, r)) {
      for (const TimedCell& cell : own.cells) {  // each rule has a cell
        any = own.ends_at.insert(cell.bytes).second || any;
      }
    }
  }
  return any;
}

// Ends or withdraws the rules that decide about a call: those for the whole call or, if coll/han
// runs it, those for its parts. Rules for a part with a decided number of ranks are withdrawn.
bool end_rules_of(Site& site, SitePart& part, const LibraryCall& call) {
  const auto decided = built_in_decision(*site.release.line, call);
  TUTTI_INVARIANT(decided);
  const bool whole =
      decided->path.front().chosen != "coll/han" && call.ranks < part.decision.ranks.back();
  if (whole &&
      end_rules(part.decision, index_for(part.decision, call.ranks), call.ranks, call.bytes)) {
    return true;
  }
  bool any = false;
  for (const LibraryLevel& level : decided->path) {
    if (!level.rule) {
      continue;
    }
    const RuleQuery& query = *level.rule;
    SitePart& of = part_of(site, query.collective, part.ranks_per_host);
    const std::size_t index = index_for(of.decision, query.ranks);
    any = (of.decision.ranks[index] == query.ranks
               ? take_back_rules_for(of.decision, query.ranks, query.bytes)
               : end_rules(of.decision, index, query.ranks, query.bytes)) ||
          any;
  }
  return any;
}

}  // namespace

std::vector<std::uint32_t> ranks_to_check(const Decision& decision, std::size_t rank_index,
                                          std::uint32_t ranks_per_host,
                                          std::optional<std::uint64_t> room) {
  const std::uint32_t own = decision.ranks[rank_index];
  const bool last = rank_index + 1 == decision.ranks.size();
  const std::uint32_t next = last ? own + 1 : decision.ranks[rank_index + 1];
  std::set<std::uint64_t> nodes{own};
  if (last || is_wide_gap(decision, rank_index)) {
    // Rules for all nodes end here, but those for the ranks of a node do not.
    nodes.insert(std::uint64_t{own} + 1);
    nodes.insert(last && room ? *room / ranks_per_host : next - 1);
  } else {
    const auto between = std::views::iota(own + 1, next);
    nodes.insert(between.begin(), between.end());
  }
  std::set<std::uint64_t> found;
  if (!is_wide_gap(decision, rank_index)) {
    const auto between = std::views::iota(own + 1, next);
    found.insert(between.begin(), between.end());
  }
  for (const std::uint64_t each : nodes) {
    if (ranks_per_host > 1) {
      found.insert({each * ranks_per_host, (each - 1) * ranks_per_host + 1});
    }
  }
  const std::uint64_t most = room.value_or(std::numeric_limits<std::uint32_t>::max());
  std::vector<std::uint32_t> ranks;
  for (const std::uint64_t each : found) {
    if (each > 1 && each <= most && each >= decision.ranks.front() &&
        std::ranges::find(decision.ranks, each) == decision.ranks.end()) {
      ranks.push_back(static_cast<std::uint32_t>(each));
    }
  }
  return ranks;
}

std::vector<UndecidedRanks::ChangedCall> UndecidedRanks::changed_calls(
    const Site& site, std::size_t part, const ProblemTemplate& problem_template,
    const InstalledRules& rules) const {
  const SitePart& own = site.parts[part];
  const Decision& decision = own.decision;
  const Rival with = built_in_rival(*site.release.line, problem_template, &rules);
  const Rival without = built_in_rival(*site.release.line, problem_template);
  const std::uint32_t reached = rules_reach_parts(site.release) ? own.ranks_per_host : 1;
  const auto room =
      hosts_ ? std::optional(std::uint64_t{*hosts_} * own.ranks_per_host) : std::nullopt;
  std::vector<ChangedCall> calls;
  for (std::size_t r = 0; r < decision.ranks.size(); ++r) {
    for (const std::uint32_t ranks : ranks_to_check(decision, r, reached, room)) {
      for (const std::uint64_t bytes : sizes_to_check(decision, ranks, reached)) {
        const Problem problem = problem_on(decision, ranks, bytes);
        ChangedCall call{ranks, bytes, with.choose(problem), without.choose(problem)};
        if (call.with.choice != call.without.choice) {
          calls.push_back(std::move(call));
        }
      }
    }
  }
  return calls;
}

const UndecidedRanks::TimedSchedule* UndecidedRanks::find(std::size_t part, const ChangedCall& call,
                                                          const RivalChoice& chosen) const {
  const auto found = std::ranges::find_if(timed_, [&](const TimedSchedule& each) {
    return each.part == part && each.ranks == call.ranks && each.bytes == call.bytes &&
           each.choice == *chosen.choice;
  });
  return found == timed_.end() ? nullptr : &*found;
}

void UndecidedRanks::time(const Site& site, std::size_t part, const std::vector<ChangedCall>& calls,
                          Runner* runner) {
  const SitePart& own = site.parts[part];
  std::map<std::uint32_t, Machine> machines;
  std::vector<CaseRun> runs;
  const std::size_t first = timed_.size();
  for (const ChangedCall& call : calls) {
    for (const RivalChoice* const chosen : {&call.with, &call.without}) {
      if (find(part, call, *chosen) != nullptr) {
        continue;
      }
      timed_.push_back({part, call.ranks, call.bytes, *chosen->choice, std::nullopt});
      CaseRun& run = runs.emplace_back();
      if (!chosen->run.what) {
        run.outcome = Refusal{RefusalKind::problem, chosen->run.refusal};
        continue;
      }
      auto machine = machines.find(call.ranks);
      if (machine == machines.end()) {
        machine = machines
                      .emplace(call.ranks, machine_.machine(call.ranks, own.ranks_per_host,
                                                            own.decision.element_bytes))
                      .first;
      }
      static_cast<Case&>(run) = *chosen->run.what;
      run.machine = &machine->second;
      run.ties = true;
      run.wanted = ResultFields::time;
    }
  }
  if (own.decision.by == TimedBy::exact) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (runs[i].machine != nullptr) {
        if (const auto seconds = formula_s(runs[i])) {
          timed_[first + i].time = RangedTime{*seconds, 0, 0};
        }
      }
    }
    return;
  }
  if (!runs.empty()) {
    runner->run(runs, "checking other numbers of ranks", Runner::KnownCases::so_far);
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (const RunResult* const result = runs[i].outcome.result()) {
      timed_[first + i].time = result->time();
    }
  }
}

bool UndecidedRanks::end_losing(Site& site, std::size_t part,
                                const ProblemTemplate& problem_template,
                                const InstalledRules& rules, Runner* runner) {
  constexpr double kRounding = 1e-9;
  if (end_unchecked(site.parts[part].decision)) {
    return true;
  }
  const std::vector<ChangedCall> calls = changed_calls(site, part, problem_template, rules);
  time(site, part, calls, runner);
  SitePart& own = site.parts[part];
  bool any = false;
  for (const ChangedCall& call : calls) {
    const auto& with = find(part, call, call.with)->time;
    const auto& without = find(part, call, call.without)->time;
    const bool loses =
        !with || !without ||
        (with->seconds > without->seconds * (1 + own.decision.limits.tolerance + kRounding) &&
         !level_within_ties(*with, *without));
    if (loses) {
      LibraryCall tried_call =
          library_call(problem_on(own.decision, call.ranks, call.bytes), own.ranks_per_host);
      rules.apply_to(tried_call);
      any = end_rules_of(site, own, tried_call) || any;
    }
  }
  return any;
}

}}  // namespace tutti::experiments

#include "src/experiments/sites/site.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <map>

#include "base/error.hpp"
#include "src/built_in/built_in.hpp"
#include "src/experiments/decisions/rival.hpp"
#include "src/rule_files/library_algorithms.hpp"
#include "src/rule_files/mpich/compositions.hpp"
#include "src/rule_files/open_mpi/han_rules.hpp"

namespace tutti { inline namespace experiments {

namespace {

constexpr std::size_t kTable = 0;
constexpr std::size_t kComposed = 1;

// Returns the rule that applies in the cell with the index `cell`.
const SizeInterval& interval_at(const RankDecision& decision, std::size_t cell) {
  const auto found = std::ranges::find_if(decision.intervals, [cell](const SizeInterval& interval) {
    return interval.first_cell <= cell && cell <= interval.last_cell;
  });
  TUTTI_INVARIANT(found != decision.intervals.end());
  return *found;
}

const TableCell* judged_at(const Judgement& judgement, std::uint32_t rank_index,
                           std::uint64_t bytes) {
  const auto& cells = judgement.cells;
  const auto found = std::ranges::find_if(cells, [&](const TableCell& cell) {
    return cell.rank_index == rank_index && cell.bytes == bytes;
  });
  return found == cells.end() ? nullptr : &*found;
}

// Returns the library's choice without rules in a cell of the grid; null if it is unknown.
const TableCell* built_in_at(const SitePart& part, std::uint32_t rank_index, std::uint64_t bytes) {
  TUTTI_INVARIANT(part.decision.judgement);
  return judged_at(*part.decision.judgement, rank_index, bytes);
}

// Returns the library's choice in a cell of the grid if the library applies the rules to the parts
// of its compositions. If the library does not do this, returns its choice without rules. Null if
// the choice is unknown.
const TableCell* composed_at(const SitePart& part, std::uint32_t rank_index, std::uint64_t bytes) {
  return judged_at(part.composed ? *part.composed : *part.decision.judgement, rank_index, bytes);
}

// Returns the name of the composition that the library uses for a call without rules; "" for Open
// MPI's coll/han, whose compositions have no names. Returns nothing if the library looks up the
// call in its table for all ranks instead.
std::optional<std::string> composition_at(const LibraryRelease& release, const SitePart& part,
                                          std::uint32_t ranks, std::uint64_t bytes) {
  const LibraryCall call =
      library_call(problem_on(part.decision, ranks, bytes), part.ranks_per_host);
  const auto decided = built_in_decision(*release.line, call);
  if (!decided || call.nodes() == 1 || call.ranks_per_node == 1) {
    return std::nullopt;
  }
  const LibraryLevel& first = decided->path.front();
  if (first.chosen == "coll/han") {
    return "";
  }
  const std::string composition = first.chosen.substr(0, first.chosen.find(':'));
  const auto known = compositions_of(call.collective, release.release);
  const bool composes = std::ranges::find(known, composition) != known.end() &&
                        composition != flat_composition(call.collective, release.release);
  return composes ? std::optional(composition) : std::nullopt;
}

// Returns the levels for one number of ranks. Keeps the library's compositions at the sizes at
// which they are faster than the rules of the table for all ranks.
std::vector<SiteLevel> levels_of(const LibraryRelease& release, const SitePart& part,
                                 std::uint32_t rank_index) {
  const RankDecision& decision = part.decision.decisions[rank_index];
  std::vector<TimedCell> cells;
  std::vector<std::string> compositions;
  std::size_t at = 0;
  bool any = false;
  for (const TimedCell& cell : decision.cells) {
    const std::size_t index = at++;
    if (!cell.on_grid || decision.intervals.empty()) {
      continue;
    }
    TimedCell both;
    both.rank_index = rank_index;
    both.bytes = cell.bytes;
    both.times.resize(2);
    const auto put_time = [&both](std::size_t which, const RangedTime& time) {
      both.times[which].state = CandidateTime::State::timed;
      static_cast<RangedTime&>(both.times[which]) = time;
    };
    if (const auto time = cell.time_of(interval_at(decision, index).way())) {
      put_time(kTable, *time);
    }
    const auto composition = composition_at(release, part, decision.ranks, cell.bytes);
    const TableCell* judged = composed_at(part, rank_index, cell.bytes);
    if (judged == nullptr || !judged->seconds) {
      judged = built_in_at(part, rank_index, cell.bytes);
    }
    if (composition && judged != nullptr && judged->seconds) {
      put_time(kComposed, judged->time());
    }
    if (composition && part.decision.judgement) {
      const TableCell* const built_in = built_in_at(part, rank_index, cell.bytes);
      const bool known = built_in != nullptr && built_in->seconds &&
                         !part.stays_composed.contains({rank_index, cell.bytes});
      both.baseline = kComposed;
      both.at_most_s = known ? *built_in->seconds * (1 + part.decision.limits.tolerance) : 0;
    }
    any = any || composition;
    compositions.push_back(composition.value_or(""));
    cells.push_back(std::move(both));
  }
  std::vector<SiteLevel> levels;
  if (!any) {
    return levels;
  }
  if (release.line->family == "Open MPI" &&
      !han_lets_go(part.decision.collective, release.release)) {
    return {{0, true, ""}};
  }
  std::vector<const TimedCell*> pointers;
  pointers.reserve(cells.size());
  for (const TimedCell& cell : cells) {
    pointers.push_back(&cell);
  }
  for (const SizeInterval& interval : intervals_of(pointers, part.decision.limits)) {
    const bool composed = interval.candidate == kComposed;
    levels.push_back(
        {interval.from_bytes, composed, composed ? compositions[interval.first_cell] : ""});
    // At the larger sizes of the interval, the built-in choice may be another composition.
    for (std::size_t c = interval.first_cell + 1; composed && c <= interval.last_cell; ++c) {
      if (!compositions[c].empty() && compositions[c] != levels.back().composition) {
        levels.push_back({cells[c].bytes, true, compositions[c]});
      }
    }
  }
  return levels;
}

// Describes a choice with the library's name of the algorithm. Leaves out options whose values are
// the same for all algorithms of the library.
std::string library_name_of(Choice choice) {
  choice.options.drop(Option::cuts);
  choice.options.drop(Option::parts);
  if (!choice.library_algorithm.empty()) {
    // The library's name implies the tree and the fold.
    choice.options.drop(Option::tree);
    choice.options.drop(Option::fold);
    choice.algorithm = choice.library_algorithm;
  }
  return in_words(choice);
}

}  // namespace

std::string DecidedRanks::in_words() const {
  return least == most ? fmt::format("{} ranks", least)
                       : fmt::format("{} to {} ranks", least, most);
}

DecidedRanks decided_ranks(const Site& site) {
  DecidedRanks found;
  for (const SitePart& part : site.parts) {
    const std::vector<std::uint32_t>& ranks = part.decision.ranks;
    found.least = found.least == 0 ? ranks.front() : std::min(found.least, ranks.front());
    found.most = std::max(found.most, ranks.back());
  }
  return found;
}

std::vector<Collective> site_collectives(RuleFormat form) {
  std::vector<Collective> found;
  std::ranges::copy_if(kCollectives, std::back_inserter(found),
                       [form](Collective each) { return rules_name(form, each); });
  return found;
}

bool rules_reach_parts(const LibraryRelease& release) { return release.line->family == "Open MPI"; }

namespace {

// Judges the choices of `rival`, but does not time a choice again that is the same in one of
// `known`.
Judgement judge_changes(const Decision& decision, const Rival& rival, Runner* runner,
                        std::initializer_list<const Judgement*> known) {
  std::map<std::pair<std::uint32_t, std::uint64_t>, const TableCell*> same;
  const Rival changed{
      rival.name, rival.title,
      [&](const Problem& problem) {
        RivalChoice chosen = rival.choose(problem);
        const auto rank_index = static_cast<std::uint32_t>(
            std::ranges::find(decision.ranks, problem.ranks) - decision.ranks.begin());
        for (const Judgement* const each : known) {
          const TableCell* const cell = judged_at(*each, rank_index, problem.bytes);
          if (cell != nullptr && cell->choice == chosen.choice) {
            same[{rank_index, problem.bytes}] = cell;
            return RivalChoice();
          }
        }
        return chosen;
      },
      rival.before, rival.in_blocks};
  Judgement judged = judge(decision, changed, runner);
  for (TableCell& cell : judged.cells) {
    if (const auto found = same.find({cell.rank_index, cell.bytes}); found != same.end()) {
      cell = *found->second;
    }
  }
  return judged;
}

}  // namespace

void judge_composed(const LibraryRelease& release, const ProblemTemplate& problem_template,
                    const InstalledRules& rules, Runner* runner, SitePart& part) {
  TUTTI_INVARIANT(part.decision.judgement);
  const InstalledRules tuned{rules.tuned, {}, {}};
  const Judgement before = part.composed.value_or(Judgement());
  part.composed =
      judge_changes(part.decision, built_in_rival(*release.line, problem_template, &tuned), runner,
                    {&*part.decision.judgement, &before, &part.installed});
}

void judge_installed(const LibraryRelease& release, const ProblemTemplate& problem_template,
                     const InstalledRules& rules, Runner* runner, SitePart& part) {
  TUTTI_INVARIANT(part.decision.judgement);
  const Judgement composed = part.composed.value_or(Judgement());
  part.installed =
      judge_changes(part.decision, built_in_rival(*release.line, problem_template, &rules), runner,
                    {&*part.decision.judgement, &part.installed, &composed});
}

namespace {

// Returns why the library does not run a rule's choice as the choice says: the parts of some
// algorithms are calls of other collectives, which coll/han may run. Empty if it runs the choice.
std::string why_not_as_chosen(const LibraryVersion& version, LibraryCall call,
                              const Choice& choice) {
  Rule always;
  always.choice = choice;
  DecisionTable table;
  table.collective = call.collective;
  table.rules = {always};
  call.rules = {&table, 1};
  call.table_alone = true;
  const auto decided = built_in_decision(version, call);
  TUTTI_INVARIANT(decided);
  return decided->lacking;
}

}  // namespace

void add_baseline(const LibraryRelease& release, const ProblemTemplate& problem_template,
                  Decision& decision) {
  for (Candidate& each : decision.candidates) {
    if (each.choice.options.has(Option::parts)) {
      each.why_not = [version = release.line, ranks_per_host = problem_template.ranks_per_host,
                      choice = each.choice,
                      any = problem_on(decision, 1, 0)](std::uint32_t ranks, std::uint64_t bytes) {
        Problem problem = any;
        problem.ranks = ranks;
        problem.bytes = bytes;
        return why_not_as_chosen(*version, library_call(problem, ranks_per_host), choice);
      };
    }
  }
  // The gain of a site compares with what the library runs without any rules, which coll/han may
  // decide. The baseline is the choice of the component that reads the table.
  add_baseline(decision,
               release.line->family == "Open MPI" ? "coll/tuned's own choice"
                                                  : "the library's own choice in its table",
               [version = release.line, problem_template](const Problem& problem) {
                 LibraryCall call = library_call(problem, problem_template.ranks_per_host);
                 call.table_alone = true;
                 return built_in_choice(*version, call, problem_template, problem);
               });
}

namespace {

// Forbids the rules of `decision` for calls of `bytes` bytes, so that the baseline is chosen.
// Returns true if a rule applied to such calls.
bool take_back_rules(RankDecision& decision, std::uint64_t bytes) {
  bool any = false;
  std::size_t index = 0;
  for (auto cell = decision.cells.begin(); cell != decision.cells.end(); ++cell, ++index) {
    const auto next = std::next(cell);
    // True for the cell of size `bytes`. If there is no such cell, true for the cells of the next
    // smaller and the next larger size.
    const bool near =
        cell->bytes == bytes ||
        (cell->bytes < bytes && (next == decision.cells.end() || next->bytes > bytes)) ||
        (cell->bytes > bytes && (cell == decision.cells.begin() || std::prev(cell)->bytes < bytes));
    if (near && cell->baseline && interval_at(decision, index).candidate != *cell->baseline) {
      cell->at_most_s = 0;
      any = true;
    }
  }
  return any;
}

// Returns the decision for `ranks` or, if there is none, for the next lower number of ranks, as a
// lookup in a table does.
RankDecision& decision_for(Decision& decision, std::uint32_t ranks) {
  auto found = decision.decisions.begin();
  for (auto each = found; each != decision.decisions.end() && each->ranks <= ranks; ++each) {
    found = each;
  }
  return *found;
}

bool take_back(Site& site, SitePart& part, const SiteCell& cell, const InstalledRules& rules) {
  if (!cell.composed && composition_at(site.release, part, cell.ranks, cell.bytes) &&
      part.stays_composed.emplace(cell.rank_index, cell.bytes).second) {
    return true;
  }
  bool any =
      !cell.composed && take_back_rules(part.decision.decisions[cell.rank_index], cell.bytes);
  LibraryCall call =
      library_call(problem_on(part.decision, cell.ranks, cell.bytes), part.ranks_per_host);
  rules.apply_to(call);
  const auto decided = built_in_decision(*site.release.line, call);
  TUTTI_INVARIANT(decided);
  for (const LibraryLevel& level : decided->path) {
    if (!level.rule) {
      continue;
    }
    const RuleQuery& query = *level.rule;
    SitePart& of = part_of(site, query.collective, part.ranks_per_host);
    any = take_back_rules_for(of.decision, query.ranks, query.bytes) || any;
  }
  return any;
}

}  // namespace

SitePart& part_of(Site& site, Collective collective, std::uint32_t ranks_per_host) {
  const auto found = std::ranges::find_if(site.parts, [&](const SitePart& each) {
    return each.ranks_per_host == ranks_per_host && each.decision.collective == collective;
  });
  TUTTI_INVARIANT(found != site.parts.end());
  return *found;
}

bool take_back_rules_for(Decision& decision, std::uint32_t ranks, std::uint64_t bytes) {
  return take_back_rules(decision_for(decision, ranks), bytes);
}

void decide_anew(Site& site, std::uint32_t ranks_per_host) {
  for (SitePart& part : site.parts) {
    if (part.ranks_per_host == ranks_per_host) {
      decide_anew(part.decision.decisions, part.decision.limits);
    }
  }
}

bool take_back_losing(Site& site, std::uint32_t ranks_per_host, const InstalledRules& rules) {
  constexpr double kRounding = 1e-9;
  constexpr double kUnknown = 1;  // assumed slowdown if the time with the rules is unknown
  bool any = false;
  for (SitePart& part : site.parts) {
    if (part.ranks_per_host != ranks_per_host) {
      continue;
    }
    const std::vector<SiteCell> cells = cells_of(part);
    std::map<std::uint32_t, double> sums;
    for (const SiteCell& cell : cells) {
      sums[cell.ranks] += cell.gain().value_or(0);
    }
    for (const SiteCell& cell : cells) {
      const double slower = cell.gain()       ? *cell.rules_s / *cell.built_in_s - 1
                            : cell.built_in_s ? kUnknown
                                              : 0;
      const bool in_the_mean = sums[cell.ranks] < -kRounding && slower > kRounding;
      if (in_the_mean || slower > part.decision.limits.tolerance + kRounding) {
        any = take_back(site, part, cell, rules) || any;
      }
    }
  }
  return any;
}

void find_levels(const LibraryRelease& release, SitePart& part) {
  part.levels.clear();
  bool any = false;
  for (std::uint32_t r = 0; r < part.decision.decisions.size(); ++r) {
    part.levels.push_back(levels_of(release, part, r));
    any = any || !part.levels.back().empty();
  }
  if (!any) {
    part.levels.clear();
  }
}

std::vector<SiteCell> cells_of(const SitePart& part) {
  std::vector<SiteCell> found;
  for (const TableCell& judged : part.installed.cells) {
    SiteCell one;
    one.rank_index = judged.rank_index;
    one.ranks = part.decision.decisions[judged.rank_index].ranks;
    one.bytes = judged.bytes;
    one.calls = part.decision.decisions[judged.rank_index].calls_of(judged.bytes);
    one.rules = judged.choice ? library_name_of(*judged.choice) : "";
    one.rules_s = judged.seconds;
    if (const TableCell* const built_in = built_in_at(part, judged.rank_index, judged.bytes)) {
      one.built_in = built_in->choice ? library_name_of(*built_in->choice) : "";
      one.built_in_s = built_in->seconds;
    }
    if (judged.rank_index < part.levels.size()) {
      const auto& levels = part.levels[judged.rank_index];
      const auto level = std::ranges::find_if(
          levels.rbegin(), levels.rend(),
          [&](const SiteLevel& each) { return each.from_bytes <= judged.bytes; });
      one.composed = level != levels.rend() && level->composed;
    }
    found.push_back(std::move(one));
  }
  return found;
}

}}  // namespace tutti::experiments

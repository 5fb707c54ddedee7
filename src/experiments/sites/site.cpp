#include "src/experiments/sites/site.hpp"

#include <algorithm>
#include <iterator>

#include "base/error.hpp"
#include "src/built_in/built_in.hpp"
#include "src/rule_files/compositions.hpp"
#include "src/rule_files/han_rules.hpp"
#include "src/rule_files/library_algorithms.hpp"

namespace tutti {

namespace {

constexpr std::size_t kTable = 0;
constexpr std::size_t kComposed = 1;

// What the rules of a table take in a cell.
const Reign& reign_at(const RankDecision& decision, std::size_t cell) {
  const auto found = std::ranges::find_if(decision.reigns, [cell](const Reign& reign) {
    return reign.first_cell <= cell && cell <= reign.last_cell;
  });
  TUTTI_INVARIANT(found != decision.reigns.end());
  return *found;
}

const TableCell* judged_at(const std::optional<Judgement>& judgement, std::uint32_t rank_index,
                           std::uint64_t bytes) {
  if (!judgement) {
    return nullptr;
  }
  const auto& cells = judgement->cells;
  const auto found = std::ranges::find_if(cells, [&](const TableCell& cell) {
    return cell.rank_index == rank_index && cell.bytes == bytes;
  });
  return found == cells.end() ? nullptr : &*found;
}

// What the library takes without rules in a cell of the grid.
const TableCell* built_in_at(const SitePart& part, std::uint32_t rank_index, std::uint64_t bytes) {
  return judged_at(part.decision.judgement, rank_index, bytes);
}

// What its compositions come to with them.
const TableCell* composed_at(const SitePart& part, std::uint32_t rank_index, std::uint64_t bytes) {
  return judged_at(part.composed ? part.composed : part.decision.judgement, rank_index, bytes);
}

// The name of the composition that the library takes by itself; nothing where it asks the table for
// all ranks.
std::optional<std::string> composition_at(const LibraryRelease& release, const SitePart& part,
                                          std::uint32_t ranks, std::uint64_t bytes) {
  LibraryCall call;
  call.collective = part.decision.collective;
  call.ranks = ranks;
  call.ranks_per_node = std::min(part.ranks_per_host, ranks);
  call.bytes = bytes;
  call.element_bytes = part.decision.element_bytes;
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

// Where a composition is quicker than the table's rule, it stays.
std::vector<SiteLevel> levels_of(const LibraryRelease& release, const SitePart& part,
                                 std::uint32_t rank_index) {
  const RankDecision& decision = part.decision.decisions[rank_index];
  std::vector<TimedCell> cells;
  std::vector<std::string> compositions;
  std::size_t at = 0;
  bool any = false;
  for (const TimedCell& cell : decision.cells) {
    const std::size_t index = at++;
    if (!cell.on_grid || decision.reigns.empty()) {
      continue;
    }
    TimedCell both;
    both.rank_index = rank_index;
    both.bytes = cell.bytes;
    both.times.resize(2);
    if (const auto seconds = cell.seconds_of(reign_at(decision, index).way())) {
      both.times[kTable].state = CandidateTime::State::timed;
      both.times[kTable].seconds = *seconds;
    }
    const auto composition = composition_at(release, part, decision.ranks, cell.bytes);
    const TableCell* judged = composed_at(part, rank_index, cell.bytes);
    if (judged == nullptr || !judged->seconds) {
      judged = built_in_at(part, rank_index, cell.bytes);
    }
    if (composition && judged != nullptr && judged->seconds) {
      both.times[kComposed].state = CandidateTime::State::timed;
      both.times[kComposed].seconds = *judged->seconds;
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
  for (const Reign& reign : reigns_of(pointers, part.decision.limits)) {
    const bool composed = reign.candidate == kComposed;
    levels.push_back({reign.from_bytes, composed, composed ? compositions[reign.first_cell] : ""});
    // What is built in may be another composition further up.
    for (std::size_t c = reign.first_cell + 1; composed && c <= reign.last_cell; ++c) {
      if (!compositions[c].empty() && compositions[c] != levels.back().composition) {
        levels.push_back({cells[c].bytes, true, compositions[c]});
      }
    }
  }
  return levels;
}

// As the library calls it, without what is the same for all of its algorithms.
std::string in_librarys_words(Choice choice) {
  choice.options.drop(Option::cuts);
  choice.options.drop(Option::parts);
  if (!choice.library_algorithm.empty()) {
    // Its name says which tree it is.
    choice.options.drop(Option::tree);
    choice.options.drop(Option::fold);
    choice.algorithm = choice.library_algorithm;
  }
  return in_words(choice);
}

}  // namespace

std::vector<Collective> site_collectives(RuleFormat form) {
  std::vector<Collective> found;
  std::ranges::copy_if(kCollectives, std::back_inserter(found),
                       [form](Collective each) { return rules_name(form, each); });
  return found;
}

bool rules_reach_parts(const LibraryRelease& release) { return release.line->family == "Open MPI"; }

void judge_composed(const LibraryRelease& release, const ProblemTemplate& asked,
                    std::span<const DecisionTable> rules, Runner* runner, SitePart& part) {
  const Decision& decision = part.decision;
  TUTTI_INVARIANT(decision.judgement);
  const Rival with_rules = built_in_rival(*release.line, asked, rules);
  // What is the same as without them need not be timed again.
  const Rival changed{
      with_rules.name, with_rules.title,
      [&](const Problem& problem) {
        RivalChoice chosen;
        if (!composition_at(release, part, problem.ranks, problem.bytes)) {
          return chosen;
        }
        chosen = with_rules.choose(problem);
        const auto at = std::ranges::find(decision.ranks, problem.ranks);
        const auto* const before = built_in_at(
            part, static_cast<std::uint32_t>(at - decision.ranks.begin()), problem.bytes);
        return before == nullptr || before->choice != chosen.choice ? chosen : RivalChoice();
      },
      with_rules.in_blocks};
  Judgement again = judge(decision, changed, runner);
  part.composed = decision.judgement;
  TUTTI_INVARIANT(again.cells.size() == part.composed->cells.size());
  for (std::size_t i = 0; i < again.cells.size(); ++i) {
    if (again.cells[i].choice) {
      part.composed->cells[i] = std::move(again.cells[i]);
    }
  }
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
  for (std::uint32_t r = 0; r < part.decision.decisions.size(); ++r) {
    const RankDecision& decision = part.decision.decisions[r];
    std::size_t at = 0;
    for (const TimedCell& cell : decision.cells) {
      const std::size_t index = at++;
      if (!cell.on_grid || decision.reigns.empty()) {
        continue;
      }
      const CutCandidate way = reign_at(decision, index).way();
      const auto seconds = cell.seconds_of(way);
      if (!seconds) {
        continue;
      }
      SiteCell one;
      one.ranks = decision.ranks;
      one.bytes = cell.bytes;
      Choice choice = part.decision.candidates[way.candidate].choice;
      choice.segment_bytes = way.segment_bytes;
      one.rules = in_librarys_words(choice);
      one.rules_s = *seconds;
      if (const TableCell* const judged = built_in_at(part, r, cell.bytes)) {
        one.built_in = judged->choice ? in_librarys_words(*judged->choice) : "";
        one.built_in_s = judged->seconds;
      }
      if (r < part.levels.size()) {
        const auto level = std::ranges::find_if(
            part.levels[r].rbegin(), part.levels[r].rend(),
            [&](const SiteLevel& each) { return each.from_bytes <= cell.bytes; });
        const TableCell* const composed = composed_at(part, r, cell.bytes);
        if (level != part.levels[r].rend() && level->composed && composed != nullptr) {
          one.rules = composed->choice ? in_librarys_words(*composed->choice) : "";
          one.rules_s = composed->seconds;
        }
      }
      found.push_back(std::move(one));
    }
  }
  return found;
}

}  // namespace tutti

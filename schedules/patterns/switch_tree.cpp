#include "schedules/patterns/switch_tree.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "schedules/patterns/group_tree.hpp"
#include "schedules/patterns/segmented_tree.hpp"

namespace tutti { inline namespace schedules {

std::optional<Sentence> SwitchTree::refusal(const Problem& problem) {
  return GroupTree::refusal(problem);
}

std::uint32_t SwitchTree::count(const Problem& problem) {
  return static_cast<std::uint32_t>(SwitchTree(problem).switches().size());
}

SwitchTree SwitchTree::single(std::uint32_t ranks) {
  SwitchTree tree;
  tree.ranks_ = ranks;
  tree.above_rank_.resize(ranks);
  if (ranks > 1) {
    std::vector<Rank> all(ranks);
    for (Rank rank = 0; rank < ranks; ++rank) {
      all[rank] = rank;
    }
    tree.add_level({all}, 0);
  }
  return tree;
}

SwitchTree::SwitchTree(const Problem& problem) {
  if (problem.groups.levels.empty() || problem.ranks == 1) {
    *this = single(problem.ranks);
    return;
  }
  ranks_ = problem.ranks;
  above_rank_.resize(ranks_);
  std::uint32_t level = 0;
  // The ranks or switches that have no switch above them yet.
  std::vector<Rank> left(ranks_);
  // For each entry of `left`: the first rank below it, or the rank itself.
  std::vector<Rank> first_rank(ranks_);
  for (Rank rank = 0; rank < ranks_; ++rank) {
    left[rank] = first_rank[rank] = rank;
  }
  const auto add = [&](auto&& group_of) {
    std::map<std::uint32_t, std::size_t> position;
    std::vector<std::vector<Rank>> groups;
    std::vector<Rank> first;
    for (std::size_t i = 0; i < left.size(); ++i) {
      const auto [at, is_new] = position.try_emplace(group_of(first_rank[i]), groups.size());
      if (is_new) {
        groups.emplace_back();
        first.push_back(first_rank[i]);
      }
      groups[at->second].push_back(left[i]);
    }
    const Rank next = places();
    add_level(groups, level++);
    left.clear();
    for (std::size_t i = 0; i < groups.size(); ++i) {
      left.push_back(next + static_cast<Rank>(i));
    }
    first_rank = std::move(first);
  };
  for (const GroupLevel& groups : problem.groups.levels) {
    add([of_ranks = groups.of_ranks(ranks_)](Rank rank) { return of_ranks[rank]; });
    if (left.size() == 1) {
      return;
    }
  }
  add([](Rank) { return 0U; });
}

void SwitchTree::add_level(const std::vector<std::vector<Rank>>& groups, std::uint32_t level) {
  for (const std::vector<Rank>& below : groups) {
    const Rank place = places();
    for (const Rank each : below) {
      (is_switch(each) ? switches_[each - ranks_].above : above_rank_[each]) = place;
    }
    switches_.push_back({place, below, place, level});
  }
}

bool SwitchTree::keeps_order(const Problem& problem) {
  return std::all_of(problem.groups.levels.begin(), problem.groups.levels.end(),
                     [&](const GroupLevel& level) {
                       const std::vector<std::uint32_t> groups = level.of_ranks(problem.ranks);
                       // Groups are numbered in the order of their first ranks.
                       return std::is_sorted(groups.begin(), groups.end());
                     });
}

std::uint32_t SwitchTree::labels_up() const {
  std::vector<std::size_t> widest(levels());
  for (const Switch& each : switches_) {
    widest[each.level] = std::max(widest[each.level], each.below.size());
  }
  std::size_t labels = 0;
  for (const std::size_t width : widest) {
    labels += width;
  }
  return static_cast<std::uint32_t>(labels);
}

SwitchTreeMoves::SwitchTreeMoves(ScheduleBuilder& builder, const SwitchTree& tree,
                                 const BlockSet& blocks, std::uint32_t segment, std::uint32_t first)
    : builder_(builder),
      tree_(tree),
      blocks_(blocks),
      segment_(segment),
      first_(first),
      known_(tree.places(), kNoOp),
      sent_(tree.places(), kNoOp) {
  TUTTI_INVARIANT(builder.places() == tree.places());
}

OpId SwitchTreeMoves::send(std::uint32_t level, Rank from, Rank to) {
  return builder_.comm({first_ + level, segment_}, from, to, {blocks_, kWork, kWork},
                       std::array{known_[from], sent_[to]});
}

void SwitchTreeMoves::up(AtSwitches what) {
  std::uint32_t level = 0;
  std::uint32_t base = 0;  // first label level of the current level of switches
  std::uint32_t widest = 0;
  for (const SwitchTree::Switch& each : tree_.switches()) {
    if (each.level != level) {
      level = each.level;
      base += std::exchange(widest, 0);
    }
    widest = std::max(widest, static_cast<std::uint32_t>(each.below.size()));
    // The first message goes to the place of the sum. The others stay in scratch until they are
    // combined.
    for (std::uint32_t i = 0; i < each.below.size(); ++i) {
      const Rank from = each.below[i];
      const Place into = i == 0 ? kWork : Place{Buffer::scratch, i - 1};
      sent_[from] = builder_.comm({first_ + base, segment_}, from, each.place,
                                  {blocks_, kWork, into}, std::array{known_[from]});
    }
    known_[each.place] = sent_[each.below.front()];
    if (what == AtSwitches::meet && each.below.size() > 1) {
      std::vector<OpId> signs;
      for (const Rank from : each.below) {
        signs.push_back(sent_[from]);
      }
      known_[each.place] =
          builder_.copy({first_ + base, segment_}, each.place, {blocks_, kScratch, kWork}, signs);
      continue;
    }
    for (std::uint32_t i = 1; i < each.below.size(); ++i) {
      known_[each.place] = builder_.reduce(
          {first_ + base + i, segment_}, each.place, {blocks_, {Buffer::scratch, i - 1}, kWork},
          Operand::right, std::array{known_[each.place], sent_[each.below[i]]});
    }
  }
}

void SwitchTreeMoves::down() {
  const std::uint32_t base = tree_.labels_up();
  const std::vector<SwitchTree::Switch>& switches = tree_.switches();
  for (auto each = switches.rbegin(); each != switches.rend(); ++each) {
    for (const Rank to : each->below) {
      known_[to] = send(base + tree_.top().level - each->level, each->place, to);
    }
  }
}

void SwitchTreeMoves::down_to(Rank rank) {
  std::vector<Rank> way{rank};
  while (way.back() != tree_.top().place) {
    way.push_back(tree_.above(way.back()));
  }
  const std::uint32_t base = tree_.labels_up();
  for (std::size_t i = way.size() - 1; i > 0; --i) {
    known_[way[i - 1]] =
        send(base + static_cast<std::uint32_t>(way.size() - 1 - i), way[i], way[i - 1]);
  }
}

void SwitchTreeMoves::flood(Rank root) {
  struct Visit {
    Rank place;
    Rank from;
    std::uint32_t level;
  };
  std::vector<Visit> queue;
  const auto pass_on = [&](const Visit& visit, Rank to) {
    known_[to] = send(visit.level, visit.place, to);
    if (tree_.is_switch(to)) {
      queue.push_back({to, visit.place, visit.level + 1});
    }
  };
  pass_on({root, root, 0}, tree_.above(root));
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const Visit visit = queue[i];
    const SwitchTree::Switch& own = tree_.at(visit.place);
    if (own.above != own.place && own.above != visit.from) {
      pass_on(visit, own.above);
    }
    for (const Rank to : own.below) {
      if (to != visit.from) {
        pass_on(visit, to);
      }
    }
  }
}

std::optional<double> switch_tree_s(const Problem& problem, const Prices& prices) {
  if (problem.ranks == 1) {
    return 0;
  }
  Prices of_link = prices;
  of_link.alpha_s /= 2;
  const SegmentTimes segments(problem, of_link);
  const double links = 2.0 * SwitchTree(problem).levels();
  return (segments.count + links - 2) * segments.message_s + segments.last_message_s;
}

}}  // namespace tutti::schedules

#include "src/search/phases.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "sim/engine.hpp"

namespace tutti { inline namespace search {

PhasePlanner::PhasePlanner(const Goal& goal)
    : ranks_(goal.problem.ranks), ports_(std::max(goal.machine->setup.ports, 1U)) {
  std::vector<double> fastest;
  for (Rank src = 0; src < ranks_; ++src) {
    for (Rank dst = 0; dst < ranks_; ++dst) {
      if (src != dst) {
        const NetworkRoute route =
            goal.network->route(goal.host_of_rank[src], goal.host_of_rank[dst]);
        const double rate =
            std::min(route.figures->alone_bytes_per_s, route.figures->cap_bytes_per_s);
        for (const Hop& hop : route.hops) {
          if (hop.forward() > 0 && !goal.network->links()[hop.link()].fatpipe) {
            links_.push_back(hop.link());
            fastest.resize(std::max<std::size_t>(fastest.size(), hop.link() + std::size_t{1}));
            fastest[hop.link()] = std::max(fastest[hop.link()], rate);
          }
        }
      }
      rows_.push_back(static_cast<std::uint32_t>(links_.size()));
    }
  }
  carries_.assign(fastest.size(), 1);
  messages_.assign(fastest.size(), 0);
  for (const std::uint32_t link : links_) {
    ++messages_[link];
    carries_[link] =
        std::max(1U, static_cast<std::uint32_t>(goal.network->links()[link].capacity_bytes_per_s *
                                                (1 + 1e-9) / fastest[link]));
  }
  busiest_ = ranks_ - 1;
  for (std::size_t link = 0; link < messages_.size(); ++link) {
    busiest_ = std::max(busiest_, (messages_[link] + carries_[link] - 1) / carries_[link]);
  }
  find_subtrees();
}

// Finds a switch none of whose subtrees has more than half of the ranks. A link of a tree has all
// messages from the ranks on one side to those on the other.
void PhasePlanner::find_subtrees() {
  std::vector<std::set<Rank>> senders(messages_.size());
  std::vector<std::set<Rank>> receivers(messages_.size());
  for (Rank src = 0; src < ranks_; ++src) {
    for (Rank dst = 0; dst < ranks_; ++dst) {
      for (const std::uint32_t link : links({src, dst})) {
        senders[link].insert(src);
        receivers[link].insert(dst);
      }
    }
  }
  std::vector<std::uint32_t> place(ranks_, ranks_);  // number of the subtree of each rank
  std::vector<std::vector<Rank>> found;
  std::vector<std::vector<Rank>> sides;
  for (std::size_t link = 0; link < messages_.size(); ++link) {
    if (messages_[link] == 0) {
      continue;
    }
    if (carries_[link] > 1 || senders[link].size() + receivers[link].size() != ranks_ ||
        messages_[link] != senders[link].size() * receivers[link].size()) {
      return;
    }
    if (2 * senders[link].size() <= ranks_) {
      sides.emplace_back(senders[link].begin(), senders[link].end());
    }
  }
  std::ranges::stable_sort(sides, std::greater<>(), [](const auto& side) { return side.size(); });
  for (const std::vector<Rank>& side : sides) {
    if (place[side.front()] != ranks_) {
      continue;  // a part of a larger side
    }
    for (const Rank rank : side) {
      if (place[rank] != ranks_) {
        return;
      }
      place[rank] = static_cast<std::uint32_t>(found.size());
    }
    found.push_back(side);
  }
  if (std::ranges::all_of(place, [&](std::uint32_t each) { return each != ranks_; })) {
    subtrees_ = std::move(found);
  }
}

// The extended ring: subtree i sends to subtree j for |i| |j| phases. In the largest subtree, in
// |0| phases in a row, each rank receives once and each sends once, and from one such round to the
// next each receiver meets the next sender, so that messages within it find phases in which their
// sender receives and their receiver sends. `random` mixes what the source leaves open.
std::vector<Phase> PhasePlanner::between_subtrees(SearchRandom* random) const {
  std::vector<std::vector<Rank>> trees = subtrees_;
  if (random != nullptr) {
    for (std::vector<Rank>& each : trees) {
      random->shuffle(each);
    }
  }
  const auto size = [&](std::size_t i) { return trees[i].size(); };
  // Ranks of the subtrees after i, up to and with j.
  const auto between = [&](std::size_t i, std::size_t j) {
    std::size_t sum = 0;
    for (std::size_t k = i + 1; k <= j; ++k) {
      sum += size(k);
    }
    return sum;
  };
  const std::size_t all = size(0) * (ranks_ - size(0));
  std::vector<Phase> phases(all);
  for (std::size_t i = 0; i < trees.size(); ++i) {
    for (std::size_t j = 0; j < trees.size(); ++j) {
      if (i == j) {
        continue;
      }
      const std::size_t first = i < j ? size(i) * between(i, j - 1) : all - size(j) * between(j, i);
      const bool by_receiver = random != nullptr && random->below(2) == 0;
      for (std::size_t at = 0; at < size(i) * size(j); ++at) {
        const std::size_t phase = first + at;
        std::size_t src = by_receiver ? at % size(i) : at / size(j);
        std::size_t dst = by_receiver ? at / size(i) : at % size(j);
        if (i == 0) {
          src = (phase + phase / size(0)) % size(0);
          dst = (at / size(0) + src) % size(j);
        } else if (j == 0) {
          src = at / size(0);
          dst = phase % size(0);
        }
        phases[phase].push_back({trees[i][src], trees[j][dst]});
      }
    }
  }
  return phases;
}

namespace {

// Finds a phase for each message such that no phase gets two; Kuhn's algorithm.
class PhaseMatching {
 public:
  PhaseMatching(std::vector<std::vector<std::uint32_t>> allowed, std::size_t phases)
      : allowed_(std::move(allowed)),
        message_of_(phases, kNone),
        phase_of_(allowed_.size(), kNone) {}

  bool find() {
    for (std::uint32_t message = 0; message < allowed_.size(); ++message) {
      seen_.assign(message_of_.size(), false);
      if (!place(message)) {
        return false;
      }
    }
    return true;
  }
  [[nodiscard]] std::uint32_t phase_of(std::size_t message) const { return phase_of_[message]; }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  bool place(std::uint32_t message) {
    for (const std::uint32_t phase : allowed_[message]) {
      if (message_of_[phase] == kNone) {
        set(message, phase);
        return true;
      }
    }
    for (const std::uint32_t phase : allowed_[message]) {
      if (!seen_[phase]) {
        seen_[phase] = true;
        if (place(message_of_[phase])) {
          set(message, phase);
          return true;
        }
      }
    }
    return false;
  }
  void set(std::uint32_t message, std::uint32_t phase) {
    message_of_[phase] = message;
    phase_of_[message] = phase;
  }

  std::vector<std::vector<std::uint32_t>> allowed_;  // phases of each message
  std::vector<std::uint32_t> message_of_;
  std::vector<std::uint32_t> phase_of_;
  std::vector<bool> seen_;
};

}  // namespace

std::vector<Phase> PhasePlanner::on_tree() const {
  TUTTI_INVARIANT(is_tree());
  constexpr std::uint64_t kSeed = 1;
  constexpr int kTrials = 1000;
  SearchRandom random(kSeed);
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<Phase> phases = between_subtrees(trial == 0 ? nullptr : &random);
    if (add_inside(phases)) {
      return phases;
    }
  }
  throw InvariantError("the phases have no room for the messages within subtrees");
}

// Adds the messages within subtrees. Returns false if they do not fit.
bool PhasePlanner::add_inside(std::vector<Phase>& phases) const {
  std::vector<Phase> added(phases.size());
  for (const std::vector<Rank>& subtree : subtrees_) {
    std::vector<Pair> inside;
    std::vector<std::vector<std::uint32_t>> allowed;  // by message: phases with free links
    for (const Rank src : subtree) {
      for (const Rank dst : subtree) {
        if (src != dst) {
          inside.push_back({src, dst});
        }
      }
    }
    allowed.resize(inside.size());
    std::vector<std::uint32_t> used(messages_.size(), std::numeric_limits<std::uint32_t>::max());
    for (std::uint32_t phase = 0; phase < phases.size(); ++phase) {
      for (const Pair& pair : phases[phase]) {
        for (const std::uint32_t link : links(pair)) {
          used[link] = phase;
        }
      }
      for (std::size_t i = 0; i < inside.size(); ++i) {
        if (std::ranges::none_of(links(inside[i]),
                                 [&](std::uint32_t link) { return used[link] == phase; })) {
          allowed[i].push_back(phase);
        }
      }
    }
    PhaseMatching matching(std::move(allowed), phases.size());
    if (!matching.find()) {
      return false;
    }
    for (std::size_t i = 0; i < inside.size(); ++i) {
      added[matching.phase_of(i)].push_back(inside[i]);
    }
  }
  for (std::size_t phase = 0; phase < phases.size(); ++phase) {
    phases[phase].insert(phases[phase].end(), added[phase].begin(), added[phase].end());
  }
  return true;
}

std::vector<Phase> PhasePlanner::greedy(std::span<const float> preference) const {
  std::vector<std::uint32_t> to_send(ranks_, ranks_ - 1);
  std::vector<std::uint32_t> to_receive(ranks_, ranks_ - 1);
  std::vector<std::uint32_t> left = messages_;
  struct Waiting {
    Pair pair;
    float priority = 0;
  };
  std::vector<Waiting> waiting;
  for (Rank src = 0; src < ranks_; ++src) {
    for (Rank dst = 0; dst < ranks_; ++dst) {
      if (src != dst) {
        waiting.push_back({{src, dst}, 0});
      }
    }
  }
  std::vector<Phase> phases;
  while (!waiting.empty()) {
    for (Waiting& each : waiting) {
      const auto& [src, dst] = each.pair;
      float most =
          static_cast<float>(std::max(to_send[src], to_receive[dst])) / static_cast<float>(ports_);
      for (const std::uint32_t link : links(each.pair)) {
        most = std::max(most, static_cast<float>(left[link]) / static_cast<float>(carries_[link]));
      }
      each.priority = most + preference[std::size_t{src} * ranks_ + dst];
    }
    std::ranges::stable_sort(waiting, std::greater<>(), &Waiting::priority);
    Phase phase;
    std::vector<std::uint32_t> sends(ranks_);
    std::vector<std::uint32_t> receives(ranks_);
    std::vector<std::uint32_t> used(messages_.size());
    std::erase_if(waiting, [&](const Waiting& each) {
      const auto& [src, dst] = each.pair;
      if (sends[src] == ports_ || receives[dst] == ports_ ||
          std::ranges::any_of(links(each.pair),
                              [&](std::uint32_t link) { return used[link] == carries_[link]; })) {
        return false;
      }
      ++sends[src];
      ++receives[dst];
      --to_send[src];
      --to_receive[dst];
      for (const std::uint32_t link : links(each.pair)) {
        ++used[link];
        --left[link];
      }
      phase.push_back(each.pair);
      return true;
    });
    phases.push_back(std::move(phase));
  }
  return phases;
}

}}  // namespace tutti::search

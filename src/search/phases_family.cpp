// All-to-alls in phases: in a phase, each rank sends at most one message and receives at most one,
// and no two messages need the same link (or no more than it carries at full rate).
//
// On a tree of switches, src/search/phases.hpp makes the fewest phases. On other networks,
// pairs of ranks are taken greedily, those first whose ranks and links have the most left to do.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "base/human.hpp"
#include "schedules/builder.hpp"
#include "sim/engine.hpp"
#include "src/search/family.hpp"
#include "src/search/phases.hpp"

namespace tutti { inline namespace search {

namespace {

enum class Waits : std::uint8_t {
  ports,     // a message waits for the sender's last message and the receiver's last one
  both,      // and for those in the other direction
  everyone,  // and, by empty messages, for those that had its links before
};

constexpr std::array kAllWaits{Waits::ports, Waits::both, Waits::everyone};

// Writes an all-to-all in phases.
class PhaseWriter {
 public:
  PhaseWriter(const Goal& goal, const PhasePlanner& planner, Waits waits, Detail detail)
      : planner_(planner),
        waits_(waits),
        ranks_(goal.problem.ranks),
        width_(waits == Waits::everyone ? 2 : 1),
        builder_(goal.problem, layout(goal.problem), detail),
        sent_(ranks_, kNoOp),
        received_(ranks_, kNoOp),
        sends_(ranks_),
        users_(planner.links_in_use()),
        signals_to_(ranks_) {}

  Schedule write(const std::vector<Phase>& phases) {
    for (Rank rank = 0; rank < ranks_; ++rank) {
      note(builder_.copy({0, 0}, rank, {{0, 1}, kInput, kWork}, {}), {});
    }
    for (std::uint32_t level = 0; level < phases.size(); ++level) {
      std::vector<std::vector<OpId>> after;
      signals_from_.assign(ranks_, {});
      signals_at_.assign(ranks_, {});
      for (const Pair& pair : phases[level]) {
        after.push_back(waits(pair, level));
      }
      std::vector<OpId> ids;
      for (std::size_t i = 0; i < after.size(); ++i) {
        ids.push_back(add(phases[level][i], level, std::move(after[i])));
      }
      // Messages of one phase do not wait for each other.
      for (std::size_t i = 0; i < ids.size(); ++i) {
        end(phases[level][i], ids[i]);
      }
    }
    return builder_.finish();
  }

 private:
  struct User {
    OpId id;
    Pair pair;
    std::uint32_t number;  // of the message among those of its sender, from 1 on
  };

  // With Waits::everyone, each part is followed by an empty block, for empty messages.
  [[nodiscard]] BlockLayout layout(const Problem& problem) const {
    BlockLayout even = block_per_rank(problem);
    if (width_ == 1) {
      return even;
    }
    std::vector<std::uint64_t> elements;
    for (std::uint32_t part = 0; part < problem.ranks; ++part) {
      elements.push_back(even.size_bytes(part) / problem.element_bytes);
      elements.push_back(0);
    }
    return BlockLayout::irregular(elements, problem.element_bytes);
  }

  // Returns what a message waits for.
  std::vector<OpId> waits(const Pair& pair, std::uint32_t level) {
    const auto [src, dst] = pair;
    std::vector<OpId> after{sent_[src], received_[dst]};
    if (waits_ != Waits::ports) {
      after.push_back(received_[src]);
      after.push_back(sent_[dst]);
    }
    if (waits_ == Waits::everyone) {
      wait_for_links(pair, level, after);
    }
    return after;
  }

  OpId add(const Pair& pair, std::uint32_t level, std::vector<OpId> after) {
    const auto [src, dst] = pair;
    // Empty messages come first at the ports.
    after.insert(after.end(), signals_from_[src].begin(), signals_from_[src].end());
    after.insert(after.end(), signals_at_[dst].begin(), signals_at_[dst].end());
    const std::uint32_t distance = (dst + ranks_ - src) % ranks_;
    const OpId id =
        builder_.comm({level, 0}, src, dst, {{distance * width_, 1}, kInput, kWork}, after);
    note(id, after);
    return id;
  }

  void end(const Pair& pair, OpId id) {
    const auto [src, dst] = pair;
    sent_[src] = received_[dst] = id;
    ++sends_[src];
    if (waits_ == Waits::everyone) {
      known_[id][src] = std::max(known_[id][src], sends_[src]);
      for (const std::uint32_t link : planner_.links(pair)) {
        users_[link].push_back({id, pair, sends_[src]});
      }
    }
  }

  // Lets a message wait for the messages that had its links before, if it does not do so already.
  void wait_for_links(const Pair& pair, std::uint32_t level, std::vector<OpId>& after) {
    for (const std::uint32_t link : planner_.links(pair)) {
      const std::vector<User>& users = users_[link];
      if (users.size() < planner_.carries(link)) {
        continue;
      }
      const User& last = users[users.size() - planner_.carries(link)];
      const bool known = std::ranges::any_of(
          after, [&](OpId id) { return id != kNoOp && known_[id][last.pair.src] >= last.number; });
      if (known) {
        continue;
      }
      if (last.pair.src == pair.src || last.pair.dst == pair.src || last.pair.src == pair.dst ||
          last.pair.dst == pair.dst) {
        after.push_back(last.id);
        continue;
      }
      // The empty blocks of the receiver take turns.
      std::vector<OpId>& own = signals_to_[pair.src];
      const auto number = static_cast<std::uint32_t>(own.size());
      const std::array before{last.id, number < ranks_ ? kNoOp : own[number - ranks_]};
      const OpId signal =
          builder_.comm({level, ++signals_}, last.pair.src, pair.src,
                        {{1, 1}, kWork, kScratch, number % ranks_ * width_ + 1}, before);
      own.push_back(signal);
      note(signal, before);
      after.push_back(signal);
      signals_from_[last.pair.src].push_back(signal);
      signals_at_[pair.src].push_back(signal);
    }
  }

  // Records which messages have ended when an operation ends.
  void note(OpId id, std::span<const OpId> after) {
    if (waits_ != Waits::everyone) {
      return;
    }
    TUTTI_INVARIANT(id == known_.size());
    std::vector<std::uint32_t> known(ranks_);
    for (const OpId before : after) {
      for (Rank rank = 0; before != kNoOp && rank < ranks_; ++rank) {
        known[rank] = std::max(known[rank], known_[before][rank]);
      }
    }
    known_.push_back(std::move(known));
  }

  const PhasePlanner& planner_;
  Waits waits_;
  std::uint32_t ranks_;
  std::uint32_t width_;  // blocks of each part
  ScheduleBuilder builder_;
  std::vector<OpId> sent_;
  std::vector<OpId> received_;
  std::vector<std::uint32_t> sends_;      // number of messages that each rank has sent
  std::vector<std::vector<User>> users_;  // of each link
  // For each operation, the number of messages of each rank that have ended when it ends.
  std::vector<std::vector<std::uint32_t>> known_;
  // The empty messages of the present phase, by sender and by receiver.
  std::vector<std::vector<OpId>> signals_from_;
  std::vector<std::vector<OpId>> signals_at_;
  std::vector<std::vector<OpId>> signals_to_;  // all empty messages to each rank
  std::uint32_t signals_ = 0;
};

class PhasesDraft final : public Draft {
 public:
  // `preference`: of each sender for each receiver; empty for the fewest phases on a tree.
  PhasesDraft(const Goal& goal, const PhasePlanner& planner, std::vector<float> preference,
              Waits waits)
      : goal_(goal), planner_(planner), preference_(std::move(preference)), waits_(waits) {}

  [[nodiscard]] Schedule schedule(Detail detail) const override {
    return PhaseWriter(goal_, planner_, waits_, detail).write(phases());
  }
  [[nodiscard]] std::string in_words() const override {
    return fmt::format("{} without contention{}{}", counted(phases().size(), "phase"),
                       preference_.empty() ? ", as few as the busiest link has messages" : "",
                       waits_ == Waits::everyone ? ", kept apart by empty messages" : "");
  }
  [[nodiscard]] std::unique_ptr<const Draft> neighbour(SearchRandom& random) const override {
    std::vector<float> preference = preference_;
    Waits waits = waits_;
    if (preference.empty() || random.below(8) == 0) {
      waits = kAllWaits[random.below(kAllWaits.size())];
    } else {
      const std::uint32_t changes = 1 + random.below(4 * goal_.problem.ranks);
      for (std::uint32_t i = 0; i < changes; ++i) {
        preference[random.below(static_cast<std::uint32_t>(preference.size()))] =
            static_cast<float>(random.fraction());
      }
    }
    return std::make_unique<PhasesDraft>(goal_, planner_, std::move(preference), waits);
  }

 private:
  [[nodiscard]] std::vector<Phase> phases() const {
    return preference_.empty() ? planner_.on_tree() : planner_.greedy(preference_);
  }

  const Goal& goal_;
  const PhasePlanner& planner_;
  std::vector<float> preference_;
  Waits waits_;
};

class PhasesFamily final : public Family {
 public:
  explicit PhasesFamily(const Goal& goal) : goal_(goal) {
    constexpr std::uint32_t kMostRanks = 512;  // the routes of all pairs are looked at
    if (goal.problem.collective == Collective::alltoall && goal.problem.ranks > 1 &&
        goal.problem.ranks <= kMostRanks && goal.problem.elements() % goal.problem.ranks == 0) {
      planner_ = std::make_unique<PhasePlanner>(goal);
    }
  }

  [[nodiscard]] std::string_view name() const override { return "phases"; }

  [[nodiscard]] Drafts propose(SearchRandom& random) const override {
    Drafts made;
    if (!planner_) {
      return made;
    }
    const auto add = [&](const std::vector<float>& preference) {
      for (const Waits waits : kAllWaits) {
        made.push_back(std::make_unique<PhasesDraft>(goal_, *planner_, preference, waits));
      }
    };
    if (planner_->is_tree()) {
      add({});
    }
    constexpr int kGreedy = 8;
    for (int i = 0; i < kGreedy; ++i) {
      std::vector<float> preference(std::size_t{goal_.problem.ranks} * goal_.problem.ranks);
      for (float& each : preference) {
        each = static_cast<float>(random.fraction());
      }
      add(preference);
    }
    return made;
  }

 private:
  const Goal& goal_;
  std::unique_ptr<PhasePlanner> planner_;
};

}  // namespace

std::unique_ptr<Family> phases_family(const Goal& goal) {
  return std::make_unique<PhasesFamily>(goal);
}

}}  // namespace tutti::search

// The flows on each link.
//
// A link keeps a list of the flows that came to it. A flow that leaves stays in the list until the
// list is read: finished flows have the note 0.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "schedules/op.hpp"
#include "sim/flow/exact_sum.hpp"
#include "sim/flow/flow_paths.hpp"
#include "sim/flow/link_clocks.hpp"
#include "sim/id_list.hpp"

namespace tutti::inline sim {

class LinkLoads {
 public:
  // Special positions: in no component; in none, but touched, so that it will be looked at.
  static constexpr std::uint32_t kNone = 0xffffffffU;
  static constexpr std::uint32_t kTouched = kNone - 1;

  struct Link {
    IdList list;
    // Sum of the flows' claims; and, if the link is not full, the bandwidth that they take, up to
    // rounding. The latter shows that a link stays not full without filling it. Both are kept only
    // for two flows or more, because one alone never fills a link.
    ExactClaim claims = 0;
    double used_bytes_per_s = 0;
    // Lower bound on the claims of the flows that a full link holds back. 0: unknown.
    double open_claims = 0;
    std::uint32_t flows = 0;
    std::uint32_t position = kNone;
    std::uint32_t clock = LinkClocks::kNone;  // clock of the flows that it holds back

    [[nodiscard]] bool in_component() const { return position < kTouched; }
  };

  LinkLoads(FlowPaths& paths, std::span<std::uint32_t> notes, IdPool& pool)
      : paths_(paths),
        notes_(notes),
        pool_(pool),
        links_(paths.links()),
        levels_(paths.links(), kNotFull) {}

  [[nodiscard]] Link& operator[](std::uint32_t index) { return links_[index]; }
  [[nodiscard]] const Link& operator[](std::uint32_t index) const { return links_[index]; }

  // Level of a link: bytes per second and weight for the flows that the link holds back. kNotFull:
  // it holds none back.
  [[nodiscard]] double& level(std::uint32_t index) { return levels_[index]; }
  [[nodiscard]] double level(std::uint32_t index) const { return levels_[index]; }

  // Must be called before using the links of a path that is looked up for the first time, because
  // the path may have new links.
  void learn() {
    if (paths_.links() > links_.size()) [[unlikely]] {
      links_.resize(paths_.links());
      levels_.resize(paths_.links(), kNotFull);
    }
  }

  // Returns the number of flows on the link, including this one.
  std::uint32_t add(std::uint32_t index, OpId id) {
    Link& link = links_[index];
    // Tidied here as well, because the lists of fat pipes are never read.
    if (link.list.size() > 2 * link.flows + kSlack) [[unlikely]] {
      tidy(link);
    }
    link.list.push(pool_, id);
    return ++link.flows;
  }
  // Returns the number of flows that are left.
  std::uint32_t remove(std::uint32_t index) {
    Link& link = links_[index];
    if (--link.flows == 0) {
      link.list.clear(pool_);
    }
    return link.flows;
  }

  // Updates the sums for a flow that joins at least two others, or leaves them. `claim` is its
  // bandwidth per unit of level, and `level` is its level.
  void take_in(std::uint32_t index, double claim, double level) {
    links_[index].open_claims = 0;
    links_[index].claims += exact(claim);
    links_[index].used_bytes_per_s += claim * level;
  }
  void take_out(std::uint32_t index, double claim, double level) {
    // Rounded down, so that it stays a lower bound.
    links_[index].open_claims = links_[index].open_claims * (1 - 0x1p-40) - claim;
    links_[index].claims -= exact(claim);
    links_[index].used_bytes_per_s -= claim * level;
  }

  // Computes the sums of a link that has just got its second flow. Looks up the paths of both
  // flows.
  void count(std::uint32_t index) {
    Link& link = links_[index];
    link.claims = 0;
    link.used_bytes_per_s = 0;
    link.open_claims = 0;
    flows(index).for_each([&](OpId id) {
      const FlowPath path = paths_.of(id);
      double claim = 0;
      double least = path.own_level();
      for (const Hop hop : path.hops()) {
        claim = path.link(hop) == index ? path.claim(hop) : claim;
        least = std::min(least, levels_[path.link(hop)]);
      }
      link.claims += exact(claim);
      link.used_bytes_per_s += claim * least;
    });
  }

  // True if the flows could want more than the capacity. The limit of a single flow is in its
  // figures.
  [[nodiscard]] static bool may_be_full(const Link& link, double capacity_bytes_per_s) {
    constexpr double kMargin = 1e-9;
    return link.flows > 1 && link.used_bytes_per_s > capacity_bytes_per_s * (1 - kMargin);
  }

  // Marks the link, so that the rates of its flows are looked at.
  void touch(std::uint32_t index) {
    Link& link = links_[index];
    if (link.position == kNone) {
      link.position = kTouched;
      touched_.push_back(index);
    }
  }
  [[nodiscard]] std::vector<std::uint32_t>& touched() { return touched_; }

  // Returns the flows on a link, in the order in which they came.
  [[nodiscard]] const IdList& flows(std::uint32_t index) {
    Link& link = links_[index];
    if (link.list.size() != link.flows) {
      tidy(link);
    }
    return link.list;
  }

 private:
  static constexpr std::uint32_t kSlack = 16;

  // Most claims equal the one before.
  [[nodiscard]] ExactClaim exact(double claim) {
    if (claim != last_claim_) {
      last_claim_ = claim;
      last_exact_ = exact_claim(claim);
    }
    return last_exact_;
  }

  void tidy(Link& link) {
    IdList kept;
    link.list.drain(pool_, [&](OpId id) {
      if (notes_[id] != 0) {
        kept.push(pool_, id);
      }
    });
    link.list = kept;
  }

  FlowPaths& paths_;
  std::span<std::uint32_t> notes_;
  IdPool& pool_;
  std::vector<Link> links_;
  std::vector<double> levels_;  // by link, in an array of their own because many are read together
  double last_claim_ = 0;
  ExactClaim last_exact_ = exact_claim(0);
  std::vector<std::uint32_t> touched_;
};

}  // namespace tutti::inline sim

// The flows on each link.
//
// Each link has a list of the flows that came to it. A flow that leaves stays in the list until the
// list is read, and is recognised by its note, which is 0.
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

namespace tutti { inline namespace sim {

class LinkLoads {
 public:
  // Special values of Link::position. kNone: the link is in no component. kTouched: the link is in
  // no component, but was touched, so that the rates of its flows will be computed.
  static constexpr std::uint32_t kNone = 0xffffffffU;
  static constexpr std::uint32_t kTouched = kNone - 1;

  struct Link {
    IdList list;
    // Sum of the flows' claims, and, if the link is not full, the bandwidth that the flows use, up
    // to rounding. The bandwidth shows whether the link can become full. If it cannot, its level
    // need not be computed. Both sums are kept only if there are at least two flows, because a
    // single flow never fills a link.
    ExactClaim claims = 0;
    double used_bytes_per_s = 0;
    // Lower bound on the claims of the flows that a full link holds back. 0: unknown.
    double open_claims = 0;
    std::uint32_t flows = 0;
    std::uint32_t position = kNone;
    std::uint32_t clock = LinkClocks::kNone;  // clock of the flows that the link holds back

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

  // Level of a link: the rate per unit of weight, in bytes per second, of the flows that the link
  // holds back. kNotFull: the link holds no flow back.
  [[nodiscard]] double& level(std::uint32_t index) { return levels_[index]; }
  [[nodiscard]] double level(std::uint32_t index) const { return levels_[index]; }

  // Must be called before the links of a new path are used, because the path may have new links.
  void learn() {
    if (paths_.links() > links_.size()) [[unlikely]] {
      links_.resize(paths_.links());
      levels_.resize(paths_.links(), kNotFull);
    }
  }

  // Adds a flow to a link. Returns the number of flows on the link, including this flow.
  std::uint32_t add(std::uint32_t index, OpId id) {
    Link& link = links_[index];
    // Lists are tidied here as well, because the lists of fat pipes are never read.
    if (link.list.size() > 2 * link.flows + kSlack) [[unlikely]] {
      tidy(link);
    }
    link.list.push(pool_, id);
    return ++link.flows;
  }
  // Removes a flow from a link. Returns the number of flows that are left.
  std::uint32_t remove(std::uint32_t index) {
    Link& link = links_[index];
    if (--link.flows == 0) {
      link.list.clear(pool_);
    }
    return link.flows;
  }

  // take_in() updates the sums of a link for a flow that joins at least two other flows, and
  // take_out() for a flow that leaves them. `claim` is the flow's bandwidth per unit of level, and
  // `level` is the flow's level.
  void take_in(std::uint32_t index, double claim, double level) {
    links_[index].open_claims = 0;
    links_[index].claims += exact(claim);
    links_[index].used_bytes_per_s += claim * level;
  }
  void take_out(std::uint32_t index, double claim, double level) {
    // open_claims is rounded down, so that it stays a lower bound.
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

  // True if the flows might need more than the capacity. A single flow is limited by its
  // RouteFigures instead.
  [[nodiscard]] static bool may_be_full(const Link& link, double capacity_bytes_per_s) {
    constexpr double kMargin = 1e-9;
    return link.flows > 1 && link.used_bytes_per_s > capacity_bytes_per_s * (1 - kMargin);
  }

  // Marks the link, so that the rates of its flows will be computed.
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

  // Converts a claim. Remembers the last result, because most claims equal the previous one.
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
  // Level of each link, in a separate array because many levels are read together.
  std::vector<double> levels_;
  double last_claim_ = 0;
  ExactClaim last_exact_ = exact_claim(0);
  std::vector<std::uint32_t> touched_;
};

}}  // namespace tutti::sim

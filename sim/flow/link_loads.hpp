// Who is on which link.
//
// A link keeps a list of the flows that came to it. One that leaves stays in the list until
// somebody reads it: the notes of flows that are over are 0.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedules/op.hpp"
#include "sim/flow/exact_sum.hpp"
#include "sim/flow/flow_paths.hpp"
#include "sim/flow/link_clocks.hpp"
#include "sim/id_list.hpp"

namespace tutti {

class LinkLoads {
 public:
  // Positions of a link in a component: none; none, but it is to be looked at.
  static constexpr std::uint32_t kNone = 0xffffffffU;
  static constexpr std::uint32_t kTouched = kNone - 1;

  struct Link {
    IdList list;
    ExactClaim claims = 0;  // of all flows on it
    // Of the flows that it holds back: bytes per second and weight. kNotFull: it holds none back.
    double level = kNotFull;
    // What its flows take, but for rounding, and never less by more than that; of a link that is
    // not full. It says that a link need not be looked at.
    double used_bytes_per_s = 0;
    std::uint32_t flows = 0;
    std::uint32_t position = kNone;
    std::uint32_t clock = LinkClocks::kNone;  // of the flows that it holds back

    [[nodiscard]] bool in_component() const { return position < kTouched; }
  };

  LinkLoads(FlowPaths& paths, std::span<std::uint32_t> notes, IdPool& pool)
      : paths_(paths), notes_(notes), pool_(pool), links_(paths.links()) {}

  [[nodiscard]] Link& operator[](std::uint32_t index) { return links_[index]; }
  [[nodiscard]] const Link& operator[](std::uint32_t index) const { return links_[index]; }

  // To be called before the links of a path that is asked for the first time are used.
  void learn() {
    if (paths_.links() > links_.size()) [[unlikely]] {
      links_.resize(paths_.links());
    }
  }

  void add(std::uint32_t index, OpId id, double claim) {
    Link& link = links_[index];
    link.claims += exact_claim(claim);
    // Nobody reads the lists of fat pipes.
    if (link.list.size() > 2 * link.flows + kSlack) [[unlikely]] {
      tidy(link);
    }
    link.list.push(pool_, id);
    ++link.flows;
  }

  void remove(std::uint32_t index, double claim) {
    Link& link = links_[index];
    link.claims -= exact_claim(claim);
    if (--link.flows == 0) {
      link.list.clear(pool_);
      link.used_bytes_per_s = 0;
    }
  }

  // Whether its flows could want more than it has. A flow alone never does: that is in its figures.
  [[nodiscard]] bool may_be_full(const Link& link, double capacity_bytes_per_s) const {
    constexpr double kMargin = 1e-9;
    return link.flows > 1 && link.used_bytes_per_s > capacity_bytes_per_s * (1 - kMargin);
  }

  // The flows on this link are to have their rates looked at.
  void touch(std::uint32_t index) {
    Link& link = links_[index];
    if (link.position == kNone) {
      link.position = kTouched;
      touched_.push_back(index);
    }
  }
  [[nodiscard]] std::vector<std::uint32_t>& touched() { return touched_; }

  // The flows on a link, in the order in which they came to it.
  [[nodiscard]] const IdList& flows(std::uint32_t index) {
    Link& link = links_[index];
    if (link.list.size() != link.flows) {
      tidy(link);
    }
    return link.list;
  }

 private:
  static constexpr std::uint32_t kSlack = 16;

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
  std::vector<std::uint32_t> touched_;
};

}  // namespace tutti

// The level at which a link is full, if all others stay at theirs.
//
// Max-min fair rates follow from the levels of links: a flow gets its weight times the least level
// on its way, or what it gets alone if that is less. And the level of a link follows from those of
// the other links on its flows' ways: its flows rise together until each is held back by something
// else, or the link is full.
//
// The rule, to the bit. Each flow has a bound, the level at which something else holds it back. In
// the order of bounds, all of one bound at a time: the level is what the flows so far leave, for
// each unit of claim of the others (level_of_rest()), and above the last bound (just_above()); the
// first level that is not above the next bound holds. So a level hangs only on bounds below it, and
// there is one set of levels that agree with each other, however it is found: of two, look at the
// least level in which they differ.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/flow/exact_sum.hpp"
#include "sim/flow/link_clocks.hpp"

namespace tutti::inline sim {

[[nodiscard]] inline double just_above(double bound) { return bound * (1 + 0x1p-52); }

class LinkFilling {
 public:
  // Nearer to each other, levels and bounds are only told apart in order.
  static constexpr double kRounding = 1e-12;  // of the capacity

  struct Result {
    double level = kNotFull;
    double used_bytes_per_s = 0;  // of a link that is not full
    double open_claims = 0;       // of the flows that it holds back
  };

  void clear() { parts_.clear(); }
  // A flow of the link.
  void add(double claim, double bound) { parts_.push_back({claim, bound}); }
  // Makes room for so many flows, with set() for each: where they are many, nothing is grown.
  void resize(std::size_t flows) { parts_.resize(flows); }
  void set(std::size_t flow, double claim, double bound) { parts_[flow] = {claim, bound}; }
  [[nodiscard]] std::size_t size() const { return parts_.size(); }

  // `claims`: of all flows that were added. `guess`: a level near the one that is asked for, if one
  // is known; the result does not hang on it.
  [[nodiscard]] Result level(double capacity_bytes_per_s, ExactClaim claims, double guess = 0);

 private:
  struct Part {
    double claim = 0;  // what the flow takes of the link for each unit of level
    double bound = 0;
  };

  // Few are needed, unless rounding makes them go in circles.
  static constexpr std::size_t kMostSteps = 64;

  // What flows leave that are held back below a level.
  struct Left {
    std::int64_t rest = kWhole;
    ExactClaim open = 0;  // claims of the others
    double used_bytes_per_s = 0;
    double last = 0;         // bound below the level
    double next = kNotFull;  // that is not below
    std::size_t held = 0;
  };

  [[nodiscard]] Left left_below(double level, double capacity_bytes_per_s, ExactClaim claims) const;
  [[nodiscard]] Result level_in_order(double capacity_bytes_per_s, ExactClaim claims);
  [[nodiscard]] Result not_full() const;

  std::vector<Part> parts_;
};

}  // namespace tutti::inline sim

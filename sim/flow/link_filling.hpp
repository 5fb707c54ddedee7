// Finds the level at which a link becomes full if all other links keep their levels.
//
// Max-min fair rates follow from the levels of links: the rate of a flow is its weight times the
// least level on its route, or the rate that it has alone if that is less. The level of a link
// follows from the levels of the other links on the routes of its flows: the rates of its flows
// rise together until each flow is held back by something else, or until the link is full.
//
// The following rule is exact to the last bit. Each flow has a bound, which is the level at which
// something else holds the flow back. Flows are taken in the order of their bounds, all flows of
// one bound together. At each step, the level is the capacity that the flows taken so far leave,
// per unit of claim of the other flows (level_of_rest()), but at least just_above(b), where b is
// the bound of the flows taken last. The result is the first level that is not above the following
// bound. So a level depends only on bounds below it. Hence there is only one consistent set of
// levels, however it is computed. (If there were two sets, consider the least level in which they
// differ.)
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/flow/exact_sum.hpp"
#include "sim/flow/link_clocks.hpp"

namespace tutti { inline namespace sim {

[[nodiscard]] inline double just_above(double bound) { return bound * (1 + 0x1p-52); }

class LinkFilling {
 public:
  // Levels and bounds that differ by less than this can be distinguished only by taking the flows
  // in order.
  static constexpr double kRounding = 1e-12;  // as a share of the capacity

  struct Result {
    double level = kNotFull;
    double used_bytes_per_s = 0;  // bandwidth used, if the link is not full
    double open_claims = 0;       // claims of the flows that the link holds back
  };

  void clear() { parts_.clear(); }
  // Adds a flow of the link.
  void add(double claim, double bound) { parts_.push_back({claim, bound}); }
  // Sets the number of flows. Each of them must then be set by set(). Unlike add(), this needs one
  // allocation only.
  void resize(std::size_t flows) { parts_.resize(flows); }
  void set(std::size_t flow, double claim, double bound) { parts_[flow] = {claim, bound}; }
  [[nodiscard]] std::size_t size() const { return parts_.size(); }

  // Returns the level of the link. `claims` is the sum of the claims of all added flows. `guess` is
  // a level near the result, if one is known; the result does not depend on `guess`.
  [[nodiscard]] Result level(double capacity_bytes_per_s, ExactClaim claims, double guess = 0);

 private:
  struct Part {
    double claim = 0;  // bandwidth that the flow uses per unit of level
    double bound = 0;
  };

  // Most levels are found in a few steps. The limit is for the case that rounding makes the steps
  // cycle.
  static constexpr std::size_t kMostSteps = 64;

  // Describes which part of a link's capacity remains if all flows whose bounds are below a given
  // level have their rates. Only these flows are `held`; the others share the remaining part.
  struct Remainder {
    std::int64_t rest = kWhole;
    ExactClaim open = 0;  // claims of the other flows
    double used_bytes_per_s = 0;
    double last = 0;         // largest bound below the level
    double next = kNotFull;  // least bound that is not below the level
    std::size_t held = 0;
  };

  [[nodiscard]] Remainder left_below(double level, double capacity_bytes_per_s,
                                     ExactClaim claims) const;
  [[nodiscard]] Result level_in_order(double capacity_bytes_per_s, ExactClaim claims);
  [[nodiscard]] Result not_full() const;

  std::vector<Part> parts_;
};

}}  // namespace tutti::sim

// The bounds on the time of the bytes between hosts, whatever is known about the network.
#pragma once

#include <cstdint>
#include <utility>

#include "cost_models/bounds/needs.hpp"
#include "cost_models/bounds/network_bound.hpp"

namespace tutti { inline namespace cost_models {

class DataCuts {
 public:
  DataCuts() = default;
  DataCuts(const DataCuts&) = delete;
  DataCuts& operator=(const DataCuts&) = delete;
  virtual ~DataCuts() = default;

  // Return the best bound of each form for the data, or a part without a time: from one cut around
  // a host or a group of hosts, from the cuts of several groups together, and from other cuts and
  // lengths. The latter two look for bounds that are better than `known`. There must be two hosts
  // and something to send.
  [[nodiscard]] virtual BoundPart by_cuts(const Needs& needs) = 0;
  [[nodiscard]] virtual BoundPart by_groups(const Needs& needs, const BoundPart& known) = 0;
  [[nodiscard]] virtual BoundPart beyond_cuts(const Needs& /*needs*/, const BoundPart& /*known*/,
                                              BoundSearch /*search*/) {
    return {};
  }
  // Returns the capacity of the narrowest place next to a host, through which it sends or receives.
  [[nodiscard]] virtual double capacity_around(std::uint32_t host, bool sends) const = 0;
};

// Replaces `best` by `other` if that takes longer.
inline void take_longer(BoundPart& best, BoundPart other) {
  if (other.seconds > best.seconds * (1 + 1e-12)) {
    best = std::move(other);
  }
}

}}  // namespace tutti::cost_models

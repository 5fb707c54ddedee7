// Cuts of a network of alike hosts around one switch without a limit of its own, in closed form.
//
// Each host has a link to the switch and a link from it. Only cuts next to single hosts need to be
// looked at. A cut with the switch outside has the links to the switch of all hosts inside, and its
// bytes are at most the sum of what each of these hosts sends. So its time is at most a mean of the
// times of the single hosts, weighted by their capacities. A cut with the switch inside has the
// links from the switch of all hosts outside. Each of them receives all that leaves the set for any
// of them, so the same holds for what the hosts receive.
//
// No other lengths of the links are better, either: if every piece goes directly from host to host,
// the busiest link needs just the time of the cut next to its host.
#pragma once

#include <cstdint>

#include "cost_models/bounds/data_cuts.hpp"
#include "cost_models/bounds/hosts_in_use.hpp"
#include "platforms/network.hpp"

namespace tutti { inline namespace cost_models {

class StarCuts final : public DataCuts {
 public:
  // True if the network between the hosts is such a star.
  [[nodiscard]] static bool fits(Network& network, const HostsInUse& hosts);

  // The network and the hosts must outlive the cuts.
  StarCuts(Network& network, const HostsInUse& hosts, const RankLimits& ranks);

  [[nodiscard]] BoundPart by_cuts(const Needs& needs) override;
  [[nodiscard]] BoundPart by_groups(const Needs& needs, const BoundPart& known) override;
  [[nodiscard]] double capacity_around(std::uint32_t host, bool sends) const override;

 private:
  [[nodiscard]] BoundLimit limit_of(std::uint32_t host, bool sends) const;

  Network& network_;
  const HostsInUse& hosts_;
  RankLimits ranks_;
  double up_bytes_per_s_ = 0;
  double down_bytes_per_s_ = 0;
};

}}  // namespace tutti::cost_models

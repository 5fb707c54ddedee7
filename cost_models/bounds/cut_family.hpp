// A graph with the cuts of it that are tried for every problem: those around a host, and around a
// group of hosts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cost_models/bounds/cut_search.hpp"
#include "cost_models/bounds/data_cuts.hpp"
#include "cost_models/bounds/flow_graph.hpp"
#include "cost_models/bounds/group_cuts.hpp"
#include "cost_models/bounds/needs.hpp"
#include "cost_models/bounds/network_bound.hpp"

namespace tutti { inline namespace cost_models {

class CutFamily final : public DataCuts {
 public:
  // `groups_of_hosts` are partitions, by index of the host. `graph` contains the limits `ranks`.
  CutFamily(Network& network, FlowGraph graph, const RankLimits& ranks,
            const std::vector<std::vector<std::uint32_t>>& groups_of_hosts);

  [[nodiscard]] BoundPart by_cuts(const Needs& needs) override;
  [[nodiscard]] BoundPart by_groups(const Needs& needs, const BoundPart& known) override;
  // Tries lengths of the edges, of which cuts are a special case.
  [[nodiscard]] BoundPart beyond_cuts(const Needs& needs, const BoundPart& known,
                                      BoundSearch search) override;
  [[nodiscard]] double capacity_around(std::uint32_t host, bool sends) const override {
    const HostGroups& single = partitions_.front();
    return (sends ? single.out : single.in)[host].capacity_bytes_per_s;
  }

 private:
  [[nodiscard]] const CutSearch& search();
  [[nodiscard]] HostCut host_cut(const NetworkCut& cut, Direction direction) const;
  [[nodiscard]] HostCut around(std::uint32_t host, bool sends) const;
  [[nodiscard]] BoundPart part_of(const HostCut& cut, double bytes) const;
  [[nodiscard]] BoundLimit limit_of(std::uint32_t edge) const;
  [[nodiscard]] std::vector<std::uint32_t> groups_of_ranks(const HostGroups& partition) const;
  // Adds the bound of the tightest cut for data of which all hosts need everything.
  void add_copies(const std::vector<double>& by_rank, Direction direction, BoundPart& best);
  [[nodiscard]] BoundPart by_cuts_of_copies(const Needs& needs);
  [[nodiscard]] BoundPart by_cuts_of_root(const Needs& needs);
  [[nodiscard]] BoundPart by_lengths(const Needs& needs, const BoundPart& known,
                                     BoundSearch search) const;
  // Returns the time of the busiest link or host if every piece goes on the platform's route.
  [[nodiscard]] double direct_s(const Needs& needs, const PieceRows& pieces) const;

  Network& network_;
  FlowGraph graph_;
  RankLimits ranks_;
  std::vector<HostGroups> partitions_;
  std::unique_ptr<CutSearch> search_;  // null: not needed yet
};

}}  // namespace tutti::cost_models

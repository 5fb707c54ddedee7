// Collects links whose level has moved, and applies the changes to the flows on them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedules/op.hpp"
#include "sim/flow/flow_paths.hpp"
#include "sim/flow/flow_rates.hpp"
#include "sim/flow/flow_table.hpp"
#include "sim/flow/link_loads.hpp"

namespace tutti { inline namespace sim {

class LevelChanges {
 public:
  LevelChanges(FlowPaths& paths, LinkLoads& links, FlowRates& rates, const FlowTable& table,
               std::span<std::uint32_t> notes)
      : paths_(paths), links_(links), rates_(rates), table_(table), notes_(notes) {}

  void add(std::uint32_t link, double level) { changes_.push_back({link, level}); }

  // The flows for which apply() must find out again what holds them back.
  enum class Flows : std::uint8_t {
    all_new,   // only new flows, because no other flows exist
    in_table,  // new flows, and those that the flow table reports as moved
    any,       // new flows, and all flows on links with a new level
  };
  // Makes the new levels valid, and finds out what holds back each flow that `flows` includes.
  // `arrivals` are the new flows.
  void apply(double now_s, std::span<const OpId> arrivals, Flows flows);

 private:
  struct Change {
    std::uint32_t link = 0;
    double level = 0;
  };

  void assign(double now_s, OpId id, const FlowPath& path);
  [[nodiscard]] bool concerns(std::uint32_t link, OpId id, const FlowPath& path) const;

  FlowPaths& paths_;
  LinkLoads& links_;
  FlowRates& rates_;
  const FlowTable& table_;
  std::span<std::uint32_t> notes_;
  std::vector<Change> changes_;
};

}}  // namespace tutti::sim

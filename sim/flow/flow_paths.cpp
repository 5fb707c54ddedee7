#include "sim/flow/flow_paths.hpp"

#include <utility>

namespace tutti { inline namespace sim {

FlowPaths::FlowPaths(const Schedule& schedule, const OpPrices* measured, Network& network,
                     const FlowSetup& flow_setup, Disturbance disturbance)
    : schedule_(schedule),
      network_(network),
      crossbar_(dynamic_cast<CrossbarNetwork*>(&network)),
      quotient_(dynamic_cast<const QuotientNetwork*>(&network)),
      messages_(dynamic_cast<MessageNetwork*>(&network)),
      setup_(flow_setup),
      measured_(measured),
      disturbance_(std::move(disturbance)),
      workplaces_(schedule, network, flow_setup),
      core_links_(static_cast<std::uint32_t>(workplaces_.core_links().size())) {}

}}  // namespace tutti::sim

// Builds a cluster of GPUs in SimGrid without a list of routes, for files with only a description
// (gpu_platform.hpp). SimGrid then needs no memory per pair of GPUs, and no search for routes.
#pragma once

#include <memory>

#include "platforms/cluster_platform.hpp"

namespace tutti { inline namespace platforms {

// Creates the hosts, in their order, and the links of `gpus` as the first zone of SimGrid's engine.
// The zone computes routes as ClusterPlatform::links_between() does.
void create_gpu_netzone(std::shared_ptr<const ClusterPlatform> gpus);

}}  // namespace tutti::platforms

// Reads the result of NCCL's search on a machine from a file that NCCL writes if
// NCCL_GRAPH_DUMP_FILE is set.
//
// Source: NVIDIA/nccl 73cf1122 (2.30.7), src/graph/xml.cc, ncclTopoXmlGraphLoadGraphs;
// src/graph/search.cc, ncclTopoGetGraphFromXmlSub, ncclTopoGetXmlFromGraph.
#pragma once

#include <cstdint>
#include <string>

#include "cost_models/nccl/cluster.hpp"

namespace tutti { inline namespace cost_models {

struct NcclGraphFile {
  NcclGraphs graphs;
  // Number of GPUs that a channel of the ring visits in a node.
  std::uint32_t gpus_per_node = 1;
  // Number of network cards of a node through which rings enter and leave it.
  std::uint32_t cards = 0;
};

// Parses the text of a file that NCCL has written. Throws UserError if the text is incomplete or
// invalid, or if a number is outside the range that NCCL's search uses. The message begins with
// `path` and names the graph and the attribute.
[[nodiscard]] NcclGraphFile read_nccl_graphs(const std::string& text, const std::string& path);

}}  // namespace tutti::cost_models

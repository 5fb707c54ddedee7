// Reads the result of NCCL's search on a machine, as written by NCCL_GRAPH_DUMP_FILE.
//
// Source: NVIDIA/nccl 5067397c (2.30), src/graph/xml.cc, ncclTopoXmlGraphLoadGraphs;
// src/graph/search.cc, ncclTopoGetGraphFromXmlSub, ncclTopoGetXmlFromGraph.
#pragma once

#include <cstdint>
#include <string>

#include "cost_models/nccl/cluster.hpp"

namespace tutti::inline cost_models {

struct NcclGraphFile {
  NcclGraphs graphs;
  std::uint32_t gpus_per_node = 1;  // number of GPUs in a channel of the ring
};

// Throws UserError if the text is not such a file or is truncated, or if a number is outside the
// range of NCCL's search. The message begins with `path` and names the graph and the attribute.
[[nodiscard]] NcclGraphFile read_nccl_graphs(const std::string& text, const std::string& path);

}  // namespace tutti::inline cost_models

// What NCCL's search has found on a machine, as NCCL writes it with NCCL_GRAPH_DUMP_FILE.
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
  std::uint32_t gpus_per_node = 1;  // that a ring's channel goes through
};

// Throws UserError, which begins with `path` and names the graph and the attribute, for what is no
// such file or was cut short, and for numbers that no search finds.
[[nodiscard]] NcclGraphFile read_nccl_graphs(const std::string& text, const std::string& path);

}  // namespace tutti::inline cost_models

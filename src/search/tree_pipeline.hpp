// Sends the blocks of a vector along trees, in the order of a list schedule: whenever a sender, a
// receiver and the links between them are free, the block of the tree that needs the most further
// messages goes first.
#pragma once

#include <cstdint>
#include <vector>

#include "src/search/transfers.hpp"
#include "src/search/tree_packing.hpp"

namespace tutti { inline namespace search {

struct PipelinedTree {
  const PackedTree* tree = nullptr;
  std::uint32_t first_block = 0;
  std::uint32_t end_block = 0;
};

struct PipelineSetup {
  std::uint32_t ports = 1;
  double block_bytes = 0;
  std::uint32_t most_blocks = 1;  // in a message
};

// Returns the number of edges from the root to each rank.
[[nodiscard]] std::vector<std::uint32_t> depths(const TreeEdges& edges, const PackedTree& tree);

// Returns the transfers along the trees, in the order of their starts.
[[nodiscard]] std::vector<Transfer> pipeline(const TreeEdges& edges,
                                             const std::vector<PipelinedTree>& trees,
                                             const PipelineSetup& setup);

}}  // namespace tutti::search

// libFuzzer target: no text may crash the reader of NCCL's graph files, and the graphs in an
// accepted text must be valid.
#include <string>

#include "cost_models/nccl/graph_file.hpp"
#include "tests/fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::text_of(data, size));
  fuzz::may_refuse([&text] {
    const tutti::NcclGraphFile file = tutti::read_nccl_graphs(text, "graph.xml");
    const tutti::NcclGraph& ring = file.graphs.ring;
    fuzz::require(file.gpus_per_node > 0, "a node has no GPU");
    fuzz::require(ring.channels > 0 && ring.channels <= tutti::kNcclMostChannels,
                  "the number of channels is invalid");
    fuzz::require(ring.intra_gb_per_s >= 0 && ring.inter_gb_per_s >= 0, "a bandwidth is negative");
  });
  return 0;
}

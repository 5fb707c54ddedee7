// Combines the stages that a library runs within nodes and between them into one choice of tutti:
// COLLECTIVE/hierarchical, with --within and --across.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedules/options/composition.hpp"
#include "schedules/options/stage_parts.hpp"
#include "src/built_in/built_in.hpp"
#include "src/built_in/part_call.hpp"

namespace tutti::inline built_in {

// Segments of a pipeline to which a call applies; `others` also stands for a whole vector.
enum class Segments : std::uint8_t { first, others, last };

class DecidedStages {
 public:
  // Adds the decision for a part of the ranks, between nodes or within them. All groups of a stage
  // must have the same algorithm for the same segments.
  void add(const PartCall& call, bool between, Segments segments, const LibraryDecision& decision);

  // Sets the choice of `decision`, or explains in `lacking` why there is none. `segment_bytes` is 0
  // if the vector is not segmented.
  void put_together(const LibraryCall& call, HierarchyForm form, std::uint64_t segment_bytes,
                    LibraryDecision& decision) const;

 private:
  struct Decided {
    OnePart part;
    bool any_tree;  // true if all calls so far were on two ranks, where all trees are the same
  };
  struct Stage {
    Collective collective;
    bool between;
    std::array<std::optional<Decided>, 3> parts;  // indexed by Segments; at least one is set

    [[nodiscard]] StagePart by_segment() const;
  };
  std::vector<Stage> stages_;  // in the order of the calls
  std::string lacking_;        // the first property that no option can express
};

}  // namespace tutti::inline built_in

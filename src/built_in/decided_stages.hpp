// Combines the algorithms that a library runs within nodes and between nodes into one choice of
// tutti: COLLECTIVE/hierarchical, with --within and --across.
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

namespace tutti { inline namespace built_in {

// The segments of a vector that a call transfers. If the vector is not segmented, `first` or
// `others` stands for the whole vector.
enum class Segments : std::uint8_t { first, others, last };

class DecidedStages {
 public:
  // Adds the library's decision for `call`, which runs between nodes if `between` is true, and
  // within a node otherwise. tutti's choice can name only one algorithm for the same collective and
  // the same segments on all nodes. If the library's decisions for two nodes differ, put_together()
  // sets no choice.
  void add(const PartCall& call, bool between, Segments segments, const LibraryDecision& decision);

  // Sets `decision.choice`, or explains in `decision.lacking` why there is no choice. `call` is the
  // call on all ranks. `segment_bytes` is 0 if the vector is not segmented.
  void put_together(const LibraryCall& call, HierarchyForm form, std::uint64_t segment_bytes,
                    LibraryDecision& decision) const;

 private:
  struct StageDecision {
    OnePart part;
    // True if `part` is an unsegmented tree, and all calls so far were on two ranks, where all
    // unsegmented trees send the same messages.
    bool any_tree;
  };
  struct Stage {
    Collective collective;
    bool between;
    std::array<std::optional<StageDecision>, 3> parts;  // indexed by Segments; at least one is set

    [[nodiscard]] StagePart by_segment() const;
  };
  std::vector<Stage> stages_;  // in the order of the calls
  std::string lacking_;        // why no choice can express the stages; empty if one can
};

}}  // namespace tutti::built_in

// The stages of a call that a library makes on nodes and between them, put together to one schedule
// of tutti's: COLLECTIVE/hierarchical, with --within and --across.
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

// The segments of a pipeline that a call is made on; `others` also stands for a whole vector.
enum class Segments : std::uint8_t { first, others, last };

class DecidedStages {
 public:
  // A decision on a part of the ranks: between nodes, or on them. All groups of a stage must get
  // the same algorithm for the same segments.
  void add(const PartCall& call, bool between, Segments segments, const LibraryDecision& decision);

  // Sets `choice`, or says what it is lacking for. `segment_bytes`: 0 in one piece.
  void put_together(const LibraryCall& call, HierarchyForm form, std::uint64_t segment_bytes,
                    LibraryDecision& decision) const;

 private:
  struct Decided {
    OnePart part;
    bool any_tree;  // so far on two ranks only, where all trees do the same
  };
  struct Stage {
    Collective collective;
    bool between;
    std::array<std::optional<Decided>, 3> parts;  // by Segments; at least one

    [[nodiscard]] StagePart by_segment() const;
  };
  std::vector<Stage> stages_;  // in the order in which they were asked for
  std::string lacking_;        // the first thing that no option can say
};

}  // namespace tutti::inline built_in

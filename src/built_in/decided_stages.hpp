// The stages of a call that a library makes on nodes and between them, put together to one schedule
// of tutti's: COLLECTIVE/hierarchical, with --within and --across.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedules/options/composition.hpp"
#include "schedules/options/parts.hpp"
#include "src/built_in/built_in.hpp"
#include "src/built_in/part_call.hpp"

namespace tutti {

class DecidedStages {
 public:
  // A decision on a part of the ranks: between nodes, or on them. Calls of one collective, such as
  // those on several segments, have to come to the same algorithm: a hierarchy has one for each
  // stage.
  void add(const PartCall& call, bool between, const LibraryDecision& decision);

  // Sets `choice`, or says what it is lacking for. `segment_bytes`: 0 in one piece.
  void put_together(const LibraryCall& call, HierarchyForm form, std::uint64_t segment_bytes,
                    LibraryDecision& decision) const;

 private:
  struct Stage {
    Collective collective;
    bool between;
    OnePart part;
    bool any_tree;  // so far on two ranks only, where all trees do the same
  };
  std::vector<Stage> stages_;  // in the order in which they were asked for
  std::string lacking_;        // the first thing that no option can say
};

}  // namespace tutti

// Labels for schedules whose source has none.
#pragma once

#include <span>
#include <vector>

#include "schedules/assemble.hpp"

namespace tutti { inline namespace interchange {

// The operation that should come first, and the one that should come after it.
struct OpOrder {
  OpId first = kNoOp;
  OpId second = kNoOp;
};

// Puts the operations of `parts` into topological order, and gives each a unique label. The order
// is as in `orders` as far as the dependencies and the other pairs of `orders` allow. The level
// of a message is the largest number of messages in a row over which its data came or, if `parts`
// has no payloads, that it waits for. A local operation has the level of the last of these
// messages. Returns nothing; or, without a change, the
// operations of a cycle, each of which waits for the next, and the last for the first. Ignores
// ScheduleParts::bare.
[[nodiscard]] std::vector<OpId> label_by_depth(ScheduleParts& parts,
                                               std::span<const OpOrder> orders = {});

}}  // namespace tutti::interchange

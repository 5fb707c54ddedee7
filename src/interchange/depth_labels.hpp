// Labels for schedules whose source has none.
#pragma once

#include <vector>

#include "schedules/assemble.hpp"

namespace tutti::inline interchange {

// Puts the operations of `parts` into topological order, and gives each a unique label. The level
// of a message is the largest number of messages in a row that it waits for; a local operation has
// the level of the last message that it waits for. Returns nothing; or, without a change, the
// operations of a cycle, each of which waits for the next, and the last for the first. Ignores
// ScheduleParts::bare.
[[nodiscard]] std::vector<OpId> label_by_depth(ScheduleParts& parts);

}  // namespace tutti::inline interchange

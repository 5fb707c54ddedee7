// Builds a schedule from its parts. Files, mutants and tests need this because they may contain
// what the builder refuses: a dependency that shares no rank, operations in any order, wrong
// blocks.
//
// These functions check only what the rest of the code needs to stay within its arrays: ranks,
// blocks and ids exist, sizes agree, and there is no cycle. The proof (verify/verify.hpp) checks
// that the schedule is right.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "schedules/block_layout.hpp"
#include "schedules/op.hpp"
#include "schedules/problem.hpp"
#include "schedules/schedule.hpp"

namespace tutti::inline schedules {

struct ScheduleParts {
  Problem problem;
  BlockLayout layout;
  std::vector<Op> ops;
  std::vector<Payload> payloads;  // one per operation; empty: times only
  std::vector<BlockPair> pool;
  // Operation `id` comes after dependencies[rows[id]] to dependencies[rows[id + 1] - 1].
  std::vector<std::uint32_t> rows{0};
  std::vector<OpId> dependencies;
  // Set if the schedule is bare; there are no payloads then.
  std::optional<BareOp> bare = {};
  std::uint32_t switches = 0;  // numbered after the ranks

  // Appends an operation that depends on the operations in `after`, whose ids may be larger than
  // its own.
  OpId add(const Op& op, const Payload& payload, const std::vector<OpId>& after);
};

// Takes a schedule apart so that it can be changed.
[[nodiscard]] ScheduleParts parts_of(const Schedule& schedule);

// Thrown if operations wait for each other in a cycle. what() names the first few by their labels.
class CycleError : public UserError {
 public:
  CycleError(const std::string& text, std::vector<OpId> ops)
      : UserError(text), ops_(std::move(ops)) {}

  // Ids of the operations in the cycle. Each operation depends on the next one, and the last
  // depends on the first.
  [[nodiscard]] const std::vector<OpId>& ops() const { return ops_; }

 private:
  std::vector<OpId> ops_;
};

// Puts the parts together. The operations keep their order if it is topological. Otherwise they are
// sorted topologically and get new ids: of all operations that may come next, the first in the
// given order does. Throws UserError with one line that names the operation: a cycle (CycleError),
// a rank, block or dependency that does not exist, a message from a rank to itself, or blocks whose
// sizes disagree.
[[nodiscard]] Schedule assemble(ScheduleParts parts);

// Last step of every construction. `parts` must be in topological order and their rows ascending;
// neither is checked.
[[nodiscard]] Schedule link(ScheduleParts&& parts, std::uint32_t scratch_slots);

}  // namespace tutti::inline schedules

// A schedule from its bare parts: what files, mutants and tests need, who may write what the
// builder refuses (a dependency that shares no rank, operations in any order, wrong blocks).
//
// What is checked here is what the rest of the code relies on to stay within its arrays: ranks,
// blocks and ids exist, sizes agree, there is no cycle. Whether the schedule is right is a question
// for the proof (verify/verify.hpp).
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
  std::vector<Payload> payloads;  // one per operation; or none at all: times only
  std::vector<BlockPair> pool;
  // Operation `id` comes after dependencies[rows[id]] to dependencies[rows[id + 1] - 1].
  std::vector<std::uint32_t> rows{0};
  std::vector<OpId> dependencies;
  // Of a schedule that is to be bare; then there are no payloads.
  std::optional<BareOp> bare = {};
  std::uint32_t switches = 0;  // that take part, behind the ranks

  // Appends an operation that comes after `after`, whose ids may be larger than its own.
  OpId add(const Op& op, const Payload& payload, const std::vector<OpId>& after);
};

// Takes a schedule apart, to change it.
[[nodiscard]] ScheduleParts parts_of(const Schedule& schedule);

// Operations that wait for each other in a circle; what() names them all by their labels.
class CycleError : public UserError {
 public:
  CycleError(const std::string& text, std::vector<OpId> ops)
      : UserError(text), ops_(std::move(ops)) {}

  // Their ids in the parts, each after the next, the last after the first.
  [[nodiscard]] const std::vector<OpId>& ops() const { return ops_; }

 private:
  std::vector<OpId> ops_;
};

// Puts the parts together. Operations keep their order where it is one in which each comes after
// all that it depends on; otherwise they take the nearest such order (of those that may come next,
// the first in the order given), and ids change. Throws UserError, one line that names the
// operation: a cycle (CycleError), a rank, block or dependency that does not exist, a
// message to oneself, blocks whose sizes disagree.
[[nodiscard]] Schedule assemble(ScheduleParts parts);

// The end of every construction: `parts` must be in order, their rows ascending. Nothing is
// checked.
[[nodiscard]] Schedule link(ScheduleParts&& parts, std::uint32_t scratch_slots);

}  // namespace tutti::inline schedules

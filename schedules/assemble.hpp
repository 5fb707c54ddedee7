// Builds a schedule from its parts, without the restrictions of ScheduleBuilder. Schedules from
// files, and the invalid schedules of tests, may have a dependency between operations that share no
// rank, operations in any order, or wrong blocks.
//
// The functions here check only what keeps the rest of the code within its arrays: that ranks,
// blocks and ids exist, that sizes agree, and that there is no cycle. The proof (see
// verify/verify.hpp) checks that the schedule is right.
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
#include "schedules/repeated_rounds.hpp"
#include "schedules/schedule.hpp"

namespace tutti { inline namespace schedules {

struct ScheduleParts {
  Problem problem;
  BlockLayout layout;
  std::vector<Op> ops;
  // One payload per operation. Empty if the schedule has only times.
  std::vector<Payload> payloads;
  std::vector<BlockPair> pool;
  // Operation `id` depends on dependencies[rows[id]] to dependencies[rows[id + 1] - 1].
  std::vector<std::uint32_t> rows{0};
  std::vector<OpId> dependencies;
  // Set if the schedule is bare (see bytes_only.hpp); a bare schedule has no payloads.
  std::optional<BareOp> bare = {};
  // Number of switches that take part. In operations, switches are numbered after the ranks.
  std::uint32_t switches = 0;
  // One for each operation; empty if all operations use the first units.
  std::vector<Units> units = {};
  // Stretches from which rounds were left out; see schedules/repeated_rounds.hpp.
  std::vector<RepeatedRounds> repeated = {};

  // Appends an operation that depends on the operations in `after`, and returns its id. Ids in
  // `after` may be larger than the returned one.
  OpId add(const Op& op, const Payload& payload, const std::vector<OpId>& after);
};

// Takes a schedule apart so that it can be changed.
[[nodiscard]] ScheduleParts parts_of(const Schedule& schedule);

// Thrown if operations wait for each other in a cycle. what() shows the labels of the first few
// operations.
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

// Puts the parts together. Operations keep their order if it is topological. Otherwise they are
// sorted topologically and get new ids; whenever several operations could come next, the first of
// them in `parts` does. Throws CycleError if there is a cycle. Throws UserError, in one line that
// names the operation, for a rank, block or dependency that does not exist, a message from a rank
// to itself, or blocks whose sizes disagree.
[[nodiscard]] Schedule assemble(ScheduleParts parts);

// Puts the operations into this order, so that operation order[i] gets id i. The dependencies must
// allow it.
void reorder(ScheduleParts& parts, const std::vector<OpId>& order);

// Makes the schedule, as the last step of assemble() and of ScheduleBuilder::finish(). The
// operations of `parts` must be in topological order, and the dependencies of each ascending;
// neither is checked.
[[nodiscard]] Schedule link(ScheduleParts&& parts, std::uint32_t scratch_slots);

}}  // namespace tutti::schedules

// Builds schedules by hand, for tests in which only the ranks, sizes and order of operations
// matter.
#pragma once

#include <vector>

#include "schedules/builder.hpp"

namespace tutti {

// Builds a schedule in which block b has b bytes, for b from 0 to kMaxBytes, so that an operation
// can have any size up to kMaxBytes.
class HandMadeSchedule {
 public:
  static constexpr std::uint32_t kMaxBytes = 31;

  explicit HandMadeSchedule(std::uint32_t ranks) : builder_(problem_of(ranks), layout()) {}

  OpId comm(Rank src, Rank dst, std::uint32_t bytes, std::vector<OpId> after = {}) {
    return builder_.comm({}, src, dst, move(bytes), after);
  }
  OpId reduce(Rank rank, std::uint32_t bytes, std::vector<OpId> after = {}) {
    return builder_.reduce({}, rank, move(bytes), Operand::left, after);
  }
  OpId copy(Rank rank, std::uint32_t bytes, std::vector<OpId> after = {}) {
    return builder_.copy({}, rank, move(bytes), after);
  }
  [[nodiscard]] OpId size() const { return builder_.size(); }
  [[nodiscard]] Schedule finish() { return builder_.finish(); }

 private:
  static BlockLayout layout() {
    std::vector<std::uint64_t> sizes;
    for (std::uint32_t bytes = 0; bytes <= kMaxBytes; ++bytes) {
      sizes.push_back(bytes);
    }
    return BlockLayout::irregular(sizes, 1);
  }
  static Problem problem_of(std::uint32_t ranks) {
    Problem problem;
    problem.ranks = ranks;
    problem.element_bytes = 1;
    problem.bytes = layout().bytes();
    return problem;
  }
  static Move move(std::uint32_t bytes) { return {{bytes, 1}, kWork, kScratch}; }

  ScheduleBuilder builder_;
};

}  // namespace tutti

// Helpers for the tests of the proof: small problems, planted faults, and findings by kind.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "schedules/assemble.hpp"
#include "schedules/registry.hpp"
#include "schedules/verify/verify.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti {

inline Problem small_problem(Collective collective, std::uint32_t ranks, std::uint32_t blocks = 1) {
  return problem_of(collective, ranks, collective == Collective::barrier ? 0 : blocks);
}

// Returns a problem with 8 elements per rank, so that blocks are not empty.
inline Problem problem_for(const Algorithm& algorithm, std::uint32_t ranks) {
  return problem_of(algorithm, ranks, 8 * ranks);
}

// Returns the texts of all findings of one kind.
inline std::vector<std::string> texts(const Verdict& verdict, FindingKind kind) {
  std::vector<std::string> found;
  for (const Finding& finding : verdict.findings) {
    if (finding.kind == kind) {
      found.push_back(finding.text);
    }
  }
  return found;
}

inline std::string all_texts(const Verdict& verdict) {
  std::string all;
  for (const Finding& finding : verdict.findings) {
    all += std::string(name(finding.kind)) + ": " + finding.text + "\n";
  }
  return all;
}

// Builds a schedule by hand. Unlike ScheduleBuilder, accepts dependencies on any operation.
class ByHand {
 public:
  explicit ByHand(const Problem& problem, std::uint32_t blocks = 1) {
    parts_.problem = problem;
    parts_.layout = BlockLayout::even(problem.elements(), blocks, problem.element_bytes);
  }
  OpId comm(Label label, Rank src, Rank dst, std::uint32_t block, Buffer from, Buffer into,
            const std::vector<OpId>& after = {}) {
    return add(OpKind::comm, label, src, dst, block, from, into, Operand::left, after);
  }
  OpId reduce(Label label, Rank rank, std::uint32_t block, Operand from_is,
              const std::vector<OpId>& after = {}) {
    return add(OpKind::reduce, label, rank, rank, block, Buffer::scratch, Buffer::work, from_is,
               after);
  }
  OpId copy(Label label, Rank rank, std::uint32_t block, Buffer from, Buffer into,
            const std::vector<OpId>& after = {}) {
    return add(OpKind::copy, label, rank, rank, block, from, into, Operand::left, after);
  }
  [[nodiscard]] Schedule finish() const { return assemble(parts_); }

 private:
  OpId add(OpKind kind, Label label, Rank src, Rank dst, std::uint32_t block, Buffer from,
           Buffer into, Operand from_is, const std::vector<OpId>& after) {
    const std::uint64_t bytes = parts_.layout.size_bytes(block);
    return parts_.add({kind, src, dst, bytes, label, from, into, from_is, false},
                      {{block, 1, 0, 0}, block}, after);
  }

  ScheduleParts parts_;
};

inline Schedule without_dependency(const Schedule& schedule, OpId id, OpId before) {
  ScheduleParts parts = parts_of(schedule);
  const auto begin = parts.dependencies.begin() + parts.rows[id];
  const auto end = parts.dependencies.begin() + parts.rows[id + 1];
  parts.dependencies.erase(std::find(begin, end, before));
  for (std::size_t i = id + std::size_t{1}; i < parts.rows.size(); ++i) {
    --parts.rows[i];
  }
  return assemble(std::move(parts));
}

}  // namespace tutti

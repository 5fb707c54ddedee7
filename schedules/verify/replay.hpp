// One execution of a schedule on symbolic expressions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedules/collective.hpp"
#include "schedules/schedule.hpp"
#include "schedules/verify/expressions.hpp"
#include "schedules/verify/races.hpp"

namespace tutti { inline namespace schedules {

// Executes a schedule once on symbolic expressions. Without races, every execution computes the
// same values. The reads that `undefined_reads` lists, which must be sorted, return an undefined
// value even if this execution happens to have written the block in time.
class Replay {
 public:
  Replay(const Schedule& schedule, const Contract& contract,
         std::span<const UndefinedRead> undefined_reads);
  // Does not run any operation. The caller must run() each operation once, after all operations
  // that it depends on.
  Replay(const Schedule& schedule, const Contract& contract);
  void run(OpId id, std::span<const UndefinedRead> undefined_reads = {});

  // Content of block `block` of `work` at `rank`.
  [[nodiscard]] Expressions::Value result(Rank rank, std::uint32_t block) const {
    return buffers_[rank][kWorkPage][block];
  }
  // Content of `scratch` at index `slot * blocks + block`.
  [[nodiscard]] Expressions::Value in_scratch(Rank rank, std::uint32_t index) const;
  [[nodiscard]] Expressions& expressions() { return expressions_; }
  [[nodiscard]] const Expressions& expressions() const { return expressions_; }

 private:
  static constexpr std::size_t kInputPage = 0;
  static constexpr std::size_t kWorkPage = 1;
  // The page of scratch slot 0; each further slot has the next page.
  static constexpr std::size_t kFirstScratchPage = 2;

  void fill(const Contract& contract);
  Expressions::Value& value(Rank rank, Buffer buffer, std::uint32_t index);

  const Schedule& schedule_;
  Expressions expressions_;
  // The content of each block. The indices are rank, page (see above) and block.
  std::vector<std::vector<std::vector<Expressions::Value>>> buffers_;
  std::vector<Expressions::Value> moved_;
};

}}  // namespace tutti::schedules

// Finds races and undefined reads, one rank at a time, in the order of operation ids.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedules/accesses.hpp"
#include "schedules/collective.hpp"
#include "schedules/schedule.hpp"
#include "schedules/verify/event_search.hpp"
#include "schedules/verify/findings.hpp"
#include "schedules/verify/rank_order.hpp"

namespace tutti { inline namespace schedules {

// A read of a block that was not written by any operation that surely precedes the read.
struct UndefinedRead {
  OpId id;
  Buffer buffer;
  std::uint32_t index;

  friend constexpr auto operator<=>(const UndefinedRead&, const UndefinedRead&) = default;
};

// Keeps, for each block of each buffer of a rank, the last writer and the readers since that write.
// An operation that writes the block must be ordered after all of them, and an operation that only
// reads it must be ordered after the last writer. The operation is then also ordered after all
// earlier conflicting accesses, because the order is transitive.
class Races {
 public:
  Races(const Schedule& schedule, const Contract& contract, const RankOps& ops,
        std::uint64_t search_budget, Findings& findings);

  // `order` must have been built for `rank`.
  void check(Rank rank, const RankOrder& order);

  // Returns the undefined reads at the ranks checked so far, sorted by operation.
  [[nodiscard]] std::vector<UndefinedRead> take_undefined_reads();
  [[nodiscard]] std::size_t unread_writes() const { return unread_writes_; }
  [[nodiscard]] std::size_t searches() const { return searches_; }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffU;
  // A block's history: the heads of two chains of accesses in links_, each with the latest access
  // first.
  struct Cell {
    std::uint32_t writes = kNone;
    // The reads since the last write.
    std::uint32_t reads = kNone;
  };
  struct Link {
    // Index of the operation among those of the rank.
    std::uint32_t index;
    std::uint32_t next;
  };

  Cell& cell(Buffer buffer, std::uint32_t index);
  void forget_cells();
  void collect_unordered(std::uint32_t index);
  void require(std::uint32_t earlier, std::uint32_t index);
  void search(std::uint32_t index);
  void report_race(OpId before, OpId after);
  void check_reads(std::uint32_t index);
  [[nodiscard]] bool holds(Buffer buffer, std::uint32_t at, std::uint32_t index);
  [[nodiscard]] bool is_ordered(std::uint32_t earlier, std::uint32_t index);
  void record(std::uint32_t index);
  void count_unread_at_end();

  const Schedule& schedule_;
  const Contract& contract_;
  const RankOps& ops_;
  Findings& findings_;
  EventSearch event_search_;

  Rank rank_ = 0;
  const RankOrder* order_ = nullptr;
  std::span<const OpId> ids_;
  // By buffer, then by block. Scratch has cells only up to the last block that an operation
  // touched.
  std::vector<std::vector<Cell>> cells_;
  std::vector<Link> links_;
  // For each operation of the rank, by index: 1 + the index of the last operation that was compared
  // with it.
  std::vector<std::uint32_t> compared_with_;
  std::vector<OpId> candidates_;
  // Indices of the operations that race with the current one.
  std::vector<std::uint32_t> racing_;

  std::vector<UndefinedRead> undefined_reads_;
  std::size_t unread_writes_ = 0;
  std::size_t searches_ = 0;
};

}}  // namespace tutti::schedules

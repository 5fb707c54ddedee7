// Finds races and undefined reads, one rank at a time, in id order.
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

namespace tutti::inline schedules {

// A block that an operation reads although no operation that surely precedes it has written it.
struct UndefinedRead {
  OpId id;
  Buffer buffer;
  std::uint32_t index;

  friend constexpr auto operator<=>(const UndefinedRead&, const UndefinedRead&) = default;
};

// Keeps, for each block of each buffer of a rank, the last writer and the readers since then. The
// next operation that touches the block must be ordered after each of these if one of the two
// writes. It is then ordered after all earlier accesses, too, because the order is transitive.
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
  // A block's history: chains of accesses, the last one first.
  struct Cell {
    std::uint32_t writes = kNone;
    std::uint32_t reads = kNone;  // since the last write
  };
  struct Link {
    std::uint32_t index;  // of the operation at this rank
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
  std::vector<std::vector<Cell>> cells_;  // by buffer; scratch only as far as it is touched
  std::vector<Link> links_;
  // By index at the rank: the last operation that was compared with it, plus one.
  std::vector<std::uint32_t> compared_with_;
  std::vector<OpId> candidates_;
  std::vector<std::uint32_t> racing_;  // indices that race with the current operation

  std::vector<UndefinedRead> undefined_reads_;
  std::size_t unread_writes_ = 0;
  std::size_t searches_ = 0;
};

}  // namespace tutti::inline schedules

#include "tests/schedules/symbolic_replay.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "schedules/collective.hpp"
#include "tests/schedules/replay.hpp"

namespace tutti {

namespace {

constexpr std::uint32_t kUndefined = 0xffffffffU;

std::string text(const Op& op) {
  const Label label = op.label();
  return op.is_comm()
             ? fmt::format("Req(<{},{}>,{{{},{}}})", label.level, label.segment, op.src(), op.dst())
             : fmt::format("Req(<{},{}>,{{{}}})", label.level, label.segment, op.rank());
}

constexpr std::string_view buffer_name(Buffer buffer) {
  return buffer == Buffer::input ? "input" : buffer == Buffer::work ? "work" : "scratch";
}

// Values of all cells, in flat arrays. Counts saturate at 255, so that they cannot wrap around to
// 1.
class Values {
 public:
  Values(std::size_t cells, std::uint32_t ranks)
      : ranks_(ranks), block_(cells, kUndefined), counts_(cells * ranks) {}

  void set_input(std::size_t cell, Rank origin, std::uint32_t block) {
    block_[cell] = block;
    counts_[cell * ranks_ + origin] = 1;
  }
  [[nodiscard]] bool defined(std::size_t cell) const { return block_[cell] != kUndefined; }
  [[nodiscard]] std::uint32_t block(std::size_t cell) const { return block_[cell]; }
  [[nodiscard]] std::uint32_t count(std::size_t cell, Rank origin) const {
    return counts_[cell * ranks_ + origin];
  }
  void copy(std::size_t cell, const Values& from, std::size_t from_cell) {
    block_[cell] = from.block_[from_cell];
    for (std::uint32_t origin = 0; origin < ranks_; ++origin) {
      counts_[cell * ranks_ + origin] = from.counts_[from_cell * ranks_ + origin];
    }
  }
  void add(std::size_t cell, const Values& from, std::size_t from_cell) {
    for (std::uint32_t origin = 0; origin < ranks_; ++origin) {
      std::uint8_t& count = counts_[cell * ranks_ + origin];
      const unsigned sum = unsigned{count} + from.counts_[from_cell * ranks_ + origin];
      count = static_cast<std::uint8_t>(sum < 255 ? sum : 255);
    }
  }

 private:
  std::uint32_t ranks_;
  std::vector<std::uint32_t> block_;  // for each cell, the input block that its value comes from
  // For each cell and rank, how often the value of the cell contains the input of the rank.
  std::vector<std::uint8_t> counts_;
};

class SymbolicReplay {
 public:
  explicit SymbolicReplay(const Schedule& schedule)
      : schedule_(schedule),
        contract_(schedule.problem().collective, schedule.ranks(), schedule.blocks(),
                  schedule.problem().root),
        cells_(schedule),
        values_(cells_.count(schedule.places()), schedule.ranks()),
        // An operation moves at most all blocks of a buffer.
        moved_(schedule.blocks(), schedule.ranks()) {
    for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
      for (std::uint32_t block = 0; block < schedule.blocks(); ++block) {
        if (contract_.has_input(rank, block)) {
          values_.set_input(cells_.at(rank, Buffer::input, block), rank, block);
          if (contract_.in_place()) {
            values_.set_input(cells_.at(rank, Buffer::work, block), rank, block);
          }
        }
      }
    }
  }

  std::optional<std::string> fault() {
    replay(
        schedule_, cells_,
        [&](OpId id, std::size_t index, std::size_t cell) { read(id, index, cell); },
        [&](OpId id, std::size_t index, std::size_t cell) { write(id, index, cell); });
    for (Rank rank = 0; rank < schedule_.ranks() && !fault_; ++rank) {
      for (std::uint32_t block = 0; block < schedule_.blocks() && !fault_; ++block) {
        if (schedule_.layout().size_bytes(block) > 0) {  // nothing is demanded of empty blocks
          compare(rank, block);
        }
      }
    }
    return fault_;
  }

 private:
  void set_fault(std::string fault) {
    if (!fault_) {
      fault_ = std::move(fault);
    }
  }

  void read(OpId id, std::size_t index, std::size_t cell) {
    const Op& op = schedule_.op(id);
    // The cells of one buffer at one rank are adjacent, so the remainder is the block.
    const auto block = static_cast<std::uint32_t>(cell % schedule_.blocks());
    const BlockLayout& layout = schedule_.layout();
    const bool nothing = layout.size_bytes(block) == 0 && layout.bytes() > 0;
    if (!values_.defined(cell) && !nothing) {
      set_fault(fmt::format("{} reads {} at rank {}, where nothing was written", text(op),
                            buffer_name(op.from()), op.src()));
    }
    moved_.copy(index, values_, cell);
  }

  void write(OpId id, std::size_t index, std::size_t cell) {
    const Op& op = schedule_.op(id);
    if (op.kind() != OpKind::reduce) {
      values_.copy(cell, moved_, index);
      return;
    }
    if (!reduces(schedule_.problem().collective)) {
      set_fault(fmt::format("{} reduces, but {} has no operator", text(op),
                            name(schedule_.problem().collective)));
    }
    if (!values_.defined(cell)) {
      set_fault(fmt::format("{} reduces into {} at rank {}, where nothing was written", text(op),
                            buffer_name(op.into()), op.rank()));
    } else if (values_.block(cell) != moved_.block(index)) {
      set_fault(fmt::format("{} combines block {} with block {}", text(op), moved_.block(index),
                            values_.block(cell)));
    }
    values_.add(cell, moved_, index);
  }

  void compare(Rank rank, std::uint32_t block) {
    const Demand demand = contract_.demand(rank, block);
    if (demand.kind == Demand::Kind::nothing) {
      return;
    }
    const std::size_t cell = cells_.at(rank, Buffer::work, block);
    const std::string where = fmt::format("at the end block {} of rank {}", block, rank);
    if (!values_.defined(cell)) {
      set_fault(where + " is empty");
      return;
    }
    if (values_.block(cell) != demand.block) {
      set_fault(fmt::format("{} holds block {} instead of block {}", where, values_.block(cell),
                            demand.block));
    }
    for (Rank origin = 0; origin < schedule_.ranks(); ++origin) {
      const bool wanted = demand.kind == Demand::Kind::copy     ? origin == demand.origin
                          : demand.kind == Demand::Kind::prefix ? origin <= demand.origin
                                                                : true;
      const std::uint32_t count = values_.count(cell, origin);
      if (wanted && count == 0) {
        set_fault(fmt::format("{} lacks the input of rank {}", where, origin));
      } else if (!wanted && count > 0) {
        set_fault(fmt::format("{} holds the input of rank {} instead of rank {}'s", where, origin,
                              demand.origin));
      } else if (count > 1) {
        set_fault(fmt::format("{} counts the input of rank {} {} times", where, origin, count));
      }
    }
  }

  const Schedule& schedule_;
  Contract contract_;
  Cells cells_;
  Values values_;
  Values moved_;
  std::optional<std::string> fault_;
};

// Returns the first fault of a barrier in words, or nothing. A barrier moves no data, but at the
// end each rank must have heard of every other rank, that is, a chain of messages must lead from
// the other rank to it.
std::optional<std::string> barrier_fault(const Schedule& schedule) {
  const std::uint32_t ranks = schedule.ranks();
  std::vector<std::vector<bool>> heard(schedule.places(), std::vector<bool>(ranks));
  for (Rank rank = 0; rank < ranks; ++rank) {
    heard[rank][rank] = true;
  }
  for (const Op& op : schedule.ops()) {
    for (Rank origin = 0; origin < ranks; ++origin) {
      heard[op.dst()][origin] = heard[op.dst()][origin] || heard[op.src()][origin];
    }
  }
  for (Rank rank = 0; rank < ranks; ++rank) {
    for (Rank origin = 0; origin < ranks; ++origin) {
      if (!heard[rank][origin]) {
        return fmt::format("at the end rank {} has not heard of rank {}", rank, origin);
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> contract_fault(const Schedule& schedule) {
  if (schedule.problem().collective == Collective::barrier) {
    return barrier_fault(schedule);
  }
  return SymbolicReplay(schedule).fault();
}

}  // namespace tutti

// Replays a schedule with strings as values. Concatenation does not commute, so the text of a
// result shows what was combined, and in which order.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "schedules/collective.hpp"
#include "tests/schedules/replay.hpp"

namespace tutti {

class StringReplay {
 public:
  // `input(rank, block)` returns the text of a rank's input block. `separator` is written between
  // two texts that are combined.
  StringReplay(const Schedule& schedule,
               const std::function<std::string(Rank, std::uint32_t)>& input, std::string separator)
      : schedule_(schedule),
        cells_(schedule),
        values_(cells_.count(schedule.places())),
        separator_(std::move(separator)) {
    const Contract contract(schedule.problem().collective, schedule.ranks(), schedule.blocks(),
                            schedule.problem().root);
    for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
      for (std::uint32_t block = 0; block < schedule.blocks(); ++block) {
        if (contract.has_input(rank, block)) {
          values_[cells_.at(rank, Buffer::input, block)] = input(rank, block);
          if (contract.in_place()) {
            values_[cells_.at(rank, Buffer::work, block)] = input(rank, block);
          }
        }
      }
    }
  }

  // Replays all operations. Calls level_done(level) after the last operation of each level.
  template <typename LevelDone>
  void run(LevelDone&& level_done) {
    std::vector<std::string> moved(schedule_.blocks());
    const auto read = [&](OpId id, std::size_t index, std::size_t cell) {
      if (index == 0 && id > 0 && level(id) != level(id - 1)) {
        level_done(level(id - 1));
      }
      moved[index] = values_[cell];
    };
    const auto write = [&](OpId id, std::size_t index, std::size_t cell) {
      const Op& op = schedule_.op(id);
      std::string& value = values_[cell];
      if (op.kind() != OpKind::reduce) {
        value = moved[index];
      } else if (op.from_is() == Operand::left) {
        value = moved[index] + separator_ + value;
      } else {
        value += separator_ + moved[index];
      }
    };
    replay(schedule_, cells_, read, write);
    if (schedule_.size() > 0) {
      level_done(level(schedule_.size() - 1));
    }
  }
  void run() {
    run([](std::uint32_t) {});
  }

  [[nodiscard]] const std::string& work(Rank rank, std::uint32_t block) const {
    return values_[cells_.at(rank, Buffer::work, block)];
  }

 private:
  [[nodiscard]] std::uint32_t level(OpId id) const { return schedule_.op(id).label().level; }

  const Schedule& schedule_;
  Cells cells_;
  std::vector<std::string> values_;
  std::string separator_;
};

}  // namespace tutti

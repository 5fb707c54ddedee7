// The lists of a running program. Their memory and the number of members that are touched count
// towards the program's limits.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "schedules/notation/program/code.hpp"
#include "schedules/notation/program/run_state.hpp"

namespace tutti { inline namespace schedules { namespace program {

// All lists of a program, accessed by number. All functions throw Fault.
class Lists {
 public:
  Lists(RunState& state, std::uint32_t lists) : state_(state), lists_(lists) {}

  [[nodiscard]] const Numbers& operator[](std::uint32_t list) const { return lists_[list]; }
  [[nodiscard]] const std::vector<Numbers>& all() const { return lists_; }

  [[nodiscard]] std::int64_t member(std::uint32_t list, std::int64_t index) const {
    const Numbers& members = lists_[list];
    if (static_cast<std::uint64_t>(index) >= members.size()) [[unlikely]] {
      fail_member(members, index);
    }
    return members[static_cast<std::size_t>(index)];
  }
  void set_member(std::uint32_t list, std::int64_t index, std::int64_t value);
  void clear(std::uint32_t list);
  void push(std::uint32_t list, std::int64_t value);
  void copy(std::uint32_t into, std::uint32_t from);
  // Appends the numbers from `first` to `last`. If `members` is given, appends only this number of
  // evenly spaced ones.
  void fill(std::uint32_t list, std::int64_t first, std::int64_t last,
            std::optional<std::int64_t> members);
  // Appends first, first + step, ... up to last. The numbers are ranks. Fails if there are more
  // than `most` of them, where `most` is the number of all ranks.
  void append_range(std::uint32_t list, std::int64_t first, std::int64_t last, std::int64_t step,
                    std::int64_t most);
  void check_fits(std::uint32_t list, std::int64_t room) const;
  // Appends the members of `from` that `into` does not have. If `into` is long, builds an index of
  // its members.
  void join(std::uint32_t into, std::uint32_t from);
  [[nodiscard]] bool has(std::uint32_t list, std::int64_t value);

 private:
  [[noreturn]] void fail_member(const Numbers& members, std::int64_t index) const;
  void append(Numbers& list, std::int64_t value);
  // Counts the memory of `numbers` list members. Must be called before this memory is allocated.
  void count_memory(std::uint64_t numbers);
  void reserve(Numbers& list, std::uint64_t members);
  // Must be called before any function except join() changes the list.
  void touch(std::uint32_t list) {
    if (list == indexed_) {
      forget_index();
    }
  }
  void forget_index();

  RunState& state_;
  std::vector<Numbers> lists_;
  // Memory of all lists and of index_, as the number of list members that would fit into it.
  std::uint64_t room_ = 0;
  // The members of list `indexed_`: the long list that was last extended by a join.
  std::unordered_set<std::int64_t> index_;
  std::uint32_t indexed_ = kNone;
};

}}}  // namespace tutti::schedules::program

// Collects the operations that a program makes, their dependencies, and the sets Req(l,n).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/assemble.hpp"
#include "schedules/builder.hpp"
#include "schedules/notation/additions.hpp"
#include "schedules/notation/program/calls.hpp"
#include "schedules/notation/program/code.hpp"
#include "schedules/notation/program/fault.hpp"
#include "schedules/notation/program/labels.hpp"
#include "schedules/notation/program/operation_blocks.hpp"
#include "schedules/notation/program/program.hpp"
#include "schedules/notation/program/rank_sets.hpp"
#include "schedules/notation/program/rank_traces.hpp"
#include "schedules/notation/program/run_state.hpp"

namespace tutti { inline namespace schedules { namespace program {

class Emission {
 public:
  Emission(const CompiledCode& code, const Problem& problem, Detail detail, RunState& state);
  Emission(const Emission&) = delete;
  Emission& operator=(const Emission&) = delete;

  [[nodiscard]] OperationBlocks& blocks() { return blocks_; }
  // The public functions below throw Fault.
  void operation(const OperationCode& code, const Numbers& slots,
                 const std::vector<Numbers>& lists);
  // Also throws CallRefusal.
  void call(const UseCode& code, const Numbers& slots, const std::vector<Numbers>& lists);
  // Returns the first level above all operations of the rank; in a round, above those before it.
  [[nodiscard]] std::int64_t next_level(std::int64_t rank) const;
  void begin_round();
  void end_round() { round_levels_.clear(); }
  void begin_set() { set_.clear(); }
  void take_into_set(const RequestCode& request, const Numbers& slots);
  void end_set(const RequestCode& request, bool adds, const Numbers& slots);

  // Returns the schedule. `text` is the text of the program, needed for the line number of a bare
  // operation. Throws CallRefusal.
  [[nodiscard]] Schedule finish(std::string_view text);

 private:
  // A request with the values of its numbers, all of them valid.
  struct RequestValues {
    Label label;
    Rank first;
    Rank second;
  };

  // Stores the values of the request's numbers in `named`. Returns false if one of them is out of
  // range.
  [[nodiscard]] bool resolve(const RequestCode& request, const Numbers& slots,
                             RequestValues& named) const {
    const auto number = [&slots](std::uint32_t slot) {
      return static_cast<std::uint64_t>(slots[slot]);
    };
    const std::uint64_t level = number(request.level);
    const std::uint64_t segment = number(request.segment);
    const std::uint64_t first = number(request.first);
    const std::uint64_t second = number(request.second);
    named = {{static_cast<std::uint32_t>(level), static_cast<std::uint32_t>(segment)},
             static_cast<Rank>(first),
             static_cast<Rank>(second)};
    return level <= kMaxLevel && segment <= kMaxSegment && first < ranks_ && second < ranks_;
  }
  [[nodiscard]] static std::string text_of(const RequestCode& request, const Numbers& slots);
  [[noreturn]] void fail_numbers(const RequestCode& request, const Numbers& slots) const;
  [[noreturn]] void fail_rank(std::uint32_t place, const char* what, std::int64_t rank) const;
  [[noreturn]] static void fail_label(const OperationCode& code, const Numbers& slots);
  [[noreturn]] void fail_label_taken(const OperationCode& code, const LabelKey& key) const;
  [[noreturn]] void fail_no_label(const RequestCode& request, const Numbers& slots) const;

  // Adds operation `id` to the request whose first operation is `begun`, and returns the label of
  // operation `id`.
  Label add_to_request(const OperationCode& code, LabelKey key, OpId begun, OpId id);
  // Remembers the first message without blocks, or if there is none, the first other operation
  // without blocks.
  void note_bare(const OperationCode& code, OpId id);
  template <typename Visit>
  void for_each_named(const RequestCode& request, const Numbers& slots, Visit&& visit);
  void add_to_sets(const Label& label, Rank rank, OpId id);
  void tidy_row();
  // next_id() begins an operation and returns its id. end_row() completes the row of the
  // operation's dependencies, which are at the end of the array.
  OpId next_id(std::uint32_t place) const;
  void end_row(std::uint32_t place);

  // The interface that PartCopier uses while it copies a call.
  friend class PartCopier<Emission>;
  void begin_after(Rank rank, std::vector<OpId>& after) const;
  OpId write(OpId id, Rank src, Rank dst, std::span<const OpId> after);
  [[nodiscard]] bool touches(OpId id, Rank one, Rank other) const {
    return parts_.ops[id].touches(one) || parts_.ops[id].touches(other);
  }
  // Does nothing, because traces_ records the last operations of ranks.
  static void end_with(Rank, OpId) {}
  OpId write(const Op& op, std::span<const OpId> after, std::uint32_t place);
  void keep_inputs(Call& call, std::uint32_t level);

  // Counts `members` steps for a request that names a set of `members` operations. A set may grow
  // each time that a request names it, so naming a set counts as work.
  void count_members(std::size_t members, std::uint32_t place);
  // Counts `items` new operations, dependencies or members of sets, and checks the memory after
  // about every 1024 items.
  void count(std::size_t items, std::uint32_t place) {
    constexpr std::size_t kOften = 1024;
    uncounted_ += items;
    if (uncounted_ >= kOften) [[unlikely]] {
      uncounted_ = 0;
      check_memory(place);
    }
  }
  void check_memory(std::uint32_t place) const;
  [[nodiscard]] std::size_t memory_bytes() const;

  RunState& state_;
  const ProgramLimits& limits_;
  Detail detail_;
  ScheduleParts parts_;
  std::uint32_t ranks_;
  OperationBlocks blocks_;
  Labels labels_;
  Additions additions_;
  OpId bytes_only_ = kNoOp;
  std::uint32_t bare_place_ = 0;
  bool keeps_levels_;
  bool keeps_segments_;
  // The sets Req(l,n), which include all segments.
  RankSets levels_;
  // The sets Req(<l,s>,n).
  RankSets segments_;
  std::vector<OpId> set_;
  std::size_t uncounted_ = 0;
  RankTraces traces_;
  std::vector<std::uint32_t> round_levels_;  // of each rank, at the beginning of the present round
  Calls calls_;
  // The call that is being copied.
  Call* call_ = nullptr;
  std::uint32_t first_level_ = 0;
  struct Begin {
    std::vector<OpId> after;
    // True if the rank's input was copied; `after` then has only the copy.
    bool kept = false;
  };
  // For each rank of the call: the operations after which the rank begins the call.
  std::vector<Begin> begins_;
};

}}}  // namespace tutti::schedules::program

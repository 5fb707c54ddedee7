// The operations that a program makes: their blocks, what they come after, and the sets Req(l,n).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/assemble.hpp"
#include "schedules/builder.hpp"
#include "schedules/notation/program/code.hpp"
#include "schedules/notation/program/labels.hpp"
#include "schedules/notation/program/program.hpp"
#include "schedules/notation/program/rank_sets.hpp"

namespace tutti::program {

// What is wrong, and where in the text: the evaluator adds what the variables were.
struct Fault {
  std::uint32_t place;
  std::string what;
};

using Numbers = std::vector<std::int64_t>;

class Emission {
 public:
  Emission(const CompiledCode& code, const Problem& problem, Detail detail,
           const ProgramLimits& limits);

  // All of these throw Fault.
  void set_layout(BlockLayout layout, std::uint32_t place);
  // The layout, from here on for good. The default one where the program has set none.
  const BlockLayout& layout();
  void operation(const OperationCode& code, const Numbers& slots,
                 const std::vector<Numbers>& lists);
  void begin_set() { set_.clear(); }
  void take_into_set(const RequestCode& request, const Numbers& slots);
  void end_set(const RequestCode& request, bool adds, const Numbers& slots);

  [[nodiscard]] std::size_t memory_bytes() const;
  [[nodiscard]] Schedule finish();

 private:
  // A request with its numbers.
  struct Name {
    std::int64_t level;
    std::int64_t segment;  // kNoSegment: none given
    std::int64_t first;
    std::int64_t second;
  };
  // One side of an arrow.
  struct Side {
    BlockSet set;
    std::uint32_t slot = 0;
    const Numbers* list = nullptr;
  };
  static constexpr std::int64_t kNoSegment = -1;

  [[nodiscard]] Name name_of(const RequestCode& request, const Numbers& slots) const;
  [[nodiscard]] static std::string text_of(const RequestCode& request, const Name& name);
  void check_ranks(const RequestCode& request, const Name& name) const;
  [[nodiscard]] Label label_of(const RequestCode& request, const Name& name) const;
  void check_label(const OperationCode& code, const Name& name, Rank src, Rank dst) const;
  [[nodiscard]] Rank rank_of(std::int64_t value, std::uint32_t place, const char* what) const;
  template <typename Visit>
  void for_each_named(const RequestCode& request, const Numbers& slots, Visit&& visit);
  void add_to_sets(const Label& label, Rank rank, OpId id);

  [[nodiscard]] Side side_of(const SideCode& code, const Numbers& slots,
                             const std::vector<Numbers>& lists);
  [[nodiscard]] std::uint32_t block_of(std::int64_t value, const SideCode& code) const;
  // Fills the payload and returns the bytes.
  std::uint64_t payload_of(const OperationCode& code, const Numbers& slots,
                           const std::vector<Numbers>& lists, Payload& payload, bool& pooled);
  void check_sizes(const Side& from, const Side& into, const SideCode& place) const;
  std::uint64_t pool_blocks(const OperationCode& code, const Side& from, const Side& into,
                            Payload& payload, bool& pooled);
  void tidy_row();

  ProgramLimits limits_;
  Detail detail_;
  ScheduleParts parts_;
  std::uint32_t ranks_;
  bool has_layout_ = false;
  bool layout_is_final_ = false;
  std::uint32_t blocks_ = 1;
  bool uniform_ = true;
  std::uint32_t scratch_slots_ = 0;
  Labels labels_;
  bool keeps_levels_;
  bool keeps_segments_;
  RankSets levels_;    // Req(l,n), all segments
  RankSets segments_;  // Req(<l,s>,n)
  std::vector<OpId> set_;
  std::vector<BlockPair> pairs_;
  std::vector<std::uint32_t> sorted_;
};

}  // namespace tutti::program

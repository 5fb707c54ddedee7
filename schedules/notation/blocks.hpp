// Parses the blocks that an operation reads and writes, such as work[0] -> scratch#2[5:3].
#pragma once

#include <string_view>
#include <vector>

#include "schedules/block_layout.hpp"
#include "schedules/notation/parse.hpp"
#include "schedules/notation/scanner.hpp"
#include "schedules/op.hpp"

namespace tutti { inline namespace schedules {

struct ParsedPayload {
  Payload payload;
  Buffer from = Buffer::work;
  Buffer into = Buffer::work;
  Operand from_is = Operand::left;
  bool pooled = false;
};

class BlocksParser {
 public:
  // Blocks that follow no pattern are appended to `pool`. All arguments must outlive the parser.
  BlocksParser(Scanner& scanner, const BlockLayout& layout, const ParseLimits& limits,
               std::vector<BlockPair>& pool);

  // Parses the blocks of a message or a copy, such as work[0] -> scratch[0]. The operation has
  // `bytes` bytes; `bytes_place` is the place of this number in the text.
  [[nodiscard]] ParsedPayload parse_move(std::uint64_t bytes, const char* bytes_place);
  // Parses the blocks of a reduction, such as scratch[3] op work[3] -> work[3]. The parameters are
  // those of parse_move().
  [[nodiscard]] ParsedPayload parse_reduction(std::uint64_t bytes, const char* bytes_place);

  [[nodiscard]] std::uint32_t scratch_slots() const { return scratch_slots_; }

 private:
  // One side of an arrow. Block numbers count within the slot.
  struct Side {
    const char* place = nullptr;
    Place at;
    BlockSet set;
    bool is_list = false;
    std::vector<std::uint32_t> list;  // the blocks, if `is_list`
  };

  void parse_side(Side& side);
  void parse_pattern(Side& side);
  void parse_list(Side& side);
  [[nodiscard]] static bool same(const Side& a, const Side& b);
  [[nodiscard]] ParsedPayload payload_of(Side& from, Side& into, std::uint64_t bytes,
                                         const char* bytes_place);
  void check_sizes(const Side& from, const Side& into, std::uint64_t bytes,
                   const char* bytes_place);
  void make_list(Side& side);
  void check_distinct(const Side& side);
  // If the blocks of both lists are consecutive, turns both lists into runs and returns true.
  [[nodiscard]] bool become_run(Side& from, Side& into) const;
  [[noreturn]] void fail_bytes(const char* place, std::uint64_t bytes, std::uint64_t held) const;
  [[noreturn]] void fail_pair(const Side& into, std::uint32_t from_block,
                              std::uint32_t into_block) const;
  void count_runs(const Side& side, std::uint64_t runs);

  Scanner& scanner_;
  const BlockLayout& layout_;
  const ParseLimits& limits_;
  std::vector<BlockPair>& pool_;
  std::uint32_t blocks_;
  bool uniform_;
  // Size of every block, if all blocks have the same size.
  std::uint64_t block_bytes_;
  std::uint64_t runs_ = 0;
  std::uint32_t scratch_slots_ = 0;
  // The sides of the current operation, kept as members to reuse the memory of their lists.
  Side sides_[3];
  std::vector<std::uint32_t> sorted_;
};

}}  // namespace tutti::schedules

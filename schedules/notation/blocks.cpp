#include "schedules/notation/blocks.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tutti { inline namespace schedules {

BlocksParser::BlocksParser(Scanner& scanner, const BlockLayout& layout, const ParseLimits& limits,
                           std::vector<BlockPair>& pool)
    : scanner_(scanner),
      layout_(layout),
      limits_(limits),
      pool_(pool),
      blocks_(layout.blocks()),
      uniform_(layout.uniform()),
      block_bytes_(layout.size_bytes(0)) {}

void BlocksParser::parse_side(Side& side) {
  scanner_.skip_blank();
  side.place = scanner_.at();
  side.at.slot = 0;
  if (scanner_.take("work")) {
    side.at.buffer = Buffer::work;
  } else if (scanner_.take("scratch")) {
    side.at.buffer = Buffer::scratch;
    if (*scanner_.at() == '#') {
      scanner_.go_back_to(scanner_.at() + 1);
      // Block indices (slot * blocks + block) must stay below kNoOp.
      side.at.slot = scanner_.number32("slot", std::min(limits_.slots, (kNoOp - 1) / blocks_) - 1);
    }
    scratch_slots_ = std::max(scratch_slots_, side.at.slot + 1);
  } else if (scanner_.take("input")) {
    side.at.buffer = Buffer::input;
  } else {
    scanner_.fail_expected("input, work or scratch");
  }
  scanner_.expect('[', "'[' before the blocks");
  side.set = {scanner_.number32("block", blocks_ - 1), 1, 0, 0};
  side.is_list = false;
  if (*scanner_.at() == ']') {
    scanner_.go_back_to(scanner_.at() + 1);
    return;
  }
  if (scanner_.take(':')) {
    parse_pattern(side);
  } else if (scanner_.take(',')) {
    parse_list(side);
  }
  scanner_.expect(']', "']' after the blocks");
}

void BlocksParser::parse_pattern(Side& side) {
  BlockSet& set = side.set;
  scanner_.skip_blank();
  const char* const place = scanner_.at();
  set.count = scanner_.number32("number of blocks", blocks_);
  if (set.count == 0) {
    scanner_.fail(place, "0 blocks: an operation touches at least 1");
  }
  if (!scanner_.take(':')) {
    return;
  }
  scanner_.skip_blank();
  const char* const run_place = scanner_.at();
  set.run = scanner_.number32("run length", blocks_);
  if (set.run == 0) {
    scanner_.fail(run_place, "runs of 0 blocks: a run has at least 1");
  }
  scanner_.expect('/', "'/' and the distance between the starts of two runs");
  set.stride = scanner_.number32("run distance", blocks_);
  if (set.count <= set.run) {
    set.run = set.stride = 0;
    return;
  }
  const std::uint64_t runs_before_last = (set.count - 1) / set.run;
  if (set.stride < set.run || runs_before_last * (set.stride - set.run) + set.count > blocks_) {
    scanner_.fail(run_place, fmt::format("the runs overlap: their length is {}, the distance "
                                         "between their starts {}, and the buffer has {} blocks",
                                         set.run, set.stride, blocks_));
  }
}

void BlocksParser::parse_list(Side& side) {
  side.is_list = true;
  side.list.assign(1, side.set.first);
  do {
    side.list.push_back(scanner_.number32("block", blocks_ - 1));
  } while (scanner_.take(','));
  if (side.list.size() > blocks_) {
    scanner_.fail(side.place, fmt::format("{} blocks are listed, but a buffer has {}",
                                          side.list.size(), blocks_));
  }
  side.set = {0, static_cast<std::uint32_t>(side.list.size()), 0, 0};
}

bool BlocksParser::same(const Side& a, const Side& b) {
  return a.at == b.at && a.is_list == b.is_list && a.set == b.set &&
         (!a.is_list || a.list == b.list);
}

void BlocksParser::count_runs(const Side& side, std::uint64_t runs) {
  runs_ += runs;
  if (runs_ > limits_.block_runs) {
    scanner_.fail(side.place, fmt::format("up to here the file names more than {} runs of blocks",
                                          limits_.block_runs));
  }
}

void BlocksParser::fail_bytes(const char* place, std::uint64_t bytes, std::uint64_t held) const {
  scanner_.fail(place,
                fmt::format("{} bytes, but the blocks of the operation hold {}", bytes, held));
}

void BlocksParser::fail_pair(const Side& into, std::uint32_t from_block,
                             std::uint32_t into_block) const {
  scanner_.fail(into.place, fmt::format("block {} ({} bytes) goes to block {} ({} bytes); the "
                                        "sizes must agree",
                                        from_block, layout_.size_bytes(from_block), into_block,
                                        layout_.size_bytes(into_block)));
}

// Checks the sizes of the blocks of both sides, which must be patterns that differ only in their
// first block.
void BlocksParser::check_sizes(const Side& from, const Side& into, std::uint64_t bytes,
                               const char* bytes_place) {
  if (uniform_) {
    if (bytes != from.set.count * block_bytes_) {
      fail_bytes(bytes_place, bytes, from.set.count * block_bytes_);
    }
    return;
  }
  if (!from.set.contiguous()) {
    count_runs(from, from.set.count / from.set.run);
  }
  const std::uint64_t held = layout_.set_bytes(from.set);
  if (bytes != held) {
    fail_bytes(bytes_place, bytes, held);
  }
  if (from.set.first == into.set.first) {
    return;
  }
  count_runs(into, from.set.count);
  const std::uint32_t shift = (into.set.first + blocks_ - from.set.first) % blocks_;
  for_each_block(from.set, blocks_, [&](std::uint32_t block) {
    const auto moved = static_cast<std::uint32_t>((std::uint64_t{block} + shift) % blocks_);
    if (layout_.size_bytes(block) != layout_.size_bytes(moved)) {
      fail_pair(into, block, moved);
    }
  });
}

void BlocksParser::make_list(Side& side) {
  if (!side.is_list) {
    side.list.clear();
    for_each_block(side.set, blocks_, [&](std::uint32_t block) { side.list.push_back(block); });
    side.is_list = true;
  }
}

void BlocksParser::check_distinct(const Side& side) {
  sorted_ = side.list;
  std::sort(sorted_.begin(), sorted_.end());
  const auto twice = std::adjacent_find(sorted_.begin(), sorted_.end());
  if (twice != sorted_.end()) {
    scanner_.fail(side.place, fmt::format("block {} is listed twice", *twice));
  }
}

bool BlocksParser::become_run(Side& from, Side& into) const {
  for (const Side* side : {&from, &into}) {
    for (std::size_t i = 1; i < side->list.size(); ++i) {
      const std::uint32_t next = side->list[i - 1] + 1;
      if (side->list[i] != (next == blocks_ ? 0 : next)) {
        return false;
      }
    }
  }
  for (Side* side : {&from, &into}) {
    side->set = {side->list.front(), static_cast<std::uint32_t>(side->list.size()), 0, 0};
    side->is_list = false;
  }
  return true;
}

ParsedPayload BlocksParser::payload_of(Side& from, Side& into, std::uint64_t bytes,
                                       const char* bytes_place) {
  if (into.at.buffer == Buffer::input) {
    scanner_.fail(into.place, "input is never written; write to work or scratch");
  }
  if (from.set.count != into.set.count) {
    scanner_.fail(into.place,
                  fmt::format("the numbers of blocks read ({}) and written ({}) must agree",
                              from.set.count, into.set.count));
  }
  ParsedPayload parsed;
  parsed.from = from.at.buffer;
  parsed.into = into.at.buffer;
  const std::uint32_t from_base = from.at.slot * blocks_;
  const std::uint32_t into_base = into.at.slot * blocks_;
  if (from.is_list || into.is_list) {
    make_list(from);
    make_list(into);
    if (!become_run(from, into)) {
      check_distinct(from);
      check_distinct(into);
      std::uint64_t held = 0;
      if (pool_.size() + from.list.size() >= kNoOp) {
        scanner_.fail(from.place, "up to here the file lists more blocks than a schedule can hold");
      }
      parsed.pooled = true;
      parsed.payload.from.first = static_cast<std::uint32_t>(pool_.size());
      parsed.payload.from.count = static_cast<std::uint32_t>(from.list.size());
      for (std::size_t i = 0; i < from.list.size(); ++i) {
        if (layout_.size_bytes(from.list[i]) != layout_.size_bytes(into.list[i])) {
          fail_pair(into, from.list[i], into.list[i]);
        }
        held += layout_.size_bytes(from.list[i]);
        pool_.push_back({from_base + from.list[i], into_base + into.list[i]});
      }
      if (bytes != held) {
        fail_bytes(bytes_place, bytes, held);
      }
      return parsed;
    }
  } else if (from.set.run != into.set.run || from.set.stride != into.set.stride) {
    scanner_.fail(into.place,
                  "the runs of blocks read and written may differ only in their first block");
  }
  check_sizes(from, into, bytes, bytes_place);
  parsed.payload.from = from.set;
  parsed.payload.from.first += from_base;
  parsed.payload.into_first = into.set.first + into_base;
  return parsed;
}

ParsedPayload BlocksParser::parse_move(std::uint64_t bytes, const char* bytes_place) {
  parse_side(sides_[0]);
  if (!scanner_.take("->")) {
    scanner_.fail_expected("'->' and where the blocks go");
  }
  parse_side(sides_[1]);
  return payload_of(sides_[0], sides_[1], bytes, bytes_place);
}

ParsedPayload BlocksParser::parse_reduction(std::uint64_t bytes, const char* bytes_place) {
  Side& left = sides_[0];
  Side& right = sides_[1];
  Side& result = sides_[2];
  parse_side(left);
  if (!scanner_.take("op")) {
    scanner_.fail_expected("'op' and the right operand");
  }
  parse_side(right);
  if (!scanner_.take("->")) {
    scanner_.fail_expected("'->' and where the result goes");
  }
  parse_side(result);
  // If all three sides are equal, the result counts as going to the right operand.
  const bool into_right = same(result, right);
  if (!into_right && !same(result, left)) {
    scanner_.fail(result.place, "the result must go to one of the two operands");
  }
  ParsedPayload parsed =
      payload_of(into_right ? left : right, into_right ? right : left, bytes, bytes_place);
  parsed.from_is = into_right ? Operand::left : Operand::right;
  return parsed;
}

}}  // namespace tutti::schedules

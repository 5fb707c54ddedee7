#include "schedules/notation/program/operation_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace tutti { inline namespace schedules { namespace program {

void OperationBlocks::set_layout(BlockLayout layout, std::uint32_t place) {
  if (layout_is_final_) {
    fail_at(place,
            "the blocks are already in use; set their number once, before the first operation");
  }
  const Problem& problem = parts_.problem;
  if (const auto natural = natural_blocks(problem.collective, problem.ranks);
      layout.blocks() % natural != 0) {
    fail_at(place,
            fmt::format("{} blocks on {} ranks: in {}, every {} owns the same number of blocks, so "
                        "the number of blocks must be a multiple of {}",
                        layout.blocks(), problem.ranks, name(problem.collective),
                        problem.collective == Collective::alltoallv ? "pair of ranks" : "rank",
                        natural));
  }
  parts_.layout = std::move(layout);
  has_layout_ = true;
}

void OperationBlocks::settle_layout() {
  if (!has_layout_) {
    const Problem& problem = parts_.problem;
    parts_.layout = layout_in_blocks(
        problem, static_cast<std::uint32_t>(natural_blocks(problem.collective, problem.ranks)));
  }
  layout_is_final_ = true;
  blocks_ = parts_.layout.blocks();
  uniform_bytes_ = parts_.layout.uniform() ? parts_.layout.size_bytes(0) : kUneven;
}

std::uint32_t OperationBlocks::block_of(std::int64_t value, const SideCode& code) const {
  if (value < 0 || value >= blocks_) {
    fail_at(code.place, fmt::format("block {}: the blocks are 0 to {}", value, blocks_ - 1));
  }
  return static_cast<std::uint32_t>(value);
}

OperationBlocks::Side OperationBlocks::side_of(const SideCode& code, const Numbers& slots,
                                               const std::vector<Numbers>& lists) {
  Side side;
  if (code.slot != kNone) {
    const std::int64_t slot = slots[code.slot];
    const std::int64_t most = (kNoOp - 1) / blocks_ - 1;
    if (slot < 0 || slot > most) {
      fail_at(code.place, fmt::format("scratch slot {}: the slots are 0 to {}", slot, most));
    }
    side.slot = static_cast<std::uint32_t>(slot);
  }
  if (code.buffer == Buffer::scratch) {
    scratch_slots_ = std::max(scratch_slots_, side.slot + 1);
  }
  if (!code.given) {
    return side;
  }
  if (code.list != kNone) {
    side.list = &lists[code.list];
    if (side.list->empty()) {
      fail_at(code.place, "the list of blocks is empty; an operation touches at least 1");
    }
    if (side.list->size() > blocks_) {
      fail_at(code.place,
              fmt::format("{} blocks are listed, but a buffer has {}", side.list->size(), blocks_));
    }
    for (const std::int64_t block : *side.list) {
      (void)block_of(block, code);
    }
    return side;
  }
  side.set.first = block_of(slots[code.first], code);
  const std::int64_t count = slots[code.count];
  if (count < 1 || count > blocks_) {
    fail_at(code.place, fmt::format("{} blocks: an operation touches 1 to {}", count, blocks_));
  }
  side.set.count = static_cast<std::uint32_t>(count);
  if (code.run == kNone) {
    return side;
  }
  const std::int64_t run = slots[code.run];
  const std::int64_t distance = slots[code.distance];
  if (run < 1) {
    fail_at(code.place, fmt::format("runs of {} blocks: a run has at least 1", run));
  }
  if (count <= run) {
    // A single run is stored without a pattern.
    return side;
  }
  const std::int64_t runs_before_last = (count - 1) / run;
  if (distance < run || distance > blocks_ ||
      runs_before_last * (distance - run) + count > blocks_) {
    fail_at(code.place, fmt::format("the runs overlap: their length is {}, the distance between "
                                    "their starts {}, and the buffer has {} blocks",
                                    run, distance, blocks_));
  }
  side.set.run = static_cast<std::uint32_t>(run);
  side.set.stride = static_cast<std::uint32_t>(distance);
  return side;
}

void OperationBlocks::check_sizes(const Side& from, const Side& into, const SideCode& place) const {
  if (uniform_bytes_ != kUneven || from.set.first == into.set.first) {
    return;
  }
  const BlockLayout& layout = parts_.layout;
  const std::uint32_t shift = (into.set.first + blocks_ - from.set.first) % blocks_;
  for_each_block(from.set, blocks_, [&](std::uint32_t block) {
    const auto moved = static_cast<std::uint32_t>((std::uint64_t{block} + shift) % blocks_);
    if (layout.size_bytes(block) != layout.size_bytes(moved)) {
      fail_sizes(block, moved, place);
    }
  });
}

void OperationBlocks::fail_sizes(std::uint32_t from, std::uint32_t into,
                                 const SideCode& place) const {
  const BlockLayout& layout = parts_.layout;
  const std::uint64_t from_bytes = layout.size_bytes(from);
  const std::uint64_t into_bytes = layout.size_bytes(into);
  const std::string blocks = fmt::format("block {} ({} bytes) goes to block {} ({} bytes)", from,
                                         from_bytes, into, into_bytes);
  // In an even split, sizes differ by at most one element.
  const std::uint32_t element = layout.element_bytes();
  if (std::max(from_bytes, into_bytes) - std::min(from_bytes, into_bytes) <= element) {
    throw Fault{place.place,
                fmt::format("{}, because {} bytes make {} blocks of different sizes; use a "
                            "multiple of {} bytes",
                            blocks, layout.bytes(), blocks_, std::uint64_t{blocks_} * element),
                true};
  }
  fail_at(place.place, blocks + "; the sizes must agree");
}

std::uint64_t OperationBlocks::pool_blocks(const OperationCode& code, const Side& from,
                                           const Side& into, Payload& payload, bool& pooled) {
  const BlockLayout& layout = parts_.layout;
  const auto block_at = [&](const Side& side, std::size_t i) {
    return static_cast<std::uint32_t>((*side.list)[i]);
  };
  const Side& listed = from.list != nullptr ? from : into;
  const std::size_t size = listed.list->size();
  // If only one side gives blocks, the other side has the same blocks.
  pairs_.clear();
  if (from.list != nullptr && into.list != nullptr) {
    if (from.list->size() != into.list->size()) {
      fail_at(code.into.place,
              fmt::format("the numbers of blocks read ({}) and written ({}) must agree",
                          from.list->size(), into.list->size()));
    }
    for (std::size_t i = 0; i < size; ++i) {
      pairs_.push_back({block_at(from, i), block_at(into, i)});
    }
  } else {
    const Side& other = from.list != nullptr ? into : from;
    if (other.set.count == 0) {
      for (std::size_t i = 0; i < size; ++i) {
        pairs_.push_back({block_at(listed, i), block_at(listed, i)});
      }
    } else {
      if (other.set.count != size) {
        fail_at(code.into.place,
                fmt::format(
                    "the numbers of blocks in the list ({}) and on the other side ({}) must agree",
                    size, other.set.count));
      }
      std::size_t i = 0;
      for_each_block(other.set, blocks_, [&](std::uint32_t block) {
        const std::uint32_t own = block_at(listed, i++);
        pairs_.push_back(from.list != nullptr ? BlockPair{own, block} : BlockPair{block, own});
      });
    }
  }
  for (const bool read : {true, false}) {
    sorted_.clear();
    for (const BlockPair& pair : pairs_) {
      sorted_.push_back(read ? pair.from : pair.into);
    }
    fail_repeated(code.from);
  }
  std::uint64_t bytes = 0;
  const auto next = [&](std::uint32_t block) { return block + 1 == blocks_ ? 0 : block + 1; };
  bool one_run = true;
  for (std::size_t i = 0; i < size; ++i) {
    if (layout.size_bytes(pairs_[i].from) != layout.size_bytes(pairs_[i].into)) {
      fail_sizes(pairs_[i].from, pairs_[i].into, code.into);
    }
    bytes += layout.size_bytes(pairs_[i].from);
    one_run = one_run && (i == 0 || (pairs_[i].from == next(pairs_[i - 1].from) &&
                                     pairs_[i].into == next(pairs_[i - 1].into)));
  }
  const std::uint32_t from_base = from.slot * blocks_;
  const std::uint32_t into_base = into.slot * blocks_;
  payload.from.count = static_cast<std::uint32_t>(size);
  if (one_run) {
    payload.from.first = pairs_[0].from + from_base;
    payload.into_first = pairs_[0].into + into_base;
    return bytes;
  }
  pooled = true;
  if (detail_ == Detail::payload) {
    payload.from.first = static_cast<std::uint32_t>(parts_.pool.size());
    for (const BlockPair& pair : pairs_) {
      parts_.pool.push_back({pair.from + from_base, pair.into + into_base});
    }
  }
  return bytes;
}

std::uint64_t OperationBlocks::any_payload(const OperationCode& code, const Numbers& slots,
                                           const std::vector<Numbers>& lists, Payload& payload,
                                           bool& pooled) {
  const BlockLayout& layout = this->layout();
  std::uint64_t held = 0;
  if (code.no_blocks) {
    // A message with the bytes of the whole vector can only be the whole vector. The blocks of a
    // reduction or a copy cannot be inferred.
    payload.from = {0, blocks_, 0, 0};
    held = code.kind == OpKind::comm ? layout.bytes() : kUnknown;
  } else {
    Side from = side_of(code.from, slots, lists);
    Side into = side_of(code.into, slots, lists);
    if (from.list != nullptr || into.list != nullptr) {
      held = pool_blocks(code, from, into, payload, pooled);
    } else {
      if (!code.from.given) {
        from.set = into.set;
      } else if (!code.into.given) {
        into.set = from.set;
      } else if (from.set.count != into.set.count) {
        fail_at(code.into.place,
                fmt::format("the numbers of blocks read ({}) and written ({}) must agree",
                            from.set.count, into.set.count));
      } else if (from.set.run != into.set.run || from.set.stride != into.set.stride) {
        fail_at(code.into.place,
                "the runs of blocks read and written may differ only in their first block");
      }
      check_sizes(from, into, code.into);
      held = layout.set_bytes(from.set);
      payload.from = from.set;
      payload.from.first += from.slot * blocks_;
      payload.into_first = into.set.first + into.slot * blocks_;
    }
  }
  return held;
}

std::vector<std::uint32_t> OperationBlocks::blocks_of(const SideCode& code, const Numbers& slots,
                                                      const std::vector<Numbers>& lists) {
  (void)layout();
  std::vector<std::uint32_t> all;
  if (!code.given) {
    all.resize(blocks_);
    std::iota(all.begin(), all.end(), 0U);
    return all;
  }
  const Side side = side_of(code, slots, lists);
  if (side.list == nullptr) {
    for_each_block(side.set, blocks_, [&](std::uint32_t block) { all.push_back(block); });
    return all;
  }
  for (const std::int64_t block : *side.list) {
    all.push_back(static_cast<std::uint32_t>(block));
  }
  sorted_ = all;
  fail_repeated(code);
  return all;
}

void OperationBlocks::fail_repeated(const SideCode& place) {
  std::sort(sorted_.begin(), sorted_.end());
  const auto twice = std::adjacent_find(sorted_.begin(), sorted_.end());
  if (twice != sorted_.end()) {
    fail_at(place.place, fmt::format("block {} is listed twice", *twice));
  }
}

std::uint64_t OperationBlocks::bare_bytes(const OperationCode& code, std::int64_t given,
                                          std::uint64_t held) {
  if (code.no_blocks) {
    if (given < 0 || static_cast<std::uint64_t>(given) > kMaxMessageBytes) {
      fail_at(code.bytes_place,
              fmt::format("{} bytes: an operation has 0 to {}", given, kMaxMessageBytes));
    }
    bytes_only_ = true;
    return static_cast<std::uint64_t>(given);
  }
  fail_at(code.bytes_place,
          fmt::format("{} bytes, but the blocks of the operation hold {}", given, held));
}

}}}  // namespace tutti::schedules::program

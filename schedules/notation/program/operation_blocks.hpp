// The blocks of the vector, and those that each operation of a program reads and writes.
#pragma once

#include <cstdint>
#include <vector>

#include "schedules/assemble.hpp"
#include "schedules/builder.hpp"
#include "schedules/notation/program/code.hpp"
#include "schedules/notation/program/fault.hpp"

namespace tutti { inline namespace schedules { namespace program {

class OperationBlocks {
 public:
  // The functions of this class set the layout and the pool of `parts`, whose problem must be set
  // already. `parts` must outlive this object.
  OperationBlocks(ScheduleParts& parts, Detail detail) : parts_(parts), detail_(detail) {}

  // Sets the layout. Throws Fault, as all functions of this class do.
  void set_layout(BlockLayout layout, std::uint32_t place);
  // Returns the layout, which cannot change afterwards. It is the default layout if the program has
  // not set one.
  const BlockLayout& layout() {
    if (!layout_is_final_) {
      settle_layout();
    }
    return parts_.layout;
  }

  // Fills `payload` and returns the bytes of the operation. If the program gives bytes but no
  // blocks, and the operation is not a message with the bytes of the whole vector, the operation is
  // bare, and bytes_only() is true until the next call.
  std::uint64_t payload_of(const OperationCode& code, const Numbers& slots,
                           const std::vector<Numbers>& lists, Payload& payload, bool& pooled) {
    std::uint64_t held = 0;
    bytes_only_ = false;
    if (!plain_payload(code, slots, payload, held)) {
      held = any_payload(code, slots, lists, payload, pooled);
    }
    if (code.bytes != kNone && slots[code.bytes] != static_cast<std::int64_t>(held)) [[unlikely]] {
      return bare_bytes(code, slots[code.bytes], held);
    }
    return held;
  }
  [[nodiscard]] bool bytes_only() const { return bytes_only_; }
  // Returns the blocks that `side` names, or all blocks if it names none. Throws Fault if a block
  // is listed twice.
  [[nodiscard]] std::vector<std::uint32_t> blocks_of(const SideCode& side, const Numbers& slots,
                                                     const std::vector<Numbers>& lists);

  [[nodiscard]] std::uint32_t scratch_slots() const { return scratch_slots_; }

 private:
  // The blocks on one side of an arrow.
  struct Side {
    BlockSet set;
    std::uint32_t slot = 0;
    const Numbers* list = nullptr;
  };

  // Handles the most common case: a run of blocks in slot 0 on each side, with equal sizes. Returns
  // false for all other cases, and for invalid blocks.
  bool plain_payload(const OperationCode& code, const Numbers& slots, Payload& payload,
                     std::uint64_t& held) {
    if (!code.plain || !layout_is_final_) {
      return false;
    }
    const SideCode& from = code.from.given ? code.from : code.into;
    const SideCode& into = code.into.given ? code.into : code.from;
    const std::int64_t first = slots[from.first];
    const std::int64_t into_first = slots[into.first];
    const std::int64_t count = slots[from.count];
    const auto outside = [this](std::int64_t block) {
      return static_cast<std::uint64_t>(block) >= blocks_;
    };
    if (outside(first) || outside(into_first) || outside(count - 1) || count != slots[into.count] ||
        (first != into_first && uniform_bytes_ == kUneven)) {
      return false;
    }
    payload.from.first = static_cast<std::uint32_t>(first);
    payload.from.count = static_cast<std::uint32_t>(count);
    payload.into_first = static_cast<std::uint32_t>(into_first);
    held = uniform_bytes_ != kUneven ? static_cast<std::uint64_t>(count) * uniform_bytes_
                                     : parts_.layout.set_bytes(payload.from);
    if (scratch_slots_ == 0 &&
        (code.from.buffer == Buffer::scratch || code.into.buffer == Buffer::scratch)) {
      scratch_slots_ = 1;
    }
    return true;
  }
  std::uint64_t any_payload(const OperationCode& code, const Numbers& slots,
                            const std::vector<Numbers>& lists, Payload& payload, bool& pooled);

  void settle_layout();
  std::uint64_t bare_bytes(const OperationCode& code, std::int64_t given, std::uint64_t held);
  [[nodiscard]] Side side_of(const SideCode& code, const Numbers& slots,
                             const std::vector<Numbers>& lists);
  [[nodiscard]] std::uint32_t block_of(std::int64_t value, const SideCode& code) const;
  // Fails if a block occurs twice in sorted_, which need not be sorted yet.
  void fail_repeated(const SideCode& place);
  void check_sizes(const Side& from, const Side& into, const SideCode& place) const;
  [[noreturn]] void fail_sizes(std::uint32_t from, std::uint32_t into, const SideCode& place) const;
  std::uint64_t pool_blocks(const OperationCode& code, const Side& from, const Side& into,
                            Payload& payload, bool& pooled);

  static constexpr std::uint64_t kUneven = UINT64_MAX;
  static constexpr std::uint64_t kUnknown = UINT64_MAX;

  ScheduleParts& parts_;
  Detail detail_;
  bool has_layout_ = false;
  bool layout_is_final_ = false;
  bool bytes_only_ = false;
  std::uint32_t blocks_ = 1;
  // Size of each block in bytes, or kUneven if sizes differ.
  std::uint64_t uniform_bytes_ = kUneven;
  std::uint32_t scratch_slots_ = 0;
  std::vector<BlockPair> pairs_;
  std::vector<std::uint32_t> sorted_;
};

}}}  // namespace tutti::schedules::program

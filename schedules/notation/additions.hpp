// Records the operations that a file or program adds to existing requests by `+=`. Each operation
// of such a request still has its own label: its segment is one that no other label with the same
// level and ranks has. Req(l,{src,dst}) names all operations of the request.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "schedules/notation/label_index.hpp"
#include "schedules/op.hpp"

namespace tutti { inline namespace schedules {

class Additions {
 public:
  [[nodiscard]] bool empty() const { return by_first_.empty(); }
  // Ids of the operations that were added to the request whose first operation is `first`,
  // ascending.
  [[nodiscard]] std::span<const OpId> to(OpId first) const {
    const auto found = by_first_.find(first);
    return found == by_first_.end() ? std::span<const OpId>() : found->second;
  }
  // Adds operation `id` to the request whose first operation is `begun`. The label in `key` is
  // already taken, so key.label.segment is set to the next segment for which take(key) returns
  // true: the new label was free, and operation `id` now has it. Segments that were tried before
  // for the same ranks and level are skipped. Returns false if no segment is free.
  template <typename Take>
  [[nodiscard]] bool add(OpId begun, OpId id, LabelKey& key, Take&& take) {
    std::uint32_t& last = last_segments_[{key.label.level, key.src, key.dst, key.reduction}];
    last = std::max(last, key.label.segment);
    do {
      if (last == kMaxSegment) {
        return false;
      }
      key.label.segment = ++last;
    } while (!take(key));
    by_first_[begun].push_back(id);
    ++added_;
    return true;
  }
  [[nodiscard]] std::size_t memory_bytes() const {
    constexpr std::size_t kNodes = 192;
    return by_first_.size() * kNodes + 2 * added_ * sizeof(OpId);
  }

 private:
  std::unordered_map<OpId, std::vector<OpId>> by_first_;
  std::map<std::array<std::uint32_t, 4>, std::uint32_t> last_segments_;
  std::size_t added_ = 0;
};

}}  // namespace tutti::schedules

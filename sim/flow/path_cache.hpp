// A cache of the paths of messages under way. The path of a message is needed each time the rate of
// a message that shares a link with it changes, and some networks compute the path anew each time.
// The cache is bounded, because there may be millions of messages.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "platforms/network.hpp"
#include "schedules/op.hpp"

namespace tutti { inline namespace sim {

class PathCache {
 public:
  // Prepares for this number of messages under way.
  void expect(std::size_t messages) {
    if (messages > entries_.size() / kRoom && entries_.size() < most_entries_) [[unlikely]] {
      grow(messages);
    }
  }

  // Makes the cache smaller if `few` is true, for times when paths are rarely needed and other
  // structures need the memory. Otherwise lets the cache grow again.
  void keep_few(bool few) {
    most_entries_ = few ? kFewEntries : kMostEntries;
    if (entries_.size() > most_entries_) {
      entries_ = std::vector<Entry>(most_entries_);
      hops_ = {};
    }
  }

  // Returns the route of a message, which is valid until the next call. Calls find() if the route
  // is not in the cache.
  template <typename Find>
  [[nodiscard]] NetworkRoute route(OpId id, Find&& find) {
    Entry& entry = entries_[id & (entries_.size() - 1)];
    if (entry.id == id) [[likely]] {
      return {entry.figures, {hops_.data() + entry.first_hop, entry.hops}};
    }
    const NetworkRoute found = find();
    if (hops_.size() + found.hops.size() > kHopsOfEntry * entries_.size()) [[unlikely]] {
      forget();
    }
    entry = {id, static_cast<std::uint32_t>(hops_.size()),
             static_cast<std::uint32_t>(found.hops.size()), found.figures};
    hops_.insert(hops_.end(), found.hops.begin(), found.hops.end());
    return found;
  }

 private:
  static constexpr OpId kNobody = 0xffffffffU;
  // Entries per message. More than one, because different messages may have the same index.
  static constexpr std::size_t kRoom = 2;
  static constexpr std::size_t kMostEntries = std::size_t{1} << 18U;  // 6 MiB of entries
  static constexpr std::size_t kFewEntries = kMostEntries / 4;
  static constexpr std::size_t kHopsOfEntry = 8;  // the hops take at most 16 MiB

  struct Entry {
    OpId id = kNobody;
    std::uint32_t first_hop = 0;
    std::uint32_t hops = 0;
    const RouteFigures* figures = nullptr;
  };

  void forget() {
    std::fill(entries_.begin(), entries_.end(), Entry());
    hops_.clear();
  }
  void grow(std::size_t messages) {
    entries_.resize(std::min(most_entries_, std::bit_ceil(2 * kRoom * messages)));
    forget();
  }

  std::size_t most_entries_ = kMostEntries;
  std::vector<Entry> entries_ = std::vector<Entry>(64);
  std::vector<Hop> hops_;
};

}}  // namespace tutti::sim

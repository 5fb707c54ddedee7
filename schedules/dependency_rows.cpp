#include "schedules/dependency_rows.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/large_array.hpp"

namespace tutti { inline namespace schedules {

namespace {

// With fewer operations, patterns would save no memory worth mentioning.
constexpr std::size_t kFewOps = 4096;

// Numbers patterns. Pattern 0 is empty. Each other pattern is a pattern with a smaller number,
// followed by one more distance.
class PatternTable {
 public:
  // The table is full when there are too many patterns for `ops` operations to save memory.
  explicit PatternTable(std::size_t ops)
      : most_(std::min<std::size_t>(std::numeric_limits<std::uint16_t>::max(), 256 + ops / 16)) {}

  // Returns the number of `pattern` followed by `distance`, which must not be 0. A new pattern gets
  // the next number. If the table is full, the result has no meaning.
  std::uint32_t longer(std::uint32_t pattern, std::uint32_t distance) {
    const std::uint64_t key = std::uint64_t{pattern} << 32U | distance;
    const Slot& slot = slots_[place(key)];
    return slot.key == key ? slot.number : look_further(key);
  }
  [[nodiscard]] bool full() const { return full_; }

  // Writes all patterns: the distances of pattern `i` are distances[starts[i]] to
  // distances[starts[i + 1] - 1]. Returns false if they would take too much memory, because long
  // patterns have many prefixes, which are patterns too.
  [[nodiscard]] bool write(std::vector<std::uint32_t>& starts,
                           std::vector<std::uint32_t>& distances) const {
    starts.assign(1, 0);
    distances.clear();
    for (const std::uint64_t key : keys_) {
      if (key != 0) {
        const std::uint64_t shorter = key >> 32U;
        for (std::uint32_t at = starts[shorter]; at < starts[shorter + 1]; ++at) {
          distances.push_back(distances[at]);
        }
        distances.push_back(static_cast<std::uint32_t>(key));
      }
      starts.push_back(static_cast<std::uint32_t>(distances.size()));
      if (distances.size() > 16 * most_) {
        return false;
      }
    }
    return true;
  }

 private:
  struct Slot {
    std::uint64_t key = 0;  // 0: the slot is free
    std::uint32_t number = 0;
  };

  [[nodiscard]] std::size_t place(std::uint64_t key) const {
    constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15U;  // 2^64 divided by the golden ratio
    return key * kFactor >> shift_;
  }

  // Kept out of longer(), which is called for each dependency.
  [[gnu::noinline]] std::uint32_t look_further(std::uint64_t key) {
    std::size_t at = place(key);
    while (slots_[at].key != key) {
      if (slots_[at].key == 0) {
        return add(key);
      }
      at = (at + 1) & (slots_.size() - 1);
    }
    return slots_[at].number;
  }

  void insert(std::uint64_t key, std::uint32_t number) {
    std::size_t at = place(key);
    while (slots_[at].key != 0) {
      at = (at + 1) & (slots_.size() - 1);
    }
    slots_[at] = {key, number};
  }

  std::uint32_t add(std::uint64_t key) {
    if (keys_.size() > most_) {
      full_ = true;
      return 0;
    }
    const auto number = static_cast<std::uint32_t>(keys_.size());
    keys_.push_back(key);
    if (4 * keys_.size() > slots_.size()) {
      slots_.assign(2 * slots_.size(), {});
      --shift_;
      for (std::uint32_t other = 1; other < number; ++other) {
        insert(keys_[other], other);
      }
    }
    insert(key, number);
    return number;
  }

  // Key of each pattern: in the upper half, the pattern that it continues; in the lower half, its
  // last distance.
  std::vector<std::uint64_t> keys_{0};
  // A hash table with open addressing, whose size is a power of two.
  std::vector<Slot> slots_ = std::vector<Slot>(512);
  unsigned shift_ = 64 - 9;
  std::size_t most_;
  bool full_ = false;
};

std::vector<std::uint16_t> pattern_of_each(std::size_t size) {
  std::vector<std::uint16_t> patterns;
  reserve_large(patterns, size);
  patterns.resize(size);
  return patterns;
}

}  // namespace

void DependencyRows::fold() {
  const std::size_t size = this->size();
  if (!patterns_.empty() || size < kFewOps) {
    return;
  }
  PatternTable table(size);
  std::vector<std::uint16_t> patterns = pattern_of_each(size);
  const OpId* at = ids_.data();
  for (OpId id = 0; id < size; ++id) {
    std::uint32_t pattern = 0;
    for (const OpId* const end = ids_.data() + starts_[id + 1]; at < end; ++at) {
      pattern = table.longer(pattern, *at - id);
    }
    if (table.full()) {
      return;
    }
    patterns[id] = static_cast<std::uint16_t>(pattern);
  }
  std::vector<std::uint32_t> starts;
  std::vector<std::uint32_t> distances;
  if (table.write(starts, distances)) {
    patterns_ = std::move(patterns);
    starts_ = std::move(starts);
    ids_ = std::move(distances);
  }
}

void DependencyRows::unfold() {
  if (patterns_.empty()) {
    return;
  }
  std::vector<std::uint32_t> starts{0};
  starts.reserve(patterns_.size() + 1);
  std::vector<OpId> ids;
  for (OpId id = 0; id < patterns_.size(); ++id) {
    const OpIds others = row(id);
    ids.insert(ids.end(), others.begin(), others.end());
    starts.push_back(static_cast<std::uint32_t>(ids.size()));
  }
  *this = DependencyRows(std::move(starts), std::move(ids));
}

DependencyRows DependencyRows::turned() const {
  DependencyRows turned;
  if (patterns_.empty() || !turn_patterns(turned)) {
    turn_lists(turned);
  }
  return turned;
}

// Each operation, in ascending order, adds itself to the patterns of those in its row. No lists are
// needed in between.
bool DependencyRows::turn_patterns(DependencyRows& turned) const {
  PatternTable table(patterns_.size());
  std::vector<std::uint16_t> patterns = pattern_of_each(patterns_.size());
  for (OpId id = 0; id < patterns.size(); ++id) {
    const std::uint32_t* const starts = &starts_[patterns_[id]];
    const OpId* const end = ids_.data() + starts[1];
    for (const OpId* at = ids_.data() + starts[0]; at < end; ++at) {
      std::uint16_t& pattern = patterns[id + *at];
      pattern = static_cast<std::uint16_t>(table.longer(pattern, 0U - *at));
    }
    if (table.full()) {
      return false;
    }
  }
  turned.patterns_ = std::move(patterns);
  if (!table.write(turned.starts_, turned.ids_)) {
    turned = {};
    return false;
  }
  return true;
}

// Counts, in two passes that access memory almost sequentially. The rows are ascending because the
// operations are visited in order.
void DependencyRows::turn_lists(DependencyRows& turned) const {
  const std::size_t size = this->size();
  std::vector<std::uint32_t>& starts = turned.starts_;
  reserve_large(starts, size + 1);
  starts.assign(size + 1, 0);
  // While the rows are being filled, starts[v + 1] is the position of v's next entry; afterwards it
  // is the end of v's row. No separate array of cursors is needed.
  for (OpId id = 0; id < size; ++id) {
    for (const OpId other : row(id)) {
      ++starts[other + 1];
    }
  }
  std::uint32_t start = 0;
  for (std::size_t id = 0; id < size; ++id) {
    start += std::exchange(starts[id + 1], start);
  }
  reserve_large(turned.ids_, start);
  turned.ids_.resize(start);
  for (OpId id = 0; id < size; ++id) {
    for (const OpId other : row(id)) {
      turned.ids_[starts[other + 1]++] = id;
    }
  }
}

}}  // namespace tutti::schedules

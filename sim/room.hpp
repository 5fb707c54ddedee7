// The number of operations for which each port and each core still has room, and the set of the
// ports that have room and for which operations wait.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tutti { inline namespace sim {

// Ports and cores are numbered in this order: the outgoing ports of all places, their incoming
// ports, their cores.
class Room {
 public:
  static constexpr std::uint32_t kOutgoing = 0;
  static constexpr std::uint32_t kIncoming = 1;
  static constexpr std::uint32_t kCore = 2;
  static constexpr std::uint32_t kKinds = 3;

  // Further resources may follow, but these are never wanted.
  Room(std::uint32_t places, std::size_t resources)
      : places_(places), free_(resources), wanted_(free_.size()) {
    for (std::vector<std::uint64_t>& words_of_kind : set_) {
      words_of_kind.resize(words());
    }
  }

  // Sets the room of one port or core, which must have none.
  void set(std::uint32_t resource, std::uint32_t room) {
    release(resource);
    free_[resource] = room;
  }
  [[nodiscard]] bool has(std::uint32_t resource) const { return free_[resource] > 0; }

  void hold(std::uint32_t resource) {
    if (--free_[resource] == 0 && wanted_[resource] > 0) {
      remove(resource);
    }
  }
  // Returns true if the resource had no room.
  bool release(std::uint32_t resource) {
    if (free_[resource]++ > 0) {
      return false;
    }
    if (wanted_[resource] > 0) {
      insert(resource);
    }
    return true;
  }

  // Counts one more group of operations that wait and need the resource.
  void add_waiting_group(std::uint32_t resource) {
    if (wanted_[resource]++ == 0 && has(resource)) {
      insert(resource);
    }
  }
  // Counts one group less.
  void remove_waiting_group(std::uint32_t resource) {
    if (--wanted_[resource] == 0 && has(resource)) {
      remove(resource);
    }
  }

  [[nodiscard]] std::uint32_t kind(std::uint32_t resource) const {
    return resource < places_ ? kOutgoing : resource < 2 * places_ ? kIncoming : kCore;
  }
  // Returns how many resources of this kind have room and are wanted.
  [[nodiscard]] std::size_t count(std::uint32_t kind) const { return counts_[kind]; }
  // Returns how many of these are among `places`, which has a bit for each place. An empty list
  // means all places.
  [[nodiscard]] std::size_t count(std::uint32_t kind, std::span<const std::uint64_t> places) const {
    if (places.empty()) {
      return count(kind);
    }
    std::size_t sum = 0;
    for (std::uint32_t word = 0; word < words(); ++word) {
      sum += static_cast<std::size_t>(std::popcount(set_[kind][word] & places[word]));
    }
    return sum;
  }
  // Calls visit(place) for each of these places.
  template <typename Visit>
  void for_each(std::uint32_t kind, std::span<const std::uint64_t> places, Visit&& visit) const {
    for (std::uint32_t word = 0; word < words(); ++word) {
      std::uint64_t left = set_[kind][word];
      left &= places.empty() ? left : places[word];
      for (; left != 0; left &= left - 1) {
        visit(word * kBits + static_cast<std::uint32_t>(std::countr_zero(left)));
      }
    }
  }

 private:
  static constexpr std::uint32_t kBits = 64;

  [[nodiscard]] std::uint32_t words() const { return places_ / kBits + 1; }
  void insert(std::uint32_t resource) {
    toggle(resource);
    ++counts_[kind(resource)];
  }
  void remove(std::uint32_t resource) {
    toggle(resource);
    --counts_[kind(resource)];
  }
  void toggle(std::uint32_t resource) {
    const std::uint32_t of = kind(resource);
    const std::uint32_t place = resource - of * places_;
    set_[of][place / kBits] ^= std::uint64_t{1} << place % kBits;
  }

  std::uint32_t places_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> wanted_;  // by resource: the number of groups that wait
  // By kind: a bit for each place, which is 1 if its resource is in the set; the number of ones.
  std::array<std::vector<std::uint64_t>, kKinds> set_;
  std::array<std::uint32_t, kKinds> counts_{};
};

}}  // namespace tutti::sim

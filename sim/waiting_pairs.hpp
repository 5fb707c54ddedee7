// The pairs of places between which messages wait for ports, as bits. With these, the messages that
// a freed port may start are found in words of 64 places.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tutti { inline namespace sim {

class WaitingPairs {
 public:
  explicit WaitingPairs(std::uint32_t places) : places_(places), words_(places / kBits + 1) {}

  // False if there are too many places. No other function may be called then.
  [[nodiscard]] bool kept() const { return places_ <= kMostPlaces; }

  void add(std::uint32_t src, std::uint32_t dst) {
    if (receivers_.empty()) [[unlikely]] {
      receivers_.resize(std::size_t{places_} * words_);
      senders_.resize(receivers_.size());
    }
    receivers_[word(src, dst)] |= bit(dst);
    senders_[word(dst, src)] |= bit(src);
  }
  void remove(std::uint32_t src, std::uint32_t dst) {
    receivers_[word(src, dst)] &= ~bit(dst);
    senders_[word(dst, src)] &= ~bit(src);
  }
  // Bits of the places to which messages of `src` wait, and from which messages to `dst` wait.
  // Empty if add() has never been called.
  [[nodiscard]] std::span<const std::uint64_t> receivers(std::uint32_t src) const {
    return row(receivers_, src);
  }
  [[nodiscard]] std::span<const std::uint64_t> senders(std::uint32_t dst) const {
    return row(senders_, dst);
  }

 private:
  static constexpr std::uint32_t kBits = 64;
  static constexpr std::uint32_t kMostPlaces = 4096;  // for them, the bits take 4 MiB

  [[nodiscard]] std::size_t word(std::uint32_t row, std::uint32_t place) const {
    return std::size_t{row} * words_ + place / kBits;
  }
  [[nodiscard]] std::span<const std::uint64_t> row(const std::vector<std::uint64_t>& of,
                                                   std::uint32_t place) const {
    return of.empty() ? std::span<const std::uint64_t>()
                      : std::span(of).subspan(word(place, 0), words_);
  }
  static std::uint64_t bit(std::uint32_t place) { return std::uint64_t{1} << place % kBits; }

  std::uint32_t places_;
  std::uint32_t words_;                   // of a row
  std::vector<std::uint64_t> receivers_;  // a row for each sender
  std::vector<std::uint64_t> senders_;    // a row for each receiver
};

}}  // namespace tutti::sim

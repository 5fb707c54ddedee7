// Do two runs leave the same bytes? Without keeping them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tutti::mpi {

// A fingerprint is of bytes added in turn. Where two sequences of the same lengths differ in one
// 8-byte word alone their fingerprints differ for sure, since each step is a bijection both of what
// was before and of the word; where they differ in more, as good as surely.
class Fingerprint {
 public:
  void add(const std::byte* bytes, std::size_t size) {
    std::uint64_t word = 0;
    for (; size >= sizeof word; bytes += sizeof word, size -= sizeof word) {
      std::memcpy(&word, bytes, sizeof word);
      step(word);
    }
    if (size > 0) {
      word = 0;
      std::memcpy(&word, bytes, size);
      step(word);
    }
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  void step(std::uint64_t word) {
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15U;  // the golden ratio's digits
    value_ = (value_ ^ word) * kOdd;
    value_ ^= value_ >> 32U;
  }

  std::uint64_t value_ = 0;
};

}  // namespace tutti::mpi

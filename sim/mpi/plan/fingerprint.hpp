// Finds out whether two runs leave the same bytes, without storing the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tutti::mpi {

// Fingerprint of a sequence of bytes. If two sequences of equal lengths differ in a single 8-byte
// word, their fingerprints are certain to differ, because each step is a bijection both of the
// state and of the word. If they differ in more words, their fingerprints are almost certain to
// differ.
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

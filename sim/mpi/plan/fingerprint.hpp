// Finds out whether two runs leave the same bytes, without storing the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tutti::mpi {

// Fingerprint of a sequence of bytes. If two sequences of equal length differ in a single 8-byte
// word, their fingerprints are certain to differ, because each step maps different states, and
// different words, to different states. If the sequences differ in several words, their
// fingerprints are almost certain to differ.
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
    // The bits of the golden ratio's fraction.
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15U;
    value_ = (value_ ^ word) * kOdd;
    value_ ^= value_ >> 32U;
  }

  std::uint64_t value_ = 0;
};

}  // namespace tutti::mpi

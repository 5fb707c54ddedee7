// Writes text to a stream in large pieces. Schedules have millions of operations, and a stream
// operator per number would take longer than the simulation.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <ostream>
#include <string_view>

namespace tutti { inline namespace schedules {

class TextWriter {
 public:
  explicit TextWriter(std::ostream& out) : out_(out) {}
  TextWriter(const TextWriter&) = delete;
  TextWriter& operator=(const TextWriter&) = delete;
  // Drops text that was not flushed, because after an error the text is not wanted.
  ~TextWriter() = default;

  TextWriter& operator<<(char c) {
    room(1);
    buffer_[used_++] = c;
    return *this;
  }
  TextWriter& operator<<(std::string_view text) {
    if (text.size() > kChunk) {
      flush();
      out_.write(text.data(), static_cast<std::streamsize>(text.size()));
      return *this;
    }
    room(text.size());
    std::memcpy(buffer_.data() + used_, text.data(), text.size());
    used_ += text.size();
    return *this;
  }
  TextWriter& operator<<(const char* text) { return *this << std::string_view(text); }
  TextWriter& operator<<(std::uint64_t number) {
    constexpr std::size_t kMaxDigits = 20;
    room(kMaxDigits);
    // A short cut, because most ranks, levels and blocks have one digit.
    if (number < 10) {
      buffer_[used_++] = static_cast<char>('0' + number);
      return *this;
    }
    char* const at = buffer_.data() + used_;
    used_ += static_cast<std::size_t>(std::to_chars(at, at + kMaxDigits, number).ptr - at);
    return *this;
  }
  TextWriter& operator<<(std::uint32_t number) { return *this << std::uint64_t{number}; }

  void flush() {
    out_.write(buffer_.data(), static_cast<std::streamsize>(used_));
    used_ = 0;
  }

 private:
  static constexpr std::size_t kChunk = std::size_t{1} << 16U;

  void room(std::size_t bytes) {
    if (used_ + bytes > kChunk) [[unlikely]] {
      flush();
    }
  }

  std::ostream& out_;
  std::size_t used_ = 0;
  std::array<char, kChunk> buffer_{};
};

}}  // namespace tutti::schedules

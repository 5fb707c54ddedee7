// Parsers of the values of options. A parser is a function of two texts: `from`, the field that
// messages name, such as "$ports", and the text that the user gave. It returns the value, or throws
// UserError.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/nearest.hpp"
#include "base/quantities.hpp"

namespace tutti { inline namespace requests {

inline constexpr std::uint32_t kNoLimit = 0xfffffffeU;

// Returns a number from 1 to `most`.
[[nodiscard]] std::uint32_t option_positive_count(std::string_view from, std::string_view text,
                                                  std::uint32_t most);

// The text itself, such as the name of a file.
struct AsText {
  std::string operator()(std::string_view /*from*/, const std::string& text) const { return text; }
};

template <std::uint32_t kMost = kNoLimit>
struct AsCount {
  std::uint32_t operator()(std::string_view from, std::string_view text) const {
    return parse_count(from, text, kMost);
  }
};
template <std::uint32_t kMost = kNoLimit>
struct AsPositiveCount {
  std::uint32_t operator()(std::string_view from, std::string_view text) const {
    return option_positive_count(from, text, kMost);
  }
};
template <std::uint32_t kMost = kNoLimit>
struct AsCounts {
  std::vector<std::uint32_t> operator()(std::string_view from, std::string_view text) const {
    return parse_counts(from, text, kMost);
  }
};
struct AsNumber {
  double operator()(std::string_view from, std::string_view text) const {
    return parse_number(from, text);
  }
};
struct AsPercentage {
  double operator()(std::string_view from, std::string_view text) const {
    return parse_percentage(from, text);
  }
};
struct AsBytes {
  std::uint64_t operator()(std::string_view from, std::string_view text) const {
    return parse_bytes(from, text);
  }
};
struct AsRate {
  double operator()(std::string_view from, std::string_view text) const {
    return parse_rate(from, text);
  }
};
struct AsPricePerByte {
  double operator()(std::string_view from, std::string_view text) const {
    return parse_s_per_byte(from, text);
  }
};
struct AsTime {
  double operator()(std::string_view from, std::string_view text) const {
    return parse_time_s(from, text);
  }
};

// One of the words of a table, with what the word means. `kTable` is a function that returns a list
// of pairs, or a list of names that mean themselves. Completion offers the words.
template <auto kTable>
struct AsWord {
  using Entry = typename std::decay_t<decltype(kTable())>::value_type;

  static std::vector<std::string> words() {
    std::vector<std::string> all;
    for (const auto& entry : kTable()) {
      if constexpr (std::is_convertible_v<Entry, std::string_view>) {
        all.emplace_back(entry);
      } else {
        all.emplace_back(entry.first);
      }
    }
    return all;
  }
  auto operator()(std::string_view from, const std::string& text) const {
    check_word(from, text, words());
    if constexpr (std::is_convertible_v<Entry, std::string_view>) {
      return text;
    } else {
      const auto table = kTable();
      auto entry = table.begin();
      while (entry->first != text) {
        ++entry;
      }
      return entry->second;
    }
  }
};

}}  // namespace tutti::requests

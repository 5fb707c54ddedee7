#include "tests/mutation/mutate.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace mutation {

namespace {

constexpr std::size_t kLongest = std::size_t{1} << 18U;
constexpr std::array<std::string_view, 40> kHostile{"0",
                                                    "-1",
                                                    "1",
                                                    "2.7",
                                                    "1e-320",
                                                    "1e308",
                                                    "inf",
                                                    "-inf",
                                                    "nan",
                                                    "4294967295",
                                                    "4294967298",
                                                    "2147483648",
                                                    "9007199254740993",
                                                    "9223372036854775808",
                                                    "18446744073709551616",
                                                    "-9223372036854775809",
                                                    "1e400",
                                                    "null",
                                                    "true",
                                                    "[]",
                                                    "{}",
                                                    "\"\"",
                                                    "[[[[[[[[",
                                                    "}",
                                                    "\"",
                                                    "'",
                                                    "\\",
                                                    "\n",
                                                    "\r\n",
                                                    "\t",
                                                    "\x1b[2J",
                                                    "\xff\xfe",
                                                    "\xc3",
                                                    "%s%n",
                                                    "../../x",
                                                    ",",
                                                    "<",
                                                    ">",
                                                    "&amp;",
                                                    "#"};

std::size_t below(Random& random, std::size_t end) {
  return end == 0 ? 0 : std::uniform_int_distribution<std::size_t>{0, end - 1}(random);
}

// Returns the position and the length of the next number after a random position. The length is 0
// if there is no such number.
std::pair<std::size_t, std::size_t> some_number(const std::string& text, Random& random) {
  const auto is_digit = [&text](std::size_t i) {
    return std::isdigit(static_cast<unsigned char>(text[i])) != 0;
  };
  std::size_t begin = below(random, text.size());
  while (begin < text.size() && !is_digit(begin)) {
    ++begin;
  }
  std::size_t end = begin;
  while (end < text.size() && (is_digit(end) || text[end] == '.')) {
    ++end;
  }
  return {begin, end - begin};
}

void change(std::string& text, const std::vector<std::string>& inputs, Random& random) {
  constexpr std::size_t kWays = 10;
  constexpr std::size_t kMostCut = 64;
  const std::size_t at = below(random, text.size() + 1);
  const std::size_t length = below(random, std::min(kMostCut, text.size() - at) + 1);
  switch (below(random, kWays)) {
    case 0:
      if (at < text.size()) {
        text[at] = static_cast<char>(text[at] ^ (1 << below(random, 8)));
      }
      break;
    case 1:
      if (at < text.size()) {
        text[at] = static_cast<char>(below(random, 256));
      }
      break;
    case 2:
      text.erase(at, length);
      break;
    case 3:
      text.insert(at, text.substr(at, length));
      break;
    case 4:
      text.insert(at, kHostile[below(random, kHostile.size())]);
      break;
    case 5:
    case 6: {
      const auto [begin, size] = some_number(text, random);
      text.replace(begin, size, kHostile[below(random, kHostile.size())]);
      break;
    }
    case 7: {
      const std::string& other = inputs[below(random, inputs.size())];
      const std::size_t from = below(random, other.size() + 1);
      text.replace(at, length, other, from, below(random, other.size() - from + 1));
      break;
    }
    case 8: {
      const std::string piece = text.substr(at, length);
      text.erase(at, length);
      text.insert(below(random, text.size() + 1), piece);
      break;
    }
    default:
      if (below(random, 8) == 0) {
        text.resize(at);
      } else {
        text.insert(at, 1 + below(random, 300), at > 0 ? text[at - 1] : ' ');
      }
  }
}

}  // namespace

std::string mutated(const std::vector<std::string>& inputs, Random& random) {
  std::string text = inputs[below(random, inputs.size())];
  // Usually makes few changes, because a reader would soon refuse a text with many changes.
  const std::size_t changes = 1 + below(random, 1 + below(random, 8));
  for (std::size_t i = 0; i < changes; ++i) {
    change(text, inputs, random);
  }
  if (text.size() > kLongest) {
    text.resize(kLongest);
  }
  return text;
}

}  // namespace mutation

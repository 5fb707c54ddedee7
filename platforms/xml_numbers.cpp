#include "platforms/xml_numbers.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <string>

#include "base/text_lines.hpp"
#include "platforms/xml_text.hpp"

namespace tutti { inline namespace platforms {

namespace {

struct XmlUnit {
  std::string_view name;
  double value;
};
// Prefixes, each 1000 or 1024 times the previous one. Their values are computed by repeated
// multiplication, as in SimGrid, so that the doubles are identical.
constexpr std::array<std::string_view, 9> kDecimal{"", "k", "M", "G", "T", "P", "E", "Z", "Y"};
constexpr std::array<std::string_view, 9> kBinary{"",   "Ki", "Mi", "Gi", "Ti",
                                                  "Pi", "Ei", "Zi", "Yi"};
constexpr std::array kTimes{XmlUnit{"w", 7 * 24 * 60 * 60},
                            XmlUnit{"d", 24 * 60 * 60},
                            XmlUnit{"h", 60 * 60},
                            XmlUnit{"m", 60},
                            XmlUnit{"s", 1.0},
                            XmlUnit{"ms", 1e-3},
                            XmlUnit{"us", 1e-6},
                            XmlUnit{"ns", 1e-9},
                            XmlUnit{"ps", 1e-12}};

std::optional<double> prefixed(std::string_view unit, std::string_view base, double value) {
  if (!unit.ends_with(base)) {
    return std::nullopt;
  }
  unit.remove_suffix(base.size());
  constexpr double kThousand = 1000.0;
  constexpr double kKibi = 1024.0;
  for (const bool binary : {false, true}) {
    const double step = binary ? kKibi : kThousand;
    double scaled = value;
    for (const std::string_view prefix : binary ? kBinary : kDecimal) {
      if (unit == prefix) {
        return scaled;
      }
      scaled *= step;
    }
  }
  return std::nullopt;
}

// Parses a number that begins with a digit, as SimGrid does, and the unit after it.
template <typename UnitValue>
std::optional<double> quantity(std::string_view text, UnitValue&& unit_value) {
  if (text.empty() || !is_xml_digit(text.front())) {
    return std::nullopt;
  }
  const std::string copy(text);
  char* end = nullptr;
  errno = 0;
  const double number = std::strtod(copy.c_str(), &end);
  if (errno == ERANGE) {
    return std::nullopt;
  }
  const std::optional<double> unit =
      unit_value(text.substr(static_cast<std::size_t>(end - copy.c_str())));
  return unit ? std::optional(number * *unit) : std::nullopt;
}

}  // namespace

bool is_xml_digit(char c) { return c >= '0' && c <= '9'; }

std::optional<double> xml_bandwidth(std::string_view text) {
  return quantity(text, [](std::string_view unit) {
    const std::optional<double> bits = prefixed(unit, "bps", 0.125);
    return bits ? bits : prefixed(unit, "Bps", 1);
  });
}

std::optional<double> xml_latency(std::string_view text) {
  return quantity(text, [](std::string_view unit) -> std::optional<double> {
    for (const XmlUnit& known : kTimes) {
      if (unit == known.name) {
        return known.value;
      }
    }
    return std::nullopt;
  });
}

std::optional<double> xml_speed(std::string_view text) {
  return quantity(text, [](std::string_view unit) {
    // Units such as "Kif" are refused, because SimGrid does not know them.
    return unit.find('i') == std::string_view::npos ? prefixed(unit, "f", 1) : std::nullopt;
  });
}

std::optional<std::uint32_t> xml_whole(std::string_view text, std::uint64_t most) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || !is_xml_digit(text.front()) || error != std::errc() ||
      end != text.data() + text.size() || number > most) {
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(number);
}

std::optional<std::vector<std::uint32_t>> xml_radicals(std::string_view text) {
  constexpr std::uint32_t kMostRadical = 0x7fffffff;
  std::vector<std::uint32_t> numbers;
  for (const std::string_view part : split(text, ',')) {
    const std::size_t dash = std::min(part.find('-'), part.size());
    const std::optional<std::uint32_t> first = xml_whole(part.substr(0, dash), kMostRadical);
    const std::optional<std::uint32_t> last =
        dash == part.size() ? first : xml_whole(part.substr(dash + 1), kMostRadical);
    if (!first || !last || *first > *last || numbers.size() + (*last - *first) >= kMostXmlHosts) {
      return std::nullopt;
    }
    for (std::uint32_t number = *first; number < *last; ++number) {
      numbers.push_back(number);
    }
    numbers.push_back(*last);
  }
  std::vector<std::uint32_t> sorted = numbers;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    return std::nullopt;
  }
  return numbers;
}

bool plain_attributes(const pugi::xml_node& node, std::initializer_list<std::string_view> known) {
  for (const pugi::xml_attribute& attribute : node.attributes()) {
    const std::string_view value = attribute.value();
    if (std::find(known.begin(), known.end(), attribute.name()) == known.end() ||
        !std::all_of(value.begin(), value.end(), [](char c) {
          return c >= ' ' && c <= '~' &&
                 std::string_view("<>&\"'").find(c) == std::string_view::npos;
        })) {
      return false;
    }
  }
  return true;
}

}}  // namespace tutti::platforms

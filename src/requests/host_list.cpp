// Expands lists in the form of Slurm's node lists: https://slurm.schedmd.com/scontrol.html
// ("hostlist expression").
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/quantities.hpp"
#include "src/requests/hosts.hpp"

namespace tutti::inline requests {

namespace {

constexpr std::size_t kMostDigits = 9;
constexpr std::size_t kMostLetters = 255;  // maximum length of a name, from RFC 1035
constexpr std::ptrdiff_t kMostBrackets = 8;

// One element of a list, such as "node[001-003]" in "node[001-003],gpu7".
class Element {
 public:
  Element(std::string_view from, std::string_view text) : from_(from), text_(text) {}

  void expand(std::vector<std::string>& names) const {
    if (text_.empty()) {
      refuse("a name is missing; write a,b,c or node[001-064]");
    }
    if (std::count(text_.begin(), text_.end(), '[') > kMostBrackets) {
      refuse(fmt::format("more than {} brackets", kMostBrackets));
    }
    expand(text_, "", names);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw UserError(fmt::format("{}: '{}': {}", from_, printable(text_), why));
  }

  // Adds to `names` all names that consist of `before` and one of the expansions of `rest`.
  void expand(std::string_view rest, const std::string& before,
              std::vector<std::string>& names) const {
    const std::size_t open = rest.find_first_of("[]");
    if (open == std::string_view::npos) {
      if (before.size() + rest.size() > kMostLetters) {
        refuse(fmt::format("a name has more than {} characters", kMostLetters));
      }
      if (names.size() == kMostNamedHosts) {
        refuse(fmt::format("more than {} hosts", kMostNamedHosts));
      }
      names.push_back(before + std::string(rest));
      return;
    }
    const std::size_t close = rest.find(']', open);
    if (rest[open] == ']' || close == std::string_view::npos) {
      refuse("unbalanced brackets");
    }
    const std::string stem = before + std::string(rest.substr(0, open));
    const std::string_view ranges = rest.substr(open + 1, close - open - 1);
    for (std::size_t at = 0; at <= ranges.size();) {
      const std::size_t end = std::min(ranges.find(',', at), ranges.size());
      expand_range(ranges.substr(at, end - at), stem, rest.substr(close + 1), names);
      at = end + 1;
    }
  }

  // For each number in `range` ("001-064" or "7"), adds all names that consist of `stem`, the
  // number, and one of the expansions of `rest`.
  void expand_range(std::string_view range, const std::string& stem, std::string_view rest,
                    std::vector<std::string>& names) const {
    const std::size_t dash = std::min(range.find('-'), range.size());
    const std::string_view first = range.substr(0, dash);
    const std::string_view last = dash == range.size() ? first : range.substr(dash + 1);
    const auto number = [this, range](std::string_view digits) {
      if (digits.empty() || digits.size() > kMostDigits ||
          digits.find_first_not_of("0123456789") != std::string_view::npos) {
        refuse(fmt::format("'{}' in brackets must be a number or a range such as 001-064",
                           printable(range)));
      }
      return parse_count(from_, digits);
    };
    const std::uint32_t end = number(last);
    const std::uint32_t begin = number(first);
    if (begin > end) {
      refuse(fmt::format("the range {} runs backwards; write the smaller number first", range));
    }
    for (std::uint32_t i = begin; i <= end; ++i) {
      expand(rest, fmt::format("{}{:0{}}", stem, i, first.size()), names);
    }
  }

  std::string_view from_;
  std::string_view text_;
};

}  // namespace

std::vector<std::string> expand_hosts(std::string_view from, std::string_view list) {
  std::vector<std::string> names;
  std::size_t begin = 0;
  bool in_brackets = false;
  for (std::size_t at = 0; at <= list.size(); ++at) {
    if (at == list.size() || (list[at] == ',' && !in_brackets)) {
      Element(from, list.substr(begin, at - begin)).expand(names);
      begin = at + 1;
    } else {
      in_brackets = list[at] == '[' || (in_brackets && list[at] != ']');
    }
  }
  return names;
}

}  // namespace tutti::inline requests

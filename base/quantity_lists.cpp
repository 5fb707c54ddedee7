// Lists of counts and sizes.
#include <fmt/format.h>

#include <cctype>
#include <optional>
#include <utility>

#include "base/characters.hpp"
#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "base/quantities.hpp"
#include "base/text_lines.hpp"

namespace tutti { inline namespace base {

namespace {

constexpr std::size_t kMaxListed = 1'000'000;

// Returns the ends of a range written as 4-64 or 4:64; nothing if `item` is not such a range.
std::optional<std::pair<std::string_view, std::string_view>> ends_of_range(std::string_view item) {
  const std::size_t sign = item.find_first_of("-:", 1);
  if (item.empty() || sign == item.npos || sign + 1 == item.size() || !is_digit(item.front()) ||
      !is_digit(item[sign + 1]) || !is_letter_or_digit(item[sign - 1])) {
    return std::nullopt;
  }
  return std::pair{item.substr(0, sign), item.substr(sign + 1)};
}

// Reads a list such as "a,b..c,d..e*f" into numbers.
template <typename Number>
class ListReader {
 public:
  // `parse_one` reads a number that is at most `max`.
  ListReader(std::string_view what, std::string_view text,
             Number (*parse_one)(std::string_view, std::string_view, std::uint32_t),
             std::uint32_t max)
      : what_(what), text_(text), parse_one_(parse_one), max_(max) {}

  std::vector<Number> read() {
    const std::string plain = plain_ascii(text_);
    const std::vector<std::string_view> items = split(plain, ',');
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i > 0 && items[i].size() == 3 && items[i].front() == '0' && is_digit(items[i].back())) {
        const std::string together = fmt::format("{}{}", trimmed(items[i - 1]), items[i]);
        throw UserError(
            fmt::format("{} '{}': a comma separates values; for a single number, write {}", what_,
                        text_, together));
      }
      read_item(trimmed(items[i]));
    }
    return std::move(numbers_);
  }

 private:
  Number one(std::string_view item) const { return parse_one_(what_, item, max_); }

  void add(std::uint64_t number) {
    if (numbers_.size() == kMaxListed) {
      const std::vector<std::string> forms{fmt::format("{}*2", text_)};
      const std::string corrections =
          text_.find('*') != text_.npos
              ? ""
              : accepted_corrections(forms, [this](const std::string& form) {
                  static_cast<void>(ListReader("", form, parse_one_, max_).read());
                });
      throw UserError(fmt::format("{} '{}': the list has more than {} values{}{}", what_, text_,
                                  kMaxListed, corrections.empty() ? "" : "; ", corrections));
    }
    numbers_.push_back(static_cast<Number>(number));
  }

  // Throws UserError on a range written as 4-64 or 4:64. The message offers the correct forms that
  // are accepted here.
  void check_range_sign(std::string_view item) const {
    const auto ends = ends_of_range(item);
    if (!ends) {
      return;
    }
    const auto& [first, last] = *ends;
    constexpr bool kSizes = sizeof(Number) > sizeof(std::uint32_t);
    std::vector<std::string> forms;
    if (!kSizes) {  // a range of sizes without a factor is every byte, which is seldom meant
      forms.push_back(fmt::format("{}..{}", first, last));
    }
    forms.push_back(fmt::format("{}..{}*2", first, last));
    forms.push_back(fmt::format("{},{}", first, last));
    throw UserError(fmt::format("{} '{}': not a number or range; {}", what_, item,
                                accepted_corrections(forms, [this](const std::string& form) {
                                  static_cast<void>(ListReader("", form, parse_one_, max_).read());
                                })));
  }

  void read_item(std::string_view item) {
    const std::size_t dots = item.find("..");
    if (dots == std::string_view::npos) {
      check_range_sign(item);
      add(one(item));
      return;
    }
    std::string_view last_text = item.substr(dots + 2);
    std::uint64_t factor = 1;
    if (const std::size_t star = last_text.find_first_of("*x"); star != std::string_view::npos) {
      factor =
          parse_count(fmt::format("{} '{}': the factor", what_, text_), last_text.substr(star + 1));
      last_text = last_text.substr(0, star);
      if (factor < 2) {
        throw UserError(fmt::format("{} '{}': the factor after * is {}; it must be 2 or more",
                                    what_, text_, factor));
      }
    }
    add_range(one(item.substr(0, dots)), one(last_text), factor);
  }

  void add_range(std::uint64_t first, std::uint64_t last, std::uint64_t factor) {
    if (first > last) {
      throw UserError(fmt::format("{} '{}': the range runs backwards; write the smaller end first",
                                  what_, text_));
    }
    if (factor > 1 && first == 0) {
      throw UserError(fmt::format("{} '{}': 0 times {} stays 0; start the range at 1 or more",
                                  what_, text_, factor));
    }
    if (factor == 1) {
      for (std::uint64_t number = first; number <= last; ++number) {
        add(number);
      }
      return;
    }
    add(first);
    for (std::uint64_t number = first; number <= last / factor;) {
      number *= factor;
      add(number);
    }
  }

  std::string_view what_;
  std::string_view text_;
  Number (*parse_one_)(std::string_view, std::string_view, std::uint32_t);
  std::uint32_t max_;
  std::vector<Number> numbers_;
};

std::uint64_t parse_size(std::string_view what, std::string_view text, std::uint32_t) {
  return parse_bytes(what, text);
}

}  // namespace

std::vector<std::uint32_t> parse_counts(std::string_view what, std::string_view text,
                                        std::uint32_t max) {
  return ListReader<std::uint32_t>(what, text, parse_count, max).read();
}

std::vector<std::uint64_t> parse_byte_list(std::string_view what, std::string_view text) {
  return ListReader<std::uint64_t>(what, text, parse_size, 0).read();
}

}}  // namespace tutti::base

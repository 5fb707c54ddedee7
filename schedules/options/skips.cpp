// --skips: the skips of circulant algorithms.
#include "schedules/options/skips.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "base/text_lines.hpp"
#include "schedules/options/option_field.hpp"

namespace tutti { inline namespace schedules {

namespace {

std::vector<std::uint32_t> parse_list(std::string_view list) {
  std::vector<std::uint32_t> skips;
  for (const std::string_view word : split(list, ',')) {
    std::uint32_t skip = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), skip);
    if (error != std::errc{} || end != word.data() + word.size()) {
      throw UserError(
          fmt::format("skips '{}': '{}' is not a number; use halving, doubling, linear, sqrt, or a "
                      "decreasing list that ends in 1, such as 11,6,3,2,1",
                      list, word));
    }
    skips.push_back(skip);
  }
  return skips;
}

}  // namespace

Skips parse_skips(std::string_view text) {
  if (const auto scheme = named<Skips::Scheme>(kSkipSchemes, text)) {
    return {*scheme, {}};
  }
  return {Skips::Scheme::list, parse_list(text)};
}

std::string to_text(const Skips& skips) {
  return skips.scheme == Skips::Scheme::list
             ? fmt::format("{}", fmt::join(skips.list, ","))
             : std::string(kSkipSchemes[static_cast<std::size_t>(skips.scheme)]);
}

std::vector<Skips> parse_several_skips(std::string_view text) {
  std::vector<Skips> several;
  const auto add = [&several](Skips skips) {
    if (std::find(several.begin(), several.end(), skips) == several.end()) {
      several.push_back(std::move(skips));
    }
  };
  for (const std::string_view part : split(text, ';')) {
    const std::vector<std::string_view> words = split(part, ',');
    const bool schemes = std::any_of(words.begin(), words.end(), [](std::string_view word) {
      return named<Skips::Scheme>(kSkipSchemes, word).has_value();
    });
    const bool numbers = std::any_of(words.begin(), words.end(), [](std::string_view word) {
      return !word.empty() && word.front() >= '0' && word.front() <= '9';
    });
    const bool all = std::find(words.begin(), words.end(), "all") != words.end();
    if (all && !numbers) {
      for (const std::string_view word : words) {
        if (word != "all") {
          add(parse_skips(word));
        }
      }
      for (std::size_t i = 0; i < kSkipSchemes.size(); ++i) {
        add({static_cast<Skips::Scheme>(i), {}});
      }
    } else if (schemes && numbers) {
      throw UserError(fmt::format(
          "skips '{}': separate names and numbers by ';', such as 'halving;11,6,3,2,1'", part));
    } else if (schemes) {
      for (const std::string_view word : words) {
        add(parse_skips(word));
      }
    } else {
      add(parse_skips(part));
    }
  }
  return several;
}

namespace options {

namespace {

std::string help() {
  return "Skips of a circulant algorithm: halving [default], doubling, linear, sqrt, or a list "
         "such as 5,3,2,1";
}

void parse(std::string_view, std::string_view text, Problem& into) {
  into.skips = parse_skips(text);
}

std::vector<Problem> parse_several(std::string_view text) {
  std::vector<Problem> values;
  for (Skips& skips : parse_several_skips(text)) {
    values.emplace_back().skips = std::move(skips);
  }
  return values;
}

std::string print(const Problem& problem) { return to_text(problem.skips); }

OptionValue value(const Problem& problem) { return to_text(problem.skips); }

// Does not try lists, because a list is valid only for few numbers of ranks.
std::vector<OptionTrial> trials(const Problem& problem) {
  std::vector<OptionTrial> trials;
  for (std::size_t i = 0; i < kSkipSchemes.size(); ++i) {
    trials.push_back({problem, TriedFor::deciding});
    trials.back().problem.skips = {static_cast<Skips::Scheme>(i), {}};
  }
  return trials;
}

}  // namespace

extern const OptionType skips{
    .option = Option::skips,
    .word = "skips",
    .type_name = "SKIPS",
    .help = help,
    .json_key = "skips",
    .recorded = RecordPolicy::always,
    .shown_by_default = true,
    .words = kSkipSchemes,
    .parse = parse,
    .parse_several = parse_several,
    .print = print,
    .is_default = is_default<&Problem::skips>,
    .copy = copy_member<&Problem::skips>,
    .value = value,
    .trials = trials,
};

}  // namespace options

}}  // namespace tutti::schedules

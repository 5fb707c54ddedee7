#include "schedules/options/option_type.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <string>

#include "base/error.hpp"
#include "base/nearest.hpp"

namespace tutti { inline namespace schedules {

namespace options {
#define TUTTI_OPTION(option) extern const OptionType option; /* NOLINT */
#include "schedules/options/options.def"
#undef TUTTI_OPTION
}  // namespace options

namespace {

constexpr std::array<const OptionType*, kOptions> kTypes{
#define TUTTI_OPTION(option) &options::option,
#include "schedules/options/options.def"
#undef TUTTI_OPTION
};

constexpr std::array<std::string_view, 3> kKinds{"a whole number", "a word",
                                                 "a list of whole numbers"};

}  // namespace

std::span<const OptionType* const> option_types() { return kTypes; }

std::size_t index_of(Option option) {
  return static_cast<std::size_t>(std::countr_zero(bit(option)));
}

const OptionType& option_type(Option option) { return *kTypes[index_of(option)]; }

const OptionType& option_named(std::string_view word) {
  std::vector<std::string> words;
  for (const OptionType* type : option_types()) {
    if (type->word == word) {
      return *type;
    }
    words.emplace_back(type->word);
  }
  throw UserError(
      fmt::format("no algorithm takes an option '{}'{}", word, did_you_mean(word, words)));
}

void set_option(const OptionType& type, const OptionValue& value, Problem& into) {
  const OptionValue standard = type.value(Problem{});
  if (value.index() != standard.index()) {
    throw UserError(fmt::format("{0}: expected {2}, found {1}", type.json_key,
                                kKinds[value.index()], kKinds[standard.index()]));
  }
  if (type.set != nullptr) {
    try {
      type.set(value, into);
    } catch (const UserError& error) {
      throw UserError(fmt::format("{} {}", type.json_key, error.what()));
    }
    return;
  }
  const std::string& word = std::get<std::string>(value);
  if (word.empty()) {
    type.copy(Problem{}, into);
  } else {
    type.parse(type.json_key, word, into);
  }
}

std::string OptionType::spaced() const {
  std::string text(word);
  std::replace(text.begin(), text.end(), '-', ' ');
  return text;
}

std::string_view OptionType::flag() const {
  static const std::map<Option, std::string> kFlags = [] {
    std::map<Option, std::string> flags;
    for (const OptionType* type : option_types()) {
      flags.emplace(type->option, fmt::format("--{}", type->word));
    }
    return flags;
  }();
  return kFlags.at(option);
}

std::string in_words(const OptionType& type, const Problem& problem) {
  return fmt::format("{} {}", type.flag(), type.print(problem));
}

}}  // namespace tutti::schedules

#include "src/requests/offered_words.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <string_view>

namespace tutti {

namespace {

// CLI11's options keep nothing for their user but validators: one that accepts everything bears the
// words in its name.
constexpr std::string_view kMark = "words:";

}  // namespace

void offer_words(CLI::Option* option, const std::vector<std::string>& words) {
  CLI::Validator none([](std::string&) { return std::string(); }, "",
                      fmt::format("{}{}", kMark, fmt::join(words, "\n")));
  option->check(none);
}

std::vector<std::string> offered_words(const CLI::Option& option) {
  std::vector<std::string> words;
  // CLI11 gives validators to those that may change the option.
  auto& open = const_cast<CLI::Option&>(option);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  for (int i = 0;; ++i) {
    const CLI::Validator* validator = nullptr;
    try {
      validator = open.get_validator(i);
    } catch (const CLI::OptionNotFound&) {
      return words;
    }
    const std::string name = validator->get_name();
    for (std::size_t at = name.starts_with(kMark) ? kMark.size() : name.size(); at < name.size();) {
      const std::size_t end = std::min(name.find('\n', at), name.size());
      words.push_back(name.substr(at, end - at));
      at = end + 1;
    }
  }
}

}  // namespace tutti

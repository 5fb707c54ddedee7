// Which words the value of an option may be: said where the option is added, and asked for by
// completion.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class Option;
}

namespace tutti {

// A number, a list or a file may be accepted too. Nothing is checked by that.
void offer_words(CLI::Option* option, const std::vector<std::string>& words);
[[nodiscard]] std::vector<std::string> offered_words(const CLI::Option& option);

}  // namespace tutti

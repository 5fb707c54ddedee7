#include "src/output/numbered_notes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/formats/text_table.hpp"

namespace tutti::inline output {

std::size_t NumberedNotes::number_of_pattern(const Sentence& sentence) {
  const auto found = std::find_if(patterns_.begin(), patterns_.end(), [&](const Pattern& each) {
    return each.pattern == sentence.pattern;
  });
  if (found != patterns_.end()) {
    ++found->more;
    return found->number;
  }
  patterns_.push_back({sentence.pattern, number(sentence.text), 0});
  return patterns_.back().number;
}

std::size_t NumberedNotes::number(const std::string& text) {
  const auto found = std::find(texts_.begin(), texts_.end(), text);
  if (found != texts_.end()) {
    return static_cast<std::size_t>(found - texts_.begin()) + 1;
  }
  texts_.push_back(text);
  return texts_.size();
}

void NumberedNotes::print(std::ostream& out) const {
  constexpr std::size_t kNumberWidth = 5;
  if (texts_.empty()) {
    return;
  }
  out << "\nNotes\n";
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    std::string text = texts_[i];
    for (const Pattern& pattern : patterns_) {
      if (pattern.number == i + 1 && pattern.more > 0) {
        text += fmt::format(" (and {} more like this)", pattern.more);
      }
    }
    print_field(out, 1, kNumberWidth, fmt::format("[{}]", i + 1), text);
  }
}

}  // namespace tutti::inline output

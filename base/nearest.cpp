#include "base/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <system_error>
#include <vector>

#include "base/error.hpp"
#include "base/file_text.hpp"
#include "base/text_lines.hpp"

namespace tutti { inline namespace base {

namespace {

// Returns the edit distance of two words: Levenshtein's distance, but two swapped neighbouring
// letters count as one edit.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);  // row of the table two rows above `row`
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    row[j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] =
          std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

std::string folded(std::string_view word) {
  std::string lower = lower_case(word);
  std::ranges::replace(lower, '_', '-');
  return lower;
}

}  // namespace

bool same_word(std::string_view a, std::string_view b) { return folded(a) == folded(b); }

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(3, word.size() / 2);
  const std::string wanted = folded(word);
  for (const std::string& candidate : candidates) {
    const std::string known = folded(candidate);
    // If `word` is a prefix of the candidate, such as --out of --output, the distance is 1, however
    // many letters are missing; if it goes on after the candidate, as h100-sxm after h100, it is 2.
    const bool begins = wanted.size() > 2 && known.starts_with(wanted);
    const bool goes_on = known.size() > 2 && wanted.starts_with(known) &&
                         wanted.size() > known.size() &&
                         std::isalnum(static_cast<unsigned char>(wanted[known.size()])) == 0;
    const std::size_t distance = wanted == known ? 0
                                 : begins        ? 1
                                 : goes_on       ? 2
                                                 : edit_distance(wanted, known);
    // At least half of the letters must be right, which matters for short words.
    if (distance < best_distance && 2 * distance <= std::min(wanted.size(), known.size())) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string accepted_corrections(std::span<const std::string> forms,
                                 const std::function<void(const std::string&)>& accept) {
  thread_local bool inside = false;
  if (inside) {
    return "";
  }
  inside = true;
  const struct Outside {
    ~Outside() { inside = false; }
  } outside;
  std::vector<std::string> accepted;
  for (const std::string& form : forms) {
    try {
      accept(form);
      accepted.push_back(form);
    } catch (const UserError&) {  // not a correction
    }
  }
  return accepted.empty() ? "" : fmt::format("write {}", alternatives(accepted));
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const std::string best = nearest(word, candidates);
  return best.empty() ? "" : fmt::format("; did you mean '{}'?", best);
}

std::string accepted_words(std::string_view word, std::span<const std::string> words) {
  return fmt::format("expected {}{}", alternatives(words), did_you_mean(word, words));
}

void check_word(std::string_view what, std::string_view text, std::span<const std::string> words) {
  if (std::find(words.begin(), words.end(), text) == words.end()) {
    throw UserError(fmt::format("{} '{}': {}", what, text, accepted_words(text, words)));
  }
}

std::string nearest_file(const std::string& path, const InputKind& kind) {
  // No hint is worth the time to search a larger folder.
  constexpr std::size_t kMostEntries = 10'000;
  namespace fs = std::filesystem;
  const fs::path wanted(path);
  const std::string name = wanted.filename().string();
  const fs::path folder = wanted.parent_path();
  constexpr std::size_t kLongestName = 255;
  if (name.empty() || name.size() > kLongestName) {
    return "";
  }
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator entry(folder.empty() ? fs::path(".") : folder, error), end;
       !error && entry != end && names.size() < kMostEntries; entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  // Sorts the names, because a folder lists its entries in arbitrary order.
  std::sort(names.begin(), names.end());
  const std::string best = nearest(name, names);
  const std::string found = (folder / best).string();
  const FileContent content = content_of_file(found);
  if (best.empty() || (content != FileContent::unknown &&
                       std::ranges::find(kind.contents, content) == kind.contents.end())) {
    return "";
  }
  return fmt::format("; did you mean '{}'?", found);
}

}}  // namespace tutti::base

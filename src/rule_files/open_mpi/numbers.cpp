#include "src/rule_files/open_mpi/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/characters.hpp"
#include "base/line_reader.hpp"
#include "base/text_words.hpp"

namespace tutti { inline namespace rule_files {

OmpiNumbers::OmpiNumbers(std::string_view text, RuleFormat version, RuleFile& file) : file_(file) {
  const std::string_view content = without_byte_order_mark(text);
  if (content.size() < text.size()) {
    file_.warn(1, "the file begins with a byte order mark, which Open MPI skips");
  }
  for (LineReader lines(content); lines.next();) {
    std::string_view line = lines.without_comment();
    if (lines.number() == 1 && version == RuleFormat::ompi5) {
      line = without_header(line);
    }
    for (const std::string_view word : words_in(line, kWhiteSpace)) {
      read_word(word, lines.number());
    }
  }
  last_line_ = 1 + static_cast<std::size_t>(std::ranges::count(content, '\n'));
}

std::string_view OmpiNumbers::without_header(std::string_view content) {
  constexpr std::string_view kHeader = "rule-file-version-";
  if (!content.starts_with(kHeader)) {
    return content;
  }
  content.remove_prefix(kHeader.size());
  int version = 0;
  const auto [end, error] =
      std::from_chars(content.data(), content.data() + content.size(), version);
  header_ = error == std::errc() && version > 1;
  file_.note(1,
             "Open MPI before 5.0.7 does not know the header, and silently ignores the whole file");
  if (error != std::errc() || version < 1 || version > 2) {
    file_.error(1,
                "the header has a version that Open MPI 5 does not know; it knows "
                "rule-file-version-1 and rule-file-version-2");
  }
  content.remove_prefix(static_cast<std::size_t>(end - content.data()));
  return content;
}

void OmpiNumbers::read_word(std::string_view word, std::size_t line) {
  std::vector<std::string> read_as;
  bool negative = false;
  for (std::size_t at = 0; at < word.size();) {
    const std::size_t begin = at;
    if (word[at] == '-' || word[at] == '+') {
      ++at;
    }
    int base = 10;
    if (at < word.size() && word[at] == '0') {
      base = at + 1 < word.size() && (word[at + 1] == 'x' || word[at + 1] == 'X') ? 16 : 8;
    }
    const std::size_t digits = at + (base == 16 ? 2 : 0);
    std::size_t end = digits;
    while (end < word.size() && is_digit(word[end], base)) {
      ++end;
    }
    if (end == digits) {
      at = std::max(at, begin + 1);  // fscanf() finds no number here, so one character is skipped
      continue;
    }
    OmpiNumber number;
    std::uint64_t size = 0;
    const auto [stop, error] = std::from_chars(word.data() + digits, word.data() + end, size, base);
    const bool too_large = error != std::errc() || size > INT64_MAX;
    number.value = too_large ? INT64_MAX : static_cast<long>(size);
    if (word[begin] == '-') {
      number.value = -number.value;
      negative = true;
    }
    number.line = line;
    number.place = per_line_[line]++;
    numbers_.push_back(number);
    read_as.push_back(std::to_string(number.value));
    at = end;
  }
  complain(word, line, read_as, negative);
}

void OmpiNumbers::complain(std::string_view word, std::size_t line,
                           const std::vector<std::string>& read_as, bool negative) {
  const bool digits_only = has_only_digits(word);
  if (skips_commas(word, line)) {
    return;
  }
  if (word.starts_with("rule-file-version")) {
    file_.error(line, fmt::format("the header '{}' is for Open MPI from 5.0.7 on; older versions "
                                  "read it as the number {}; {}",
                                  word, fmt::join(read_as, " and "), kOmpiRejected));
    unknown_header_ = true;
  } else if (digits_only && word.size() > 1 && word.front() == '0') {
    file_.error(line, fmt::format("'{}' begins with 0 and is octal: it is read as {}", word,
                                  fmt::join(read_as, " and ")));
  } else if (!digits_only && !negative) {
    file_.error(line, fmt::format("'{}' is not a plain number: {}", word,
                                  read_as.empty() ? "all of it is skipped"
                                                  : fmt::format("it is read as {}",
                                                                fmt::join(read_as, " and "))));
  }
}

// Returns true if the word is a list of decimal numbers with commas or semicolons between them, all
// of which fscanf() skips. Says so once.
bool OmpiNumbers::skips_commas(std::string_view word, std::size_t line) {
  if (word.find_first_of(",;") == word.npos ||
      word.find_first_not_of("0123456789,;") != word.npos) {
    return false;
  }
  char before = ',';
  for (std::size_t i = 0; i < word.size(); ++i) {
    const bool digit_follows = i + 1 < word.size() && is_digit(word[i + 1]);
    if (word[i] == '0' && (before == ',' || before == ';') && digit_follows) {
      return false;  // an octal number
    }
    before = word[i];
  }
  if (!commas_reported_) {
    commas_reported_ = true;
    file_.warn(line, fmt::format("commas and semicolons, as in '{}', are skipped: Open MPI reads "
                                 "the numbers between them",
                                 word));
  }
  return true;
}

}}  // namespace tutti::rule_files

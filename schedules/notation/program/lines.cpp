#include "schedules/notation/program/lines.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace tutti { inline namespace schedules { namespace program {

namespace {

constexpr std::uint32_t kTab = 4;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Splits a text, which must be followed by a NUL character, because the functions here stop at it.
class Splitter {
 public:
  Splitter(const char* begin, const char* end) : at_(begin), end_(end) {}

  std::vector<Line> split() {
    std::vector<Line> lines;
    std::uint32_t indent = 0;
    while (next_line(indent)) {
      const char* const begin = at_;
      const char* last = at_;
      std::int64_t open = 0;
      while (true) {
        last = read_to_line_end(open);
        // The statement may continue on the next line.
        std::uint32_t ignored = 0;
        const char* const line_end = at_;
        if (!next_line(ignored) || (open <= 0 && !continues(begin))) {
          at_ = line_end;
          break;
        }
      }
      lines.push_back({begin, last, indent});
    }
    return lines;
  }

 private:
  // Moves to the first character of the next line that has more than a comment, and sets `indent`.
  // Returns false if there is no such line.
  bool next_line(std::uint32_t& indent) {
    while (true) {
      indent = 0;
      while (is_blank(*at_) || *at_ == '\n') {
        if (*at_ == '\n') {
          indent = 0;
        } else if (*at_ == '\t') {
          indent = (indent / kTab + 1) * kTab;
        } else if (*at_ == ' ') {
          ++indent;
        }
        ++at_;
      }
      if (at_ >= end_) {
        return false;
      }
      if (*at_ != '#') {
        return true;
      }
      skip_comment();
    }
  }

  void skip_comment() {
    while (at_ < end_ && *at_ != '\n') {
      ++at_;
    }
  }

  // Moves to the end of the line, and adds to `open` the number of brackets that the line leaves
  // open. Returns the end of the line's text, which does not include a comment and blank space
  // after the text.
  const char* read_to_line_end(std::int64_t& open) {
    const char* last = at_;
    while (at_ < end_ && *at_ != '\n') {
      const char c = *at_;
      if (c == '#' && is_blank(at_[-1])) {
        skip_comment();
        break;
      }
      if (c == '"') {
        ++at_;
        while (at_ < end_ && *at_ != '"' && *at_ != '\n') {
          ++at_;
        }
        if (at_ < end_ && *at_ == '"') {
          ++at_;
        }
        last = at_;
        continue;
      }
      open += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
      ++at_;
      if (!is_blank(c)) {
        last = at_;
      }
    }
    return last;
  }

  // True if the current line continues the statement that begins at `begin`.
  [[nodiscard]] bool continues(const char* begin) const {
    const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
    const auto starts_with = [&](std::span<const std::string_view> words) {
      return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
        return rest.starts_with(word) &&
               (rest.size() == word.size() || !is_word(rest[word.size()])) &&
               !is_assignment(rest.substr(word.size()));
      });
    };
    if (rest.starts_with('+') || rest.starts_with("->") || starts_with(kContinue)) {
      return true;
    }
    return is_use(begin) && starts_with(kClauses);
  }

  // True if `rest`, the text after a word, assigns a value to the word.
  static bool is_assignment(std::string_view rest) {
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    return rest.starts_with("+=") || (rest.starts_with('=') && !rest.starts_with("=="));
  }

  // True if the statement is a `use`, and not an assignment to a variable of that name.
  [[nodiscard]] bool is_use(const char* begin) const {
    constexpr std::string_view kUse = "use";
    if (!std::string_view(begin, static_cast<std::size_t>(end_ - begin)).starts_with(kUse) ||
        !is_blank(begin[kUse.size()])) {
      return false;
    }
    begin += kUse.size();
    while (is_blank(*begin)) {
      ++begin;
    }
    return is_word(*begin);
  }

  static constexpr std::array<std::string_view, 2> kContinue{"After", "op"};
  // The words that begin clauses of `use`.
  static constexpr std::array<std::string_view, 5> kClauses{"among", "on", "shares", "root",
                                                            "with"};

  const char* at_;
  const char* end_;
};

}  // namespace

std::vector<Line> split_into_lines(Scanner& scanner) {
  const char* const begin = scanner.at();
  const char* const end = begin + (scanner.size() - scanner.offset());
  return Splitter(begin, end).split();
}

}}}  // namespace tutti::schedules::program

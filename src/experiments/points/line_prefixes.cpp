#include "src/experiments/points/line_prefixes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/characters.hpp"
#include "base/error.hpp"
#include "base/line_reader.hpp"
#include "base/printable.hpp"
#include "base/text_lines.hpp"

namespace tutti { inline namespace experiments {

namespace {

// Forms of a time: 'a' is a letter, 'd' a digit, '_' a digit or a blank, and 'T' a 'T' or a blank.
constexpr std::array<std::string_view, 5> kTimeForms{"aaa aaa _d dd:dd:dd dddd", "aaa _d dd:dd:dd",
                                                     "dddd-dd-ddTdd:dd:dd", "dddd/dd/dd dd:dd:dd",
                                                     "dd:dd:dd"};

bool fits(char each, char form) {
  switch (form) {
    case 'a':
      return is_letter(each);
    case 'd':
      return is_digit(each);
    case '_':
      return is_digit(each) || each == ' ';
    case 'T':
      return each == 'T' || each == ' ';
    default:
      return each == form;
  }
}

std::size_t digits_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end])) {
    ++end;
  }
  return end - at;
}

// Returns the length of the time at the beginning of `text`, with fractions of a second and the
// time zone; 0 if there is none.
std::size_t time_length(std::string_view text) {
  for (const std::string_view form : kTimeForms) {
    if (text.size() < form.size() ||
        !std::equal(form.begin(), form.end(), text.begin(),
                    [](char of_form, char each) { return fits(each, of_form); })) {
      continue;
    }
    std::size_t end = form.size();
    if (end < text.size() && (text[end] == '.' || text[end] == ',')) {
      const std::size_t digits = digits_at(text, end + 1);
      end += digits > 0 ? digits + 1 : 0;
    }
    if (end < text.size() && text[end] == 'Z') {
      ++end;
    } else if (end < text.size() && (text[end] == '+' || text[end] == '-') &&
               digits_at(text, end + 1) >= 2) {
      end += 1 + digits_at(text, end + 1);
      if (end < text.size() && text[end] == ':' && digits_at(text, end + 1) == 2) {
        end += 3;
      }
    }
    return end;
  }
  return 0;
}

// A prefix without its times. Two prefixes of one form differ only in the numbers outside of times.
struct LinePrefix {
  std::size_t length = 0;
  std::string text;  // each time is replaced by kTime
  std::string form;  // the same, with each number, and the blanks before it, replaced by kNumber
};
constexpr char kTime = '\1';
constexpr char kNumber = '\2';

LinePrefix prefix_of(std::string_view text) {
  LinePrefix prefix;
  prefix.length = text.size();
  while (!text.empty()) {
    const std::size_t time = time_length(text);
    if (time > 0) {
      prefix.text += kTime;
      prefix.form += kTime;
      text.remove_prefix(time);
    } else if (const std::size_t digits = digits_at(text, 0); digits > 0) {
      prefix.text += text.substr(0, digits);
      while (!prefix.form.empty() && is_blank(prefix.form.back())) {
        prefix.form.pop_back();
      }
      prefix.form += kNumber;
      text.remove_prefix(digits);
    } else {
      prefix.text += text.front();
      prefix.form += text.front();
      text.remove_prefix(1);
    }
  }
  return prefix;
}

// Returns the prefix of `line` if it has the form `form`; nothing if the line has another prefix.
// Blanks at the end of the form may be missing where the line ends there.
std::optional<LinePrefix> prefix_with(std::string_view line, std::string_view form) {
  LinePrefix prefix;
  std::string_view rest = line;
  while (!form.empty()) {
    std::size_t length = 1;
    if (form.front() == kTime) {
      length = time_length(rest);
      prefix.text += kTime;
    } else if (form.front() == kNumber) {
      std::size_t blanks = 0;
      while (blanks < rest.size() && is_blank(rest[blanks])) {
        ++blanks;
      }
      const std::size_t digits = digits_at(rest, blanks);
      length = digits > 0 ? blanks + digits : 0;
      prefix.text += rest.substr(0, length);
    } else if (rest.empty() && trimmed(form).empty()) {
      prefix.text += form;
      break;
    } else {
      length = !rest.empty() && rest.front() == form.front() ? 1 : 0;
      prefix.text += form.front();
    }
    if (length == 0) {
      return std::nullopt;
    }
    rest.remove_prefix(std::min(length, rest.size()));
    form.remove_prefix(1);
  }
  prefix.length = line.size() - rest.size();
  return prefix;
}

// Removes the tags that mpirun writes in the middle of a line if the output reaches it in pieces:
// "64   [1,0]<stdout>:  12.5".
std::string without_tags(std::string_view line, std::string_view tag) {
  std::string plain;
  for (std::size_t at = line.find(tag); at != std::string_view::npos; at = line.find(tag)) {
    plain += line.substr(0, at);
    line.remove_prefix(at + tag.size());
  }
  return plain + std::string(line);
}

struct NumberedLine {
  std::string_view line;
  std::optional<LinePrefix> prefix;
};

// Lines of one sender, such as a rank.
struct Sender {
  std::size_t first_heading = 0;
  std::size_t last_line = 0;
  std::size_t lines = 0;
};

// Returns the text of each prefix whose lines have a heading, with the numbers of its lines.
std::map<std::string, Sender> senders_of(const std::vector<NumberedLine>& lines,
                                         const HeadingPosition& heading) {
  std::map<std::string, Sender> senders;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto& [line, prefix] = lines[i];
    if (prefix && heading(line.substr(prefix->length)) == std::size_t{0}) {
      senders.try_emplace(prefix->text, Sender{i + 1, 0, 0});
    }
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (const auto& prefix = lines[i].prefix;
        prefix && !trimmed(lines[i].line.substr(prefix->length)).empty()) {
      if (const auto found = senders.find(prefix->text); found != senders.end()) {
        found->second.last_line = i + 1;
        ++found->second.lines;
      }
    }
  }
  return senders;
}

std::string shown_prefix(const std::string& text) {
  std::string shown;
  for (const char each : text) {
    shown += each == kTime ? std::string("TIME") : std::string(1, each);
  }
  return shortened(printable(trimmed(shown)));
}

// Throws UserError if one sender's lines begin before the last line of another.
void refuse_mixed(const std::map<std::string, Sender>& senders, const std::string& path) {
  using Entry = std::pair<const std::string, Sender>;
  std::vector<const Entry*> by_heading;
  by_heading.reserve(senders.size());
  for (const Entry& each : senders) {
    by_heading.push_back(&each);
  }
  std::ranges::sort(by_heading, {}, [](const Entry* each) { return each->second.first_heading; });
  // If the lines of any two senders overlap, those of two neighbours do, too.
  for (std::size_t i = 1; i < by_heading.size(); ++i) {
    const auto& [text, one] = *by_heading[i - 1];
    const auto& [other_text, other] = *by_heading[i];
    if (other.first_heading < one.last_line) {
      throw UserError(fmt::format(
          "'{}', line {}: the table of '{}' begins inside that of '{}' (line {}): each process "
          "ran the benchmark alone, so the times are not those of all ranks; use an output in "
          "which only one rank prints a table (was the benchmark built without MPI?)",
          shortened(printable(path)), other.first_heading, shown_prefix(other_text),
          shown_prefix(text), one.first_heading));
    }
  }
}

}  // namespace

std::optional<std::string> without_prefixes(std::string_view text, const std::string& path,
                                            const HeadingPosition& heading) {
  std::vector<NumberedLine> lines;
  std::optional<LinePrefix> first;
  for (LineReader reader(text); reader.next();) {
    lines.push_back({reader.line(), std::nullopt});
    if (!first) {
      if (const auto at = heading(reader.line()); at && *at > 0) {
        first = prefix_of(reader.line().substr(0, *at));
      }
    }
  }
  if (!first) {
    return std::nullopt;
  }
  std::size_t with_prefix = 0;
  for (NumberedLine& each : lines) {
    each.prefix = prefix_with(each.line, first->form);
    with_prefix += each.prefix ? 1 : 0;
  }
  if (with_prefix < 2) {
    return std::nullopt;  // a sentence that ends with the heading
  }
  const std::map<std::string, Sender> senders = senders_of(lines, heading);
  // If each heading is alone with its prefix, the numbers count the lines (cat -n) or the time.
  const bool counts_lines =
      std::ranges::all_of(senders, [](const auto& each) { return each.second.lines == 1; });
  if (!counts_lines) {
    refuse_mixed(senders, path);
  }
  const std::size_t tag_at = first->text.find('[');
  const bool tagged = first->text.find(">:") != std::string::npos;
  std::string plain;
  for (const auto& [each, prefix] : lines) {
    if (!prefix) {
      plain += each;
    } else if (counts_lines || senders.contains(prefix->text)) {
      const std::string_view tag =
          std::string_view(prefix->text).substr(std::min(tag_at, prefix->text.size()));
      const std::string_view content = each.substr(prefix->length);
      plain +=
          tagged && tag.size() > 2 ? without_tags(content, trimmed(tag)) : std::string(content);
    }
    plain += '\n';
  }
  return plain;
}

}}  // namespace tutti::experiments

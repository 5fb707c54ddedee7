// Reads the configuration file of UCC: lines NAME=VALUE, which may be in sections.
//
//   [team_size=8-15 ppn=1]
//   UCC_TL_UCP_TUNE=allreduce:0-4095:@knomial#allreduce:4095-inf:@1
//
// A section applies to teams (communicators) with these numbers of ranks. If the file has an error,
// UCC does not start.
//
// Source: openucx/ucc 8263de47 (1.9), src/utils/ini.c and ini.h; src/utils/ucc_parser.c,
// ucc_file_parse_handler and ucc_add_team_sections.
#include "src/rule_files/ucc/conf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/characters.hpp"
#include "base/line_reader.hpp"
#include "base/nearest.hpp"
#include "base/text_lines.hpp"
#include "base/text_words.hpp"
#include "src/rule_files/rule_file.hpp"
#include "src/rule_files/ucc/tune.hpp"

namespace tutti { inline namespace rule_files {

namespace {

constexpr std::size_t kLongestConfLine = 8191;
constexpr std::size_t kLongestSection = 127;

std::string_view without_space(std::string_view text) { return trimmed(text, kWhiteSpace); }

// A section of the file, or the lines before the first section.
struct UccSection {
  std::string name;
  std::size_t line = 0;
  std::map<std::string, std::string, std::less<>>
      words;  // conditions other than ranges: vendor, model
  std::map<std::string, UccRanks, std::less<>> ranges;  // team_size, ppn, sock, nnodes
  std::set<std::string, std::less<>> names;
  std::string tune;
  std::size_t tune_line = 0;

  [[nodiscard]] UccRanks range(std::string_view key) const {
    const auto found = ranges.find(key);
    return found == ranges.end() ? UccRanks{} : found->second;
  }
};

class UccReader {
 public:
  explicit UccReader(RuleFile& file) : file_(file), tunes_(file) { sections_.emplace_back(); }

  void read_line(std::string_view line, std::size_t number) {
    for (; line.size() > kLongestConfLine; line.remove_prefix(kLongestConfLine)) {
      file_.error(number,
                  fmt::format("{} characters: the part after character {} is read as another "
                              "line",
                              line.size(), kLongestConfLine));
      read_part(line.substr(0, kLongestConfLine), number);
    }
    read_part(line, number);
  }

  void finish() {
    if (file_.rejected) {
      return;
    }
    check_sections();
    if (!radixes_.empty()) {
      constexpr std::size_t kShown = 3;
      const std::vector<std::string> names(radixes_.begin(), radixes_.end());
      file_.note(
          radix_line_,
          fmt::format(
              "tutti ignores settings of radixes, and assumes the defaults: {}{}",
              fmt::join(std::span(names).first(std::min(names.size(), kShown)), ", "),
              names.size() > kShown ? fmt::format(" and {} more", names.size() - kShown) : ""));
    }
    for (const UccSection& section : sections_) {
      const bool general = &section == &sections_.front();
      if (!section.tune.empty() && (general || sections_.front().tune.empty())) {
        tunes_.read({section.tune, section.tune_line, section.range("team_size")});
      }
    }
    tunes_.finish();
  }

 private:
  // Reports a fault because of which UCC rejects the file.
  void fatal(std::size_t line, std::string_view text) {
    file_.error(line, fmt::format("{}; UCC then does not start", text));
    file_.rejected = true;
  }

  void read_part(std::string_view line, std::size_t number) {
    const std::string_view text = without_space(line);
    if (text.empty() || text.front() == '#' || text.front() == ';') {
      return;
    }
    if (named_ && is_space(line.front())) {
      fatal(number,
            "an indented line continues the value above, which UCC takes for a second value");
      return;
    }
    if (text.front() == '[') {
      read_section(text, number);
      return;
    }
    const std::size_t sign = text.find_first_of("=:");
    const std::size_t comment = comment_in(text);
    if (sign == text.npos || comment < sign) {
      fatal(number, fmt::format("'{}' is not NAME=VALUE", text));
      return;
    }
    named_ = true;
    const std::string_view after = text.substr(sign + 1);
    read_value(without_space(text.substr(0, sign)),
               without_space(after.substr(0, comment_in(after))), number);
  }

  // Returns the position of a comment: a semicolon after a blank.
  static std::size_t comment_in(std::string_view text) {
    for (std::size_t i = 1; i < text.size(); ++i) {
      if (text[i] == ';' && is_space(text[i - 1])) {
        return i;
      }
    }
    return text.npos;
  }

  void read_section(std::string_view text, std::size_t line) {
    const std::size_t end = text.find(']');
    if (end == text.npos) {
      fatal(line, "']' is missing");
      return;
    }
    named_ = false;
    std::string name(text.substr(1, end - 1));
    if (name.size() > kLongestSection) {
      file_.error(line, fmt::format("the section has {} characters; UCC keeps only {}", name.size(),
                                    kLongestSection));
      name.resize(kLongestSection);
    }
    const auto known = std::ranges::find(sections_, name, &UccSection::name);
    if (known != sections_.end()) {
      current_ = static_cast<std::size_t>(known - sections_.begin());
      return;
    }
    current_ = sections_.size();
    UccSection section;
    section.name = std::move(name);
    section.line = line;
    sections_.push_back(std::move(section));
    read_conditions(sections_.back());
  }

  void read_conditions(UccSection& section) {
    for (const std::string_view word : words_in(section.name, " ")) {
      const auto sides = words_in(word, "=");
      constexpr std::array<std::string_view, 4> kRanges{"team_size", "ppn", "sock", "nnodes"};
      if (sides.empty()) {
        continue;
      }
      const std::string key(lower_case(sides[0]) == "vendor" ? "vendor" : std::string(sides[0]));
      const bool range = std::ranges::find(kRanges, key) != kRanges.end();
      if (!range && key != "vendor" && key != "model") {
        fatal(section.line,
              fmt::format("unknown condition '{}'; expected vendor, model, team_size, ppn, sock or "
                          "nnodes",
                          key));
      } else if (sides.size() < 2) {
        fatal(section.line, fmt::format("'{}' has no value", word));
      } else if (range) {
        read_range(section, key, sides[1]);
      } else {
        section.words[key] = lower_case(sides[1]);
      }
    }
  }

  void read_range(UccSection& section, const std::string& key, std::string_view text) {
    const auto ends = words_in(text, "-");
    if (ends.empty() || ends.size() > 2 || !has_only_digits(ends.front()) ||
        !has_only_digits(ends.back())) {
      fatal(section.line,
            fmt::format("{} '{}': expected a number or a range, such as 4-7", key, text));
      return;
    }
    const UccRanks range{ucc_ranks(ends.front()), ucc_ranks(ends.back())};
    if (range.least > range.most) {
      file_.error(section.line,
                  fmt::format("{} '{}': the first number is above the second, so the section never "
                              "applies",
                              key, text));
    }
    section.ranges[key] = range;
  }

  void read_value(std::string_view name, std::string_view value, std::size_t line) {
    if (name.find("UCC_") == name.npos) {
      fatal(line, fmt::format("'{}' must contain UCC_", name));
      return;
    }
    UccSection& section = sections_[current_];
    if (!section.names.insert(std::string(name)).second) {
      fatal(line, fmt::format("'{}' occurs a second time{}", name,
                              section.line == 0 ? "" : " in the section"));
      return;
    }
    if (name == kUccTune) {
      section.tune = value;
      section.tune_line = line;
    } else if (name.find("RADIX") != name.npos) {
      radixes_.insert(std::string(name));
      radix_line_ = radix_line_ == 0 ? line : radix_line_;
    } else if (name.ends_with("_TUNE") &&
               (name.starts_with("UCC_TL_") || name.starts_with("UCC_CL_"))) {
      file_.warn(line,
                 fmt::format("'{}' has the rules of another component of UCC, which tutti does "
                             "not model; tutti reads {}",
                             name, kUccTune));
    } else if (const std::array names{std::string(kUccTune)}; nearest(name, names) == kUccTune) {
      file_.warn(line, fmt::format("UCC silently ignores '{}'; did you mean {}?", name, kUccTune));
    }
  }

  // Reports values that UCC ignores because of other values.
  void check_sections() {
    const UccSection& general = sections_.front();
    for (std::size_t i = 1; i < sections_.size(); ++i) {
      const UccSection& section = sections_[i];
      if (section.tune.empty()) {
        continue;
      }
      if (!general.tune.empty()) {
        file_.error(section.tune_line,
                    fmt::format("UCC ignores this value, because line {} sets {} for all teams",
                                general.tune_line, kUccTune));
        continue;
      }
      for (std::size_t j = 1; j < i; ++j) {
        if (!sections_[j].tune.empty() && meet(sections_[j], section)) {
          file_.error(section.line,
                      fmt::format("some teams match both this section and that of line {}; it is "
                                  "undefined which one UCC uses",
                                  sections_[j].line));
          break;
        }
      }
      for (const auto& [key, range] : section.ranges) {
        if (key != "team_size") {
          assume(section, key);
        }
      }
      for (const auto& [key, word] : section.words) {
        assume(section, key);
      }
    }
  }

  // True if a team can match both sections.
  static bool meet(const UccSection& a, const UccSection& b) {
    const auto same = [&](const char* key) {
      const auto one = a.words.find(key);
      const auto other = b.words.find(key);
      return one == a.words.end() || other == b.words.end() || one->second == other->second;
    };
    const auto overlap = [&](const char* key) { return a.range(key).meets(b.range(key)); };
    return same("vendor") && same("model") && overlap("team_size") && overlap("ppn") &&
           overlap("sock") && overlap("nnodes");
  }

  void assume(const UccSection& section, std::string_view key) {
    file_.note(section.line,
               fmt::format("tutti assumes that the section's condition '{}' holds", key));
  }

  RuleFile& file_;
  std::vector<UccSection> sections_;
  std::size_t current_ = 0;
  bool named_ = false;  // true if the section has a value, which an indented line would continue
  UccTuneReader tunes_;
  std::set<std::string> radixes_;  // names of settings of radixes
  std::size_t radix_line_ = 0;     // line of the first of them
};

}  // namespace

RuleFile read_ucc_conf(std::string_view text) {
  RuleFile file;
  file.format = RuleFormat::ucc;
  UccReader reader(file);
  for (LineReader lines(without_byte_order_mark(text)); lines.next();) {
    reader.read_line(lines.whole(), lines.number());
  }
  reader.finish();
  return file;
}

}}  // namespace tutti::rule_files

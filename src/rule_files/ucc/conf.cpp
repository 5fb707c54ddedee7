// Reads the configuration file of UCC: lines NAME=VALUE, which may be in sections.
//
//   [team_size=8-15 ppn=1]
//   UCC_TL_UCP_TUNE=allreduce:0-4095:@knomial#allreduce:4095-inf:@1
//
// A section applies to teams (communicators) with these numbers of ranks. The value of
// UCC_TL_UCP_TUNE has parts between #, each with words between colons, in any order: collectives, a
// range of sizes, a range of ranks in brackets, kinds of memory, a score, and @ with an algorithm.
// The smaller size of a range belongs to the previous range, or to UCC's own choice.
//
// If the file has an error, UCC does not start. If only a value of UCC_TL_UCP_TUNE has an error,
// UCC ignores this value.
//
// Source: openucx/ucc 8263de47 (1.9), src/utils/ini.c and ini.h; src/utils/ucc_parser.c,
// ucc_file_parse_handler and ucc_add_team_sections; src/coll_score/ucc_coll_score.c,
// ucc_coll_score_parse_str and coll_score_add_range; src/components/tl/ucp/tl_ucp_coll.c,
// ucc_tl_ucp_alg_id_to_init, and tl_ucp_team.c; openucx/ucx, src/ucs/sys/string.c,
// ucs_str_to_memunits.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/nearest.hpp"
#include "base/text_lines.hpp"
#include "src/rule_files/library_algorithms.hpp"
#include "src/rule_files/rule_file.hpp"
#include "src/rule_files/rule_size.hpp"

namespace tutti { inline namespace rule_files {

namespace {

constexpr std::size_t kLongestConfLine = 8191;
constexpr std::size_t kLongestSection = 127;
constexpr std::string_view kTune = "UCC_TL_UCP_TUNE";
constexpr const char* kTuneIgnored = "UCC ignores this value as a whole";
constexpr std::uint64_t kInfinite = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint32_t kMostRanks32 = std::numeric_limits<std::uint32_t>::max();

// The collectives whose algorithm rules can name. For the collectives that tutti's table of
// algorithms lacks, the names of their algorithms.
struct UccCollective {
  std::string_view name;
  bool chosen = false;
  std::array<std::string_view, 3> others = {};
  // The ranks do not know each other's sizes, so that UCC looks up size 0 for every call
  // (UCC_MSG_SIZE_ASYMMETRIC).
  bool sized_zero = false;
};
constexpr std::array kCollectivesOfUcc{
    UccCollective{"allgather", true},
    UccCollective{"allgatherv", true, {"ring", "knomial"}},
    UccCollective{"allreduce", true},
    UccCollective{"alltoall", true},
    UccCollective{"alltoallv", true, {"pairwise", "hybrid", "onesided"}, true},
    UccCollective{"barrier", false, {}, true},
    UccCollective{"bcast", true},
    UccCollective{"fanin", false, {}, true},
    UccCollective{"fanout", false, {}, true},
    UccCollective{"gather"},
    UccCollective{"gatherv", false, {}, true},
    UccCollective{"reduce", true},
    UccCollective{"reduce_scatter", true},
    UccCollective{"reduce_scatterv", true, {"ring"}},
    UccCollective{"scatter"},
    UccCollective{"scatterv", false, {}, true},
};

const UccCollective* collective_of_ucc(std::string_view text) {
  const std::string lower = lower_case(text);
  const auto found = std::ranges::find(kCollectivesOfUcc, lower, &UccCollective::name);
  return found == kCollectivesOfUcc.end() ? nullptr : &*found;
}

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::string_view stripped(std::string_view text) {
  while (!text.empty() && is_space(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_space(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

// Splits as strtok() does: empty parts are left out.
std::vector<std::string_view> parts_of(std::string_view text, char delimiter) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(delimiter, begin), text.size());
    if (end > begin) {
      parts.push_back(text.substr(begin, end - begin));
    }
    begin = end + 1;
  }
  return parts;
}

bool is_number(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::uint64_t number_of(std::string_view digits) {
  return parsed_number<std::uint64_t>(digits).value_or(digits.empty() ? 0 : kInfinite);
}

// Converts a size as ucs_str_to_memunits() does: "4096", "4k", "4KB", "inf".
std::optional<std::uint64_t> ucs_bytes(std::string_view text) {
  const std::string lower = lower_case(text);
  if (lower == "inf" || lower == "auto") {
    return kInfinite;
  }
  const std::size_t digits = std::min(lower.find_first_not_of("0123456789"), lower.size());
  if (digits == 0) {
    return std::nullopt;
  }
  const std::uint64_t number = number_of(std::string_view(lower).substr(0, digits));
  if (digits == lower.size()) {
    return number;
  }
  const std::size_t unit = std::string_view("bkmgt").find(lower[digits]);
  if (unit == std::string_view::npos || (digits + 1 < lower.size() && lower[digits + 1] != 'b')) {
    return std::nullopt;
  }
  return number << (10 * unit);
}

struct RankRange {
  std::uint32_t least = 0;
  std::uint32_t most = kMostRanks32;

  [[nodiscard]] bool meets(const RankRange& other) const {
    return least <= other.most && other.least <= most;
  }
};

// A part of a UCC_TL_UCP_TUNE.
struct TunePart {
  std::string text;
  std::vector<const UccCollective*> collectives;  // empty: all
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sizes{{0, kInfinite}};
  std::vector<RankRange> ranks{{}};
  bool host = true;
  bool scored = false;
  std::optional<std::string> algorithm;
};

// A section of the file, or the lines before the first section.
struct UccSection {
  std::string name;
  std::size_t line = 0;
  std::map<std::string, std::string, std::less<>>
      words;  // conditions other than ranges: vendor, model
  std::map<std::string, RankRange, std::less<>> ranges;  // team_size, ppn, sock, nnodes
  std::set<std::string, std::less<>> names;
  std::string tune;
  std::size_t tune_line = 0;

  [[nodiscard]] RankRange range(std::string_view key) const {
    const auto found = ranges.find(key);
    return found == ranges.end() ? RankRange{} : found->second;
  }
};

class UccReader {
 public:
  explicit UccReader(RuleFile& file) : file_(file) { sections_.emplace_back(); }

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
        read_tune(section);
      }
    }
    for (auto& [collective, rules] : rules_) {
      const auto ours = collective_named(collective);
      if (!ours || !rules_name(RuleFormat::ucc, *ours)) {
        file_.others.emplace_back(collective);
        continue;
      }
      DecisionTable table;
      table.collective = *ours;
      table.name = std::string(description(RuleFormat::ucc));
      table.rules = std::move(rules);
      check_sizes(table, file_);
      file_.tables.push_back(std::move(table));
    }
  }

 private:
  // Reports a fault because of which UCC rejects the file.
  void fatal(std::size_t line, std::string_view text) {
    file_.error(line, fmt::format("{}; UCC then does not start", text));
    file_.rejected = true;
  }

  void read_part(std::string_view line, std::size_t number) {
    const std::string_view text = stripped(line);
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
    read_value(stripped(text.substr(0, sign)), stripped(after.substr(0, comment_in(after))),
               number);
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
    for (const std::string_view word : parts_of(section.name, ' ')) {
      const auto sides = parts_of(word, '=');
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
    const auto ends = parts_of(text, '-');
    if (ends.empty() || ends.size() > 2 || !is_number(ends.front()) || !is_number(ends.back())) {
      fatal(section.line,
            fmt::format("{} '{}': expected a number or a range, such as 4-7", key, text));
      return;
    }
    const auto bounded = [](std::string_view digits) {
      return static_cast<std::uint32_t>(std::min<std::uint64_t>(number_of(digits), kMostRanks32));
    };
    const RankRange range{bounded(ends.front()), bounded(ends.back())};
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
    if (name == kTune) {
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
                             name, kTune));
    } else if (const std::array names{std::string(kTune)}; nearest(name, names) == kTune) {
      file_.warn(line, fmt::format("UCC silently ignores '{}'; did you mean {}?", name, kTune));
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
                                general.tune_line, kTune));
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

  void read_tune(const UccSection& section) {
    std::vector<TunePart> parts;
    for (const std::string_view text : parts_of(section.tune, '#')) {
      std::optional<TunePart> part = part_of(text, section.tune_line);
      if (!part) {
        return;
      }
      if (!part->host) {
        file_.note(section.tune_line,
                   fmt::format("tutti leaves out '{}', which is not for host memory", text));
      } else if (part->scored || part->algorithm) {
        parts.push_back(*std::move(part));
      }
    }
    std::map<std::string_view, std::vector<Rule>> found;
    for (const UccCollective& collective : kCollectivesOfUcc) {
      std::vector<Rule> rules;
      if (!rules_of_collective(section, parts, collective, rules)) {
        return;
      }
      if (!rules.empty()) {
        found[collective.name] = std::move(rules);
      }
    }
    for (auto& [name, rules] : found) {
      std::vector<Rule>& all = rules_[name];
      std::ranges::move(rules, std::back_inserter(all));
    }
  }

  std::optional<TunePart> part_of(std::string_view text, std::size_t line) {
    TunePart part;
    part.text = text;
    bool sized = false;
    bool ranked = false;
    bool memory = false;
    for (const std::string_view word : parts_of(text, ':')) {
      if (part.collectives.empty() && read_collectives(word, part)) {
        continue;
      }
      if (!memory && read_memory(word, part)) {
        memory = true;
        continue;
      }
      if (!part.scored && (lower_case(word) == "inf" || is_number(word))) {
        part.scored = true;
        continue;
      }
      if (!sized && read_sizes(word, part)) {
        sized = true;
        continue;
      }
      if (!ranked && read_ranks(word, part)) {
        ranked = true;
        continue;
      }
      if (!part.algorithm && word.starts_with('@')) {
        part.algorithm = word.substr(1);
        continue;
      }
      file_.error(line,
                  fmt::format("'{}' in '{}' is not a collective, a kind of memory, a score, a "
                              "range of sizes such as 0-4k, a range of ranks such as [4-7], or "
                              "an algorithm such as @0; {}",
                              word, text, kTuneIgnored));
      return std::nullopt;
    }
    for (const UccCollective* collective : part.collectives) {
      if (part.algorithm && !algorithm_known(*collective, *part.algorithm, line)) {
        return std::nullopt;
      }
    }
    if (part.algorithm && part.collectives.empty()) {
      file_.error(
          line, fmt::format("'{}' names an algorithm, but no collective; {}", text, kTuneIgnored));
      return std::nullopt;
    }
    return part;
  }

  static bool read_collectives(std::string_view word, TunePart& part) {
    std::vector<const UccCollective*> found;
    for (const std::string_view name : parts_of(word, ',')) {
      found.push_back(collective_of_ucc(name));
    }
    if (std::ranges::find(found, nullptr) != found.end()) {
      return false;
    }
    part.collectives = std::move(found);
    return !part.collectives.empty();
  }

  static bool read_memory(std::string_view word, TunePart& part) {
    constexpr std::array<std::string_view, 7> kKinds{
        "host", "cuda", "cuda_managed", "cudamanaged", "rocm", "rocm_managed", "rocmmanaged"};
    bool host = false;
    const auto kinds = parts_of(word, ',');
    for (const std::string_view kind : kinds) {
      if (std::ranges::find(kKinds, lower_case(kind)) == kKinds.end()) {
        return false;
      }
      host |= lower_case(kind) == "host";
    }
    part.host = host || kinds.empty();
    return !kinds.empty();
  }

  static bool read_sizes(std::string_view word, TunePart& part) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> sizes;
    for (const std::string_view range : parts_of(word, ',')) {
      const auto ends = parts_of(range, '-');
      const auto least = ends.size() == 2 ? ucs_bytes(ends[0]) : std::nullopt;
      const auto most = ends.size() == 2 ? ucs_bytes(ends[1]) : std::nullopt;
      if (!least || !most) {
        return false;
      }
      sizes.emplace_back(*least, *most);
    }
    if (sizes.empty()) {
      return false;
    }
    part.sizes = std::move(sizes);
    return true;
  }

  static bool read_ranks(std::string_view word, TunePart& part) {
    if (!word.starts_with('[') || !word.ends_with(']')) {
      return false;
    }
    std::vector<RankRange> ranks;
    for (const std::string_view range : parts_of(word.substr(1, word.size() - 2), ',')) {
      const auto ends = parts_of(range, '-');
      if (ends.empty() || ends.size() > 2 || !is_number(ends[0]) ||
          (!is_number(ends.back()) && lower_case(ends.back()) != "inf")) {
        return false;
      }
      const auto bounded = [](std::string_view digits) {
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(
            is_number(digits) ? number_of(digits) : kMostRanks32, kMostRanks32));
      };
      ranks.push_back({bounded(ends.front()), bounded(ends.back())});
      if (ranks.back().least > ranks.back().most) {
        return false;
      }
    }
    part.ranks = std::move(ranks);
    return !part.ranks.empty();
  }

  // The algorithm's row in tutti's table, by its number or its name; null if there is none.
  static const LibraryAlgorithm* row_of(Collective collective, std::string_view algorithm) {
    return is_number(algorithm)
               ? find_by_id(RuleFormat::ucc, collective, static_cast<long>(number_of(algorithm)))
               : find_by_name(RuleFormat::ucc, collective, lower_case(algorithm));
  }

  bool algorithm_known(const UccCollective& collective, std::string_view algorithm,
                       std::size_t line) {
    if (!collective.chosen) {
      file_.error(line, fmt::format("UCC lets no file choose the algorithm of {}; {}",
                                    collective.name, kTuneIgnored));
      return false;
    }
    std::vector<std::string> names;
    const auto ours = collective_named(collective.name);
    if (!collective.others.front().empty()) {
      for (const std::string_view each : collective.others) {
        if (!each.empty()) {
          names.emplace_back(each);
        }
      }
    } else if (ours) {
      for (const LibraryAlgorithm& each : library_algorithms(RuleFormat::ucc)) {
        if (each.collective == *ours) {
          names.push_back(each.name);
        }
      }
    }
    const bool known = is_number(algorithm)
                           ? number_of(algorithm) < names.size()
                           : std::ranges::find(names, lower_case(algorithm)) != names.end();
    if (!known) {
      file_.error(line,
                  fmt::format("{} has no algorithm '{}', only 0 to {}: {}; {}", collective.name,
                              algorithm, names.size() - 1, fmt::join(names, ", "), kTuneIgnored));
    }
    return known;
  }

  Choice choice_for(const TunePart& part, const UccCollective& collective) const {
    if (!part.algorithm) {
      return choice_left_to_library();
    }
    const auto ours = collective_named(collective.name);
    const LibraryAlgorithm* const row = ours ? row_of(*ours, *part.algorithm) : nullptr;
    if (row != nullptr) {
      return choice_of(RuleFormat::ucc, *row, 0);
    }
    Choice choice;
    choice.library_algorithm = printable(*part.algorithm);
    return choice;
  }

  // Warns, once, of a part for sizes that UCC never looks up.
  void never_applies(const std::string& part, const UccCollective& collective, std::size_t line) {
    if (dead_.insert({line, part}).second) {
      file_.warn(line, fmt::format("'{}' never applies to {}: UCC looks up size 0 for each of its "
                                   "calls, so that only a range from 0 applies",
                                   part, collective.name));
    }
  }

  void assume(const UccSection& section, std::string_view key) {
    file_.note(section.line,
               fmt::format("tutti assumes that the section's condition '{}' holds", key));
  }

  // Adds the rules of a collective: for each range of ranks, the sizes of its parts. Returns false,
  // and reports it, if UCC rejects the value.
  bool rules_of_collective(const UccSection& section, const std::vector<TunePart>& parts,
                           const UccCollective& collective, std::vector<Rule>& rules) {
    const RankRange of_section = section.range("team_size");
    if (of_section.least > of_section.most) {
      return true;  // the section never applies
    }
    // Numbers of ranks at which the parts that apply change.
    std::set<std::uint64_t> bounds{of_section.least, std::uint64_t{of_section.most} + 1};
    for (const TunePart& part : parts) {
      for (const RankRange& range : part.ranks) {
        bounds.insert(std::clamp<std::uint64_t>(range.least, *bounds.begin(), *bounds.rbegin()));
        bounds.insert(std::clamp<std::uint64_t>(std::uint64_t{range.most} + 1, *bounds.begin(),
                                                *bounds.rbegin()));
      }
    }
    for (auto from = bounds.begin(); std::next(from) != bounds.end(); ++from) {
      Rule rule;
      rule.line = section.tune_line;
      if (*from > 0) {
        rule.ranks_from = static_cast<std::uint32_t>(*from);
      }
      if (*std::next(from) <= kMostRanks32) {
        rule.ranks_below = static_cast<std::uint32_t>(*std::next(from));
      }
      if (!sizes_of(section, parts, collective, static_cast<std::uint32_t>(*from), rule.then)) {
        return false;
      }
      if (rule.then.size() == 1 && !rule.then.front().conditional()) {
        rule.choice = rule.then.front().choice;
        rule.then.clear();
      }
      if (rule.choice || !rule.then.empty()) {
        rules.push_back(std::move(rule));
      }
    }
    return true;
  }

  bool sizes_of(const UccSection& section, const std::vector<TunePart>& parts,
                const UccCollective& collective, std::uint32_t ranks, std::vector<Rule>& rules) {
    struct Sized {
      std::uint64_t least;
      std::uint64_t most;
      const TunePart* part;
    };
    std::vector<Sized> sized;
    for (const TunePart& part : parts) {
      const bool named = part.collectives.empty() ||
                         std::ranges::find(part.collectives, &collective) != part.collectives.end();
      const bool applies = std::ranges::any_of(part.ranks, [&](const RankRange& range) {
        return range.least <= ranks && ranks <= range.most;
      });
      for (const auto& [least, most] : part.sizes) {
        if (named && applies) {
          sized.push_back({least, most, &part});
        }
      }
    }
    std::ranges::stable_sort(sized, {}, &Sized::least);
    for (std::size_t i = 0; i < sized.size(); ++i) {
      const Sized& each = sized[i];
      const std::size_t line = section.tune_line;
      if (each.least >= each.most) {
        file_.error(line, fmt::format("'{}': a range must begin below its end; {}", each.part->text,
                                      kTuneIgnored));
        return false;
      }
      if (i > 0 && each.least < sized[i - 1].most) {
        file_.error(line, fmt::format("'{}' and '{}' overlap; {}", sized[i - 1].part->text,
                                      each.part->text, kTuneIgnored));
        return false;
      }
      if (i > 0 && each.least == sized[i - 1].most + 1) {
        file_.error(
            line,
            fmt::format("'{}' must begin where '{}' ends, at {}: as written, UCC's own "
                        "choice applies to {} bytes",
                        each.part->text, sized[i - 1].part->text, sized[i - 1].most, each.least));
      }
      if (collective.sized_zero && each.least > 0) {
        never_applies(each.part->text, collective, line);
      }
      Rule rule;
      rule.line = line;
      rule.choice = choice_for(*each.part, collective);
      // The smallest size of a range belongs to the previous range, or to UCC's own choice.
      if (each.least > 0) {
        rule.bytes_from = each.least + 1;
      }
      if (each.most < kInfinite) {
        rule.bytes_below = each.most + 1;
      }
      rules.push_back(std::move(rule));
    }
    return true;
  }

  RuleFile& file_;
  std::vector<UccSection> sections_;
  std::size_t current_ = 0;
  bool named_ = false;  // true if the section has a value, which an indented line would continue
  std::map<std::string_view, std::vector<Rule>> rules_;
  std::set<std::string> radixes_;                       // names of settings of radixes
  std::size_t radix_line_ = 0;                          // line of the first of them
  std::set<std::pair<std::size_t, std::string>> dead_;  // parts that never_applies() reported
};

}  // namespace

RuleFile read_ucc_conf(std::string_view text) {
  RuleFile file;
  file.format = RuleFormat::ucc;
  UccReader reader(file);
  std::size_t number = 1;
  if (text.starts_with("\xEF\xBB\xBF")) {
    text.remove_prefix(3);
  }
  for (std::size_t begin = 0; begin < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    reader.read_line(text.substr(begin, end - begin), number);
    begin = end + 1;
  }
  reader.finish();
  return file;
}

}}  // namespace tutti::rule_files

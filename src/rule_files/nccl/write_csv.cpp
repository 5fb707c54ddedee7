#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/line_reader.hpp"
#include "src/rule_files/decides_before.hpp"
#include "src/rule_files/library_algorithms.hpp"
#include "src/rule_files/nccl/csv.hpp"

namespace tutti { inline namespace rule_files {

namespace {

// A range of sizes with the same algorithm and protocol. It begins at `first` bytes, and ends where
// the next range begins.
struct LineRange {
  std::uint64_t first = 0;
  NcclLine line;
  std::string why = {};  // comment above the line; may be empty
};

using LineAt = std::function<NcclLine(std::uint64_t bytes)>;

// Adds the ranges that begin above `low` and at most at `high`, if the last of `ranges` holds at
// `low`.
void add_ranges(const LineAt& at, std::uint64_t low, std::uint64_t high,
                std::vector<LineRange>& ranges) {
  const NcclLine last = at(high);
  if (last == ranges.back().line) {
    return;
  }
  if (high - low == 1) {
    ranges.push_back({high, last});
    return;
  }
  const std::uint64_t middle = low + (high - low) / 2;
  add_ranges(at, low, middle, ranges);
  add_ranges(at, middle, high, ranges);
}

// Returns the lines for the choice `decided`; see NcclRules::line. Tries enough sizes for each
// power of two that between two of them, the line changes at most once.
std::vector<LineRange> lines_of(const RulesToWrite& rules, std::uint32_t ranks,
                                const NcclLine& decided, std::uint64_t first, std::uint64_t last) {
  if (!rules.nccl) {
    TUTTI_INVARIANT(!decided.algorithm.empty());
    return {{first, {decided.algorithm, decided.protocol.empty() ? "simple" : decided.protocol}}};
  }
  const LineAt at = [&](std::uint64_t bytes) { return rules.nccl->line(ranks, decided, bytes); };
  std::vector<LineRange> ranges{{first, at(first)}};
  // The line is assumed not to change above this size, 1 TiB.
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40U;
  std::uint64_t below = first;
  constexpr std::uint64_t kTries = 16;
  for (std::uint64_t power = kTries; power < kMost; power *= 2) {
    for (std::uint64_t size = power; size < 2 * power; size += power / kTries) {
      const std::uint64_t high = std::min(size, last);
      if (high > below) {
        add_ranges(at, below, high, ranges);
        below = high;
      }
    }
  }
  return ranges;
}

// Returns the algorithm and the protocol of a choice; both are "" for the library's own choice.
NcclLine line_of(RuleFormat format, Collective collective, const Choice& choice) {
  if (choice.left_to_library) {
    return {};
  }
  return {choice.library_algorithm.empty()
              ? std::string_view(library_algorithm_for(format, collective, choice).name)
              : std::string_view(choice.library_algorithm),
          choice.protocol};
}

// Returns all lines for `ranks` ranks.
std::vector<LineRange> all_lines(const RulesToWrite& rules, RuleFormat format,
                                 std::uint32_t ranks) {
  const RankStep* step = &rules.steps.front();
  for (const RankStep& each : rules.steps) {
    step = each.from_ranks <= ranks ? &each : step;
  }
  std::vector<LineRange> lines;
  for (std::size_t j = 0; j < step->sizes.size(); ++j) {
    const SizeStep& size = step->sizes[j];
    const std::uint64_t most = j + 1 == step->sizes.size()
                                   ? std::numeric_limits<std::uint64_t>::max()
                                   : step->sizes[j + 1].from_bytes - 1;
    std::vector<LineRange> ranges = lines_of(
        rules, ranks, line_of(format, rules.collective, size.choice), size.from_bytes, most);
    ranges.front().why = size.why;
    std::ranges::move(ranges, std::back_inserter(lines));
  }
  return lines;
}

// Joins neighbouring lines that are equal, so that the file stays short.
void join(std::vector<LineRange>& lines) {
  const auto again = std::ranges::unique(lines, [](const LineRange& a, const LineRange& b) {
    return a.line == b.line && b.why.empty();
  });
  lines.erase(again.begin(), again.end());
}

// Writes the rules of one collective. Sizes need no conversion: NCCL's nBytes is n, the number of
// bytes that a rank sends or receives, whichever is larger.
void write_nccl_collective(const RulesToWrite& rules, RuleFormat format, std::ostream& out) {
  for (const std::uint32_t ranks : rules.ranks) {
    std::vector<LineRange> lines = all_lines(rules, format, ranks);
    join(lines);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (!lines[i].why.empty()) {
        write_comment(lines[i].why, out);
      }
      Rule rule;
      rule.ranks_from = ranks;
      if (rules.nccl) {
        rule.nodes = rules.nccl->nodes(ranks);
      }
      rule.bytes_from = lines[i].first;
      if (i + 1 < lines.size()) {
        rule.bytes_below = lines[i + 1].first;
      }
      Choice& choice = rule.choice.emplace();
      choice.library_algorithm = lines[i].line.algorithm;
      choice.protocol = lines[i].line.protocol;
      out << nccl_csv_line(format, rules.collective, rule) << '\n';
    }
  }
}

}  // namespace

std::string nccl_csv_line(RuleFormat format, Collective collective, const Rule& rule) {
  const std::string_view word = collective == Collective::bcast            ? "broadcast"
                                : collective == Collective::reduce_scatter ? "reducescatter"
                                                                           : name(collective);
  const auto or_any = [](const auto& number) {
    return number ? std::to_string(*number) : std::string("-1");
  };
  const Choice& choice = *rule.choice;
  // The number for which the library chooses the number of channels.
  const char* own_channels = format == RuleFormat::rccl ? "-1" : "0";
  return fmt::format("{},{},{},{},{},{},{},{},-1,-1", word, rule.bytes_from.value_or(0),
                     rule.bytes_below ? std::to_string(*rule.bytes_below - 1) : "-1",
                     choice.library_algorithm, choice.protocol,
                     choice.channels > 0 ? std::to_string(choice.channels) : own_channels,
                     or_any(rule.nodes), or_any(rule.ranks_from));
}

void write_nccl_csv(std::span<const RulesToWrite> all, RuleFormat format, std::ostream& out) {
  const bool rccl = format == RuleFormat::rccl;
  write_head(all, format, out);
  for (const RulesToWrite& rules : all) {
    for (const std::string& remark :
         rules.nccl ? rules.nccl->remarks : std::vector<std::string>()) {
      write_comment(remark, out);
    }
  }
  fmt::print(
      out,
      "{}\n"
      "# numPipeOps and regBuff -1: for any group of calls, and any buffers\n"
      "# {}\n"
      "# "
      "collective,min_bytes,max_bytes,algorithm,protocol,channels,nodes,ranks,numPipeOps,regBuff\n",
      rccl ? "# channels -1: RCCL chooses the number\n"
             "# RCCL uses none of AMD's own rules: append AMD's rccl_tuner_<GPU>.csv to keep them"
           : "# channels 0: NCCL chooses the number; a call that no line matches gets one channel",
      all.front().nccl ? "where no rule was decided, lines have NCCL's own choice by its model"
                       : "protocol simple for all sizes; ll is often faster for small ones");
  for (const RulesToWrite& rules : all) {
    write_nccl_collective(rules, format, out);
  }
}

void write_sound_rules(std::string_view text, const RuleFile& file, const LosingRules& losing,
                       std::ostream& out) {
  std::map<std::size_t, std::string> rules;  // text by line
  std::map<std::size_t, std::string> replacements;
  for (const DecisionTable& table : file.tables) {
    for (const Rule& rule : table.rules) {
      rules[rule.line] = nccl_csv_line(file.format, table.collective, rule);
      const auto lost = losing.find(rule.line);
      for (const Rule& own : lost == losing.end() ? std::vector<Rule>() : lost->second) {
        replacements[rule.line] += nccl_csv_line(file.format, table.collective, own) + "\n";
      }
    }
  }
  std::map<std::size_t, std::string> reasons;  // by line
  for (const RuleFinding& finding : file.findings) {
    if (finding.serious || losing.contains(finding.line)) {
      reasons.try_emplace(finding.line, finding.text);
    }
  }
  for (LineReader lines(text); lines.next();) {
    const auto reason = reasons.find(lines.number());
    const auto rule = rules.find(lines.number());
    const std::string_view line = lines.whole();
    if (reason != reasons.end()) {
      write_comment(fmt::format("left out: {}", reason->second), out);
      write_comment(line, out);
      if (const auto own = replacements.find(lines.number()); own != replacements.end()) {
        write_comment("instead, NCCL's own choice by its model:", out);
        out << own->second;
      }
      continue;
    }
    out << (rule == rules.end() ? line : std::string_view(rule->second));
    if (line.data() + line.size() < text.data() + text.size()) {  // the last line may have no end
      out << '\n';
    }
  }
}

}}  // namespace tutti::rule_files

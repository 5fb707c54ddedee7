#include <fmt/format.h>
#include <fmt/ostream.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
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
};
// Returns the lines for the library's algorithm or, if it is "", for the library's own choice.
std::vector<LineRange> lines_of(const RulesToWrite& rules, std::uint32_t ranks,
                                std::string_view algorithm, std::uint64_t first,
                                std::uint64_t last) {
  if (!rules.nccl_line) {
    TUTTI_INVARIANT(!algorithm.empty());
    return {{first, {algorithm, "simple"}}};
  }
  const auto at = [&](std::uint64_t bytes) { return rules.nccl_line(ranks, algorithm, bytes); };
  std::vector<LineRange> ranges{{first, at(first)}};
  // The line is assumed not to change above this size, 1 TiB.
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40U;
  std::uint64_t below = first;
  for (std::uint64_t size = 64; size <= kMost && size <= last; size *= 2) {
    if (size <= below) {
      continue;
    }
    if (at(size) != ranges.back().line) {
      std::uint64_t low = below;
      std::uint64_t high = size;
      while (high - low > 1) {
        const std::uint64_t middle = low + (high - low) / 2;
        (at(middle) == ranges.back().line ? low : high) = middle;
      }
      // Rounds the boundary to a readable number. This costs little, because near the boundary both
      // lines take about the same time.
      const NcclLine next = at(high);
      const std::uint64_t rounded = high * 8 <= size * 5   ? size / 2
                                    : high * 8 <= size * 7 ? size / 4 * 3
                                                           : size;
      if (rounded <= ranges.back().first) {
        ranges.back().line = next;
      } else {
        ranges.push_back({rounded, next});
      }
    }
    below = size;
  }
  return ranges;
}

// Writes the rules of one collective. Sizes need no conversion: NCCL's nBytes is n, the number of
// bytes that a rank sends or receives, whichever is larger.
void write_nccl_collective(const RulesToWrite& rules, RuleFormat format, std::ostream& out) {
  // The number of channels for which the library chooses the number.
  const int channels = format == RuleFormat::rccl ? -1 : 0;
  const char* collective = rules.collective == Collective::bcast            ? "broadcast"
                           : rules.collective == Collective::reduce_scatter ? "reducescatter"
                                                                            : nullptr;
  for (const std::uint32_t ranks : rules.ranks) {
    const RankStep* step = &rules.steps.front();
    for (const RankStep& each : rules.steps) {
      step = each.from_ranks <= ranks ? &each : step;
    }
    for (std::size_t j = 0; j < step->sizes.size(); ++j) {
      const SizeStep& size = step->sizes[j];
      if (!size.why.empty()) {
        write_comment(size.why, out);
      }
      const std::string_view algorithm =
          size.choice.left_to_library
              ? std::string_view()
              : library_algorithm_for(format, rules.collective, size.choice).name;
      const bool last = j + 1 == step->sizes.size();
      const std::uint64_t most =
          last ? std::numeric_limits<std::uint64_t>::max() : step->sizes[j + 1].from_bytes - 1;
      const std::vector<LineRange> ranges =
          lines_of(rules, ranks, algorithm, size.from_bytes, most);
      for (std::size_t k = 0; k < ranges.size(); ++k) {
        const std::string end = k + 1 < ranges.size() ? std::to_string(ranges[k + 1].first - 1)
                                : last                ? "-1"
                                                      : std::to_string(most);
        fmt::print(out, "{},{},{},{},{},{},-1,{},-1,-1\n",
                   collective != nullptr ? collective : name(rules.collective), ranges[k].first,
                   end, ranges[k].line.algorithm, ranges[k].line.protocol, channels, ranks);
      }
    }
  }
}

}  // namespace

void write_nccl_csv(std::span<const RulesToWrite> all, RuleFormat format, std::ostream& out) {
  const bool rccl = format == RuleFormat::rccl;
  write_head(all, format, out);
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
      all.front().nccl_line ? "protocols: the fastest for each algorithm by NCCL's own model"
                            : "protocol simple for all sizes; ll is often faster for small ones");
  for (const RulesToWrite& rules : all) {
    write_nccl_collective(rules, format, out);
  }
}

}}  // namespace tutti::rule_files

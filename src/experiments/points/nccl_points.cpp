// Reads the output of nccl-tests (all_reduce_perf and others; see src/common.cu in their sources).
// The output consists of a line with the names of the columns after a '#', a line with their units,
// and one line per size. The first time on a line is that of the out-of-place call. The size is the
// number of bytes that a rank sends or receives, whichever is larger, like n in tutti.
//
// Above the table, there is a line for each rank, such as
// "#  Rank  0 Group  0 Pid  4711 on node1 device  0 ...".
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.hpp"
#include "base/quantities.hpp"
#include "src/experiments/points/point_text.hpp"

namespace tutti::inline experiments {

namespace {

bool is_heading(std::string_view line) {
  if (!line.starts_with('#')) {
    return false;
  }
  const std::vector<std::string> names = words_of(line.substr(1));
  return names.size() > 4 && names[0] == "size" && names[1] == "count" && names[2] == "type" &&
         std::find(names.begin(), names.end(), "algbw") != names.end();
}

// Returns the number of ranks; empty if no line names a rank.
std::optional<std::uint32_t> nccl_ranks(std::string_view text) {
  std::optional<std::uint32_t> ranks;
  std::string_view line;
  while (next_line(text, line)) {
    if (!line.starts_with('#')) {
      continue;
    }
    const std::vector<std::string> words = words_of(line.substr(1));
    std::uint32_t rank = 0;
    if (words.size() > 1 && words[0] == "Rank" &&
        std::from_chars(words[1].data(), words[1].data() + words[1].size(), rank).ec ==
            std::errc() &&
        rank < kMostRanks) {
      ranks = std::max(ranks.value_or(0), rank + 1);
    }
  }
  return ranks;
}

bool is_nccl_output(std::string_view text) {
  std::string_view line;
  while (next_line(text, line)) {
    if (is_heading(line)) {
      return true;
    }
  }
  return false;
}

std::vector<BenchmarkPoint> points_from_nccl(const PointsText& file) {
  PointDefaults defaults = file.defaults;
  if (!defaults.ranks) {
    defaults.ranks = nccl_ranks(file.text);
  }
  std::vector<BenchmarkPoint> points;
  BenchmarkPoint place = benchmark_point({file.text, file.path, defaults, file.algorithm}, 0);
  std::vector<std::string> names;
  std::size_t time = 0;
  std::string_view rest = file.text;
  std::string_view line;
  while (next_line(rest, line)) {
    ++place.line;
    if (is_heading(line)) {
      if (!names.empty()) {
        refuse_line(place, "a second benchmark begins here; put each one into its own file");
      }
      names = words_of(line.substr(1));
      if (const auto found = place_of_column(names, "time")) {
        time = *found;
      } else {
        refuse_line(place, "there is no column time; expected the columns of nccl-tests");
      }
      continue;
    }
    const std::vector<std::string> values = words_of(line);
    if (names.empty() || values.empty() || line.find('#') != std::string_view::npos) {
      if (!names.empty() && line.find("(B)") != std::string_view::npos &&
          line.find("(us)") == std::string_view::npos) {
        refuse_line(place, "times must be in microseconds (us)");
      }
      continue;
    }
    if (values.front().find_first_not_of("0123456789") != std::string::npos) {
      continue;  // other output in the same log
    }
    check_values(place, values, names.size());
    BenchmarkPoint point = place;
    point.bytes = point_number(point, "size", values[0], 0, kMostBytes);
    point.element_bytes = element_bytes_of(point, "type", values[2], "an NCCL type, such as float");
    point.measured_s = point_time_s(point, "time", values[time], 1e-6);
    complete_point(point, defaults);
    points.push_back(std::move(point));
  }
  return points;
}

}  // namespace

const BenchmarkFormat kNcclFormat{is_nccl_output, points_from_nccl};

}  // namespace tutti::inline experiments

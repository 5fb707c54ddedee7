// Reads the output of nccl-tests and rccl-tests (all_reduce_perf and others; see src/common.cu and
// src/util.cu in their sources). The output consists of a line with the names of the columns after
// a '#', a line with their units, and one line per size. The first time on a line is that of the
// out-of-place call. The size is the number of bytes that a rank sends or receives, whichever is
// larger, like n in tutti.
//
// Above the table, there is a line for each rank, such as
// "#  Rank  0 Group  0 Pid  4711 on node1 device  0 [0x07] NVIDIA H100 80GB HBM3", and in newer
// releases "# Collective test starting: all_reduce_perf".
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/line_reader.hpp"
#include "base/printable.hpp"
#include "base/quantities.hpp"
#include "base/text_lines.hpp"
#include "src/experiments/points/nccl_bandwidths.hpp"
#include "src/experiments/points/point_text.hpp"

namespace tutti { inline namespace experiments {

namespace {

constexpr std::string_view kStarting = "# Collective test starting: ";

bool is_heading(std::string_view line) {
  if (!line.starts_with('#')) {
    return false;
  }
  const std::vector<std::string> names = words_of(line.substr(1));
  return names.size() > 4 && names[0] == "size" && names[1] == "count" && names[2] == "type" &&
         std::find(names.begin(), names.end(), "algbw") != names.end();
}

// The number of a rank, and its GPU, from the line that names it.
struct NamedRank {
  std::uint32_t rank = 0;
  std::string device;
};
std::optional<NamedRank> named_rank(std::string_view line) {
  if (!line.starts_with('#')) {
    return std::nullopt;
  }
  const std::vector<std::string> words = words_of(line.substr(1));
  NamedRank named;
  if (words.size() < 2 || words[0] != "Rank" ||
      std::from_chars(words[1].data(), words[1].data() + words[1].size(), named.rank).ec !=
          std::errc() ||
      named.rank >= kMostRanks) {
    return std::nullopt;
  }
  const std::size_t device = line.find(" device ");
  const std::size_t end = device == std::string_view::npos ? device : line.find(']', device);
  if (end != std::string_view::npos) {
    named.device = trimmed(line.substr(end + 1));
  }
  return named;
}

// A table, and what the lines above it say.
struct ReadTable {
  explicit ReadTable(bool has_root) : bandwidths(has_root) {}

  std::size_t line = 0;  // of the heading
  std::optional<std::uint32_t> ranks;
  const NcclBenchmark* named = nullptr;  // null if no line names the benchmark
  NcclTable bandwidths;
  std::vector<BenchmarkPoint> points;
};

class NcclReader {
 public:
  explicit NcclReader(const PointsText& file)
      : file_(file), place_(benchmark_point(file, file.lines_before, false)) {
    by_file_name_ = nccl_benchmark_in(std::filesystem::path(file.path).filename().string());
  }

  std::vector<BenchmarkPoint> read() {
    for (LineReader lines(file_.text); lines.next();) {
      ++place_.line;
      read_line(lines.line());
    }
    std::vector<BenchmarkPoint> points;
    std::vector<std::string> others;
    std::optional<UserError> why;
    for (ReadTable& table : tables_) {
      try {
        check(table);
      } catch (const UserError& error) {
        others.push_back(fmt::format("the one in line {}", table.line));
        why = why ? why : std::optional(error);
        continue;
      }
      for (BenchmarkPoint& point : table.points) {
        point.ranks = *table.ranks;
        complete_point(point, file_.defaults);
        points.push_back(std::move(point));
      }
    }
    if (points.empty() && why) {
      throw UserError(*why);
    }
    note_other_tables(file_, others, place_.collective);
    return points;
  }

 private:
  void read_line(std::string_view line) {
    if (is_heading(line)) {
      begin_table(line);
    } else if (line.starts_with('#') || !rows_.open()) {
      if (rows_.open() && rows_.rows() == 0 && line.find("(B)") != std::string_view::npos &&
          line.find("(us)") == std::string_view::npos) {
        refuse_line(place_, "times must be in microseconds (us)");
      }
      read_other(line);
    } else {
      read_row(line);
    }
  }

  // Reads a line that is neither a heading nor a row.
  void read_other(std::string_view line) {
    if (const auto named = named_rank(line)) {
      ranks_ = std::max(ranks_.value_or(0), named->rank + 1);
      place_.device = named->device.empty() ? place_.device : named->device;
    } else if (line.starts_with(kStarting) || line.find("_perf") != std::string_view::npos) {
      if (const NcclBenchmark* const found = program_in(line)) {
        named_ = found;
      }
    }
  }

  // Returns the benchmark whose program a line names, as in "mpirun -np 8 ./all_reduce_perf -b 8".
  static const NcclBenchmark* program_in(std::string_view line) {
    for (const std::string& word : words_of(line)) {
      const std::string program = std::filesystem::path(word).filename().string();
      if (program.find("_perf") != std::string::npos) {
        return nccl_benchmark_in(program);
      }
    }
    return nullptr;
  }

  void begin_table(std::string_view line) {
    std::vector<std::string> names = words_of(line.substr(1));
    const auto time = place_of_column(names, "time");
    if (!time) {
      refuse_line(place_, "there is no column time; expected the columns of nccl-tests");
    }
    rows_.begin(std::move(names), *time, TableRows::First::number);
    tables_.emplace_back(rows_.column("redop") && rows_.column("root"));
    tables_.back().line = place_.line;
    tables_.back().ranks = ranks_;
    tables_.back().named = named_;
    ranks_.reset();
  }

  void read_row(std::string_view line) {
    std::vector<std::string> values = rows_.values(line);
    if (values.empty()) {
      note_skipped_row(file_, place_.line, line);
      read_other(line);
      return;
    }
    // Releases of 2022 leave the column redop blank if nothing is reduced.
    if (const auto redop = rows_.column("redop");
        redop && values.size() + 1 == rows_.columns() && begins_like_number(values[*redop])) {
      values.insert(values.begin() + static_cast<std::ptrdiff_t>(*redop), "none");
    }
    check_values(place_, values, rows_.columns());
    BenchmarkPoint point = place_;
    point.bytes = point_number(point, "size", values[0], 0, kMostBytes);
    point.element_bytes = element_bytes_of(point, "type", values[2], "an NCCL type, such as float");
    point.measured_s = point_time_s(point, "time", values[rows_.time()], 1e-6);
    const auto value = [&](std::string_view column) {
      const auto at = rows_.column(column);
      return at ? values[*at] : std::string();
    };
    rows_.check_mixed(
        place_, fmt::format("{} {} {} {}", values[0], values[2], value("redop"), value("root")));
    tables_.back().bandwidths.add({place_.line, point.bytes, point.measured_s, value("redop"),
                                   value("root"), value("algbw"), value("busbw")});
    tables_.back().points.push_back(std::move(point));
  }

  // Sets the number of ranks of a table. Throws UserError if the table measures something else than
  // the user says.
  void check(ReadTable& table) const {
    if (table.points.empty()) {
      return;
    }
    BenchmarkPoint place = place_;
    place.line = table.line;
    const Collective collective = place.collective;
    const NcclBenchmark* const named = table.named != nullptr ? table.named : by_file_name_;
    if (named != nullptr && named->collective != collective &&
        (table.named != nullptr || table.bandwidths.may_be(*named))) {
      refuse_line(place,
                  fmt::format("this is the table of {}_perf{}, which does not measure {}, "
                              "the collective of $algorithm '{}'",
                              named->program, table.named != nullptr ? "" : " by the file's name",
                              name(collective), file_.algorithm));
    }
    if (collective == Collective::alltoallv) {
      refuse_line(place, "nccl-tests do not say the block sizes of alltoallv");
    }
    const std::optional<std::uint32_t> given = file_.defaults.ranks;
    if (given && table.ranks && *given != *table.ranks) {
      refuse_line(place,
                  fmt::format("{} {} given, but the lines '#  Rank ...' above the table name {}",
                              counted(*given, "rank"), *given == 1 ? "is" : "are", *table.ranks));
    }
    const std::optional<std::uint32_t> ranks = given ? given : table.ranks;
    if (const auto why = table.bandwidths.why_not(collective, ranks, place.line)) {
      refuse_line(place, *why);
    }
    table.ranks = ranks ? ranks : table.bandwidths.ranks_from_bandwidths(collective);
    if (!table.ranks) {
      refuse_missing_ranks(file_);
    }
  }

  const PointsText& file_;
  BenchmarkPoint place_;
  TableRows rows_;
  std::optional<std::uint32_t> ranks_;  // from the lines since the last table
  const NcclBenchmark* by_file_name_ = nullptr;
  const NcclBenchmark* named_ = nullptr;  // from the last line that names a program
  std::vector<ReadTable> tables_;
};

std::optional<std::size_t> nccl_heading(std::string_view line) {
  for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1)) {
    if (is_heading(line.substr(at))) {
      return at;
    }
  }
  return std::nullopt;
}

bool is_nccl_output(std::string_view text) {
  for (LineReader lines(text); lines.next();) {
    if (is_heading(lines.line())) {
      return true;
    }
  }
  return false;
}

std::vector<BenchmarkPoint> points_from_nccl(const PointsText& file) {
  return NcclReader(file).read();
}

}  // namespace

const BenchmarkFormat kNcclFormat{is_nccl_output, nccl_heading, points_from_nccl};

}}  // namespace tutti::experiments

// Reads the output of nccl-tests and rccl-tests (all_reduce_perf and others; see src/common.cu and
// src/util.cu in their sources). The output consists of a line with the names of the columns after
// a '#', a line with their units, and one line per size. The first time on a line is that of the
// out-of-place call. The size is the number of bytes that a rank sends or receives, whichever is
// larger, like n in tutti.
//
// Above the table, there is a line for each rank, such as
// "#  Rank  0 Group  0 Pid  4711 on node1 device  0 [0x07] NVIDIA H100 80GB HBM3", and in newer
// releases "# Collective test starting: all_reduce_perf".
#include "src/experiments/points/nccl_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/line_reader.hpp"
#include "base/quantities.hpp"
#include "base/text_lines.hpp"

namespace tutti { inline namespace experiments {

namespace {

constexpr std::string_view kStarting = "# Collective test starting: ";

// Returns a line without the '#' at its beginning, which pages that show text as Markdown drop.
std::string_view without_mark(std::string_view line) {
  line.remove_prefix(line.starts_with('#') ? 1 : 0);
  return line;
}

// The number of a rank, its host and its GPU, from the line that names it.
struct NamedRank {
  std::uint32_t rank = 0;
  std::uint32_t group = 0;
  std::string host;
  std::string device;
};
std::optional<NamedRank> named_rank(std::string_view line) {
  const std::vector<std::string> words = words_of(without_mark(line));
  NamedRank named;
  if (words.size() < 2 || words[0] != "Rank" ||
      std::from_chars(words[1].data(), words[1].data() + words[1].size(), named.rank).ec !=
          std::errc() ||
      named.rank >= kMostRanks) {
    return std::nullopt;
  }
  if (words.size() > 3 && words[2] == "Group") {
    named.group = parsed_number<std::uint32_t>(words[3]).value_or(0);
  }
  const auto on = std::ranges::find(words, "on");
  if (on != words.end() && on + 1 != words.end()) {
    named.host = *(on + 1);
  }
  const std::size_t device = line.find(" device ");
  const std::size_t end = device == std::string_view::npos ? device : line.find(']', device);
  if (end != std::string_view::npos) {
    named.device = trimmed(line.substr(end + 1));
  }
  return named;
}

// Returns the benchmark whose program a line names, as in "mpirun -np 8 ./all_reduce_perf -b 8".
const NcclBenchmark* program_in(std::string_view line) {
  for (const std::string& word : words_of(line)) {
    const std::string program = std::filesystem::path(word).filename().string();
    if (program.find("_perf") != std::string::npos) {
      return nccl_benchmark_in(program);
    }
  }
  return nullptr;
}

class TablesReader {
 public:
  explicit TablesReader(const PointsText& file) : file_(file) {
    place_.file = file.path;
    place_.line = file.lines_before;
  }

  std::vector<NcclTestsTable> read() {
    for (LineReader lines(file_.text); lines.next();) {
      ++place_.line;
      read_line(lines.line());
    }
    return std::move(tables_);
  }

 private:
  void read_line(std::string_view line) {
    if (is_nccl_heading(line)) {
      begin_table(line);
    } else if (line.starts_with('#') || !rows_.open() || trimmed(line).starts_with("(B)")) {
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
    if (auto named = named_rank(line)) {
      ranks_ = std::max(ranks_.value_or(0), named->rank + 1);
      of_first_group_ += named->group == 0 ? 1 : 0;
      has_groups_ |= named->group > 0;
      first_ranks_ += named->rank == 0 ? 1 : 0;
      device_ = named->device.empty() ? device_ : named->device;
      if (named->group == 0 && !named->host.empty() &&
          std::ranges::find(hosts_, named->host) == hosts_.end()) {
        hosts_.push_back(std::move(named->host));
      }
    } else if (line.starts_with(kStarting) || line.find("_perf") != std::string_view::npos) {
      if (const NcclBenchmark* const found = program_in(line)) {
        named_ = found;
      }
    }
  }

  void begin_table(std::string_view line) {
    std::vector<std::string> names = words_of(without_mark(line));
    const auto time = place_of_column(names, "time");
    if (!time) {
      refuse_line(place_, "there is no column time; expected the columns of nccl-tests");
    }
    const auto second = std::ranges::find(names.begin() + static_cast<std::ptrdiff_t>(*time) + 1,
                                          names.end(), "time");
    in_place_ = static_cast<std::size_t>(second - names.begin());
    wrong_.clear();
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == "#wrong") {
        wrong_.push_back(i);
      }
    }
    rows_.begin(std::move(names), *time, TableRows::First::number);
    NcclTestsTable& table = tables_.emplace_back(rows_.column("redop") && rows_.column("root"));
    table.line = place_.line;
    table.ranks = has_groups_ && of_first_group_ > 0 ? of_first_group_ : ranks_;
    table.first_ranks = first_ranks_;
    table.named = named_;
    table.hosts = hosts_;
    ranks_.reset();
    of_first_group_ = 0;
    has_groups_ = false;
    first_ranks_ = 0;
    hosts_.clear();
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
    const auto value = [&](std::string_view column) {
      const auto at = rows_.column(column);
      return at ? values[*at] : std::string();
    };
    NcclRow row;
    row.line = place_.line;
    row.bytes = point_number(place_, "size", values[0], 0, kMostBytes);
    row.count = parsed_number<std::uint64_t>(values[1]).value_or(0);
    row.element_bytes = element_bytes_of(place_, "type", values[2], "an NCCL type, such as float");
    row.type = values[2];
    row.time_s = point_time_s(place_, "time", values[rows_.time()], 1e-6);
    row.redop = value("redop");
    row.root = value("root");
    row.algbw = value("algbw");
    row.busbw = value("busbw");
    if (in_place_ < values.size()) {
      const auto in_place_us = parsed_number<double>(values[in_place_]);
      row.in_place_s =
          in_place_us && *in_place_us > 0 ? std::optional(*in_place_us * 1e-6) : std::nullopt;
    }
    for (const std::size_t column : wrong_) {
      row.wrong += parsed_number<std::uint64_t>(values[column]).value_or(0);
    }
    NcclTestsTable& table = tables_.back();
    table.device = device_;
    if (rows_.is_mixed(fmt::format("{} {} {} {}", values[0], values[2], row.redop, row.root)) &&
        table.mixed_line == 0) {
      table.mixed_line = place_.line;
    }
    table.bandwidths.add(std::move(row));
  }

  const PointsText& file_;
  BenchmarkPoint place_;
  TableRows rows_;
  std::size_t in_place_ = 0;              // column of the second time
  std::vector<std::size_t> wrong_;        // columns with numbers of wrong results
  std::optional<std::uint32_t> ranks_;    // from the lines since the last table
  std::uint32_t of_first_group_ = 0;      // number of lines that name a rank of group 0, likewise
  bool has_groups_ = false;               // likewise
  std::size_t first_ranks_ = 0;           // likewise
  std::vector<std::string> hosts_;        // likewise
  std::string device_;                    // from the last line that names a GPU
  const NcclBenchmark* named_ = nullptr;  // from the last line that names a program
  std::vector<NcclTestsTable> tables_;
};

}  // namespace

bool is_nccl_heading(std::string_view line) {
  const std::vector<std::string> names = words_of(without_mark(line));
  return names.size() > 4 && names[0] == "size" && names[1] == "count" && names[2] == "type" &&
         std::find(names.begin(), names.end(), "algbw") != names.end();
}

std::vector<NcclTestsTable> nccl_tests_tables(const PointsText& file) {
  return TablesReader(file).read();
}

}}  // namespace tutti::experiments

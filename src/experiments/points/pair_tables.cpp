#include "src/experiments/points/pair_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/line_reader.hpp"
#include "base/quantities.hpp"
#include "base/text_lines.hpp"
#include "base/text_words.hpp"
#include "schedules/problem.hpp"

namespace tutti { inline namespace experiments {

namespace {

constexpr std::string_view kOsuTitle = "# OSU ";
constexpr std::string_view kImbTitle = "# Benchmarking ";
constexpr std::string_view kPairs = "pairs: ";
constexpr std::string_view kImbProcesses = "# #processes = ";

bool has(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

// Returns the benchmark that a title such as "# OSU MPI-CUDA Bi-Directional Bandwidth Test v7.4"
// names; nothing if it does not send messages between pairs of ranks.
std::optional<PairRun> osu_pair_run(std::string_view line) {
  const std::string title = lower_case(line.substr(kOsuTitle.size()));
  const bool bandwidth = has(title, "bandwidth");
  const bool other = has(title, "non-blocking") || has(title, "neighborhood") ||
                     has(title, "all-to-allw") || has(title, "barrier");
  if (other || !(bandwidth || has(title, "latency")) || !kOsuFormat.collectives(line).empty()) {
    return std::nullopt;
  }
  const std::string library = title.substr(0, title.find(' '));
  constexpr std::string_view kOneSided = "mpi_";
  PairRun run;
  run.name = "osu_";
  if (library.starts_with(kOneSided)) {
    run.name += library.substr(kOneSided.size(), library.find('-') - kOneSided.size()) + '_';
  }
  run.on_device = library.find('-') != std::string::npos || library.ends_with("ccl");
  if (!bandwidth) {
    run.name += has(title, "multi latency") ? "multi_lat" : "latency";
    return run;
  }
  const bool both = has(title, "bi-directional") || has(title, "bidirectional");
  run.test = both ? PairTest::both_ways : PairTest::stream;
  run.counts = both ? 2 : 1;
  run.name += both ? "bibw" : has(title, "multiple") ? "mbw_mr" : "bw";
  return run;
}

// A benchmark of the Intel MPI Benchmarks. Names of its variants begin with the name, such as
// PingPongAnySource.
struct ImbPairRun {
  std::string_view name;  // in lower case
  PairTest test;
  bool in_ring;
  std::uint32_t sends;
  std::uint32_t counts;
};
constexpr std::array kImbPairRuns{
    ImbPairRun{"pingpong", PairTest::ping_pong, false, 1, 1},
    ImbPairRun{"pingping", PairTest::both_ways, false, 1, 1},
    ImbPairRun{"sendrecv", PairTest::both_ways, true, 1, 2},
    ImbPairRun{"exchange", PairTest::both_ways, true, 2, 4},
    ImbPairRun{"uniband", PairTest::stream, false, 1, 1},
    ImbPairRun{"biband", PairTest::both_ways, false, 1, 2},
};

std::optional<PairRun> imb_pair_run(std::string_view line) {
  const std::string name(trimmed(line.substr(kImbTitle.size())));
  const std::string lower = lower_case(name);
  for (const ImbPairRun& each : kImbPairRuns) {
    if (lower.starts_with(each.name)) {
      PairRun run;
      run.name = name;
      run.test = each.test;
      run.in_ring = each.in_ring;
      run.sends = each.sends;
      run.counts = each.counts;
      return run;
    }
  }
  return std::nullopt;
}

// A column with a time, or with a bandwidth in 10^6 bytes per second.
struct ValueColumn {
  std::size_t place = 0;
  bool is_time = false;
};

// Returns the column to read: the time of the slowest rank, another time, or the bandwidth.
std::optional<ValueColumn> value_column(const std::vector<std::string>& names) {
  for (const std::string_view time :
       {"t_max[usec]", "t[usec]", "Max Latency(us)", "Avg Latency(us)", "Latency (us)"}) {
    if (const auto at = place_of_column(names, time)) {
      return ValueColumn{*at, true};
    }
  }
  for (std::size_t i = 1; i < names.size(); ++i) {
    if (has(names[i], "MB/s") || has(names[i], "Mbytes/sec")) {
      return ValueColumn{i, false};
    }
  }
  return std::nullopt;
}

class PairReader {
 public:
  explicit PairReader(const PointsText& file) : file_(file) {
    place_.file = file.path;
    place_.line = file.lines_before;
  }

  std::vector<PairTable> read() {
    for (LineReader lines(file_.text); lines.next();) {
      ++place_.line;
      read_line(lines.line());
    }
    std::erase_if(tables_, [](const PairTable& table) { return table.rows.empty(); });
    return std::move(tables_);
  }

 private:
  void read_line(std::string_view line) {
    if (line.starts_with(kOsuTitle)) {
      begin(osu_pair_run(line));
    } else if (line.starts_with(kImbTitle)) {
      begin(imb_pair_run(line));
    } else if (!open_) {
      return;
    } else if (line.starts_with("# [ ") && has(line, kPairs)) {
      take_ranks(line.substr(line.find(kPairs) + kPairs.size()), 2);
      tables_.back().run.counts = tables_.back().run.ranks / 2;
    } else if (line.starts_with(kImbProcesses)) {
      take_ranks(line.substr(kImbProcesses.size()), 1);
      PairRun& run = tables_.back().run;
      run.counts *= has(lower_case(run.name), "band") ? run.pairs() : 1;
    } else if (has(line, "DEVICE (D)")) {
      tables_.back().run.on_device = true;
    } else if (line.starts_with("# Size") || trimmed(line).starts_with("#bytes")) {
      begin_columns(line);
    } else if (!line.starts_with('#')) {
      read_row(line);
    }
  }

  void begin(std::optional<PairRun> run) {
    rows_.end();
    open_ = run.has_value();
    if (run) {
      if (file_.defaults.ranks && run->name == "osu_multi_lat") {
        run->ranks = *file_.defaults.ranks;
      }
      tables_.push_back({std::move(*run), {}});
    }
  }

  void take_ranks(std::string_view count, std::uint32_t factor) {
    const std::vector<std::string> words = words_of(count.substr(0, count.find_first_of(" ];")));
    tables_.back().run.ranks =
        factor * static_cast<std::uint32_t>(
                     point_number(place_, "pairs or #processes", words.empty() ? "" : words[0], 1,
                                  static_cast<std::uint64_t>(kMostRanks) / factor));
  }

  void begin_columns(std::string_view line) {
    const bool osu = line.starts_with("# ");
    std::vector<std::string> names = osu ? words_of(line.substr(1), 2) : words_of(line);
    const auto column = value_column(names);
    if (!column || column->place == 0) {
      refuse_line(place_, "expected a column with times in microseconds, or with MB/s");
    }
    is_time_ = column->is_time;
    rows_.begin(std::move(names), column->place, TableRows::First::growing_number);
  }

  void read_row(std::string_view line) {
    const std::vector<std::string> values = rows_.values(line);
    if (values.empty()) {
      if (rows_.open()) {
        note_skipped_row(file_, place_.line, line);
      }
      return;
    }
    if (rows_.is_mixed(values[0])) {
      refuse_mixed(place_);
    }
    PairTable& table = tables_.back();
    const std::uint64_t bytes = point_number(place_, "size", values[0], 0, kMostBytes);
    if (bytes > 0) {
      table.rows.push_back({place_.line, bytes, time_of(values[rows_.time()], bytes, table.run)});
    }
  }

  [[nodiscard]] double time_of(const std::string& value, std::uint64_t bytes,
                               const PairRun& run) const {
    if (is_time_) {
      return point_time_s(place_, rows_.time_name(), value, 1e-6);
    }
    constexpr double kMega = 1e6;
    const double rate = parsed_number<double>(value).value_or(0);
    const double time_s = static_cast<double>(bytes) * run.counts / (rate * kMega);
    // No message takes less or more.
    constexpr double kLeast_s = 1e-12;
    constexpr double kMost_s = 1e6;
    if (!std::isfinite(rate) || rate <= 0 || time_s < kLeast_s || time_s > kMost_s) {
      refuse_value(place_, rows_.time_name(), value, "a bandwidth above 0 in MB/s");
    }
    return time_s;
  }

  const PointsText& file_;
  BenchmarkPoint place_;
  TableRows rows_;
  bool open_ = false;     // the last title is that of a benchmark of pairs
  bool is_time_ = false;  // the table has times rather than bandwidths
  std::vector<PairTable> tables_;
};

}  // namespace

std::vector<PairTable> pair_tables(const PointsText& file) { return PairReader(file).read(); }

}}  // namespace tutti::experiments

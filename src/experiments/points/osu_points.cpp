// Reads the output of the OSU micro-benchmarks for collectives (osu_allreduce and others; see
// c/mpi/collective and c/xccl/collective in their sources). The output consists of a title, the
// names of the columns, and one line per size; osu_barrier has one line without a size.
//
// The size is that of the whole vector for bcast, reduce, allreduce and reduce_scatter
// (osu_reduce_scatter.c distributes its elements over ranks as block_layout does). For allgather,
// alltoall, gather and scatter, it is the size of one block. Barriers separate the calls, so the
// column Max, which is the mean time of the slowest rank, is used as the time of a call. If there
// is no column Max, because the benchmark ran without -f, the column Avg is used, and the point
// says so.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "base/line_reader.hpp"
#include "base/printable.hpp"
#include "base/quantities.hpp"
#include "base/text_lines.hpp"
#include "src/experiments/points/point_text.hpp"
#include "src/formats/call_size.hpp"

namespace tutti { inline namespace experiments {

namespace {

constexpr std::string_view kTitle = "# OSU ";
constexpr std::string_view kType = "# Datatype: ";
constexpr std::string_view kAverage = "Avg Latency(us)";
constexpr std::string_view kSlowestRank = "Max Latency(us)";

// The collective that a title names.
struct OsuTitle {
  std::optional<Collective> collective;
  std::string why_not;  // set if there is no collective
};

// Returns the collective that a word of the title names.
std::optional<Collective> collective_of_word(const std::string& word) {
  const std::string lower = lower_case(word);
  if (lower == "broadcast") {
    return Collective::bcast;
  }
  if (lower == "reduce_scatter_block") {
    return Collective::reduce_scatter;
  }
  return collective_named(lower == "all-to-all"    ? "alltoall"
                          : lower == "all-to-allv" ? "alltoallv"
                                                   : lower);
}

// Parses a title such as "# OSU MPI-CUDA All-to-All Personalized Exchange Latency Test v7.4".
OsuTitle osu_title(std::string_view line) {
  const std::vector<std::string> words = words_of(line.substr(kTitle.size()));
  const std::string library = words.empty() ? "" : words[0].substr(0, words[0].find('-'));
  if (library != "MPI" && !library.ends_with("CCL")) {
    return {{}, "it measures no calls of MPI collectives"};
  }
  std::optional<Collective> named;
  for (const std::string& word : words) {
    const std::string lower = lower_case(word);
    if (lower == "non-blocking") {
      return {{},
              "a non-blocking call overlaps with computation; run the blocking benchmark, such as "
              "osu_alltoall for osu_ialltoall"};
    }
    if (lower == "neighborhood" || lower == "all-to-allw") {
      return {{}, fmt::format("tutti has no {} collectives", word)};
    }
    if (!named) {
      named = collective_of_word(word);
    }
  }
  return named ? OsuTitle{named, ""}
               : OsuTitle{{}, "it measures messages between two ranks, or no communication"};
}

// Begins the table whose columns `line` names.
void begin_osu_table(const BenchmarkPoint& place, std::string_view line, TableRows& rows) {
  std::vector<std::string> names = words_of(line.substr(1), 2);
  const std::size_t sizes = place.collective == Collective::barrier ? 0 : 1;
  std::optional<std::size_t> time = place_of_column(names, kSlowestRank);
  if (!time) {
    time = place_of_column(names, kAverage);
  }
  if (!time || *time < sizes || (sizes == 1 && names[0] != "Size")) {
    refuse_line(
        place, fmt::format("expected the columns of a collective's latency: {}Avg Latency(us), ...",
                           sizes == 1 ? "Size, " : ""));
  }
  rows.begin(std::move(names), *time,
             sizes == 0 ? TableRows::First::time : TableRows::First::growing_number);
}

class OsuReader {
 public:
  explicit OsuReader(const PointsText& file)
      : file_(file), place_(benchmark_point(file, file.lines_before)) {}

  std::vector<BenchmarkPoint> read() {
    for (LineReader lines(file_.text); lines.next();) {
      ++place_.line;
      read_line(lines.line());
    }
    if (!found_) {
      place_.line = first_other_;
      refuse_line(place_,
                  fmt::format("'{}' does not measure {}, the collective of $algorithm "
                              "'{}'{}",
                              shortened(printable(others_.front())), name(place_.collective),
                              file_.algorithm, why_not_.empty() ? "" : ": " + why_not_));
    }
    note_other_tables(file_, others_, place_.collective);
    return std::move(points_);
  }

 private:
  void read_line(std::string_view line) {
    if (line.starts_with(kTitle)) {
      take_title(line);
    } else if (!wanted_) {
      return;
    } else if (line.starts_with(kType)) {
      take_type(line.substr(kType.size()));
    } else if (line.starts_with("# Size") ||
               (place_.collective == Collective::barrier && line.starts_with("# Avg"))) {
      begin_osu_table(place_, line, rows_);
    } else if (!line.starts_with('#')) {
      take_row(line);
    }
  }

  void take_title(std::string_view line) {
    const OsuTitle title = osu_title(line);
    rows_.end();
    wanted_ = title.collective == place_.collective;
    if (wanted_) {
      found_ = true;
      place_.element_bytes = reduces(place_.collective) ? 4 : 1;
    } else {
      if (others_.empty()) {
        first_other_ = place_.line;
        why_not_ = title.why_not;
      }
      others_.emplace_back(line.substr(2));
    }
  }

  void take_type(std::string_view type) {
    if (type.ends_with('.')) {
      type.remove_suffix(1);
    }
    place_.element_bytes =
        element_bytes_of(place_, "Datatype", type, "an MPI type, such as MPI_FLOAT");
  }

  void take_row(std::string_view line) {
    const bool is_barrier = place_.collective == Collective::barrier;
    if (!rows_.open()) {
      refuse_without_columns(line);
      return;
    }
    const std::vector<std::string> values =
        is_barrier && rows_.rows() > 0 ? std::vector<std::string>() : rows_.values(line);
    if (values.empty()) {
      if (!is_barrier) {
        note_skipped_row(file_, place_.line, line);
      }
      return;
    }
    check_values(place_, values, rows_.columns());
    if (rows_.is_mixed(values[0])) {
      refuse_mixed(place_);
    }
    BenchmarkPoint point = place_;
    if (!is_barrier) {
      take_size(point, values[0]);
    }
    point.is_average = rows_.time_name() == kAverage;
    point.measured_s = point_time_s(point, rows_.time_name(), values[rows_.time()], 1e-6);
    complete_point(point, file_.defaults);
    points_.push_back(std::move(point));
  }

  static void take_size(BenchmarkPoint& point, const std::string& size) {
    point.bytes = point_number(point, "Size", size, 0, kMostBytes);
    if (benchmarks_count_blocks(point.collective)) {
      if (point.bytes > kMostBytes / point.ranks) {
        refuse_value(point, "Size", size,
                     fmt::format("at most {} for {} ranks", kMostBytes / point.ranks, point.ranks));
      }
      point.bytes *= point.ranks;
    }
  }

  // Refuses a line that looks like a row, between a title and the names of its columns.
  void refuse_without_columns(std::string_view line) const {
    TableRows any;
    const bool is_barrier = place_.collective == Collective::barrier;
    any.begin({""}, is_barrier ? 0 : 1,
              is_barrier ? TableRows::First::time : TableRows::First::number);
    if (!any.values(line).empty()) {
      refuse_line(place_, fmt::format("there is no line '# {}Avg Latency(us)' above these times; "
                                      "it names the columns and their unit, so copy it, too",
                                      place_.collective == Collective::barrier ? "" : "Size  "));
    }
  }

  const PointsText& file_;
  BenchmarkPoint place_;
  bool wanted_ = false;  // true if the current title is that of the algorithm's collective
  bool found_ = false;
  std::vector<std::string> others_;  // titles of other tables
  std::size_t first_other_ = 0;      // line of the first of them
  std::string why_not_;              // why it is not read; "" if it measures another collective
  TableRows rows_;
  std::vector<BenchmarkPoint> points_;
};

std::optional<std::size_t> osu_heading(std::string_view line) {
  const std::size_t at = line.find(kTitle);
  return at == std::string_view::npos ? std::nullopt : std::optional(at);
}

bool is_osu_output(std::string_view text) {
  return text.starts_with(kTitle) || text.find("\n# OSU ") != std::string_view::npos;
}

std::vector<BenchmarkPoint> points_from_osu(const PointsText& file) {
  return OsuReader(file).read();
}

std::vector<Collective> collectives_in_osu(std::string_view text) {
  std::vector<Collective> found;
  for (LineReader lines(text); lines.next();) {
    const auto collective = lines.line().starts_with(kTitle) ? osu_title(lines.line()).collective
                                                             : std::optional<Collective>();
    if (collective && std::ranges::find(found, *collective) == found.end()) {
      found.push_back(*collective);
    }
  }
  return found;
}

}  // namespace

const BenchmarkFormat kOsuFormat{is_osu_output, osu_heading, points_from_osu, collectives_in_osu};

}}  // namespace tutti::experiments

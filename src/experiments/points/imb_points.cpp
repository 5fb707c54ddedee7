// Reads the output of the Intel MPI Benchmarks (IMB-MPI1; see their src_c/IMB_output.c). For each
// collective and number of processes, the output has a heading, the names of the columns, and one
// line per size.
//
// The size is that of the whole vector for bcast, reduce and allreduce, and that of one block for
// collectives in which every rank owns a part of the vector (allgather, alltoall and others). For
// reduce_scatter, it is the size of one block in releases since 2019, and that of the whole vector
// in older releases. t_max is the mean time of the slowest rank. A call of 0 bytes does nothing, so
// its time is ignored.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/error.hpp"
#include "base/line_reader.hpp"
#include "base/printable.hpp"
#include "base/quantities.hpp"
#include "base/text_lines.hpp"
#include "schedules/registry.hpp"
#include "src/experiments/points/point_text.hpp"

namespace tutti { inline namespace experiments {

namespace {

constexpr std::string_view kHeading = "# Benchmarking ";
constexpr std::string_view kProcesses = "# #processes = ";
constexpr std::string_view kSlowest = "t_max[usec]";
// Its size is that of one block in all releases.
constexpr std::string_view kReduceScatterBlock = "reduce_scatter_block";
constexpr std::string_view kSuite = "MPI Benchmarks ";
// Year of the first release in which the size of reduce_scatter is that of one block.
constexpr std::uint64_t kSizePerRankSince = 2019;

// Returns the collective that the benchmark with this title measures. The title begins with the
// name of the collective. Empty for other benchmarks, and for benchmarks that run in several groups
// at a time ("Multi-Bcast").
std::optional<Collective> imb_named(std::string_view title) {
  const std::vector<std::string> words = words_of(title);
  if (words.empty()) {
    return std::nullopt;
  }
  const std::string lower = lower_case(words[0]);
  return lower == kReduceScatterBlock ? Collective::reduce_scatter : collective_named(lower);
}

// Returns the year in the line "Intel(R) MPI Benchmarks 2021.3, MPI-1 part"; empty if there is no
// such line.
std::optional<std::uint64_t> year_of(std::string_view text) {
  const std::size_t at = text.find(kSuite);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view rest = text.substr(at + kSuite.size());
  std::uint64_t year = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), year);
  return error == std::errc() ? std::optional(year) : std::nullopt;
}

// Reads the output line by line. `named_`, `ranks_` and `rows_` are valid until the next
// heading.
class ImbReader {
 public:
  explicit ImbReader(const PointsText& file)
      : defaults_(file.defaults),
        first_line_(file.lines_before + 1),
        place_(benchmark_point(file, file.lines_before, false)) {
    const std::optional<std::uint64_t> year = year_of(file.text);
    scattered_by_rank_ = !year || *year >= kSizePerRankSince;
    if (!reduces(place_.collective)) {
      place_.element_bytes = 1;  // all benchmarks but reductions use MPI_BYTE
    }
  }

  std::vector<BenchmarkPoint> read(std::string_view text) {
    for (LineReader lines(text); lines.next();) {
      ++place_.line;
      read_line(lines.line());
    }
    if (points_.empty() && !any_table_) {
      if (first_row_ > 0) {
        place_.line = first_row_;
        refuse_line(place_,
                    "there is no line with the columns '#bytes #repetitions t_min[usec] "
                    "t_max[usec] ...' above these times; copy it, too");
      }
      place_.line = first_line_;
      refuse_line(
          place_,
          fmt::format(
              "the file has no times for {}{}, but '{}' is an algorithm of this collective{}",
              name(place_.collective),
              defaults_.ranks ? fmt::format(" on {} ranks", *defaults_.ranks) : std::string(),
              shortened(printable(place_.algorithm_text)), titles_found()));
    }
    return std::move(points_);
  }

 private:
  void read_line(std::string_view line) {
    if (line.starts_with(kHeading)) {
      named_ = imb_named(line.substr(kHeading.size()));
      by_block_ = lower_case(line.substr(kHeading.size())).starts_with(kReduceScatterBlock);
      ranks_.reset();
      rows_.end();
      if (const std::string title(trimmed(line.substr(kHeading.size())));
          std::ranges::find(titles_, title) == titles_.end()) {
        titles_.push_back(title);
      }
    } else if (line.starts_with(kProcesses)) {
      const std::string count(line.substr(kProcesses.size()));
      const std::vector<std::string> words = words_of(count.substr(0, count.find(';')));
      ranks_ = static_cast<std::uint32_t>(
          point_number(place_, "#processes", words.empty() ? "" : words[0], 1, kMostRanks));
    } else if (line.starts_with("# MPI_Datatype")) {
      take_type(line);
    } else if (wanted()) {
      std::vector<std::string> words = words_of(line);
      if (const auto time = place_of_column(words, kSlowest)) {
        rows_.begin(std::move(words), *time, TableRows::First::number);
        any_table_ = true;
      } else if (!rows_.open()) {
        TableRows any;
        any.begin({""}, 2, TableRows::First::number);
        first_row_ = first_row_ == 0 && !any.values(line).empty() ? place_.line : first_row_;
      } else if (!line.starts_with('#')) {
        read_row(line);
      }
    }
  }

  [[nodiscard]] bool wanted() const {
    return named_ == place_.collective &&
           (!ranks_ || !defaults_.ranks || *ranks_ == *defaults_.ranks);
  }

  // Parses a line such as "# MPI_Datatype for reductions    :   MPI_FLOAT".
  void take_type(std::string_view line) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos ||
        (line.find("for reductions") != std::string_view::npos) != reduces(place_.collective)) {
      return;
    }
    const std::vector<std::string> words = words_of(line.substr(colon + 1));
    place_.element_bytes = element_bytes_of(place_, "MPI_Datatype", words.empty() ? "" : words[0],
                                            "an MPI type, such as MPI_FLOAT");
  }

  void read_row(std::string_view line) {
    // The line for a size that did not fit into memory has a text in place of the times.
    const std::vector<std::string> values = rows_.values(line);
    if (values.empty()) {
      return;
    }
    if (!ranks_) {
      refuse_line(place_, "there is no line '# #processes = COUNT' above these times");
    }
    check_values(place_, values, rows_.columns());
    BenchmarkPoint point = place_;
    point.ranks = *ranks_;
    if (const auto at = rows_.column("#bytes")) {
      const std::uint64_t times = size_is_of_block() ? point.ranks : 1;
      point.bytes = times * point_number(point, "#bytes", values[*at], 0, kMostBytes / times);
    }
    if (point.bytes == 0 && point.collective != Collective::barrier) {
      return;
    }
    point.measured_s = point_time_s(point, kSlowest, values[rows_.time()], 1e-6);
    complete_point(point, defaults_);
    points_.push_back(std::move(point));
  }

  [[nodiscard]] bool size_is_of_block() const {
    return owns_parts(place_.collective) &&
           (place_.collective != Collective::reduce_scatter || scattered_by_rank_ || by_block_);
  }

  // Returns the titles of the benchmarks in the file, as the end of a message.
  [[nodiscard]] std::string titles_found() const {
    return titles_.empty()
               ? std::string()
               : fmt::format("; it measures {}",
                             shortened(printable(fmt::format("{}", fmt::join(titles_, ", ")))));
  }

  const PointDefaults& defaults_;
  std::size_t first_line_;  // line of the file in which the text begins
  BenchmarkPoint place_;
  bool scattered_by_rank_ = true;
  std::optional<Collective> named_;  // collective of the current table
  std::optional<std::uint32_t> ranks_;
  bool by_block_ = false;  // true in a table of reduce_scatter_block
  TableRows rows_;
  std::size_t first_row_ = 0;  // first line that looks like a row, but has no columns above it
  bool any_table_ = false;     // true if there is a table of the collective
  std::vector<std::string> titles_;  // of all benchmarks in the file
  std::vector<BenchmarkPoint> points_;
};

std::optional<std::size_t> imb_heading(std::string_view line) {
  const std::size_t at = line.find(kHeading);
  return at == std::string_view::npos ? std::nullopt : std::optional(at);
}

bool is_imb_output(std::string_view text) {
  return text.starts_with(kHeading) || text.find("\n# Benchmarking ") != std::string_view::npos;
}

std::vector<BenchmarkPoint> points_from_imb(const PointsText& file) {
  return ImbReader(file).read(file.text);
}

std::vector<Collective> collectives_in_imb(std::string_view text) {
  std::vector<Collective> found;
  for (LineReader lines(text); lines.next();) {
    const auto collective = lines.line().starts_with(kHeading)
                                ? imb_named(lines.line().substr(kHeading.size()))
                                : std::optional<Collective>();
    if (collective && std::ranges::find(found, *collective) == found.end()) {
      found.push_back(*collective);
    }
  }
  return found;
}

}  // namespace

const BenchmarkFormat kImbFormat{is_imb_output, imb_heading, points_from_imb, collectives_in_imb};

}}  // namespace tutti::experiments

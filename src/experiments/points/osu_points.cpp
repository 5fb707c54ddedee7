// Reads the output of the OSU micro-benchmarks for collectives (osu_allreduce and others; see
// c/mpi/collective in their sources). The output consists of a title, the names of the columns, and
// one line per size.
//
// The size is that of the whole vector for bcast, reduce, allreduce and reduce_scatter
// (osu_reduce_scatter.c distributes its elements over ranks as block_layout does). For allgather,
// alltoall, gather and scatter, it is the size of one block. Barriers separate the calls, so the
// column Max, which is the mean time of the slowest rank, is used as the time of a call. If there
// is no column Max, because the benchmark ran without -f, the column Avg is used.
#include <fmt/format.h>

#include <optional>

#include "base/error.hpp"
#include "base/quantities.hpp"
#include "src/experiments/points/point_text.hpp"
#include "src/formats/call_size.hpp"

namespace tutti::inline experiments {

namespace {

constexpr std::string_view kTitle = "# OSU MPI";
constexpr std::string_view kType = "# Datatype: ";

// Returns the collective that a word of the title names; empty if no word names one. A barrier does
// not count, because the output of its benchmark has no sizes.
std::optional<Collective> collective_in(std::string_view title) {
  for (const std::string& word : words_of(title)) {
    const auto named = word == "Broadcast"    ? Collective::bcast
                       : word == "All-to-All" ? Collective::alltoall
                                              : collective_named(lower_case(word));
    if (named && named != Collective::barrier) {
      return named;
    }
  }
  return std::nullopt;
}

// The column with times, and the number of columns. The first column has the sizes.
struct OsuColumns {
  std::size_t time = 0;
  std::string time_name;
  std::size_t count = 0;
};

OsuColumns osu_columns(const BenchmarkPoint& place, std::string_view line) {
  const std::vector<std::string> names = words_of(line.substr(1), 2);
  OsuColumns columns;
  columns.count = names.size();
  for (const std::string_view wanted : {"Avg Latency(us)", "Max Latency(us)"}) {
    if (const auto found = place_of_column(names, wanted)) {
      columns.time = *found;
      columns.time_name = wanted;
    }
  }
  if (names.empty() || names[0] != "Size" || columns.time_name.empty()) {
    refuse_line(place,
                "expected the columns of a collective's latency: Size, Avg Latency(us), ...");
  }
  return columns;
}

bool is_osu_output(std::string_view text) {
  return text.starts_with(kTitle) || text.find("\n# OSU MPI") != std::string_view::npos;
}

std::vector<BenchmarkPoint> points_from_osu(const PointsText& file) {
  std::vector<BenchmarkPoint> points;
  std::string_view rest = file.text;
  std::string_view line;
  BenchmarkPoint place = benchmark_point(file, 0);
  std::optional<Collective> named;
  OsuColumns columns;
  while (next_line(rest, line)) {
    ++place.line;
    if (line.starts_with(kTitle)) {
      if (named) {
        refuse_line(place, "a second benchmark begins here; put each one into its own file");
      }
      named = collective_in(line);
      if (named != place.collective) {
        refuse_line(place,
                    fmt::format("'{}' does not measure {}, the collective of --algorithm '{}'",
                                line.substr(2), name(place.collective), file.algorithm));
      }
      place.element_bytes = reduces(*named) ? 4 : 1;
    } else if (line.starts_with(kType)) {
      std::string_view type = line.substr(kType.size());
      if (type.ends_with('.')) {
        type.remove_suffix(1);
      }
      place.element_bytes =
          element_bytes_of(place, "Datatype", type, "an MPI type, such as MPI_FLOAT");
    } else if (named && line.starts_with("# Size")) {
      columns = osu_columns(place, line);
    } else if (columns.count > 0 && !line.empty() && line.front() != '#') {
      const std::vector<std::string> values = words_of(line);
      if (values.empty()) {
        continue;
      }
      check_values(place, values, columns.count);
      BenchmarkPoint point = place;
      point.bytes = point_number(point, "Size", values[0], 0, kMostBytes);
      if (benchmarks_count_blocks(*named)) {
        if (point.bytes > kMostBytes / point.ranks) {
          refuse_value(
              point, "Size", values[0],
              fmt::format("at most {} for {} ranks", kMostBytes / point.ranks, point.ranks));
        }
        point.bytes *= point.ranks;
      }
      point.measured_s = point_time_s(point, columns.time_name, values[columns.time], 1e-6);
      complete_point(point, file.defaults);
      points.push_back(std::move(point));
    }
  }
  return points;
}

}  // namespace

const BenchmarkFormat kOsuFormat{is_osu_output, points_from_osu};

}  // namespace tutti::inline experiments

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

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/quantities.hpp"
#include "src/experiments/points/point_text.hpp"
#include "src/formats/call_size.hpp"

namespace tutti::inline experiments {

namespace {

constexpr std::string_view kTitle = "# OSU MPI";
constexpr std::string_view kType = "# Datatype: ";

struct Named {
  std::string_view name;
  Collective collective;
};
constexpr std::array kNamed{Named{"Allreduce", Collective::allreduce},
                            Named{"Reduce_scatter", Collective::reduce_scatter},
                            Named{"Reduce", Collective::reduce},
                            Named{"Broadcast", Collective::bcast},
                            Named{"Bcast", Collective::bcast},
                            Named{"Allgather", Collective::allgather},
                            Named{"All-to-All", Collective::alltoall},
                            Named{"Alltoall", Collective::alltoall},
                            Named{"Gather", Collective::gather},
                            Named{"Scatter", Collective::scatter},
                            Named{"Allgatherv", Collective::allgatherv},
                            Named{"Alltoallv", Collective::alltoallv},
                            Named{"Gatherv", Collective::gatherv},
                            Named{"Scatterv", Collective::scatterv}};

// Returns the benchmark that a word of the title names; null if no word names one.
const Named* named_in(std::string_view title) {
  const std::vector<std::string> words = words_of(title);
  for (const Named& each : kNamed) {
    if (std::find(words.begin(), words.end(), each.name) != words.end()) {
      return &each;
    }
  }
  return nullptr;
}

// Positions of the columns with sizes and times, and the number of columns.
struct OsuColumns {
  std::size_t size = 0;
  std::size_t time = 0;
  std::string time_name;
  std::size_t count = 0;
};

OsuColumns osu_columns(const BenchmarkPoint& place, std::string_view line) {
  const std::vector<std::string> names = words_of(line.substr(1), 2);
  OsuColumns columns;
  columns.count = names.size();
  for (const std::string_view wanted : {"Avg Latency(us)", "Max Latency(us)"}) {
    const auto found = std::find(names.begin(), names.end(), wanted);
    if (found != names.end()) {
      columns.time = static_cast<std::size_t>(found - names.begin());
      columns.time_name = wanted;
    }
  }
  if (names.empty() || names[0] != "Size" || columns.time_name.empty()) {
    refuse_line(place,
                "expected the columns of a collective's latency: Size, Avg Latency(us), ...");
  }
  return columns;
}

}  // namespace

bool is_osu_output(std::string_view text) {
  return text.starts_with(kTitle) || text.find("\n# OSU MPI") != std::string_view::npos;
}

std::vector<BenchmarkPoint> points_from_osu(std::string_view text, const std::string& path,
                                            const PointDefaults& defaults,
                                            const std::string& algorithm) {
  std::vector<BenchmarkPoint> points;
  std::string_view rest = text;
  std::string_view line;
  BenchmarkPoint place = benchmark_point(path, 0, defaults, algorithm);
  const Named* named = nullptr;
  OsuColumns columns;
  while (next_line(rest, line)) {
    ++place.line;
    if (line.starts_with(kTitle)) {
      if (named != nullptr) {
        refuse_line(place, "a second benchmark begins here; put each one into its own file");
      }
      named = named_in(line);
      if (named == nullptr || named->collective != place.collective) {
        refuse_line(place,
                    fmt::format("'{}' does not measure {}, the collective of --algorithm '{}'",
                                line.substr(2), name(place.collective), algorithm));
      }
      place.element_bytes = reduces(named->collective) ? 4 : 1;
    } else if (line.starts_with(kType)) {
      std::string_view type = line.substr(kType.size());
      if (type.ends_with('.')) {
        type.remove_suffix(1);
      }
      place.element_bytes = bytes_of_type(type);
      if (place.element_bytes == 0) {
        refuse_value(place, "Datatype", type, "an MPI type, such as MPI_FLOAT");
      }
    } else if (named != nullptr && line.starts_with("# Size")) {
      columns = osu_columns(place, line);
    } else if (columns.count > 0 && !line.empty() && line.front() != '#') {
      const std::vector<std::string> values = words_of(line);
      if (values.empty()) {
        continue;
      }
      if (values.size() < columns.count) {
        refuse_line(place, fmt::format("has {} values; expected {}, one per column", values.size(),
                                       columns.count));
      }
      BenchmarkPoint point = place;
      point.bytes = point_number(point, "Size", values[columns.size], 0, kMostBytes);
      if (benchmarks_count_blocks(named->collective)) {
        if (point.bytes > kMostBytes / point.ranks) {
          refuse_value(
              point, "Size", values[columns.size],
              fmt::format("at most {} for {} ranks", kMostBytes / point.ranks, point.ranks));
        }
        point.bytes *= point.ranks;
      }
      point.measured_s = point_time_s(point, columns.time_name, values[columns.time], 1e-6);
      if (defaults.element_bytes) {
        point.element_bytes = *defaults.element_bytes;
      }
      put_in_cell(point);
      points.push_back(std::move(point));
    }
  }
  return points;
}

}  // namespace tutti::inline experiments

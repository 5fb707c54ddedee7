// Reads files that PICO wrote (pico_core in github.com/HLC-Lab/pico). There is one file for each
// size and algorithm, named COUNT_ALGORITHM_TYPE.csv. Its first line is "highest", possibly
// followed by the names of columns for individual ranks. Each further line is for one repetition,
// and begins with the time of the slowest rank in nanoseconds.
//
// COUNT is the number of elements of the whole vector. For collectives with one block per rank,
// PICO rounds COUNT down to a multiple of the number of ranks. The first fifth of the repetitions
// is left out as warm-up, as in PICO's own plots.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "base/line_reader.hpp"
#include "base/median.hpp"
#include "base/quantities.hpp"
#include "schedules/registry.hpp"
#include "src/experiments/points/point_text.hpp"

namespace tutti { inline namespace experiments {

namespace {

constexpr std::string_view kHighest = "highest";
constexpr std::size_t kOneIsWarmingUpOf = 5;

std::string_view first_field(std::string_view line) { return line.substr(0, line.find(',')); }

// Sets the point's size and element size from the name of its file, such as
// "4096_ring_ompi_int32.csv": the number of elements, PICO's name of the algorithm, and the type of
// the elements.
void take_name(BenchmarkPoint& point) {
  const std::string stem = std::filesystem::path(point.file).stem().string();
  const std::size_t first = stem.find('_');
  const std::size_t last = stem.rfind('_');
  const bool has_parts = first != std::string::npos && last > first;
  const std::string type = has_parts ? stem.substr(last + 1) : "";
  point.element_bytes = bytes_of_type(type);
  if (!has_parts || point.element_bytes == 0) {
    refuse_line(point,
                "PICO gives size and type in the file's name; expected COUNT_ALGORITHM_TYPE.csv, "
                "such as 4096_ring_ompi_int32.csv");
  }
  std::uint64_t count = point_number(point, "COUNT in the file's name", stem.substr(0, first), 0,
                                     kMostBytes / point.element_bytes);
  if (owns_parts(point.collective)) {
    count = count / point.ranks * point.ranks;
  }
  point.bytes = count * point.element_bytes;
}

bool is_pico_output(std::string_view text) {
  for (LineReader lines(text); lines.next();) {
    if (!lines.without_comment().empty()) {
      return first_field(lines.line()) == kHighest;
    }
  }
  return false;
}

std::vector<BenchmarkPoint> points_from_pico(const PointsText& file) {
  const std::size_t first = file.lines_before + 1;
  BenchmarkPoint point = benchmark_point(file, first);
  take_name(point);
  std::vector<double> times;
  for (LineReader lines(file.text); lines.next(); ++point.line) {
    const std::string_view field = first_field(lines.line());
    if (!lines.without_comment().empty() && field != kHighest) {
      times.push_back(point_time_s(point, kHighest, field, 1e-9));
    }
  }
  if (times.empty()) {
    point.line = first;
    refuse_line(point, "the file has no times");
  }
  times.erase(times.begin(),
              times.begin() + static_cast<std::ptrdiff_t>(times.size() / kOneIsWarmingUpOf));
  std::sort(times.begin(), times.end());
  point.line = first;
  point.measured_s = median(times);
  point.min_s = times.front();
  point.p90_s = times[std::min(times.size() - 1, times.size() * 9 / 10)];
  complete_point(point, file.defaults);
  return {point};
}

}  // namespace

const BenchmarkFormat kPicoFormat{is_pico_output, nullptr, points_from_pico};

}}  // namespace tutti::experiments

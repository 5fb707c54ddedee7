#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/error.hpp"
#include "base/line_reader.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "base/quantities.hpp"
#include "base/text_lines.hpp"
#include "src/experiments/points/point_text.hpp"
#include "src/formats/csv.hpp"
#include "src/requests/common_options.hpp"
#include "src/simulation/message_setup.hpp"

namespace tutti { inline namespace experiments {

namespace {

constexpr std::array<std::pair<std::string_view, double>, 3> kUnits{
    {{"_ns", 1e-9}, {"_us", 1e-6}, {"_s", 1}}};

// Values on one line, by column name.
class PointRow {
 public:
  PointRow(const std::map<std::string, std::size_t>& columns, std::vector<std::string> fields)
      : columns_(columns), fields_(std::move(fields)) {}

  [[nodiscard]] bool has(const std::string& column) const { return columns_.contains(column); }
  // Returns the value in a column; "" if there is no such column.
  [[nodiscard]] const std::string& get(const std::string& column) const {
    static const std::string nothing;
    const auto found = columns_.find(column);
    return found == columns_.end() ? nothing : fields_[found->second];
  }

 private:
  const std::map<std::string, std::size_t>& columns_;
  std::vector<std::string> fields_;
};

std::map<std::string, std::size_t> columns_of(const BenchmarkPoint& place, std::string_view line) {
  std::map<std::string, std::size_t> columns;
  const std::vector<std::string> names = csv_fields(line);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!columns.try_emplace(names[i], i).second) {
      refuse_line(place, fmt::format("column '{}' appears twice; leave one out",
                                     shortened(printable(names[i]))));
    }
  }
  for (const char* needed : {"collective", "ranks", "bytes", "tutti"}) {
    if (!columns.contains(needed)) {
      refuse_line(
          place,
          fmt::format("there is no column {}{}; expected a first line that names collective, "
                      "ranks, bytes, tutti and median_s, median_us or median_ns, or the output of "
                      "an OSU micro-benchmark, the Intel MPI Benchmarks, nccl-tests or PICO",
                      needed, did_you_mean(needed, names)));
    }
  }
  return columns;
}

// Returns the name of the column that has the time `what`, and the unit of the column in seconds:
// "median_ns" and 1e-9 for "median". Empty if there is no such column.
std::optional<std::pair<std::string, double>> time_column(
    const BenchmarkPoint& place, const std::map<std::string, std::size_t>& columns,
    const std::string& what) {
  std::optional<std::pair<std::string, double>> found;
  for (const auto& [end, unit_s] : kUnits) {
    const std::string column = what + std::string(end);
    if (!columns.contains(column)) {
      continue;
    }
    if (found) {
      refuse_line(place, fmt::format("columns {} and {} give the same time; leave one out",
                                     found->first, column));
    }
    found.emplace(column, unit_s);
  }
  return found;
}

double mean_of_ranks(const BenchmarkPoint& point, const std::string& column,
                     const std::string& text) {
  const auto value = parsed_number<double>(text);
  if (!value || !(*value >= 1) || *value > point.ranks) {
    refuse_value(point, column, text,
                 fmt::format("a number from 1 to {}, the number of ranks", point.ranks));
  }
  return *value;
}

void take_shape(BenchmarkPoint& point, const PointRow& row) {
  const auto collective = collective_named(row.get("collective"));
  if (!collective) {
    refuse_value(point, "collective", row.get("collective"), collective_help());
  }
  point.collective = *collective;
  point.ranks =
      static_cast<std::uint32_t>(point_number(point, "ranks", row.get("ranks"), 1, kMostRanks));
  point.bytes = point_number(point, "bytes", row.get("bytes"), 0, kMostBytes);
  if (!row.get("nodes").empty()) {
    point.nodes =
        static_cast<std::uint32_t>(point_number(point, "nodes", row.get("nodes"), 1, point.ranks));
  }
  if (!row.get("ranks_per_node").empty()) {
    point.ranks_per_node = mean_of_ranks(point, "ranks_per_node", row.get("ranks_per_node"));
  }
  if (!row.get("choices").empty()) {
    point.choices = static_cast<std::uint32_t>(
        point_number(point, "choices", row.get("choices"), 0, 1'000'000));
  }
  if (const std::string& type = row.get("type"); !type.empty()) {
    point.element_bytes =
        element_bytes_of(point, "type", type, "the name of a type, such as int32, float or double");
  }
}

}  // namespace

std::vector<BenchmarkPoint> points_from_csv(const PointsText& file) {
  BenchmarkPoint place;
  place.file = file.path;
  LineReader lines(file.text);
  // The files that tutti writes begin with comments.
  while (lines.next() && lines.line().starts_with('#')) {
  }
  const std::size_t heading = place.line = std::max<std::size_t>(lines.number(), 1);
  const auto columns = columns_of(place, lines.line());
  const auto median = time_column(place, columns, "median");
  const auto p90 = time_column(place, columns, "p90");
  const auto least = time_column(place, columns, "min");
  if (!median) {
    refuse_line(place, "there is no column median_s, median_us or median_ns; add one of them");
  }
  std::vector<BenchmarkPoint> points;
  while (lines.next()) {
    if (lines.line().empty()) {
      continue;
    }
    place.line = lines.number();
    BenchmarkPoint point = place;
    const std::vector<std::string> fields = csv_fields(lines.line());
    if (fields.size() != columns.size()) {
      refuse_line(point, fmt::format("has {} values; expected {}, as in line {}", fields.size(),
                                     columns.size(), heading));
    }
    const PointRow row(columns, fields);
    const std::string& role = row.get("role");
    const std::string& algorithm = row.get("tutti");
    const bool by_library = row.has("role") ? role == "default" : algorithm == "default";
    if (row.has("role") && role != "counts" && !by_library) {
      continue;
    }
    take_shape(point, row);
    point.machine = row.get("machine");
    point.job = row.get("job");
    point.cell = row.get("cell");
    if (const std::string& barrier = row.get("barrier"); !barrier.empty()) {
      try {
        point.barrier = barrier_named(barrier);
      } catch (const UserError& error) {
        refuse_line(point, fmt::format("column barrier is '{}': {}", shortened(printable(barrier)),
                                       error.what()));
      }
    }
    point.measured_s = point_time_s(point, median->first, row.get(median->first), median->second);
    if (p90 && !row.get(p90->first).empty()) {
      point.p90_s = point_time_s(point, p90->first, row.get(p90->first), p90->second);
    }
    if (least && !row.get(least->first).empty()) {
      point.min_s = point_time_s(point, least->first, row.get(least->first), least->second);
    }
    if (!by_library) {
      take_algorithm(point, "tutti", algorithm);
    }
    complete_point(point, file.defaults);
    points.push_back(std::move(point));
  }
  return points;
}

}}  // namespace tutti::experiments

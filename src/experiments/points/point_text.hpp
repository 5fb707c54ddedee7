// What the readers of points share: lines, values, and complaints about them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_lines.hpp"
#include "src/experiments/points/benchmark_point.hpp"

namespace tutti::inline experiments {

// "'points.csv', line 12: column median_ns is '-5'; accepted is a number above 0".
[[noreturn]] void refuse_value(const BenchmarkPoint& point, std::string_view column,
                               std::string_view text, std::string_view accepted);
// "'points.csv', line 12: " and the text.
[[noreturn]] void refuse_line(const BenchmarkPoint& point, std::string_view text);

// Seconds, from a value in the unit of the column. Refuses what no call of a collective takes.
[[nodiscard]] double point_time_s(const BenchmarkPoint& point, std::string_view column,
                                  std::string_view text, double unit_s);
// A whole number from `least` on.
[[nodiscard]] std::uint64_t point_number(const BenchmarkPoint& point, std::string_view column,
                                         std::string_view text, std::uint64_t least,
                                         std::uint64_t most);

// Parts between runs of blanks; with `blanks` of 2, single ones belong to a part.
[[nodiscard]] std::vector<std::string> words_of(std::string_view line, std::size_t blanks = 1);

// "ring --segment 64K", or with its collective before it.
void take_algorithm(BenchmarkPoint& point, std::string_view column, const std::string& text);

// How many bytes an element of a type has, by the names of MPI, NCCL and numpy; 0 for another name.
[[nodiscard]] std::uint32_t bytes_of_type(std::string_view name);

// The forms of files (benchmark_point.hpp).
[[nodiscard]] std::vector<BenchmarkPoint> points_from_csv(std::string_view text,
                                                          const std::string& path,
                                                          const PointDefaults& defaults);
[[nodiscard]] bool is_osu_output(std::string_view text);
[[nodiscard]] std::vector<BenchmarkPoint> points_from_osu(std::string_view text,
                                                          const std::string& path,
                                                          const PointDefaults& defaults,
                                                          const std::string& algorithm);
[[nodiscard]] bool is_nccl_output(std::string_view text);
[[nodiscard]] std::vector<BenchmarkPoint> points_from_nccl(std::string_view text,
                                                           const std::string& path,
                                                           const PointDefaults& defaults,
                                                           const std::string& algorithm);
[[nodiscard]] bool is_imb_output(std::string_view text);
[[nodiscard]] std::vector<BenchmarkPoint> points_from_imb(std::string_view text,
                                                          const std::string& path,
                                                          const PointDefaults& defaults,
                                                          const std::string& algorithm);
[[nodiscard]] bool is_pico_output(std::string_view text);
[[nodiscard]] std::vector<BenchmarkPoint> points_from_pico(std::string_view text,
                                                           const std::string& path,
                                                           const PointDefaults& defaults,
                                                           const std::string& algorithm);
// A point of such a file, of which the algorithm is known, and the ranks, unless the file says
// them.
[[nodiscard]] BenchmarkPoint benchmark_point(const std::string& path, std::size_t line,
                                             const PointDefaults& defaults,
                                             const std::string& algorithm, bool needs_ranks = true);
// Its cell, once bytes are known.
void put_in_cell(BenchmarkPoint& point);

}  // namespace tutti::inline experiments

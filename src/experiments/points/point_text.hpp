// Functions that all readers of points use to split lines, to parse values and to report errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_lines.hpp"
#include "src/experiments/points/benchmark_point.hpp"

namespace tutti::inline experiments {

// Throws UserError with the file and line of the point, the column, its value, and what is
// accepted.
[[noreturn]] void refuse_value(const BenchmarkPoint& point, std::string_view column,
                               std::string_view text, std::string_view accepted);
// Throws UserError with `text` after the place of the point: "'points.csv', line 12: TEXT".
[[noreturn]] void refuse_line(const BenchmarkPoint& point, std::string_view text);

// Parses `text`, a time in units of `unit_s` seconds. Returns the time in seconds. Throws UserError
// for a time that no call of a collective can take.
[[nodiscard]] double point_time_s(const BenchmarkPoint& point, std::string_view column,
                                  std::string_view text, double unit_s);
// Parses `text`, a whole number from `least` to `most`. Throws UserError for anything else.
[[nodiscard]] std::uint64_t point_number(const BenchmarkPoint& point, std::string_view column,
                                         std::string_view text, std::uint64_t least,
                                         std::uint64_t most);

// Splits a line into words at each tab and at each sequence of at least `blanks` blanks. If
// `blanks` is 2, a word may contain single blanks.
[[nodiscard]] std::vector<std::string> words_of(std::string_view line, std::size_t blanks = 1);

// Sets the algorithm and its options in the point from a text such as "ring --segment 64K" or
// "allreduce/ring --segment 64K".
void take_algorithm(BenchmarkPoint& point, std::string_view column, const std::string& text);

// Returns the number of bytes of an element of a data type, which is named as in MPI, NCCL or
// numpy. Returns 0 for any other name.
[[nodiscard]] std::uint32_t bytes_of_type(std::string_view name);

// Readers of the file formats; see benchmark_point.hpp.
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
// Returns a point of the benchmark output `path`, with the given algorithm and the number of ranks
// in `defaults`. Throws UserError if `algorithm` is empty, or if `needs_ranks` is true and
// `defaults` contains no number of ranks.
[[nodiscard]] BenchmarkPoint benchmark_point(const std::string& path, std::size_t line,
                                             const PointDefaults& defaults,
                                             const std::string& algorithm, bool needs_ranks = true);
// Sets the name of the point's cell, unless the name is already set. The bytes of the point must be
// known.
void put_in_cell(BenchmarkPoint& point);

}  // namespace tutti::inline experiments

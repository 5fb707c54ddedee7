// Functions that all readers of points use to split lines, to parse values and to report errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_lines.hpp"
#include "src/experiments/points/benchmark_point.hpp"

namespace tutti { inline namespace experiments {

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

// Finds an algorithm by its name, "ring" or "allreduce/ring". `text` is the column's whole value,
// for the error.
[[nodiscard]] const Algorithm& algorithm_in(const BenchmarkPoint& point, std::string_view column,
                                            Collective collective, const std::string& name,
                                            std::string_view text);
// Sets the algorithm and its options in the point from a text such as "ring --segment 64K" or
// "allreduce/ring --segment 64K".
void take_algorithm(BenchmarkPoint& point, std::string_view column, const std::string& text);

// Returns the number of bytes of an element of a data type, which is named as in MPI, NCCL or
// numpy. Returns 0 for any other name.
[[nodiscard]] std::uint32_t bytes_of_type(std::string_view name);

// Returns the number of bytes of an element of the data type `type`. If the type is unknown, throws
// UserError with the column and what is accepted.
[[nodiscard]] std::uint32_t element_bytes_of(const BenchmarkPoint& point, std::string_view column,
                                             std::string_view type, std::string_view accepted);
// Returns the index of the column `name`; empty if there is no such column.
[[nodiscard]] std::optional<std::size_t> place_of_column(const std::vector<std::string>& names,
                                                         std::string_view name);
// Throws UserError if a line has fewer values than there are columns.
void check_values(const BenchmarkPoint& place, const std::vector<std::string>& values,
                  std::size_t columns);

// True if the text begins like a number: with a digit after an optional sign, or as "nan" or "inf".
[[nodiscard]] bool begins_like_number(std::string_view text);

// Tells the rows of a benchmark's table from other lines of its output, such as messages of the
// launcher and what follows the table. A row begins with a whole number, and has a number in the
// column of the time. After another line, the table goes on only with a row of the same form.
class TableRows {
 public:
  enum class First : std::uint8_t { growing_number, number, time };
  // Begins a table with these columns, of which the one at index `time` has the times. `first`: the
  // first value of a row is a whole number that grows from row to row, another whole number, or a
  // time.
  void begin(std::vector<std::string> names, std::size_t time, First first);
  void end() { names_.clear(); }
  [[nodiscard]] bool open() const { return !names_.empty(); }
  [[nodiscard]] std::size_t columns() const { return names_.size(); }
  [[nodiscard]] std::size_t time() const { return time_; }
  [[nodiscard]] const std::string& time_name() const { return names_[time_]; }
  [[nodiscard]] std::optional<std::size_t> column(std::string_view name) const {
    return place_of_column(names_, name);
  }
  // Number of rows since begin().
  [[nodiscard]] std::size_t rows() const { return rows_; }
  // Returns the values of a row; empty for any other line.
  [[nodiscard]] std::vector<std::string> values(std::string_view line);
  // True for a row if the table above it began and has no row, but two rows of this table have the
  // same key: rows of several tables are then mixed.
  [[nodiscard]] bool is_mixed(const std::string& key);

 private:
  [[nodiscard]] bool continues(const std::vector<std::string>& values) const;

  std::vector<std::string> names_;
  std::size_t time_ = 0;
  First first_ = First::growing_number;
  bool begun_ = false;         // true after the first begin()
  bool may_be_mixed_ = false;  // true if the table above has no row
  std::string last_key_;       // of the last row; "" before the first one
  std::size_t rows_ = 0;
  bool interrupted_ = false;  // true if another line followed the last row
  std::vector<std::string> last_;
};

// The contents of a file, and what the user said about it.
struct PointsText {
  std::string_view text;
  const std::string& path;
  const PointDefaults& defaults;
  const std::string& algorithm;  // "" if not given
  // Notes on the file for the user, a sentence each.
  std::vector<std::string>& notes;
  // Number of lines of the file before `text`, which may be a part of the file.
  std::size_t lines_before = 0;
};
// Throws UserError for a row of mixed tables; see TableRows::is_mixed().
[[noreturn]] void refuse_mixed(const BenchmarkPoint& place);
// Adds a note on a line that begins like a row, but is none.
void note_skipped_row(const PointsText& file, std::size_t line, std::string_view text);
// Adds a note on tables that were left out, because they do not measure the collective of the
// algorithm. `titles` are the titles of these tables.
void note_other_tables(const PointsText& file, const std::vector<std::string>& titles,
                       Collective collective);
[[nodiscard]] std::vector<BenchmarkPoint> points_from_csv(const PointsText& file);
// Reads points from a file of `tutti-mpi run --json` or `tutti-mpi calibrate --json`; empty for
// other texts. Leaves out runs whose times a simulation cannot predict, runs with another root than
// rank 0, and times that are not those of messages; adds notes on them.
[[nodiscard]] std::optional<std::vector<BenchmarkPoint>> points_of_tutti_mpi(
    std::string_view text, const std::string& path, const PointDefaults& defaults,
    std::vector<std::string>& notes);

// The output format of a benchmark; see benchmark_point.hpp.
struct BenchmarkFormat {
  bool (*is)(std::string_view text);
  // Returns where a heading of the format begins in a line; empty if the line has none. May be
  // null.
  std::optional<std::size_t> (*heading)(std::string_view line);
  // Returns no points if the benchmark ended before its first row.
  std::vector<BenchmarkPoint> (*points)(const PointsText& file);
  // Returns the collectives of which a text has tables, each once. Null if the text does not tell.
  std::vector<Collective> (*collectives)(std::string_view text) = nullptr;
};
extern const BenchmarkFormat kOsuFormat;
extern const BenchmarkFormat kImbFormat;
extern const BenchmarkFormat kNcclFormat;
extern const BenchmarkFormat kPicoFormat;

// The text of a benchmark's output without the prefixes of its lines; see line_prefixes.hpp.
class PlainText {
 public:
  // `text` must outlive the object. Throws UserError, which names `path`, if tables of several
  // ranks are mixed.
  PlainText(std::string_view text, const std::string& path);
  [[nodiscard]] std::string_view text() const { return plain_ ? *plain_ : text_; }
  // Returns null if the text is not the output of a benchmark.
  [[nodiscard]] const BenchmarkFormat* format() const { return format_; }

 private:
  std::string_view text_;
  std::optional<std::string> plain_;  // empty if no line has a prefix
  const BenchmarkFormat* format_;
};

// Returns a point of a benchmark output, with the given algorithm and number of ranks. Throws
// UserError if no algorithm is given, or if `needs_ranks` is true and no number of ranks is given.
[[nodiscard]] BenchmarkPoint benchmark_point(const PointsText& file, std::size_t line,
                                             bool needs_ranks = true);
// Throws UserError, which asks for the number of ranks.
[[noreturn]] void refuse_missing_ranks(const PointsText& file);
// Completes a point whose values are read: sets the element size, if `defaults` has one, and the
// name of the point's cell, unless the name is already set.
void complete_point(BenchmarkPoint& point, const PointDefaults& defaults);

}}  // namespace tutti::experiments

// Points from the output of nccl-tests and rccl-tests (nccl_tables.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/line_reader.hpp"
#include "base/quantities.hpp"
#include "src/experiments/points/nccl_tables.hpp"

namespace tutti { inline namespace experiments {

namespace {

// Returns the number of ranks of a table with rows. Throws UserError if the table measures
// something else than the user says.
std::uint32_t checked_ranks(const PointsText& file, const NcclTestsTable& table,
                            BenchmarkPoint place) {
  const Collective collective = place.collective;
  const NcclBenchmark* const by_file_name =
      nccl_benchmark_in(std::filesystem::path(file.path).filename().string());
  const NcclBenchmark* const named = table.named != nullptr ? table.named : by_file_name;
  if (named != nullptr && named->collective != collective &&
      (table.named != nullptr || table.bandwidths.may_be(*named))) {
    refuse_line(place,
                fmt::format("this is the table of {}_perf{}, which does not measure {}, "
                            "the collective of $algorithm '{}'",
                            named->program, table.named != nullptr ? "" : " by the file's name",
                            name(collective), file.algorithm));
  }
  if (collective == Collective::alltoallv) {
    refuse_line(place, "nccl-tests do not say the block sizes of alltoallv");
  }
  const std::optional<std::uint32_t> given = file.defaults.ranks;
  if (given && table.ranks && *given != *table.ranks) {
    refuse_line(place,
                fmt::format("{} {} given, but the lines '#  Rank ...' above the table name {}",
                            counted(*given, "rank"), *given == 1 ? "is" : "are", *table.ranks));
  }
  const std::optional<std::uint32_t> ranks = given ? given : table.ranks;
  if (const auto why = table.bandwidths.why_not(collective, ranks, place.line)) {
    refuse_line(place, *why);
  }
  const auto found = ranks ? ranks : table.bandwidths.ranks_from_bandwidths(collective);
  if (!found) {
    refuse_missing_ranks(file);
  }
  return *found;
}

std::vector<BenchmarkPoint> points_from_nccl(const PointsText& file) {
  BenchmarkPoint place = benchmark_point(file, file.lines_before, false);
  std::vector<BenchmarkPoint> points;
  std::vector<std::string> others;
  std::optional<UserError> why;
  for (const NcclTestsTable& table : nccl_tests_tables(file)) {
    if (table.mixed_line > 0) {
      place.line = table.mixed_line;
      refuse_mixed(place);
    }
    if (table.bandwidths.rows().empty()) {
      continue;
    }
    place.line = table.line;
    try {
      place.ranks = checked_ranks(file, table, place);
    } catch (const UserError& error) {
      others.push_back(fmt::format("the one in line {}", table.line));
      why = why ? why : std::optional(error);
      continue;
    }
    place.device = table.device;
    for (const NcclRow& row : table.bandwidths.rows()) {
      BenchmarkPoint& point = points.emplace_back(place);
      point.line = row.line;
      point.bytes = row.bytes;
      point.element_bytes = row.element_bytes;
      point.measured_s = row.time_s;
      complete_point(point, file.defaults);
    }
  }
  if (points.empty() && why) {
    throw UserError(*why);
  }
  note_other_tables(file, others, place.collective);
  return points;
}

std::optional<std::size_t> nccl_heading(std::string_view line) {
  for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1)) {
    if (is_nccl_heading(line.substr(at))) {
      return at;
    }
  }
  return is_nccl_heading(line) ? std::optional<std::size_t>(0) : std::nullopt;
}

bool is_nccl_output(std::string_view text) {
  for (LineReader lines(text); lines.next();) {
    if (is_nccl_heading(lines.line())) {
      return true;
    }
  }
  return false;
}

}  // namespace

const BenchmarkFormat kNcclFormat{is_nccl_output, nccl_heading, points_from_nccl};

}}  // namespace tutti::experiments

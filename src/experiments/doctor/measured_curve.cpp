#include "src/experiments/doctor/measured_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/file_text.hpp"
#include "base/human.hpp"
#include "base/median.hpp"
#include "base/printable.hpp"
#include "base/quantities.hpp"
#include "base/text_lines.hpp"
#include "src/experiments/decisions/nccl_grouped.hpp"
#include "src/experiments/points/nccl_tables.hpp"

namespace tutti { inline namespace experiments {

namespace {

constexpr std::string_view kSendrecvProgram = "sendrecv";

std::string quoted(const std::string& path) { return '\'' + shortened(printable(path)) + '\''; }

const NcclBenchmark& benchmark_of(Collective collective) {
  if (collective != Collective::alltoallv) {
    return nccl_benchmark_of(collective);
  }
  const auto& all = nccl_benchmarks();
  return *std::ranges::find(all, kSendrecvProgram, &NcclBenchmark::program);
}

// True if all bus bandwidths are 0, but bandwidths of the algorithm are not: a single rank ran.
bool sends_nothing(const NcclTestsTable& table) {
  const bool silent = std::ranges::all_of(table.bandwidths.rows(), [](const NcclRow& row) {
    return row.busbw.empty() || row.busbw.find_first_of("123456789") == std::string::npos;
  });
  constexpr double kShown = 0.1;  // GB/s that two decimals show in busbw, too, on any two ranks
  return silent && std::ranges::any_of(table.bandwidths.rows(), [](const NcclRow& row) {
           return parsed_number<double>(row.algbw).value_or(0) >= kShown;
         });
}

// Returns the benchmark of a table: the one that the output or the file's name names, or the only
// one that fits the columns. Throws UserError if several fit.
const NcclBenchmark& benchmark_of(const PointsText& file, const NcclTestsTable& table,
                                  const CurveDefaults& defaults) {
  if (table.named != nullptr) {
    const auto measured = table.named->program == kSendrecvProgram
                              ? std::optional(Collective::alltoallv)
                              : table.named->collective;
    if (defaults.collective && measured && *measured != *defaults.collective) {
      throw UserError(fmt::format("$collective '{}': {}, line {} is the table of {}_perf",
                                  benchmark_of(*defaults.collective).program == kSendrecvProgram
                                      ? kNcclSendrecv
                                      : name(*defaults.collective),
                                  quoted(file.path), table.line, table.named->program));
    }
    return *table.named;
  }
  const NcclBenchmark* const by_name =
      nccl_benchmark_in(std::filesystem::path(file.path).filename().string());
  if (by_name != nullptr && table.bandwidths.may_be(*by_name)) {
    return *by_name;
  }
  if (defaults.collective) {
    return benchmark_of(*defaults.collective);
  }
  std::vector<const NcclBenchmark*> fitting;
  std::vector<std::string> names;
  for (const NcclBenchmark& each : nccl_benchmarks()) {
    std::size_t line = 0;
    if (each.collective && table.bandwidths.may_be(each) &&
        !table.bandwidths.why_not(*each.collective, table.ranks, line)) {
      fitting.push_back(&each);
      names.emplace_back(name(*each.collective));
    }
  }
  if (fitting.size() == 1) {
    return *fitting.front();
  }
  if (sends_nothing(table)) {
    return nccl_benchmark_of(Collective::allreduce);  // all collectives are alike on one rank
  }
  throw UserError(fmt::format(
      "{}, line {}: the output does not say which collective it measures; give $collective{}",
      quoted(file.path), table.line, names.empty() ? "" : ", such as " + alternatives(names)));
}

// Replaces rows of the same size by one row with the median of their times, and sorts them.
void merge_rows(std::vector<CurveRow>& rows) {
  std::map<std::uint64_t, std::vector<CurveRow>> of_size;
  for (CurveRow& row : rows) {
    of_size[row.bytes].push_back(row);
  }
  rows.clear();
  for (auto& [bytes, same] : of_size) {
    CurveRow& row = rows.emplace_back(same.front());
    if (same.size() == 1) {
      continue;
    }
    std::vector<double> times;
    std::vector<double> in_place;
    row.wrong = 0;
    for (const CurveRow& each : same) {
      times.push_back(each.time_s);
      row.wrong += each.wrong;
      if (each.in_place_s) {
        in_place.push_back(*each.in_place_s);
      }
    }
    std::ranges::sort(times);
    std::ranges::sort(in_place);
    row.time_s = median(times);
    row.spread = times.back() / times.front();
    row.in_place_s = in_place.empty() ? std::nullopt : std::optional(median(in_place));
  }
}

// Sets the fault of a table of nccl-tests, if it has one.
void find_fault(const NcclTestsTable& table, const NcclBenchmark& benchmark,
                const std::optional<std::uint32_t>& ranks, std::size_t tables,
                MeasuredCurve& curve) {
  if (table.mixed_line > 0 || table.first_ranks > 1) {
    curve.fault = CurveFault::separate_runs;
    curve.fault_line = table.mixed_line > 0 ? table.mixed_line : table.line;
    const std::size_t runs =
        std::max<std::size_t>(table.first_ranks, std::max<std::size_t>(tables, 2));
    curve.fault_text = fmt::format("{} separate runs{}, not one: {}", runs,
                                   ranks ? fmt::format(" of {}", counted(*ranks, "rank")) : "",
                                   table.first_ranks > 1
                                       ? fmt::format("rank 0 is named {} times", table.first_ranks)
                                       : "the rows of their tables are mixed");
    return;
  }
  if (ranks == 1U || sends_nothing(table)) {
    curve.fault = CurveFault::one_rank;
    curve.fault_text = "a single rank, which sends nothing: its bus bandwidth is 0";
    return;
  }
  if (!benchmark.collective) {
    return;
  }
  if (const auto why = table.bandwidths.why_not(*benchmark.collective, ranks, curve.fault_line)) {
    const bool one = why->find("one GPU") != std::string::npos;
    curve.fault = one ? CurveFault::one_rank : CurveFault::wrong_factor;
    curve.fault_text = *why;
  } else {
    curve.fault_line = 0;
  }
}

// Returns what the rows of a table have in common; nothing if it has no rows.
std::optional<MeasuredCurve> curve_of(const PointsText& file, const NcclTestsTable& table,
                                      std::size_t tables, const CurveDefaults& defaults) {
  if (table.bandwidths.rows().empty()) {
    return std::nullopt;
  }
  const NcclBenchmark& benchmark = benchmark_of(file, table, defaults);
  const bool sendrecv = benchmark.program == kSendrecvProgram;
  if (!benchmark.collective && !sendrecv) {
    throw UserError(fmt::format("{}, line {}: no times are known for {}_perf", quoted(file.path),
                                table.line, benchmark.program));
  }
  MeasuredCurve curve;
  curve.file = file.path;
  curve.line = table.bandwidths.rows().front().line;
  curve.is_nccl = true;
  curve.collective = sendrecv ? Collective::alltoallv : *benchmark.collective;
  curve.device = table.device;
  auto ranks = defaults.ranks ? defaults.ranks : table.ranks;
  if (table.ranks && table.first_ranks <= 1 && *ranks != *table.ranks) {
    throw UserError(fmt::format("$ranks '{}': {}, line {} is the table of {}", *ranks,
                                quoted(file.path), table.line, counted(*table.ranks, "rank")));
  }
  find_fault(table, benchmark, ranks, tables, curve);
  if (defaults.ranks && !table.ranks && curve.fault == CurveFault::wrong_factor) {
    throw UserError(fmt::format("$ranks '{}': {}, line {}: {}", *ranks, quoted(file.path),
                                curve.fault_line, curve.fault_text));
  }
  if (!ranks && benchmark.collective) {
    ranks = table.bandwidths.ranks_from_bandwidths(*benchmark.collective);
  }
  if (!ranks && curve.fault == CurveFault::none) {
    refuse_missing_ranks(file);
  }
  curve.ranks = ranks.value_or(1);
  curve.hosts = table.hosts;
  curve.nodes = defaults.nodes;
  if (!curve.nodes && !table.hosts.empty() && table.ranks == ranks) {
    curve.nodes = static_cast<std::uint32_t>(table.hosts.size());
  }
  return curve;
}

// Splits the curve of a table with several types of elements, or operators, as of "-d all -o all".
std::vector<MeasuredCurve> of_each_type(const NcclTestsTable& table, const MeasuredCurve& whole) {
  std::vector<MeasuredCurve> curves;
  for (const NcclRow& row : table.bandwidths.rows()) {
    if (row.bytes == 0) {
      continue;
    }
    const std::string elements =
        row.redop.empty() || row.redop == "none" ? row.type : row.type + ' ' + row.redop;
    auto of = std::ranges::find(curves, elements, &MeasuredCurve::elements);
    if (of == curves.end()) {
      of = curves.insert(of, whole);
      of->elements = elements;
      of->element_bytes = row.element_bytes;
      of->line = row.line;
      of->rows.clear();
    }
    of->rows.push_back({row.line, row.bytes, row.time_s, row.in_place_s, {}, row.wrong});
  }
  if (curves.size() == 1) {
    curves.front().elements.clear();
  }
  return curves;
}

std::vector<MeasuredCurve> nccl_curves(const PointsText& file, const CurveDefaults& defaults) {
  const std::vector<NcclTestsTable> tables = nccl_tests_tables(file);
  std::vector<MeasuredCurve> curves;
  for (const NcclTestsTable& table : tables) {
    if (auto curve = curve_of(file, table, tables.size(), defaults)) {
      std::ranges::move(of_each_type(table, *curve), std::back_inserter(curves));
    }
  }
  return curves;
}

CurveRow row_of(const BenchmarkPoint& point) {
  CurveRow row;
  row.line = point.line;
  row.bytes = point.bytes;
  row.time_s = point.measured_s;
  row.spread = point.spread();
  return row;
}

std::vector<MeasuredCurve> curves_of(const std::vector<BenchmarkPoint>& points,
                                     const CurveDefaults& defaults) {
  std::vector<MeasuredCurve> curves;
  using Key = std::tuple<Collective, std::uint32_t, std::string, std::string>;
  std::map<Key, std::size_t> places;
  for (const BenchmarkPoint& point : points) {
    const auto [place, is_new] = places.try_emplace(
        {point.collective, point.ranks, point.algorithm_text, point.full_job()}, curves.size());
    if (is_new) {
      MeasuredCurve& curve = curves.emplace_back();
      curve.file = point.file;
      curve.line = point.line;
      curve.collective = point.collective;
      curve.algorithm = point.algorithm;
      curve.algorithm_text = point.algorithm_text;
      curve.algorithm_options = point.algorithm_options;
      curve.ranks = point.ranks;
      curve.element_bytes = point.element_bytes;
      curve.is_average = point.is_average;
      curve.nodes = defaults.nodes ? defaults.nodes : point.nodes;
      if (const auto per_node = point.ranks_per_node; per_node && !curve.nodes) {
        curve.nodes = (point.ranks + point.ranks_per_host({}) - 1) / point.ranks_per_host({});
      }
    }
    curves[place->second].rows.push_back(row_of(point));
  }
  return curves;
}

// Returns the curves of benchmarks that send messages between pairs of ranks.
std::vector<MeasuredCurve> pair_curves(const PointsText& file, const CurveDefaults& defaults) {
  std::vector<MeasuredCurve> curves;
  for (PairTable& table : pair_tables(file)) {
    MeasuredCurve& curve = curves.emplace_back();
    curve.file = file.path;
    curve.line = table.rows.front().line;
    curve.collective = Collective::alltoallv;
    curve.ranks = table.run.ranks;
    curve.element_bytes = 1;
    curve.nodes = defaults.nodes;
    curve.pair = std::move(table.run);
    for (const PairRow& row : table.rows) {
      curve.rows.push_back({row.line, row.bytes, row.time_s, {}, {}, 0});
    }
  }
  return curves;
}

// Returns the points of an output that does not say which algorithm ran, of all its collectives.
std::vector<BenchmarkPoint> own_choice_points(std::string_view text, const std::string& path,
                                              const BenchmarkFormat& format,
                                              const CurveDefaults& given,
                                              std::vector<std::string>& notes) {
  std::vector<Collective> collectives;
  if (format.collectives != nullptr) {
    collectives = format.collectives(text);
    if (given.collective && !collectives.empty() &&
        std::ranges::find(collectives, *given.collective) == collectives.end()) {
      throw UserError(fmt::format("$collective '{}': {} measures {}", name(*given.collective),
                                  quoted(path), name(collectives.front())));
    }
  } else if (given.collective) {
    collectives.push_back(*given.collective);
  } else {
    throw UserError(
        fmt::format("{}: the output does not say which collective it measures; give $collective",
                    quoted(path)));
  }
  std::vector<BenchmarkPoint> points;
  for (const Collective collective : collectives) {
    PointDefaults defaults;
    defaults.own_choice_of = collective;
    defaults.ranks = given.ranks;
    std::vector<std::string> of_one;
    for (BenchmarkPoint& point : parse_points(text, path, defaults, "", of_one)) {
      points.push_back(std::move(point));
    }
    for (std::string& note : of_one) {
      if (note.find(": left out ") == std::string::npos) {
        notes.push_back(std::move(note));
      }
    }
  }
  return points;
}

}  // namespace

std::string MeasuredCurve::call() const {
  if (pair) {
    return pair->name;
  }
  return std::string(collective == Collective::alltoallv && is_nccl ? kNcclSendrecv
                                                                    : name(collective));
}

const NcclBenchmark& MeasuredCurve::benchmark() const { return benchmark_of(collective); }

NcclBandwidths MeasuredCurve::bandwidths(std::uint64_t bytes, double time_s) const {
  if (pair) {
    const double rate = static_cast<double>(bytes) / time_s / 1e9;
    return {rate * pair->counts, rate * pair->sends * pair->pairs()};
  }
  const NcclBenchmark& own = benchmark();
  if (own.factor == NcclBenchmark::Factor::unknown || time_s <= 0) {
    const double rate = time_s > 0 ? static_cast<double>(bytes) / time_s / 1e9 : 0;
    return {rate, rate};
  }
  return nccl_bandwidths(own, ranks, bytes, time_s);
}

std::vector<MeasuredCurve> read_curves(const std::string& path, const CurveDefaults& defaults,
                                       std::vector<std::string>& notes) {
  const std::string whole = read_file(path, kRunsFile);
  const std::string_view text = without_byte_order_mark(whole);
  PointDefaults none;
  std::vector<MeasuredCurve> curves;
  if (const auto of_tutti = points_of_tutti_mpi(text, path, none, notes)) {
    curves = curves_of(*of_tutti, defaults);
  } else {
    const PlainText plain(text, path);
    if (plain.format() == &kNcclFormat) {
      const std::string no_algorithm;
      curves = nccl_curves({plain.text(), path, none, no_algorithm, notes}, defaults);
    } else if (plain.format() != nullptr) {
      curves = curves_of(own_choice_points(plain.text(), path, *plain.format(), defaults, notes),
                         defaults);
      none.ranks = defaults.ranks;
      const std::string no_algorithm;
      std::ranges::move(pair_curves({plain.text(), path, none, no_algorithm, notes}, defaults),
                        std::back_inserter(curves));
    } else {
      curves = curves_of(parse_points(text, path, none, "", notes), defaults);
    }
    const LogFacts log = log_facts(plain.text());
    for (MeasuredCurve& curve : curves) {
      curve.log = log;
      curve.is_mpi = plain.format() != nullptr && !curve.is_nccl;
    }
  }
  std::erase_if(curves, [](const MeasuredCurve& curve) { return curve.rows.empty(); });
  if (curves.empty()) {
    throw UserError(
        fmt::format("{}: no times of a collective, or of messages between ranks; the benchmark "
                    "ended before its "
                    "first row, or measures something else",
                    quoted(path)));
  }
  for (MeasuredCurve& curve : curves) {
    if (defaults.nodes && *defaults.nodes > curve.ranks) {
      throw UserError(fmt::format("$nodes '{}': more nodes than the {} of {}", *defaults.nodes,
                                  counted(curve.ranks, "rank"), quoted(path)));
    }
    merge_rows(curve.rows);
  }
  return curves;
}

}}  // namespace tutti::experiments

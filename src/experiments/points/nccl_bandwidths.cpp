#include "src/experiments/points/nccl_bandwidths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/printable.hpp"
#include "base/quantities.hpp"
#include "base/text_lines.hpp"
#include "base/text_words.hpp"
#include "schedules/problem.hpp"

namespace tutti { inline namespace experiments {

namespace {

using Factor = NcclBenchmark::Factor;

// An interval that is wider than this share of its middle tells too little.
constexpr double kWidest = 0.1;

double factor_on(Factor factor, std::uint32_t ranks) {
  const double others = ranks - 1;
  switch (factor) {
    case Factor::others_over_all:
      return others / ranks;
    case Factor::twice_others_over_all:
      return 2 * others / ranks;
    default:
      return 1;
  }
}

// Returns the numbers that are printed as `text`, with one unit of the last digit to both sides;
// empty for a text that is not a number above 0.
std::optional<NumberInterval> printed_as(std::string_view text) {
  const auto value = parsed_number<double>(text);
  if (!value || !std::isfinite(*value) || *value < 0) {
    return std::nullopt;
  }
  const std::string_view digits = text.substr(0, text.find_first_of("eE"));
  const std::size_t point = digits.find('.');
  const std::size_t decimals = point == std::string_view::npos ? 0 : digits.size() - point - 1;
  double unit = std::pow(10.0, -static_cast<double>(decimals));
  if (const std::size_t e = text.find_first_of("eE"); e != std::string_view::npos) {
    std::string_view exponent = text.substr(e + 1);
    exponent.remove_prefix(exponent.starts_with('+') ? 1 : 0);
    unit *= std::pow(10.0, parsed_number<int>(exponent).value_or(0));
  }
  return NumberInterval{std::max(0.0, *value - unit), *value + unit};
}

std::optional<NumberInterval> quotient(const std::optional<NumberInterval>& top,
                                       const std::optional<NumberInterval>& bottom) {
  if (!top || !bottom || bottom->low <= 0) {
    return std::nullopt;
  }
  return NumberInterval{top->low / bottom->high, top->high / bottom->low};
}

double width(const NumberInterval& of) { return of.high - of.low; }

// Returns the least and the largest number of ranks whose factor lies in the interval; nothing if
// there is no such number of at least 2, or if the factor does not depend on it.
struct RanksRange {
  std::uint32_t least = 0;
  std::uint32_t most = 0;
};
std::optional<RanksRange> ranks_with(Factor factor, const NumberInterval& in) {
  const double limit = factor == Factor::twice_others_over_all ? 2 : 1;
  if (factor == Factor::one || factor == Factor::unknown || in.low >= limit) {
    return std::nullopt;
  }
  // limit (p - 1) / p = f gives p = limit / (limit - f).
  constexpr double kMost = kMostRanks;
  const double least = std::ceil(limit / (limit - in.low) - 1e-9);
  const double most = in.high >= limit ? kMost : std::floor(limit / (limit - in.high) + 1e-9);
  if (most < std::max(least, 2.0) || least > kMost) {
    return std::nullopt;
  }
  return RanksRange{static_cast<std::uint32_t>(std::max(least, 2.0)),
                    static_cast<std::uint32_t>(std::min(most, kMost))};
}

// Returns which runs have a factor in the interval, as a text such as "an allreduce on 2 ranks, or
// sendrecv".
std::string runs_with(const NumberInterval& factor, const NcclRow& row) {
  std::vector<std::string> runs;
  const bool reduces = !row.redop.empty() && row.redop != "none";
  for (const NcclBenchmark& each : nccl_benchmarks()) {
    if (each.factor == Factor::unknown || (!row.redop.empty() && each.reduces != reduces) ||
        (!row.root.empty() && each.rooted == row.root.starts_with('-'))) {
      continue;
    }
    if (each.factor == Factor::one) {
      if (factor.holds(1)) {
        runs.push_back(fmt::format("{}_perf", each.program));
      }
    } else if (const auto ranks = ranks_with(each.factor, factor);
               ranks && ranks->most - ranks->least < 3) {
      runs.push_back(
          ranks->least == ranks->most
              ? fmt::format("{}_perf on {} ranks", each.program, ranks->least)
              : fmt::format("{}_perf on {} to {} ranks", each.program, ranks->least, ranks->most));
    }
  }
  return runs.empty() ? "" : ", as " + alternatives(runs) + " has";
}

}  // namespace

const std::vector<NcclBenchmark>& nccl_benchmarks() {
  static const std::vector<NcclBenchmark> all{
      {"all_reduce", Collective::allreduce, true, false, Factor::twice_others_over_all},
      {"reduce_scatter", Collective::reduce_scatter, true, false, Factor::others_over_all},
      {"all_gather", Collective::allgather, false, false, Factor::others_over_all},
      {"alltoallv", std::nullopt, false, false, Factor::unknown},
      {"alltoall", Collective::alltoall, false, false, Factor::others_over_all},
      {"broadcast", Collective::bcast, false, true, Factor::one},
      {"reduce", Collective::reduce, true, true, Factor::one},
      {"gather", Collective::gather, false, true, Factor::others_over_all},
      {"scatter", Collective::scatter, false, true, Factor::others_over_all},
      {"sendrecv", std::nullopt, true, false, Factor::one},
      {"hypercube", std::nullopt, false, false, Factor::one}};
  return all;
}

const NcclBenchmark& nccl_benchmark_of(Collective collective) {
  static const NcclBenchmark unknown{"", std::nullopt, false, false, Factor::unknown};
  const auto& all = nccl_benchmarks();
  const auto found = std::ranges::find(all, std::optional(collective), &NcclBenchmark::collective);
  return found == all.end() ? unknown : *found;
}

NcclBandwidths nccl_bandwidths(const NcclBenchmark& benchmark, std::uint32_t ranks,
                               std::uint64_t bytes, double time_s) {
  TUTTI_INVARIANT(benchmark.factor != Factor::unknown && time_s > 0);
  const double algbw = static_cast<double>(bytes) / time_s / 1e9;
  return {algbw, algbw * factor_on(benchmark.factor, ranks)};
}

const NcclBenchmark* nccl_benchmark_in(std::string_view text) {
  // Names that contain others come first in the list, so that the others are not found in them.
  std::string letters = plain_name(text);
  const NcclBenchmark* found = nullptr;
  for (const NcclBenchmark& each : nccl_benchmarks()) {
    const std::string name = plain_name(each.program);
    for (std::size_t at = letters.find(name); at != std::string::npos; at = letters.find(name)) {
      if (found != nullptr && found != &each) {
        return nullptr;
      }
      found = &each;
      letters.replace(at, name.size(), "/");
    }
  }
  return found;
}

std::optional<NumberInterval> NcclTable::factor(Collective collective, std::size_t& line) const {
  std::optional<NumberInterval> best;
  for (const NcclRow& row : rows_) {
    const auto algbw = printed_as(row.algbw);
    const auto busbw = printed_as(row.busbw);
    std::optional<NumberInterval> found = quotient(busbw, algbw);
    // Before 2020, algbw of all_gather and reduce_scatter was busbw.
    const bool may_be_old = !has_root_ && (collective == Collective::allgather ||
                                           collective == Collective::reduce_scatter);
    if (may_be_old && busbw && row.bytes > 0) {
      const double bytes_per_s = static_cast<double>(row.bytes) / row.time_s / 1e9;
      constexpr double kTimeDigits = 1e-3;  // relative: a time has at least four digits
      found = {busbw->low / bytes_per_s * (1 - kTimeDigits),
               busbw->high / bytes_per_s * (1 + kTimeDigits)};
    }
    if (found && (!best || width(*found) < width(*best))) {
      best = found;
      line = row.line;
    }
  }
  return best && width(*best) <= kWidest ? best : std::nullopt;
}

std::optional<std::uint64_t> NcclTable::blocks() const {
  std::optional<std::uint64_t> found;
  for (const NcclRow& row : rows_) {
    const std::uint64_t bytes = row.count * row.element_bytes;
    if (bytes == 0 || row.bytes == 0) {
      continue;
    }
    const std::uint64_t blocks = row.bytes / bytes;
    if (blocks * bytes != row.bytes || found.value_or(blocks) != blocks) {
      return std::nullopt;
    }
    found = blocks;
  }
  return found;
}

bool NcclTable::may_be(const NcclBenchmark& benchmark) const {
  if (const auto found = blocks(); found && benchmark.collective) {
    const bool parts = owns_parts(*benchmark.collective);
    if (parts ? *found == 1 : *found > 1) {
      return false;
    }
  }
  return std::ranges::all_of(rows_, [&](const NcclRow& row) {
    return (row.redop.empty() || benchmark.reduces == (row.redop != "none")) &&
           (row.root.empty() || benchmark.rooted != row.root.starts_with('-'));
  });
}

std::optional<std::uint32_t> NcclTable::ranks_from_bandwidths(Collective collective) const {
  const auto found = owns_parts(collective) ? blocks() : std::nullopt;
  if (found && *found > 1 && *found <= static_cast<std::uint64_t>(kMostRanks)) {
    return static_cast<std::uint32_t>(*found);
  }
  std::size_t line = 0;
  const auto of = factor(collective, line);
  const auto ranks =
      of ? ranks_with(nccl_benchmark_of(collective).factor, *of) : std::optional<RanksRange>();
  return ranks && ranks->least == ranks->most ? std::optional(ranks->least) : std::nullopt;
}

std::optional<std::string> NcclTable::why_not(Collective collective,
                                              std::optional<std::uint32_t> ranks,
                                              std::size_t& line) const {
  if (rows_.empty()) {
    return std::nullopt;
  }
  const NcclBenchmark& nccl_benchmark = nccl_benchmark_of(collective);
  const NcclRow& first = rows_.front();
  line = first.line;
  if (!first.redop.empty() && nccl_benchmark.reduces != (first.redop != "none")) {
    return fmt::format("column redop is '{}', so this benchmark {}, and is not {}",
                       shortened(printable(first.redop)),
                       nccl_benchmark.reduces ? "reduces nothing" : "reduces data",
                       name(collective));
  }
  if (!first.root.empty() && nccl_benchmark.rooted == first.root.starts_with('-')) {
    return fmt::format("column root is '{}', so this benchmark has {}root, and is not {}",
                       shortened(printable(first.root)), nccl_benchmark.rooted ? "no " : "a ",
                       name(collective));
  }
  if (ranks == 1) {
    return "this benchmark ran on one GPU, so its times are those of no communication";
  }
  const auto found = factor(collective, line);
  if (!found || nccl_benchmark.factor == Factor::unknown) {
    return std::nullopt;
  }
  const double middle = (found->low + found->high) / 2;
  constexpr double kOneGpu = 0.4;  // on two ranks and more, the factor is at least 1/2
  if (found->high < kOneGpu) {
    return fmt::format(
        "busbw / algbw is {:.3f}, so this benchmark ran on one GPU, and its times are those of no "
        "communication",
        middle);
  }
  const auto possible_ranks = ranks_with(nccl_benchmark.factor, *found);
  if (ranks ? !found->holds(factor_on(nccl_benchmark.factor, *ranks))
      : nccl_benchmark.factor == Factor::one ? !found->holds(1)
                                             : !possible_ranks) {
    const NcclRow& row = *std::ranges::find(rows_, line, &NcclRow::line);
    return fmt::format(
        "busbw / algbw is {:.3f}{}, but {} has {}", middle, runs_with(*found, row),
        ranks ? fmt::format("{} on {}", name(collective), counted(*ranks, "rank"))
              : std::string(name(collective)),
        ranks ? fmt::format("{:.3f}", factor_on(nccl_benchmark.factor, *ranks))
              : (nccl_benchmark.factor == Factor::one
                     ? std::string("1")
                     : fmt::format("less than {}, and at least half of it",
                                   nccl_benchmark.factor == Factor::others_over_all ? 1 : 2)));
  }
  return std::nullopt;
}

}}  // namespace tutti::experiments

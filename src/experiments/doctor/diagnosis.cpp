#include "src/experiments/doctor/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/human.hpp"
#include "src/experiments/doctor/shapes.hpp"

namespace tutti { inline namespace experiments {

namespace {

constexpr std::array<std::string_view, 5> kSeverityNames{"remark", "low", "slow", "invalid",
                                                         "wrong"};
constexpr std::array<std::string_view, 3> kSurenessNames{"possible", "likely", "sure"};

JudgedRow judged(const CurveRow& row, const std::optional<ExpectedRow>& expected) {
  if (!expected) {
    return {};
  }
  JudgedRow judged;
  judged.ratio = row.time_s > expected->high_s  ? row.time_s / expected->high_s
                 : row.time_s < expected->low_s ? row.time_s / expected->low_s
                                                : 1;
  const double more_s = kMoreStartups * expected->startup_s;
  judged.verdict = row.time_s <= expected->high_s / kRightShare + more_s     ? Health::right
                   : row.time_s <= expected->high_s / kLowShare + 2 * more_s ? Health::low
                                                                             : Health::slow;
  return judged;
}

// Returns the first row from which on start-up times hardly count, and the rate hardly grows; the
// number of rows if none.
std::size_t first_of_plateau(const Diagnosis& of) {
  // The data take this many times as long as the start-up.
  constexpr double kLarge = 20;
  std::size_t first = of.curve.rows.size();
  while (first > 0 && of.expected.rows[first - 1] &&
         of.expected.rows[first - 1]->high_s >= kLarge * of.expected.rows[first - 1]->startup_s) {
    --first;
  }
  // Some machines reach their rate only at sizes that are far larger than their start-up suggests.
  constexpr double kReached = 0.9;
  while (first + 1 < of.curve.rows.size() &&
         of.curve.busbw(of.curve.rows[first]) < kReached * of.curve.busbw(of.curve.rows.back())) {
    ++first;
  }
  return first;
}

// True if the rate still grows over the last sizes, so that larger ones would show a higher one.
bool still_grows(const MeasuredCurve& curve) {
  constexpr std::size_t kLast = 3;
  constexpr double kGrows = 1.16;
  const std::size_t rows = curve.rows.size();
  return rows >= kLast &&
         curve.busbw(curve.rows.back()) > kGrows * curve.busbw(curve.rows[rows - kLast]);
}

double middle_of(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

std::optional<Plateau> plateau_of(const Diagnosis& of) {
  const std::size_t first = first_of_plateau(of);
  if (first == of.curve.rows.size() ||
      (first + 2 >= of.curve.rows.size() && still_grows(of.curve))) {
    return std::nullopt;
  }
  std::vector<double> rates;
  std::vector<double> of_lowest;
  std::vector<double> of_highest;
  for (std::size_t i = first; i < of.curve.rows.size(); ++i) {
    const CurveRow& row = of.curve.rows[i];
    rates.push_back(of.curve.busbw(row));
    of_lowest.push_back(of.expected.rows[i]->high_s / row.time_s);
    of_highest.push_back(of.expected.rows[i]->low_s / row.time_s);
  }
  return Plateau{middle_of(std::move(rates)), first, middle_of(std::move(of_lowest)),
                 middle_of(std::move(of_highest))};
}

void find_shapes(std::span<const ShapeCheck> shapes, Diagnosis& of) {
  for (const ShapeCheck shape : shapes) {
    if (auto symptom = shape(of)) {
      of.symptoms.push_back(std::move(*symptom));
    }
  }
}

Health verdict_of(const Diagnosis& of) {
  const Severity worst = of.symptoms.empty() ? Severity::remark : of.symptoms.front().severity;
  switch (worst) {
    case Severity::wrong:
      return Health::wrong;
    case Severity::invalid:
      return Health::invalid;
    case Severity::slow:
      return Health::slow;
    case Severity::low:
      return Health::low;
    case Severity::remark:
      break;
  }
  const bool compared =
      std::ranges::any_of(of.expected.rows, [](const auto& row) { return row.has_value(); });
  if (!compared) {
    return Health::unknown;
  }
  if (of.plateau) {
    return Health::right;
  }
  // Without a plateau, the largest size decides.
  return of.rows.back().verdict == Health::low ? Health::right : of.rows.back().verdict;
}

Sureness sureness_of(const Diagnosis& of) {
  if (of.verdict == Health::unknown) {
    return Sureness::possible;
  }
  if (of.verdict == Health::right) {
    return of.plateau && of.expected.assumed.size() < 3 && of.rows.back().verdict == Health::right
               ? Sureness::sure
               : Sureness::likely;
  }
  return of.symptoms.empty() ? Sureness::likely : of.symptoms.front().sureness;
}

std::string expected_rate(const Diagnosis& of) {
  const double low = of.plateau->busbw_gb_per_s / of.plateau->of_lowest;
  const double high = of.plateau->busbw_gb_per_s / of.plateau->of_highest;
  return high / low < 1.02 ? fmt::format("{:.4g} GB/s", low)
                           : fmt::format("{:.4g} to {:.4g} GB/s", low, high);
}

// Returns what the numbers are compared with, as a sentence.
std::string compared(const Diagnosis& of) {
  if (of.plateau) {
    return fmt::format("{:.4g} GB/s ({}) at large sizes; {} expected of {} on {}",
                       of.plateau->busbw_gb_per_s, of.curve.rate_name(), expected_rate(of),
                       of.expected.by, of.expected.machine);
  }
  const CurveRow& last = of.curve.rows.back();
  const ExpectedRow& expected = *of.expected.rows.back();
  return fmt::format("{} takes {}; {} expected of {} on {}", human_bytes(last.bytes),
                     human_time(last.time_s), in_words(expected), of.expected.by,
                     of.expected.machine);
}

// Number of rows that show a step or a dip.
constexpr std::size_t kRowsOfShape = 6;

std::string headline_of(const Diagnosis& of) {
  const bool has_cause = !of.symptoms.empty() && of.symptoms.front().severity != Severity::remark;
  const std::string cause = has_cause ? of.symptoms.front().text : "";
  switch (of.verdict) {
    case Health::right:
      return "Looks right: " + compared(of);
    case Health::unknown:
      return fmt::format("{}: {}",
                         of.curve.rows.size() < kRowsOfShape
                             ? "Nothing to compare with"
                             : "No step or dip, but nothing to compare the times with",
                         of.expected.why_not.empty() ? "no expected times" : of.expected.why_not);
    case Health::wrong:
      return "Wrong results: " + cause;
    case Health::invalid:
      return (of.symptoms.front().shape == "below_limit" ? "Too fast for this machine: "
                                                         : "Not a measurement of this call: ") +
             cause;
    default:
      break;
  }
  const std::string what = of.verdict == Health::low ? "Low" : "Slow";
  // If larger sizes are better, the rate of large messages is not the point.
  const bool ends = has_cause && of.symptoms.front().to_bytes;
  const std::string from = has_cause && !ends && of.symptoms.front().from_bytes
                               ? " from " + human_bytes(*of.symptoms.front().from_bytes) + " on"
                               : "";
  const std::string instead =
      of.plateau && !ends && !cause.empty() ? fmt::format("; {} expected", expected_rate(of)) : "";
  const bool unsure = has_cause && of.plateau && !ends && !of.expected.unsure.empty() &&
                      of.symptoms.front().sureness == Sureness::possible;
  return fmt::format("{}{}: {}{}{}", what, from, cause.empty() ? compared(of) : cause,
                     unsure ? ", or " + of.expected.unsure : "", instead);
}

}  // namespace

std::string_view name(Severity severity) {
  return kSeverityNames[static_cast<std::size_t>(severity)];
}
std::string_view name(Sureness sureness) {
  return kSurenessNames[static_cast<std::size_t>(sureness)];
}
std::string_view name(Health verdict) { return kHealthNames[static_cast<std::size_t>(verdict)]; }

namespace {

// Returns a size as nccl-tests reads it: "8G".
std::string nccl_tests_size(std::uint64_t bytes) {
  constexpr std::array kUnits{std::pair{'G', 30U}, std::pair{'M', 20U}, std::pair{'K', 10U}};
  for (const auto& [unit, bits] : kUnits) {
    if (bytes > 0 && bytes % (std::uint64_t{1} << bits) == 0) {
      return fmt::format("{}{}", bytes >> bits, unit);
    }
  }
  return fmt::format("{}", bytes);
}

}  // namespace

std::string gb_per_s(double rate) { return fmt::format("{:.3g} GB/s", rate); }

std::string again_with(const Diagnosis& of, const std::string& change, const std::string& sizes) {
  const MeasuredCurve& curve = of.curve;
  if (!curve.is_nccl) {
    return "";
  }
  const std::string environment = change.empty() ? "" : "env " + change + " ";
  const std::string same = fmt::format("-b {} -e {}", nccl_tests_size(curve.rows.front().bytes),
                                       nccl_tests_size(curve.rows.back().bytes));
  return fmt::format("mpirun -np {} {}{}_perf {} -f 2 -g 1", curve.ranks, environment,
                     curve.benchmark().program, sizes.empty() ? same : sizes);
}

Diagnosis diagnose(MeasuredCurve curve, Expectation expected) {
  Diagnosis found;
  found.curve = std::move(curve);
  found.expected = std::move(expected);
  for (std::size_t i = 0; i < found.curve.rows.size(); ++i) {
    found.rows.push_back(judged(found.curve.rows[i], found.expected.rows[i]));
  }
  find_shapes(validity_shapes(), found);
  if (found.symptoms.empty()) {
    found.plateau = plateau_of(found);
    find_shapes(plateau_shapes(), found);
    find_shapes(pair_shapes(), found);
    find_shapes(step_shapes(), found);
    find_shapes(remark_shapes(), found);
  }
  std::ranges::stable_sort(found.symptoms, [](const Symptom& a, const Symptom& b) {
    return std::pair(a.severity, a.sureness) > std::pair(b.severity, b.sureness);
  });
  found.verdict = verdict_of(found);
  found.sureness = sureness_of(found);
  found.headline = headline_of(found);
  return found;
}

}}  // namespace tutti::experiments

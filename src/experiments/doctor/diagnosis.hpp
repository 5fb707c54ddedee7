// Compares measured times with those of a healthy machine, and names likely causes of differences.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/experiments/doctor/expectation.hpp"
#include "src/experiments/doctor/measured_curve.hpp"
#include "src/experiments/doctor/symptom.hpp"

namespace tutti { inline namespace experiments {

// The judgement on a row, or on all rows.
enum class Health : std::uint8_t {
  right,
  low,      // less than a healthy machine reaches, but not by much
  slow,     // far less
  unknown,  // there is nothing to compare with
  invalid,  // the times are not those of the call
  wrong,    // the results of the calls are wrong
};
inline constexpr std::array<std::string_view, 6> kHealthNames{"right",   "low",     "slow",
                                                              "unknown", "invalid", "wrong"};
[[nodiscard]] std::string_view name(Health verdict);

struct JudgedRow {
  Health verdict = Health::unknown;
  // Measured time over the nearest expected one: 1 within the expected range.
  std::optional<double> ratio;
};

// The rate at the largest sizes.
struct Plateau {
  double busbw_gb_per_s = 0;  // median of the rows
  std::size_t first_row = 0;
  // Measured rate over the lowest expected one, and over the highest; 0 if nothing is expected.
  double of_lowest = 0;
  double of_highest = 0;
};

struct Diagnosis {
  MeasuredCurve curve;
  Expectation expected;
  std::vector<JudgedRow> rows;
  std::optional<Plateau> plateau;  // empty if the sizes are too small for one
  Health verdict = Health::unknown;
  Sureness sureness = Sureness::possible;
  std::string headline;           // the answer in a sentence
  std::vector<Symptom> symptoms;  // the worst and most likely first
};

[[nodiscard]] Diagnosis diagnose(MeasuredCurve curve, Expectation expected);

}}  // namespace tutti::experiments

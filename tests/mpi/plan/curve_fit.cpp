// Fits curves to times that were computed from known curves.
#include "sim/mpi/plan/curve_fit.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

namespace tutti::mpi {
namespace {

// Returns samples of the time alpha + bytes * beta, with relative noise of size `noise`.
std::vector<Sample> samples_of(double alpha_s, double beta_s, double noise, unsigned seed,
                               std::uint64_t first = 8, std::uint64_t last = 16U << 20U) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<Sample> samples;
  for (std::uint64_t bytes = first; bytes <= last; bytes *= 2) {
    samples.push_back({bytes, (alpha_s + static_cast<double>(bytes) * beta_s) *
                                  std::abs(1 + noise * normal(random))});
  }
  return samples;
}

}  // namespace

TEST_CASE("A fit recovers a line despite noise, and despite an outlier") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    std::vector<Sample> samples = samples_of(2e-6, 0.1e-9, 0.02, seed);
    samples[7].seconds *= 8;  // an outlier, which must not get a piece of its own
    const CostPiece line = fit_line(samples);
    CHECK(line.fixed_s == Approx(2e-6).epsilon(0.05));
    CHECK(line.s_per_byte == Approx(0.1e-9).epsilon(0.05));
    const CostCurve curve = fit_curve(samples);
    CHECK(curve.pieces.size() == 1);
  }
}

TEST_CASE("Two protocols give two pieces with the switch between them") {
  std::vector<Sample> samples = samples_of(0.3e-6, 0.2e-9, 0.005, 1, 8, 4096);
  for (const Sample& sample : samples_of(2e-6, 0.07e-9, 0.005, 2, 8192)) {
    samples.push_back(sample);
  }
  const CostCurve curve = fit_curve(samples);
  REQUIRE(curve.pieces.size() == 2);
  CHECK(curve.pieces[1].from_bytes == 8192);
  CHECK(curve.at(4096, 0).fixed_s == Approx(0.3e-6).epsilon(0.03));
  CHECK(curve.at(1 << 20, 0).s_per_byte == Approx(0.07e-9).epsilon(0.03));
  const std::vector<double> nowhere(samples.size(), 0);
  CHECK(residuals(samples, nowhere, curve).worst < 0.03);
  CHECK(residuals(samples, nowhere, {{fit_line(samples)}, {}}).worst > 0.1);
}

TEST_CASE(
    "A line through large messages may have a negative start-up, but a piece of a curve may not") {
  // If the data exceed the cache, a byte takes longer. So a line through sizes below and above the
  // size of the cache is negative at 0 bytes.
  std::vector<Sample> samples{{1 << 20, 50e-6}, {2 << 20, 150e-6}, {4 << 20, 420e-6}};
  CHECK(fit_line(samples).fixed_s < 0);
  for (const CostPiece& piece : fit_curve(samples).pieces) {
    CHECK(piece.fixed_s >= 0);
    CHECK(piece.s_per_byte >= 0);
  }
}

TEST_CASE("A fit without slope or start-up gives exactly 0, without rounding errors") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    const double scale = 1 + 0.1 * seed;
    CHECK(fit_line(samples_of(scale * 1e-7, 0, 0, seed, 8, 512)).s_per_byte == 0);
    CHECK(fit_line(samples_of(0, scale * 1e-10, 0, seed, 8, 512)).fixed_s == 0);
  }
}

TEST_CASE("One sample gives a constant") {
  const CostCurve curve = fit_curve(std::vector<Sample>{{8, 1e-6}});
  CHECK(curve.at(1000, 0).seconds(1000) == 1e-6);
}

}  // namespace tutti::mpi

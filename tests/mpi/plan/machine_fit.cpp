// Recovers the parameters of an invented machine from the times of its runs.
#include "sim/mpi/plan/machine_fit.hpp"

#include <catch2/catch.hpp>

#include "src/simulation/machine.hpp"

namespace tutti::mpi {
namespace {

constexpr std::uint64_t kEager = 4000;

// An invented machine. Each function but memory() returns the time of one operation in seconds;
// `data` is the number of bytes that each rank touches.
struct Machine {
  double start_s = 0.6e-6;

  static double memory(double data_bytes, double near, double per_doubling) {
    double s_per_byte = near;
    for (double size = 1 << 20; size < data_bytes; size *= 2) {
      s_per_byte += per_doubling;
    }
    return s_per_byte;
  }
  [[nodiscard]] double one_way(std::uint64_t bytes, double data) const {
    const auto b = static_cast<double>(bytes);
    return bytes <= kEager ? 0.3e-6 + b * 0.4e-9 : 2e-6 + b * memory(data, 0.1e-9, 0.02e-9);
  }
  [[nodiscard]] double exchange(std::uint64_t bytes, double data) const {
    const auto b = static_cast<double>(bytes);
    return bytes <= kEager ? 0.4e-6 + b * 0.5e-9 : 3e-6 + b * memory(data, 0.15e-9, 0.03e-9);
  }
  [[nodiscard]] double reduce(std::uint64_t bytes, double data) const {
    return 0.1e-6 + static_cast<double>(bytes) * memory(data, 0.05e-9, 0.01e-9);
  }
  [[nodiscard]] double reduce_sent(std::uint64_t bytes, double data) const {
    return 0.1e-6 + static_cast<double>(bytes) * memory(data, 0.08e-9, 0.01e-9);
  }
  [[nodiscard]] double copy(std::uint64_t bytes, double data) const {
    return 0.05e-6 + static_cast<double>(bytes) * memory(data, 0.03e-9, 0.01e-9);
  }
};

std::vector<std::uint64_t> sizes() {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t bytes = 8; bytes <= 16U << 20U; bytes *= 2) {
    sizes.push_back(bytes);
  }
  return sizes;
}

// Returns a series of runs in five rounds, two of which are slowed down. In the other rounds, a run
// takes `start_s` plus op_s(bytes, data) for each operation; `data` is `data_per_byte` times the
// bytes.
template <typename OpSeconds>
Series series_of(double start_s, double data_per_byte, OpSeconds&& op_s) {
  Series series;
  series.working_set_per_byte = data_per_byte;
  for (const std::uint64_t bytes : sizes()) {
    const double once_s = op_s(bytes, static_cast<double>(bytes) * data_per_byte);
    const double all_s = bytes <= kNearBytes ? kRepeats * once_s + start_s : 0;
    const double run_s = start_s + once_s;
    series.once_s.push_back({run_s, 1.7 * run_s, 50 * run_s, run_s, run_s});
    series.repeated_s.emplace_back();
    if (all_s > 0) {
      series.repeated_s.back() = {all_s, 1.7 * all_s, all_s, all_s, 30 * all_s};
    }
  }
  return series;
}

NearSeries runs_of(const Machine& machine, bool by_core) {
  const auto one_way = [&](auto bytes, auto data) { return machine.one_way(bytes, data); };
  const auto exchange = [&](auto bytes, auto data) { return machine.exchange(bytes, data); };
  const auto copy = [&](auto bytes, auto data) { return machine.copy(bytes, data); };
  NearSeries runs;
  runs.messages.one_way = series_of(machine.start_s, 2, one_way);
  runs.messages.exchange = series_of(machine.start_s, 4, exchange);
  runs.messages.exchange_and_copy = series_of(machine.start_s, 4, [&](auto bytes, auto data) {
    return exchange(bytes, data) + (by_core ? copy(bytes, data) : 0);
  });
  runs.local.reduce = series_of(machine.start_s, 6, [&](auto bytes, auto data) {
    return exchange(bytes, data) + machine.reduce(bytes, data);
  });
  runs.local.reduce_sent = series_of(machine.start_s, 3, [&](auto bytes, auto data) {
    return exchange(bytes, data) + machine.reduce_sent(bytes, data);
  });
  runs.local.copy = series_of(0, 2, copy);
  return runs;
}

}  // namespace

TEST_CASE("The fit recovers a machine: start-up, both protocols, the caches, and who moves data") {
  const Machine machine;
  for (const bool by_core : {false, true}) {
    const NearSeries runs = runs_of(machine, by_core);
    const MachineFit fit = fit_machine(sizes(), runs, nullptr, kEager);
    const CostCurves& curves = fit.curves;
    CHECK(curves.start_s == Approx(machine.start_s));
    CHECK(curves.within_node.by_core == by_core);
    CHECK(curves.between_nodes.one_way.empty());
    for (const std::uint64_t bytes : sizes()) {
      CAPTURE(bytes);
      for (const double data : {3.0 * static_cast<double>(bytes), 64e6}) {
        if (data == 64e6 && bytes <= 2 * kEager) {
          continue;  // a small message is copied through the library's own memory
        }
        CAPTURE(data);
        const auto found = [&](const CostCurve& curve) {
          return curve.at(bytes, data).seconds(bytes);
        };
        // Tolerance for the interpolation between measured working sets, and for the error in the
        // fixed part of a piece.
        constexpr double kNear = 0.15;
        CHECK(found(curves.within_node.one_way) ==
              Approx(machine.one_way(bytes, data)).epsilon(kNear));
        CHECK(found(curves.within_node.exchange) ==
              Approx(machine.exchange(bytes, data)).epsilon(kNear));
        CHECK(found(curves.reduce) == Approx(machine.reduce(bytes, data)).epsilon(2 * kNear));
        CHECK(found(curves.reduce_sent) ==
              Approx(machine.reduce_sent(bytes, data)).epsilon(2 * kNear));
        CHECK(found(curves.copy) == Approx(machine.copy(bytes, data)).epsilon(kNear));
      }
    }
  }
}

TEST_CASE("A reduction without measurable time is left out, and the rest is kept") {
  NearSeries runs = runs_of({}, true);
  runs.local.reduce = runs.messages.exchange;
  const MachineFit fit = fit_machine(sizes(), runs, nullptr, kEager);
  CHECK(fit.of("reduce").lost > 10);
  CHECK(fit.curves.within_node.one_way ==
        fit_machine(sizes(), runs_of({}, true), nullptr, kEager).curves.within_node.one_way);
}

TEST_CASE("Parameters without measurements are missing, and the rest is kept") {
  NearSeries runs = runs_of({}, true);
  for (auto& rounds : runs.local.reduce.once_s) {
    rounds.clear();
  }
  for (std::size_t size = 10; size < sizes().size(); ++size) {
    runs.messages.one_way.once_s[size].clear();
    runs.messages.one_way.repeated_s[size].clear();
  }
  const MachineFit fit = fit_machine(sizes(), runs, nullptr, kEager);
  CHECK(fit.of("reduce").samples.empty());
  CHECK(fit.curves.reduce.empty());
  CHECK(fit.of("within_node.one_way").samples.size() == 10);
  CHECK_FALSE(fit.curves.within_node.one_way.empty());
}

TEST_CASE("The cost per byte never falls as more data are touched") {
  NearSeries runs = runs_of({}, true);
  for (double& seconds : runs.messages.one_way.once_s[18]) {
    seconds *= 1.5;  // the times for 2 MiB are disturbed in every round
  }
  const MachineFit fit = fit_machine(sizes(), runs, nullptr, kEager);
  const auto& memory = fit.curves.within_node.one_way.memory;
  REQUIRE(memory.size() > 2);
  for (std::size_t i = 1; i < memory.size(); ++i) {
    CHECK(memory[i].s_per_byte >= memory[i - 1].s_per_byte);
  }
}

}  // namespace tutti::mpi

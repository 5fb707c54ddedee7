#include "src/simulation/best_segment.hpp"

#include <catch2/catch.hpp>

#include <cmath>

#include "schedules/registry.hpp"
#include "sim/critical_path/critical_path_engine.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_best_segment {

namespace {

constexpr Prices kPrices{2e-6, 0.8e-9, 0.125e-9, 0};

double engine_s(const Algorithm& algorithm, Problem problem, std::uint64_t segment_bytes,
                const RunSetup& setup = {}) {
  problem.segment_bytes = segment_bytes;
  return CriticalPathEngine(kPrices)
      .run(make_schedule(algorithm, problem, Detail::times_only), setup)
      .total_s;
}

std::size_t emitted = 0;  // number of schedules that emit_counted() has emitted

void emit_counted(const Problem& problem, ScheduleBuilder& builder) {
  ++emitted;
  algorithm_named("reduce/pipeline").emit(problem, builder);
}

}  // namespace

TEST_CASE("a segment size is timed once, even if several numbers of segments lead to it") {
  Algorithm counted = algorithm_named("reduce/pipeline");
  counted.emit = emit_counted;
  counted.exact_s = nullptr;
  emitted = 0;
  const BestSegment best =
      best_segment(counted, problem_of(Collective::reduce, 16, 1500), kPrices, {});
  CHECK_FALSE(best.by_closed_form);
  CHECK(best.tried > 4);
  CHECK(emitted == best.tried);
}

TEST_CASE("over a chain the best segment is optimal, and near the square root") {
  for (const char* name : {"bcast/pipeline", "reduce/pipeline"}) {
    const Algorithm& algorithm = algorithm_named(name);
    for (const std::uint32_t p : {1U, 2U, 5U, 16U}) {
      const Problem problem = problem_of(algorithm.collective, p, 1500);
      const BestSegment best = best_segment(algorithm, problem, kPrices, {});
      INFO(name << " p=" << p << " best " << best.bytes);
      CHECK(best.by_closed_form);
      CHECK(best.predicted_s == Approx(engine_s(algorithm, problem, best.bytes)).epsilon(1e-12));
      for (std::uint64_t elements = 1; elements <= 1500; elements += elements < 300 ? 1 : 50) {
        CHECK(best.predicted_s <= engine_s(algorithm, problem, 8 * elements) * (1 + 1e-11));
      }
    }
  }
  const Algorithm& bcast = algorithm_named("bcast/pipeline");
  const Problem large = problem_of(Collective::bcast, 64, 1U << 22U);
  const double root =
      std::sqrt(8.0 * (1U << 22U) * kPrices.alpha_s / (62 * kPrices.beta_s_per_byte));
  CHECK(static_cast<double>(best_segment(bcast, large, kPrices, {}).bytes) ==
        Approx(root).epsilon(0.02));
}

TEST_CASE("without a closed form the engine finds a segment, better than powers of two") {
  const auto check_better = [](const char* name, const Problem& problem, const RunSetup& setup) {
    const Algorithm& algorithm = algorithm_named(name);
    const BestSegment best = best_segment(algorithm, problem, kPrices, setup);
    INFO(name << " best " << best.bytes);
    CHECK_FALSE(best.by_closed_form);
    CHECK(best.predicted_s ==
          Approx(engine_s(algorithm, problem, best.bytes, setup)).epsilon(1e-12));
    for (std::uint64_t bytes = 1024; bytes <= problem.bytes; bytes *= 2) {
      CHECK(best.predicted_s <= engine_s(algorithm, problem, bytes, setup) * 1.001);
    }
  };
  Problem problem = problem_of(Collective::bcast, 12, 1U << 16U);
  check_better("bcast/split_binary_tree", problem, {});
  problem.tree = Tree::binary;
  check_better("bcast/pipeline", problem, {});
  problem.tree = Tree::chain;
  check_better("bcast/pipeline", problem, {.ports = 2});  // the closed form requires one port
  problem.ranks_per_node = 4;
  check_better("bcast/smp_linear", problem, {});
}

TEST_CASE("with unlimited ports, a piece has at most 512 segments") {
  RunSetup setup;
  setup.ports = kUnlimitedPorts;
  const Problem problem = problem_of(Collective::bcast, 8, 1U << 14U);
  const BestSegment best = best_segment(algorithm_named("bcast/pipeline"), problem, kPrices, setup);
  CHECK(best.bytes == problem.bytes / 512);
}

TEST_CASE("a ring is best with one segment per block, and reports its length") {
  const BestSegment best = best_segment(algorithm_named("allreduce/segmented_ring"),
                                        problem_of(Collective::allreduce, 8, 800), kPrices, {});
  CHECK(best.bytes == 100 * 8);
  CHECK(best.predicted_s == best.whole_s);
  CHECK(best.tried == 19);  // possible numbers of segments in a block of 100 elements
}

TEST_CASE("nothing is cut where nothing can be, and refused problems stay refused") {
  const Algorithm& bcast = algorithm_named("bcast/pipeline");
  CHECK(best_segment(bcast, problem_of(Collective::bcast, 4, 0), kPrices, {}).bytes == 0);
  CHECK(best_segment(bcast, problem_of(Collective::bcast, 4, 1), kPrices, {}).bytes == 8);
  Problem problem = problem_of(Collective::bcast, 4, 100);
  problem.cuts = Cuts::mpich;
  CHECK_THROWS_WITH(best_segment(algorithm_named("bcast/split_binary_tree"), problem, kPrices, {}),
                    Catch::Contains("no broadcast in halves"));
}

}  // namespace tutti::test_best_segment

#include "sim/mpi/calibration.hpp"

#include <algorithm>
#include <array>

#include "schedules/builder.hpp"
#include "sim/mpi/clock.hpp"
#include "sim/mpi/executor.hpp"
#include "sim/mpi/measure.hpp"
#include "sim/mpi/mpi_error.hpp"

namespace tutti::mpi {

namespace {

// Several operations in a row, so that what a run costs beside them weighs little; few where each
// takes long and much memory.
std::uint32_t rounds_for(std::uint64_t bytes) {
  constexpr std::uint64_t kLong = std::uint64_t{256} << 10U;
  return bytes <= kLong ? 4 : 2;
}

Schedule probe(Kind kind, std::uint64_t bytes, const World& world, Pair pair,
               const Element& element) {
  const std::uint32_t rounds = rounds_for(bytes);
  const std::uint32_t blocks = kind == Kind::exchange ? 2 * rounds : rounds;
  Problem problem;  // an allreduce: every rank has input, and works in place
  problem.ranks = world.ranks();
  problem.bytes = bytes * blocks;
  problem.element_bytes = element.bytes();
  ScheduleBuilder builder(problem, blocks);
  std::vector<OpId> before;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const Label label{round, 0};
    const Move one{.blocks = {round, 1}};
    const Move from_input{.blocks = {round, 1}, .from = kInput, .into = kWork};
    std::vector<OpId> done;
    switch (kind) {
      case Kind::one_way:
        done = {round % 2 == 0 ? builder.comm(label, pair.a, pair.b, one, before)
                               : builder.comm(label, pair.b, pair.a, one, before)};
        break;
      case Kind::exchange:
        done = {builder.comm(label, pair.a, pair.b, {.blocks = {2 * round, 1}}, before),
                builder.comm(label, pair.b, pair.a, {.blocks = {2 * round + 1, 1}}, before)};
        break;
      case Kind::reduce:
      case Kind::copy:
        for (const Rank rank : {pair.a, pair.b}) {
          std::vector<OpId> own;
          if (!before.empty()) {
            own.push_back(before[rank == pair.a ? 0 : 1]);
          }
          done.push_back(kind == Kind::reduce
                             ? builder.reduce(label, rank, from_input, Operand::left, own)
                             : builder.copy(label, rank, from_input, own));
        }
        break;
    }
    before = done;
  }
  return builder.finish();
}

double measured_s(const Schedule& schedule, const World& world, const ElementHandles& handles,
                  double budget_s) {
  Executor executor(schedule, world, handles);
  MeasureOptions how;
  how.budget_s = budget_s;
  // Whatever else the machine does only ever adds to a time.
  constexpr double kUndisturbed = 0.25;
  return quantile(slowest_rank(measure(executor, world, how).ours), kUndisturbed);
}

bool completes_alone(const World& world, Pair pair, std::vector<char>& data, std::uint64_t bytes) {
  constexpr int kDataTag = 1;
  constexpr int kGoTag = 2;
  constexpr double kPatience = 5e-3;
  constexpr int kLeastPolls = 2000;
  int alone = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  const auto count = static_cast<int>(bytes);
  if (world.rank() == pair.a) {
    check(MPI_Isend(data.data(), count, MPI_CHAR, static_cast<int>(pair.b), kDataTag, world.comm(),
                    &request),
          "MPI_Isend");
    const double start_s = now_s();
    for (int polls = 0; alone == 0 && (polls < kLeastPolls || now_s() - start_s < kPatience);
         ++polls) {
      check(MPI_Test(&request, &alone, MPI_STATUS_IGNORE), "MPI_Test");
    }
    MPI_Request go = MPI_REQUEST_NULL;
    check(MPI_Isend(&alone, 1, MPI_INT, static_cast<int>(pair.b), kGoTag, world.comm(), &go),
          "MPI_Isend");
    world.wait(go, "MPI_Isend after an eager message");
    world.wait(request, "MPI_Isend of an eager message");
  } else if (world.rank() == pair.b) {
    check(MPI_Irecv(&alone, 1, MPI_INT, static_cast<int>(pair.a), kGoTag, world.comm(), &request),
          "MPI_Irecv");
    world.wait(request, "MPI_Irecv after an eager message");
    check(MPI_Irecv(data.data(), count, MPI_CHAR, static_cast<int>(pair.a), kDataTag, world.comm(),
                    &request),
          "MPI_Irecv");
    world.wait(request, "MPI_Irecv of an eager message");
  }
  check(MPI_Ibcast(&alone, 1, MPI_INT, static_cast<int>(pair.a), world.comm(), &request),
        "MPI_Ibcast");
  world.wait(request, "MPI_Ibcast of what was eager");
  return alone != 0;
}

}  // namespace

std::optional<Pair> pair_within_node(const World& world) {
  for (Rank rank = 1; rank < world.ranks(); ++rank) {
    if (world.node_leaders()[rank] == 0) {
      return Pair{0, rank};
    }
  }
  return std::nullopt;
}

std::optional<Pair> pair_between_nodes(const World& world) {
  for (Rank rank = 1; rank < world.ranks(); ++rank) {
    if (world.node_leaders()[rank] != 0) {
      return Pair{0, rank};
    }
  }
  return std::nullopt;
}

std::vector<Series> measure_kinds(const World& world, const ElementHandles& handles, Pair pair,
                                  const std::vector<Kind>& kinds,
                                  const CalibrationOptions& options) {
  const std::size_t sizes = options.sizes_bytes.size();
  std::vector<std::vector<double>> passes(kinds.size() * sizes);
  for (std::uint32_t pass = 0; pass < options.passes; ++pass) {
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      for (std::size_t size = 0; size < sizes; ++size) {
        const std::uint64_t bytes = options.sizes_bytes[size];
        const Schedule schedule = probe(kinds[kind], bytes, world, pair, handles.element());
        passes[kind * sizes + size].push_back(
            measured_s(schedule, world, handles, options.budget_s) / rounds_for(bytes));
      }
    }
  }
  std::vector<Series> all(kinds.size());
  for (std::size_t i = 0; i < passes.size(); ++i) {
    const auto [least, most] = std::minmax_element(passes[i].begin(), passes[i].end());
    const double seconds = *least;
    Series& series = all[i / sizes];
    series.samples.push_back({options.sizes_bytes[i % sizes], seconds});
    series.spread.push_back(seconds > 0 ? (*most - *least) / seconds : 0);
  }
  return all;
}

std::optional<std::uint64_t> largest_eager_bytes(const World& world, Pair pair,
                                                 std::uint64_t most_bytes) {
  std::vector<char> data(most_bytes);
  const auto eager = [&](std::uint64_t bytes) { return completes_alone(world, pair, data, bytes); };
  if (!eager(1)) {
    return std::nullopt;
  }
  std::uint64_t yes = 1;
  std::uint64_t no = 2;
  while (no <= most_bytes && eager(no)) {
    yes = no;
    no *= 2;
  }
  if (no > most_bytes) {
    return most_bytes;
  }
  while (no - yes > 1) {
    const std::uint64_t middle = yes + (no - yes) / 2;
    (eager(middle) ? yes : no) = middle;
  }
  return yes;
}

}  // namespace tutti::mpi

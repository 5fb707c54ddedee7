#include "sim/mpi/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "schedules/builder.hpp"
#include "sim/mpi/clock.hpp"
#include "sim/mpi/executor.hpp"
#include "sim/mpi/measure.hpp"
#include "sim/mpi/mpi_error.hpp"

namespace tutti::mpi {

namespace {

enum class Kind : std::uint8_t { one_way, exchange, exchange_and_copy, reduce, reduce_sent, copy };

// Returns the number of blocks of the vector that each repetition uses.
std::uint32_t blocks_of(Kind kind) {
  return kind == Kind::one_way || kind == Kind::reduce_sent || kind == Kind::copy ? 1 : 2;
}

// Adds messages in both directions at the same time: block `first` from rank a to rank b, and block
// `second` from b to a.
std::vector<OpId> exchange(ScheduleBuilder& builder, Label label, Pair pair, std::uint32_t first,
                           std::uint32_t second, Place into, const std::vector<OpId>& before) {
  return {builder.comm(label, pair.a, pair.b, {.blocks = {first, 1}, .into = into}, before),
          builder.comm(label, pair.b, pair.a, {.blocks = {second, 1}, .into = into}, before)};
}

// Returns a schedule of `rounds` operations of one kind, each of which depends on the previous one.
Schedule probe(Kind kind, std::uint64_t bytes, std::uint32_t rounds, const World& world, Pair pair,
               const Element& element) {
  const std::uint32_t blocks = blocks_of(kind) * rounds;
  // The problem is an allreduce, because every rank then has input and works in place.
  Problem problem;
  problem.ranks = world.ranks();
  problem.bytes = bytes * blocks;
  problem.element_bytes = element.bytes();
  ScheduleBuilder builder(problem, blocks);
  constexpr Place kScratch{Buffer::scratch, 0};
  std::vector<OpId> before;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const Label label{round, 0};
    // Numbers of the block that rank a sends and of the block that rank b sends, which may be
    // equal.
    const std::uint32_t first = blocks_of(kind) * round;
    const std::uint32_t second = first + blocks_of(kind) - 1;
    std::vector<OpId> done;
    switch (kind) {
      case Kind::one_way: {
        const bool there = round % 2 == 0;
        done = {builder.comm(label, there ? pair.a : pair.b, there ? pair.b : pair.a,
                             {.blocks = {first, 1}}, before)};
        break;
      }
      case Kind::exchange:
        done = exchange(builder, label, pair, first, second, kWork, before);
        break;
      case Kind::exchange_and_copy: {
        done = exchange(builder, label, pair, first, second, kWork, before);
        const auto copy = [&](Rank rank, std::uint32_t block) {
          done.push_back(builder.copy(label, rank, {.blocks = {block, 1}, .from = kInput}, before));
        };
        copy(pair.a, first);
        copy(pair.b, second);
        break;
      }
      case Kind::reduce:
      case Kind::reduce_sent: {
        const auto arrived = exchange(builder, label, pair, first, second, kScratch, before);
        const auto reduce = [&](Rank rank, std::uint32_t block) {
          done.push_back(builder.reduce(label, rank, {.blocks = {block, 1}, .from = kScratch},
                                        Operand::left, arrived));
        };
        // Rank a has received block `second` of b. Rank a has not sent its own block `second`,
        // unless the two blocks are the same.
        reduce(pair.a, second);
        reduce(pair.b, first);
        break;
      }
      case Kind::copy:
        for (const Rank rank : {pair.a, pair.b}) {
          std::vector<OpId> own;
          if (!before.empty()) {
            own.push_back(before[rank == pair.a ? 0 : 1]);
          }
          done.push_back(builder.copy(label, rank, {.blocks = {first, 1}, .from = kInput}, own));
        }
        break;
    }
    before = done;
  }
  return builder.finish();
}

// A time to be measured.
struct Point {
  Kind kind = Kind::one_way;
  std::uint64_t bytes = 0;
  std::uint32_t repeats = 1;
  RoundTimes* rounds = nullptr;
};

class Rounds {
 public:
  Rounds(std::vector<Point> points, const World& world, const ElementHandles& handles, Pair pair,
         double end_s, Effort& effort)
      : points_(std::move(points)),
        world_(world),
        handles_(handles),
        pair_(pair),
        end_s_(of_rank_0(end_s)),
        effort_(effort),
        now_s_(of_rank_0(now_s())) {
    // On a quiet machine, measuring ends long before the limit. On a busy machine, many short
    // rounds find more undisturbed runs than a few long rounds.
    constexpr double kPlannedRounds = 6;
    // Share of the time in which runs are measured. The rest is for starts, warm-up, and filling
    // buffers.
    constexpr double kFixedShare = 0.5;
    constexpr double kLeast = 0.2e-3;
    constexpr double kMost = 4e-3;
    how_.end_s = end_s_;
    how_.warmup = 1;
    how_.fewest = 3;
    how_.budget_s = std::clamp(
        kFixedShare * (end_s_ - now_s_) / (kPlannedRounds * static_cast<double>(points_.size())),
        kLeast, kMost);
  }

  void run(std::uint32_t most_rounds) {
    for (std::uint32_t round = 0; round < most_rounds && !over(); ++round) {
      const std::string open = open_points();
      if (open.find('1') == std::string::npos) {
        break;
      }
      effort_.rounds = std::max(effort_.rounds, round + 1);
      for (std::size_t i = 0; i < points_.size() && !over(); ++i) {
        if (open[i] == '1') {
          measure_once(points_[i]);
        }
      }
    }
    for (const Point& point : points_) {
      cover(*point.rounds, effort_.coverage);
    }
  }

 private:
  [[nodiscard]] bool over() const { return now_s_ > end_s_; }

  // Returns rank 0's value on all ranks, because their clocks differ, but they must make the same
  // decisions.
  [[nodiscard]] double of_rank_0(double seconds) const {
    return std::stod(world_.broadcast(fmt::format("{:.17g}", seconds)));
  }

  // Returns one character per point, which is '1' if the point must be measured again. Only rank 0
  // knows this.
  [[nodiscard]] std::string open_points() const {
    std::string open;
    for (const Point& point : points_) {
      open += settled(*point.rounds) ? '0' : '1';
    }
    return world_.broadcast(open);
  }

  void measure_once(const Point& point) {
    const Schedule schedule =
        probe(point.kind, point.bytes, point.repeats, world_, pair_, handles_.element());
    Executor executor(schedule, world_, handles_);
    const RunTimes measured = measure(executor, world_, how_);
    now_s_ = measured.now_s;
    if (!world_.first()) {
      return;
    }
    const CountedRuns counted = counted_runs(measured.ours);
    effort_.runs += counted.done;
    effort_.disturbed += counted.disturbed;
    const Summary summary = summary_of(counted.times);
    point.rounds->push_back(counted.too_busy ? summary.fastest_s : summary.median_s);
  }

  std::vector<Point> points_;
  const World& world_;
  const ElementHandles& handles_;
  Pair pair_;
  double end_s_;
  Effort& effort_;
  double now_s_;  // time on rank 0's clock, equal on all ranks
  MeasureOptions how_;
};

// Returns a series for each kind. In each round, all kinds of one size are measured one after the
// other.
std::vector<Series> measure_kinds(const std::vector<Kind>& kinds, const World& world,
                                  const ElementHandles& handles, Pair pair,
                                  const CalibrationOptions& options, double end_s, Effort& effort) {
  const std::vector<std::uint64_t>& sizes = options.sizes_bytes;
  std::vector<Series> all(kinds.size());
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    all[i].once_s.resize(sizes.size());
    all[i].repeated_s.resize(sizes.size());
    const std::uint64_t bytes = sizes.front();
    all[i].working_set_per_byte =
        working_set_bytes(probe(kinds[i], bytes, 1, world, pair, handles.element())) /
        static_cast<double>(bytes);
  }
  std::vector<Point> points;
  for (std::size_t size = 0; size < sizes.size(); ++size) {
    const std::uint64_t bytes = sizes[size];
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      const bool near = bytes <= kNearBytes;
      const bool at_once = kinds[i] == Kind::exchange_and_copy;
      if (!near && (at_once || bytes * blocks_of(kinds[i]) > sizes.back())) {
        continue;
      }
      points.push_back({kinds[i], bytes, 1, &all[i].once_s[size]});
      if (near && !at_once) {
        points.push_back({kinds[i], bytes, kRepeats, &all[i].repeated_s[size]});
      }
    }
  }
  Rounds(std::move(points), world, handles, pair, end_s, effort).run(options.most_rounds);
  return all;
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
  world.wait(request, "MPI_Ibcast of the eager result");
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

NearSeries measure_near(const World& world, const ElementHandles& handles, Pair pair,
                        const CalibrationOptions& options, double end_s, Effort& effort) {
  std::vector<Series> all = measure_kinds({Kind::one_way, Kind::exchange, Kind::exchange_and_copy,
                                           Kind::reduce, Kind::reduce_sent, Kind::copy},
                                          world, handles, pair, options, end_s, effort);
  return {{std::move(all[0]), std::move(all[1]), std::move(all[2])},
          {std::move(all[3]), std::move(all[4]), std::move(all[5])}};
}

MessageSeries measure_far(const World& world, const ElementHandles& handles, Pair pair,
                          const CalibrationOptions& options, double end_s, Effort& effort) {
  std::vector<Series> all = measure_kinds({Kind::one_way, Kind::exchange, Kind::exchange_and_copy},
                                          world, handles, pair, options, end_s, effort);
  return {std::move(all[0]), std::move(all[1]), std::move(all[2])};
}

std::optional<std::uint64_t> largest_eager_bytes(const World& world, Pair pair,
                                                 std::uint64_t most_bytes) {
  std::vector<char> data(most_bytes);
  // A busy machine may have taken the core from a rank, so a negative result is checked again.
  const auto eager = [&](std::uint64_t bytes) {
    constexpr int kTries = 3;
    for (int i = 0; i < kTries; ++i) {
      if (completes_alone(world, pair, data, bytes)) {
        return true;
      }
    }
    return false;
  };
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

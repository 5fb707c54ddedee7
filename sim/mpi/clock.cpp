#include "sim/mpi/clock.hpp"

#include <algorithm>
#include <limits>

#include "sim/mpi/mpi_error.hpp"

namespace tutti::mpi {

namespace {

constexpr int kPingPongs = 64;

void send(const World& world, const double& value, Rank to) {
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Isend(&value, 1, MPI_DOUBLE, static_cast<int>(to), 0, world.comm(), &request),
        "MPI_Isend");
  world.wait(request, "MPI_Isend of a ping-pong");
}

double receive(const World& world, Rank from) {
  double value = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Irecv(&value, 1, MPI_DOUBLE, static_cast<int>(from), 0, world.comm(), &request),
        "MPI_Irecv");
  world.wait(request, "MPI_Irecv of a ping-pong");
  return value;
}

}  // namespace

double now_s() {
#if TUTTI_UNDER_SMPI
  return MPI_Wtime();  // the simulated clock
#else
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
#endif
}

ClockReading read_clocks(const World& world) {
  if (!world.first()) {
    if (world.node_leaders()[world.rank()] == world.rank()) {
      for (int i = 0; i < kPingPongs; ++i) {
        static_cast<void>(receive(world, 0));
        send(world, now_s(), 0);
      }
    }
    return {};
  }
  ClockReading reading;
  reading.at_s.assign(world.ranks(), now_s());
  reading.offset_s.assign(world.ranks(), 0);
  for (Rank rank = 1; rank < world.ranks(); ++rank) {
    if (const Rank leader = world.node_leaders()[rank]; leader != rank) {
      reading.at_s[rank] = reading.at_s[leader];
      reading.offset_s[rank] = reading.offset_s[leader];
      continue;
    }
    double fastest_s = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kPingPongs; ++i) {
      const double start_s = now_s();
      send(world, start_s, rank);
      const double there_s = receive(world, rank);
      const double end_s = now_s();
      if (end_s - start_s < fastest_s) {
        fastest_s = end_s - start_s;
        reading.at_s[rank] = there_s;
        reading.offset_s[rank] = (start_s + end_s) / 2 - there_s;
      }
    }
    reading.error_s = std::max(reading.error_s, fastest_s / 2);
  }
  return reading;
}

double own_offset_s(const World& world, const ClockReading& reading) {
  double offset_s = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Iscatter(reading.offset_s.data(), 1, MPI_DOUBLE, &offset_s, 1, MPI_DOUBLE, 0,
                     world.comm(), &request),
        "MPI_Iscatter");
  world.wait(request, "MPI_Iscatter of clock offsets");
  return offset_s;
}

double CommonClock::common_s(Rank rank, double s) const {
  const double from_s = before_.at_s[rank];
  const double span_s = after_.at_s[rank] - from_s;
  const double part = span_s > 0 ? (s - from_s) / span_s : 0;
  return s + before_.offset_s[rank] + part * (after_.offset_s[rank] - before_.offset_s[rank]);
}

}  // namespace tutti::mpi

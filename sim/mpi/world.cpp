#include "sim/mpi/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <sched.h>

#include "base/error.hpp"
#include "sim/mpi/mpi_error.hpp"

namespace tutti::mpi {

namespace {

std::chrono::steady_clock::duration to_duration(double seconds) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(seconds));
}

// Returns a list such as "0-3, 8".
std::string ranges(const std::vector<Rank>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t end = i + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) {
      ++end;
    }
    text += fmt::format("{}{}", text.empty() ? "" : ", ", ranks[i]);
    if (end - i > 1) {
      text += fmt::format("-{}", ranks[end - 1]);
    }
    i = end;
  }
  return text;
}

// Gives the core to another thread. A yield gives it only to a thread that has run no longer than
// this one, and after some time there is no such thread. The scheduler then lets this thread run to
// the end of its time slice, which lasts milliseconds, while the rank for which it waits has no
// core. A sleep, however short, always lets that rank run first.
void step_aside(std::uint32_t calls) {
  constexpr std::uint32_t kYieldsPerNap = 16;
  if (calls % kYieldsPerNap != 0) {
    sched_yield();
    return;
  }
  constexpr timespec kNap{0, 1000};
  nanosleep(&kNap, nullptr);
}

}  // namespace

bool Deadline::over() {
  const auto now = std::chrono::steady_clock::now();
  if (!running_) {
    running_ = true;
    end_ = now + to_duration(seconds_);
  }
  return now >= end_;
}

World::World(double timeout_s) : timeout_s_(timeout_s) {
  // The library decides which of these two communicators handles errors of calls without a
  // communicator, such as MPI_Testsome.
  for (const MPI_Comm any : {MPI_COMM_WORLD, MPI_COMM_SELF}) {
    check(MPI_Comm_set_errhandler(any, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  }
  check(MPI_Comm_dup(MPI_COMM_WORLD, &comm_), "MPI_Comm_dup");
  check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  int rank = 0;
  int ranks = 0;
  check(MPI_Comm_rank(comm_, &rank), "MPI_Comm_rank");
  check(MPI_Comm_size(comm_, &ranks), "MPI_Comm_size");
  rank_ = static_cast<Rank>(rank);
  ranks_ = static_cast<std::uint32_t>(ranks);
  int* tag_ub = nullptr;
  int found = 0;
  check(MPI_Comm_get_attr(comm_, MPI_TAG_UB, &tag_ub, &found), "MPI_Comm_get_attr");
  constexpr std::uint64_t kTagsByStandard = 32768;
  tags_ = found != 0 ? static_cast<std::uint64_t>(*tag_ub) + 1 : kTagsByStandard;
  find_nodes();
}

World::~World() {
  int finalized = 0;
  if (MPI_Finalized(&finalized) == MPI_SUCCESS && finalized == 0) {
    MPI_Comm_free(&comm_);
  }
}

void World::find_nodes() {
  MPI_Comm node = MPI_COMM_NULL;
  check(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, static_cast<int>(rank_), MPI_INFO_NULL,
                            &node),
        "MPI_Comm_split_type");
  check(MPI_Comm_set_errhandler(node, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  int node_ranks = 0;
  check(MPI_Comm_size(node, &node_ranks), "MPI_Comm_size");
  // mpirun may bind each rank to its own cores, so the cores of all ranks of the node are counted
  // together.
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof(cores), &cores) != 0) {
    CPU_SET(0, &cores);
  }
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Iallreduce(MPI_IN_PLACE, &cores, sizeof(cores), MPI_UNSIGNED_CHAR, MPI_BOR, node,
                       &request),
        "MPI_Iallreduce");
  wait(request, "MPI_Iallreduce");
  Rank leader = rank_;
  check(MPI_Iallreduce(MPI_IN_PLACE, &leader, 1, MPI_UINT32_T, MPI_MIN, node, &request),
        "MPI_Iallreduce");
  wait(request, "MPI_Iallreduce");
  check(MPI_Comm_free(&node), "MPI_Comm_free");

  struct Place {
    Rank leader;
    std::uint32_t cores;
    std::uint32_t ranks;
  };
  const Place mine{leader, static_cast<std::uint32_t>(CPU_COUNT(&cores)),
                   static_cast<std::uint32_t>(node_ranks)};
  std::vector<Place> places(ranks_);
  check(MPI_Iallgather(&mine, 3, MPI_UINT32_T, places.data(), 3, MPI_UINT32_T, comm_, &request),
        "MPI_Iallgather");
  wait(request, "MPI_Iallgather");
  for (const Place& place : places) {
    node_leaders_.push_back(place.leader);
    node_cores_.push_back(place.cores);
    oversubscribed_ = oversubscribed_ || place.ranks > place.cores;
  }
}

std::uint32_t World::nodes() const {
  std::uint32_t count = 0;
  for (Rank rank = 0; rank < ranks_; ++rank) {
    count += node_leaders_[rank] == rank ? 1 : 0;
  }
  return count;
}

std::string World::description() const {
  std::map<Rank, std::vector<Rank>> by_node;
  for (Rank rank = 0; rank < ranks_; ++rank) {
    by_node[node_leaders_[rank]].push_back(rank);
  }
  std::string text = fmt::format("{} rank{} on {} node{}:", ranks_, ranks_ == 1 ? "" : "s",
                                 by_node.size(), by_node.size() == 1 ? "" : "s");
  constexpr std::size_t kNodesShown = 16;
  std::size_t shown = 0;
  for (const auto& [leader, ranks] : by_node) {
    if (shown == kNodesShown) {
      return text + fmt::format(", and {} more nodes", by_node.size() - shown);
    }
    text += fmt::format("{} rank{} {} on {} core{}", shown == 0 ? "" : ",",
                        ranks.size() == 1 ? "" : "s", ranges(ranks), node_cores_[leader],
                        node_cores_[leader] == 1 ? "" : "s");
    ++shown;
  }
  return text;
}

void World::idle(std::uint32_t calls) const {
  if (oversubscribed_) {
    step_aside(calls);
  }
}

void World::wait(MPI_Request& request, const char* what) const {
#if TUTTI_UNDER_SMPI
  // MPI_Test would cost simulated time.
  check(MPI_Wait(&request, MPI_STATUS_IGNORE), what);
#else
  Deadline until(timeout_s_);
  for (;;) {
    int done = 0;
    check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), what);
    if (done != 0) {
      return;
    }
    if (until.idle()) {
      throw Timeout(fmt::format("waited {} s for the other ranks in {}", timeout_s_, what));
    }
    // No time is measured in this loop, so the core is always given away, even if there seem to be
    // enough cores.
    step_aside(until.idle_calls());
  }
#endif
}

void World::barrier() const {
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Ibarrier(comm_, &request), "MPI_Ibarrier");
  wait(request, "MPI_Ibarrier");
}

std::string World::broadcast(std::string text) const {
  std::uint64_t size = text.size();
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Ibcast(&size, 1, MPI_UINT64_T, 0, comm_, &request), "MPI_Ibcast");
  wait(request, "MPI_Ibcast");
  text.resize(size);
  check(MPI_Ibcast(text.data(), static_cast<int>(size), MPI_CHAR, 0, comm_, &request),
        "MPI_Ibcast");
  wait(request, "MPI_Ibcast");
  return text;
}

std::vector<double> World::gather(const std::vector<double>& mine) const {
  // The lists may have different lengths, because ranks have different numbers of operations.
  int count = static_cast<int>(mine.size());
  std::vector<int> counts(ranks_);
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Igather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, comm_, &request),
        "MPI_Igather");
  wait(request, "MPI_Igather");
  std::vector<int> starts(ranks_, 0);
  std::vector<double> all;
  if (first()) {
    std::int64_t total = 0;
    for (Rank rank = 0; rank < ranks_; ++rank) {
      TUTTI_INVARIANT(total <= 0x7fffffff - counts[rank]);
      starts[rank] = static_cast<int>(total);
      total += counts[rank];
    }
    all.resize(static_cast<std::size_t>(total));
  }
  check(MPI_Igatherv(mine.data(), count, MPI_DOUBLE, all.data(), counts.data(), starts.data(),
                     MPI_DOUBLE, 0, comm_, &request),
        "MPI_Igatherv");
  wait(request, "MPI_Igatherv");
  return all;
}

}  // namespace tutti::mpi

// Calls collectives of the MPI library, and says which rank sent how many messages and bytes to
// which in each. Argument: a file of lines "COLLECTIVE BYTES ROOT [ALGORITHM]"; bytes are n as
// tutti counts it, in ints, and without an algorithm the library chooses. Rank 0 prints one JSON
// object per line of it: {"collective", "id", "p", "bytes", "segment", "root", "pairs": [[src, dst,
// messages, bytes], ...]}. What a rank sends to itself is not in it.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <mpi.h>
#include <sstream>
#include <string>
#include <vector>

#include "tests/mpi/traffic_counter.hpp"

namespace {

using tutti::traffic::Sent;
using Vector = std::vector<int>;

struct Call {
  std::string collective;
  long bytes = 0;
  int root = 0;
  std::string algorithm;
};

std::vector<Call> read_calls(const char* path) {
  std::vector<Call> calls;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    Call& call = calls.emplace_back();
    words >> call.collective >> call.bytes >> call.root >> call.algorithm;
  }
  return calls;
}

// Every rank sends its number everywhere; the results are looked at, so that a library that was
// told to do something it cannot shows. False too for an unknown collective, or for bytes that do
// not make whole blocks.
bool run(const Call& call, int rank, int ranks) {
  const int count = static_cast<int>(call.bytes / 4);
  const int block = count / ranks;
  const bool whole = block * ranks * 4L == call.bytes;
  Vector in(static_cast<std::size_t>(count) + 1, rank);
  Vector out(in.size(), -1);
  const MPI_Comm world = MPI_COMM_WORLD;
  const int sum = ranks * (ranks - 1) / 2;
  const bool at_root = rank == call.root;
  const auto holds = [](const Vector& values, int elements, int value) {
    return std::all_of(values.begin(), values.begin() + elements,
                       [value](int each) { return each == value; });
  };
  const auto holds_of_each = [&](const Vector& values) {
    for (int i = 0; i < block * ranks; ++i) {
      if (values[static_cast<std::size_t>(i)] != i / block) {
        return false;
      }
    }
    return true;
  };
  if (call.collective == "barrier") {
    MPI_Barrier(world);
    return true;
  }
  if (call.collective == "allreduce") {
    MPI_Allreduce(in.data(), out.data(), count, MPI_INT, MPI_SUM, world);
    return holds(out, count, sum);
  }
  if (call.collective == "reduce") {
    MPI_Reduce(in.data(), out.data(), count, MPI_INT, MPI_SUM, call.root, world);
    return !at_root || holds(out, count, sum);
  }
  if (call.collective == "bcast") {
    MPI_Bcast(in.data(), count, MPI_INT, call.root, world);
    return holds(in, count, call.root);
  }
  if (call.collective == "reduce_scatter") {
    // tutti's even split: the first blocks are one element longer.
    Vector counts(static_cast<std::size_t>(ranks), block);
    for (int i = 0; i < count % ranks; ++i) {
      ++counts[static_cast<std::size_t>(i)];
    }
    MPI_Reduce_scatter(in.data(), out.data(), counts.data(), MPI_INT, MPI_SUM, world);
    return holds(out, counts[static_cast<std::size_t>(rank)], sum);
  }
  if (!whole) {
    return false;
  }
  if (call.collective == "allgather") {
    MPI_Allgather(in.data(), block, MPI_INT, out.data(), block, MPI_INT, world);
    return holds_of_each(out);
  }
  if (call.collective == "alltoall") {
    MPI_Alltoall(in.data(), block, MPI_INT, out.data(), block, MPI_INT, world);
    return holds_of_each(out);
  }
  if (call.collective == "gather") {
    MPI_Gather(in.data(), block, MPI_INT, out.data(), block, MPI_INT, call.root, world);
    return !at_root || holds_of_each(out);
  }
  if (call.collective == "scatter") {
    MPI_Scatter(in.data(), block, MPI_INT, out.data(), block, MPI_INT, call.root, world);
    return holds(out, block, call.root);
  }
  return false;
}

void print(const Call& call, const Sent* sent, int ranks) {
  std::printf(
      "{\"collective\":\"%s\",\"id\":\"%s\",\"p\":%d,\"bytes\":%ld,\"segment\":0,\"root\":%d,"
      "\"pairs\":[",
      call.collective.c_str(), call.algorithm.c_str(), ranks, call.bytes, call.root);
  const char* separator = "";
  for (int src = 0; src < ranks; ++src) {
    for (int dst = 0; dst < ranks; ++dst) {
      const Sent& pair = sent[src * ranks + dst];
      if (src != dst && pair.messages > 0) {
        std::printf("%s[%d,%d,%llu,%llu]", separator, src, dst,
                    static_cast<unsigned long long>(pair.messages),
                    static_cast<unsigned long long>(pair.bytes));
        separator = ",";
      }
    }
  }
  std::printf("]}\n");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::vector<Call> calls = argc > 1 ? read_calls(argv[1]) : std::vector<Call>{};
  bool right = !calls.empty();
  tutti::traffic::learn();
  std::vector<Sent> of_calls;  // by call and destination
  for (const Call& call : calls) {
    const bool forced = tutti::traffic::force(call.collective, call.algorithm);
    const std::vector<Sent> before = tutti::traffic::sent();
    const bool done = forced && run(call, rank, ranks);
    if (!done) {
      std::fprintf(stderr, "not done, or wrong: %s %ld %s\n", call.collective.c_str(), call.bytes,
                   call.algorithm.c_str());
    }
    right = right && done;
    const std::vector<Sent>& after = tutti::traffic::sent();
    for (std::size_t i = 0; i < after.size(); ++i) {
      of_calls.push_back(
          {after[i].messages - before[i].messages, after[i].bytes - before[i].bytes});
    }
  }
  const auto pairs = static_cast<std::size_t>(ranks);
  std::vector<Sent> gathered(rank == 0 ? pairs * pairs : 0);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const int words = 2 * ranks;
    MPI_Gather(of_calls.data() + i * pairs, words, MPI_UINT64_T, gathered.data(), words,
               MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (rank == 0) {
      print(calls[i], gathered.data(), ranks);
    }
  }
  MPI_Finalize();
  return right ? 0 : 1;
}

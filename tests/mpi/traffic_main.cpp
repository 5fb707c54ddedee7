// Calls collectives of the MPI library and prints, for each call, how many messages and bytes each
// rank sent to each other rank. The argument is the path of a file with lines "COLLECTIVE BYTES
// ROOT [ALGORITHM]". BYTES is tutti's n, for elements of type int. Without an algorithm, the
// library chooses. Rank 0 prints one JSON object per line of the file: {"collective", "id", "p",
// "bytes", "segment", "root", "pairs": [[src, dst, messages, bytes], ...]}. Messages from a rank to
// itself are not counted.
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

// Runs a call in which all elements of a rank have the rank's number as value. Checks the result,
// to detect a library that was told to do something impossible. Returns false if the result is
// wrong, if the collective is unknown, or if the bytes do not make whole blocks.
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
  if (call.collective == "scan") {
    MPI_Scan(in.data(), out.data(), count, MPI_INT, MPI_SUM, world);
    return holds(out, count, rank * (rank + 1) / 2);
  }
  if (call.collective == "exscan") {
    MPI_Exscan(in.data(), out.data(), count, MPI_INT, MPI_SUM, world);
    return rank == 0 || holds(out, count, rank * (rank - 1) / 2);
  }
  // Tutti splits elements evenly: the first blocks may be one element longer than the others.
  Vector counts(static_cast<std::size_t>(ranks), block);
  Vector starts(counts.size(), 0);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    counts[i] += static_cast<int>(i) < count % ranks ? 1 : 0;
    starts[i] = i == 0 ? 0 : starts[i - 1] + counts[i - 1];
  }
  const int own = counts[static_cast<std::size_t>(rank)];
  const auto holds_parts = [&](const Vector& values) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const auto first = values.begin() + starts[i];
      if (!std::all_of(first, first + counts[i],
                       [i](int each) { return each == static_cast<int>(i); })) {
        return false;
      }
    }
    return true;
  };
  if (call.collective == "allgatherv") {
    MPI_Allgatherv(in.data(), own, MPI_INT, out.data(), counts.data(), starts.data(), MPI_INT,
                   world);
    return holds_parts(out);
  }
  if (call.collective == "gatherv") {
    MPI_Gatherv(in.data(), own, MPI_INT, out.data(), counts.data(), starts.data(), MPI_INT,
                call.root, world);
    return !at_root || holds_parts(out);
  }
  if (call.collective == "scatterv") {
    MPI_Scatterv(in.data(), counts.data(), starts.data(), MPI_INT, out.data(), own, MPI_INT,
                 call.root, world);
    return holds(out, own, call.root);
  }
  if (call.collective == "alltoallv") {
    // Each rank splits its elements evenly into blocks, and sends block d to rank d.
    Vector received(counts.size(), own);
    Vector places(counts.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
      places[i] = static_cast<int>(i) * own;
    }
    out.assign(counts.size() * static_cast<std::size_t>(own) + 1, -1);
    // The algorithm sendrecv_replace works in place, so it needs equal blocks.
    if (call.algorithm.ends_with("sendrecv_replace")) {
      std::fill(out.begin(), out.end(), rank);
      MPI_Alltoallv(MPI_IN_PLACE, nullptr, nullptr, MPI_INT, out.data(), received.data(),
                    places.data(), MPI_INT, world);
    } else {
      MPI_Alltoallv(in.data(), counts.data(), starts.data(), MPI_INT, out.data(), received.data(),
                    places.data(), MPI_INT, world);
    }
    for (std::size_t i = 0; i + 1 < out.size(); ++i) {
      if (out[i] != static_cast<int>(i) / own) {
        return false;
      }
    }
    return true;
  }
  if (call.collective == "reduce_scatter") {
    MPI_Reduce_scatter(in.data(), out.data(), counts.data(), MPI_INT, MPI_SUM, world);
    return holds(out, own, sum);
  }
  if (!whole) {
    return false;
  }
  if (call.collective == "reduce_scatter_block") {
    MPI_Reduce_scatter_block(in.data(), out.data(), block, MPI_INT, MPI_SUM, world);
    return holds(out, block, sum);
  }
  if (call.collective == "allgather") {
    MPI_Allgather(in.data(), block, MPI_INT, out.data(), block, MPI_INT, world);
    return holds_of_each(out);
  }
  if (call.collective == "alltoall" && call.algorithm.ends_with("_replace")) {
    MPI_Alltoall(MPI_IN_PLACE, block, MPI_INT, in.data(), block, MPI_INT, world);
    return holds_of_each(in);
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
  std::vector<Sent> of_calls;  // what this rank sent, by call and destination
  for (const Call& call : calls) {
    const bool forced = tutti::traffic::force(call.collective, call.algorithm);
    // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): calls change it
    const std::vector<Sent> before = tutti::traffic::sent();
    const bool done = forced && run(call, rank, ranks);
    if (!done) {
      std::fprintf(stderr, "call failed, or gave a wrong result: %s %ld %s\n",
                   call.collective.c_str(), call.bytes, call.algorithm.c_str());
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

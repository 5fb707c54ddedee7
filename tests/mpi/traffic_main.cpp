// Calls collectives of the MPI library and prints, for each call, how many messages and bytes each
// rank sent to each other rank. The argument is the path of a file with lines "COLLECTIVE BYTES
// ROOT [ALGORITHM]". BYTES is tutti's n, for elements of type int. Without an algorithm, the
// library chooses. Rank 0 prints one JSON object per line of the file: {"collective", "id", "p",
// "bytes", "segment", "root", "pairs": [[src, dst, messages, bytes], ...]}. Messages from a rank to
// itself are not counted.
#include <cstdio>
#include <fstream>
#include <mpi.h>
#include <sstream>
#include <string>
#include <vector>

#include "tests/mpi/library_calls.hpp"
#include "tests/mpi/traffic_counter.hpp"

namespace {

using tutti::traffic::Traffic;

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

// Returns false if the result is wrong, if the collective is unknown, or if the bytes do not make
// the whole blocks that the collective needs.
bool run(const Call& call, int ranks) {
  const bool in_blocks = call.collective == "reduce_scatter_block" ||
                         call.collective == "allgather" || call.collective == "alltoall" ||
                         call.collective == "gather" || call.collective == "scatter";
  if (in_blocks && call.bytes % (ranks * 4L) != 0) {
    return false;
  }
  // The algorithm sendrecv_replace works in place.
  const auto done = tutti::traffic::call_library<int>(
      call.collective, static_cast<std::uint64_t>(call.bytes), call.root, MPI_COMM_WORLD,
      call.algorithm.ends_with("_replace"));
  return done && done->right;
}

void print(const Call& call, const Traffic* sent, int ranks) {
  std::printf(
      "{\"collective\":\"%s\",\"id\":\"%s\",\"p\":%d,\"bytes\":%ld,\"segment\":0,\"root\":%d,"
      "\"pairs\":[",
      call.collective.c_str(), call.algorithm.c_str(), ranks, call.bytes, call.root);
  const char* separator = "";
  for (int src = 0; src < ranks; ++src) {
    for (int dst = 0; dst < ranks; ++dst) {
      const Traffic& pair = sent[src * ranks + dst];
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
  std::vector<Traffic> of_calls;  // what this rank sent, by call and destination
  for (const Call& call : calls) {
    const bool forced = tutti::traffic::force(call.collective, call.algorithm);
    // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): calls change it
    const std::vector<Traffic> before = tutti::traffic::sent();
    const bool done = forced && run(call, ranks);
    if (!done) {
      std::fprintf(stderr, "call failed, or gave a wrong result: %s %ld %s\n",
                   call.collective.c_str(), call.bytes, call.algorithm.c_str());
    }
    right = right && done;
    const std::vector<Traffic>& after = tutti::traffic::sent();
    for (std::size_t i = 0; i < after.size(); ++i) {
      of_calls.push_back(
          {after[i].messages - before[i].messages, after[i].bytes - before[i].bytes});
    }
  }
  const auto pairs = static_cast<std::size_t>(ranks);
  std::vector<Traffic> gathered(rank == 0 ? pairs * pairs : 0);
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

#include "src/simulation/library_work.hpp"

#include <algorithm>
#include <array>

#include "schedules/registry.hpp"

namespace tutti::inline simulation {

namespace {

struct Row {
  Collective collective;
  std::string_view algorithm;
  LibraryWork work;
};

// The work of each algorithm follows the source code of Open MPI 4.1 (ompi/mca/coll/base, a file
// for each collective) and MPICH 4.0 (src/mpi/coll). The two libraries agree wherever both have the
// algorithm. Copies that are operations of the schedule are not included.
constexpr std::array kRows = {
    // A rank sends to both children, and then to the rank that has the other half, one after the
    // other.
    Row{Collective::bcast, "split_binary_tree", {.under_way = 1}},
    // A rank copies its operand into a temporary buffer, which is swapped with the result's buffer.
    Row{Collective::allreduce, "recursive_doubling", {.copied = 0.5, .fresh_copied = 1}},
    Row{Collective::allreduce, "ring", {.copied = 1}},
    Row{Collective::allreduce, "segmented_ring", {.copied = 1}},
    // Halves of the vector arrive in a temporary buffer.
    Row{Collective::allreduce, "rabenseifner", {.copied = 1, .fresh = 1}},
    // A rank allocates one buffer to accumulate in, and one for incoming data.
    Row{Collective::reduce_scatter, "recursive_halving", {.fresh_copied = 1, .fresh = 1}},
    Row{Collective::reduce_scatter, "ring", {.fresh_copied = 1}},
    Row{Collective::reduce_scatter_block, "recursive_halving", {.fresh_copied = 1, .fresh = 1}},
    Row{Collective::reduce_scatter_block, "recursive_doubling", {.fresh_copied = 1, .fresh = 1}},
    // Blocks are collected in a temporary buffer, and then copied to the result in another order.
    Row{Collective::allgather, "bruck", {.fresh = 1}},
    Row{Collective::alltoall, "bruck", {.fresh = 1}},
    // All ranks wait for all others. With more than 4 messages under way at each rank, the run
    // would take the same time, but the simulation would take longer.
    Row{Collective::alltoall, "linear", {.under_way = 4}},
    // Inner ranks of the tree have a buffer for the data of the ranks below them.
    Row{Collective::gather, "binomial", {.fresh = 0.5}},
    Row{Collective::scatter, "binomial", {.fresh = 0.5}},
    Row{Collective::reduce, "binomial", {.fresh_copied = 1, .fresh = 1}},
    Row{Collective::reduce, "pipeline", {.fresh_copied = 1, .fresh = 1}},
    Row{Collective::reduce, "rabenseifner", {.fresh_copied = 1, .fresh = 1}},
    // The root waits for each of the other ranks in turn.
    Row{Collective::reduce, "linear", {.copied = 1, .fresh = 1, .under_way = 1}},
    Row{Collective::gather, "linear", {.under_way = 1}},
    Row{Collective::scatter, "linear", {.under_way = 1}},
};

}  // namespace

MpiLibrary mpi_library_named(std::string_view text) {
  if (text.find("Open MPI") != std::string_view::npos) {
    return MpiLibrary::open_mpi;
  }
  return text.find("MPICH") != std::string_view::npos ? MpiLibrary::mpich : MpiLibrary::other;
}

std::optional<AsRun> as_run_by(MpiLibrary library, const Algorithm& algorithm,
                               const Problem& problem) {
  // In Open MPI, a rank starts to send to all its children at once, near ranks first
  // (ompi_coll_base_bcast_intra_binomial over a "bmtree").
  if (library == MpiLibrary::open_mpi && algorithm.collective == Collective::bcast &&
      algorithm.name == "binomial") {
    AsRun run{&algorithm_named("bcast/pipeline"), problem};
    run.problem.tree = Tree::doubling;
    run.problem.segment_bytes = problem.bytes;
    return run;
  }
  return std::nullopt;
}

std::string_view barrier_of(MpiLibrary library, std::uint32_t ranks) {
  if (library != MpiLibrary::open_mpi) {
    return "barrier/dissemination";
  }
  // As in ompi_coll_tuned_barrier_intra_dec_fixed of Open MPI 4.1.
  if (ranks >= 4 && ranks < 8) {
    return "barrier/linear";
  }
  if (ranks < 64) {
    return "barrier/recursive_doubling";
  }
  return (ranks >= 256 && ranks < 512) || (ranks >= 1024 && ranks < 4096) ? "barrier/tree"
                                                                          : "barrier/dissemination";
}

LibraryWork library_work(const Problem& problem, std::string_view algorithm) {
  const auto* const row = std::find_if(kRows.begin(), kRows.end(), [&](const Row& each) {
    return each.collective == problem.collective && each.algorithm == algorithm;
  });
  return row == kRows.end() || problem.ranks == 1 ? LibraryWork() : row->work;
}

}  // namespace tutti::inline simulation

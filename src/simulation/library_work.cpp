#include "src/simulation/library_work.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "schedules/registry.hpp"

namespace tutti { inline namespace simulation {

namespace {

// Sizes of the work depend on the number of ranks and on the sizes of segments and blocks.
struct Ranks {
  double count = 0;
  double rounds = 0;  // the logarithm of the number of ranks, rounded down
  bool power_of_two = true;
  double segment = 1;      // size of a segment as a share of the vector
  double block_bytes = 0;  // size of the vector divided by the number of ranks
  bool mpich = false;
};

// Open MPI over UCX sends smaller messages through buffers if their sender waits until it may use
// their memory again (UCX_RNDV_SEND_NBR_THRESH), so that this does not depend on the receiver.
constexpr double kSmallestDirect = 256 * 1024;

// A ring receives blocks into two buffers in turn.
LibraryWork in_two_blocks(const Ranks& ranks) {
  const double block = 1 / ranks.count;
  return {.copied = 1,
          .largest_buffer = block,
          .all_buffers = 2 * block,
          .touched = 2 * block,
          .registered = 2 * block,
          .regions = 2,
          .in_ring = true};
}

// Recursive halving accumulates in one buffer, and receives into another one. It sends a smaller
// part of the first buffer in each round; what it receives lies within what it received first. If
// the number of ranks is not a power of two, some ranks first receive a whole vector.
LibraryWork in_two_vectors(const Ranks& ranks) {
  const double touched = ranks.power_of_two ? 1.5 : 2;
  return {.copied = 1,
          .largest_buffer = 1,
          .all_buffers = 2,
          .touched = touched,
          .registered = touched,
          .regions = 1 + ranks.rounds};
}

struct Row {
  Collective collective;
  std::string_view algorithm;
  LibraryWork (*work)(const Ranks& ranks);
};

// The work of each algorithm follows the source code of Open MPI 4.1 (ompi/mca/coll/base, a file
// for each collective) and MPICH 4.0 (src/mpi/coll). The two libraries agree where both have the
// algorithm, unless a comment says otherwise. Copies that are operations of the schedule are not
// included.
constexpr std::array kRows = {
    // A rank sends to both children, and then to the rank that has the other half, one after the
    // other.
    Row{Collective::bcast, "split_binary_tree",
        [](const Ranks&) { return LibraryWork{.under_way = 1}; }},
    // A rank copies its operand into a temporary buffer, which is swapped with the result's buffer.
    // Half of the ranks have to copy the result back.
    Row{Collective::allreduce, "recursive_doubling",
        [](const Ranks&) {
          return LibraryWork{.copied = 1.5,
                             .largest_buffer = 1,
                             .all_buffers = 1,
                             .touched = 1,
                             .registered = 1,
                             .regions = 1};
        }},
    // Blocks arrive in two buffers in turn.
    Row{Collective::allreduce, "ring", [](const Ranks& ranks) { return in_two_blocks(ranks); }},
    Row{Collective::allreduce, "segmented_ring",
        [](const Ranks& ranks) { return in_two_blocks(ranks); }},
    // The parts of the vector that a rank combines arrive in a temporary buffer. If the number of
    // ranks is not a power of two, some ranks first combine the other half of the vector.
    Row{Collective::allreduce, "rabenseifner",
        [](const Ranks& ranks) {
          const double touched = ranks.power_of_two ? 0.5 : 1;
          return LibraryWork{.copied = 1,
                             .largest_buffer = 1,
                             .all_buffers = 1,
                             .touched = touched,
                             .registered = touched,
                             .regions = 2 * touched};
        }},
    // A rank accumulates in one buffer, and receives into another one. It sends a smaller part of
    // the first buffer in each round.
    Row{Collective::reduce_scatter, "recursive_halving",
        [](const Ranks& ranks) { return in_two_vectors(ranks); }},
    Row{Collective::reduce_scatter_block, "recursive_halving",
        [](const Ranks& ranks) { return in_two_vectors(ranks); }},
    Row{Collective::reduce_scatter_block, "recursive_doubling",
        [](const Ranks& ranks) {
          return LibraryWork{.copied = 1,
                             .largest_buffer = 1,
                             .all_buffers = 2,
                             .touched = 2,
                             .registered = 2,
                             .regions = 2 * ranks.rounds};
        }},
    // A rank accumulates in a buffer, of which it sends another block in each round. Blocks arrive
    // in two other buffers in turn.
    Row{Collective::reduce_scatter, "ring",
        [](const Ranks& ranks) {
          LibraryWork work = in_two_blocks(ranks);
          work.largest_buffer = 1;
          work.all_buffers += 1;
          work.touched += 1;
          work.registered += 1 - 1 / ranks.count;
          work.regions += ranks.count - 1;
          return work;
        }},
    // In MPICH, a rank collects the blocks in a buffer, and copies them to the result. In Open MPI,
    // it copies the first blocks to a buffer, moves the others, and copies the first ones back.
    Row{Collective::allgather, "bruck",
        [](const Ranks& ranks) {
          LibraryWork work{.copied = ranks.mpich ? 1.0 : 2.0,
                           .largest_buffer = 1,
                           .all_buffers = 1,
                           .touched = 1};
          if (ranks.mpich) {
            work.registered = 1;
            work.regions = ranks.rounds;
          }
          return work;
        }},
    // Each message consists of many blocks, which the sender collects in a buffer of the library,
    // and the receiver distributes. The blocks are copied to a temporary vector first, which has
    // the order of the distances, and to the result at the end.
    Row{Collective::alltoall, "bruck",
        [](const Ranks& ranks) {
          return LibraryWork{
              .copied = 1 + ranks.rounds, .largest_buffer = 1, .all_buffers = 1, .touched = 1};
        }},
    // All ranks wait for all others. With more than 4 messages under way at each rank, the run
    // would take the same time, but the simulation would take longer.
    Row{Collective::alltoall, "linear",
        [](const Ranks&) { return LibraryWork{.all_at_once = true, .under_way = 4}; }},
    // Inner ranks of the tree have a buffer for the data of the ranks below them. Open MPI
    // allocates a buffer for the data of all ranks to gather.
    Row{Collective::gather, "binomial",
        [](const Ranks& ranks) {
          return LibraryWork{.largest_buffer = 1,
                             .all_buffers = 1,
                             .touched = 0.5,
                             .registered = 0.5,
                             .regions = ranks.rounds};
        }},
    Row{Collective::scatter, "binomial",
        [](const Ranks&) {
          return LibraryWork{.largest_buffer = 0.5,
                             .all_buffers = 0.5,
                             .touched = 0.5,
                             .registered = 0.5,
                             .regions = 1};
        }},
    // Inner ranks of the tree accumulate in a buffer, and receive into others. Open MPI has two of
    // these. MPICH has one, and copies the operand to the first buffer.
    Row{Collective::reduce, "binomial",
        [](const Ranks& ranks) {
          const double buffers = ranks.mpich ? 2 : 3;
          return LibraryWork{.copied = ranks.mpich ? 1.0 : 0.0,
                             .largest_buffer = 1,
                             .all_buffers = buffers,
                             .touched = buffers,
                             .registered = buffers,
                             .regions = buffers};
        }},
    Row{Collective::reduce, "pipeline",
        [](const Ranks& ranks) {
          const double size = 1 + 2 * ranks.segment;
          return LibraryWork{.largest_buffer = 1,
                             .all_buffers = size,
                             .touched = size,
                             .registered = size,
                             .regions = 2 + 1 / ranks.segment};
        }},
    // Ranks other than the root accumulate in a buffer. Parts of the vector arrive in another one.
    Row{Collective::reduce, "rabenseifner",
        [](const Ranks& ranks) { return in_two_vectors(ranks); }},
    // The root waits for each of the other ranks in turn, and receives into one buffer.
    Row{Collective::reduce, "linear",
        [](const Ranks&) {
          return LibraryWork{.copied = 1,
                             .largest_buffer = 1,
                             .all_buffers = 1,
                             .touched = 1,
                             .registered = 1,
                             .regions = 1,
                             .under_way = 1};
        }},
    Row{Collective::gather, "linear", [](const Ranks&) { return LibraryWork{.under_way = 1}; }},
    // The root waits until it may use the block's buffer again.
    Row{Collective::scatter, "linear",
        [](const Ranks& ranks) {
          const bool waits = ranks.mpich || ranks.block_bytes >= kSmallestDirect;
          return LibraryWork{.under_way = waits ? 1U : 0U};
        }},
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
  constexpr std::string_view kUsual = "barrier/dissemination";
  if (library != MpiLibrary::open_mpi) {
    return kUsual;
  }
  // As in ompi_coll_tuned_barrier_intra_dec_fixed of Open MPI 4.1.
  if (ranks >= 4 && ranks < 8) {
    return "barrier/linear";
  }
  if (ranks < 64) {
    return "barrier/recursive_doubling";
  }
  const bool tree = (ranks >= 256 && ranks < 512) || (ranks >= 1024 && ranks < 4096);
  return tree ? "barrier/tree" : kUsual;
}

LibraryWork library_work(MpiLibrary library, const Problem& problem, std::string_view algorithm) {
  const auto* const row = std::find_if(kRows.begin(), kRows.end(), [&](const Row& each) {
    return each.collective == problem.collective && each.algorithm == algorithm;
  });
  if (row == kRows.end() || problem.ranks == 1) {
    return {};
  }
  Ranks ranks{.count = static_cast<double>(problem.ranks),
              .rounds = static_cast<double>(std::bit_width(problem.ranks) - 1),
              .power_of_two = std::has_single_bit(problem.ranks),
              .block_bytes = static_cast<double>(problem.bytes) / problem.ranks,
              .mpich = library == MpiLibrary::mpich};
  if (problem.segment_bytes > 0 && problem.bytes > problem.segment_bytes) {
    ranks.segment = static_cast<double>(problem.segment_bytes) / static_cast<double>(problem.bytes);
  }
  LibraryWork work = row->work(ranks);
  work.direct_bytes = library == MpiLibrary::open_mpi ? kSmallestDirect : 0;
  return work;
}

}}  // namespace tutti::simulation

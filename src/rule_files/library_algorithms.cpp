// Open MPI: the enumerations of ompi/mca/coll/tuned/coll_tuned_*_decision.c at v4.1.4, v5.0.9 and
// main of August 2026; coll/base for what they do. MPICH: src/mpi/coll/src/csel_container.c at
// v4.0.2. NCCL: ext-tuner/example/plugin.c.
#include "src/rule_files/library_algorithms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "schedules/registry.hpp"
#include "src/rule_files/forms/rule_form.hpp"
#include "src/rule_files/mpich_names.hpp"

namespace tutti::inline rule_files {

namespace {

using enum Collective;

// Open MPI builds no more chains than MAXTREEFANOUT of coll/base says.
constexpr std::int64_t kMostChains = 32;

// Where the rule's fan-out is the radix, and has to be at least `least`.
constexpr LibraryAlgorithm by_fan_out(LibraryAlgorithm algorithm, int least) {
  algorithm.fan_is_radix = true;
  algorithm.fan = least;
  return algorithm;
}
// Where the number of messages under way is bounded.
constexpr LibraryAlgorithm throttled(LibraryAlgorithm algorithm, std::uint32_t messages) {
  algorithm.throttle = messages;
  return algorithm;
}
// Where the rule says the tree, and its radix.
constexpr LibraryAlgorithm over_tree(LibraryAlgorithm algorithm) {
  algorithm.tells_tree = true;
  return by_fan_out(algorithm, 1);
}
// What rules cannot ask for without knowing the call's buffers, or its counts.
constexpr LibraryAlgorithm read_only(LibraryAlgorithm algorithm) {
  algorithm.exported = false;
  return algorithm;
}

// The first of those that are the same to tutti is the one that is written.
constexpr std::array kOpenMpi{
    // Not linear: a gather and a broadcast, whichever the communicator has.
    LibraryAlgorithm{allgather, 1, "linear", "gather_bcast", "", false, 4, false, 99, 0, "",
                     "open_mpi"},
    LibraryAlgorithm{allgather, 2, "bruck", "bruck_mirrored", "", false, 4, false, 5},
    // Its radix is the rule's fan-out: with less than 2 it never ends.
    by_fan_out(LibraryAlgorithm{allgather, 2, "bruck-k-fanout", "bruck_mirrored", "", false, 6}, 2),
    // Elsewhere it calls Bruck's.
    LibraryAlgorithm{allgather, 3, "recursive_doubling", "recursive_doubling", "", false, 4, true},
    LibraryAlgorithm{allgather, 4, "ring", "ring", ""},
    // On odd numbers of ranks it calls the ring.
    LibraryAlgorithm{allgather, 5, "neighbor", "neighbor_exchange", ""},
    LibraryAlgorithm{allgather, 6, "two_proc", "recursive_doubling", "", false, 4, true},
    LibraryAlgorithm{allgather, 7, "sparbit", "sparbit", "", false, 5},
    LibraryAlgorithm{allgather, 8, "direct-messaging", "direct", "", false, 6},
    LibraryAlgorithm{allreduce, 1, "basic_linear", "basic_linear", ""},
    LibraryAlgorithm{allreduce, 2, "nonoverlapping", "nonoverlapping", "", false, 4, false, 99, 0,
                     "", "open_mpi"},
    LibraryAlgorithm{allreduce, 3, "recursive_doubling", "recursive_doubling", ""},
    LibraryAlgorithm{allreduce, 4, "ring", "ring", ""},
    LibraryAlgorithm{allreduce, 5, "segmented_ring", "segmented_ring", "", true},
    LibraryAlgorithm{allreduce, 6, "rabenseifner", "rabenseifner", ""},
    // It calls whatever allgather the communicator has; ours is the direct one.
    LibraryAlgorithm{allreduce, 7, "allgather_reduce", "allgather_reduce", "", false, 6},
    LibraryAlgorithm{alltoall, 1, "linear", "linear", ""},
    LibraryAlgorithm{alltoall, 2, "pairwise", "pairwise", ""},
    LibraryAlgorithm{alltoall, 3, "modified_bruck", "bruck", ""},
    // No more messages at a time than the rule's requests say, which is all by default.
    LibraryAlgorithm{alltoall, 4, "linear_sync", "linear_sync", ""},
    LibraryAlgorithm{alltoall, 5, "two_proc", "pairwise", ""},
    LibraryAlgorithm{barrier, 1, "linear", "linear", ""},
    LibraryAlgorithm{barrier, 2, "double_ring", "double_ring", ""},
    LibraryAlgorithm{barrier, 3, "recursive_doubling", "recursive_doubling", "", false, 4, false,
                     99, 0, "far"},
    LibraryAlgorithm{barrier, 4, "bruck", "dissemination", ""},
    LibraryAlgorithm{barrier, 5, "two_proc", "recursive_doubling", "", false, 4, false, 99, 0,
                     "far"},
    LibraryAlgorithm{barrier, 6, "tree", "tree", ""},
    LibraryAlgorithm{bcast, 1, "basic_linear", "linear", ""},
    LibraryAlgorithm{bcast, 3, "pipeline", "pipeline", "chain", true},
    // As many chains as the fan-out says; with 0 or 1 the same as the pipeline.
    by_fan_out(LibraryAlgorithm{bcast, 2, "chain", "pipeline", "chain", true}, 0),
    LibraryAlgorithm{bcast, 4, "split_binary_tree", "split_binary_tree", "", true},
    LibraryAlgorithm{bcast, 5, "binary_tree", "pipeline", "binary", true},
    LibraryAlgorithm{bcast, 6, "binomial", "pipeline", "doubling", true},
    // Its radix is 4, unless coll_tuned_bcast_algorithm_knomial_radix says otherwise.
    LibraryAlgorithm{bcast, 7, "knomial", "pipeline", "knomial", true},
    LibraryAlgorithm{bcast, 8, "scatter_allgather", "scatter_doubling", ""},
    LibraryAlgorithm{bcast, 9, "scatter_allgather_ring", "scatter_allgather", ""},
    LibraryAlgorithm{gather, 1, "basic_linear", "linear", ""},
    LibraryAlgorithm{gather, 2, "binomial", "binomial", ""},
    LibraryAlgorithm{gather, 3, "linear_sync", "linear_sync", "", true},
    LibraryAlgorithm{reduce, 1, "linear", "linear", ""},
    LibraryAlgorithm{reduce, 3, "pipeline", "pipeline", "chain", true},
    by_fan_out(LibraryAlgorithm{reduce, 2, "chain", "pipeline", "chain", true}, 0),
    LibraryAlgorithm{reduce, 4, "binary", "pipeline", "binary", true},
    LibraryAlgorithm{reduce, 5, "binomial", "pipeline", "binomial", true},
    LibraryAlgorithm{reduce, 6, "in-order_binary", "in_order_binary", "", true},
    LibraryAlgorithm{reduce, 7, "rabenseifner", "rabenseifner", ""},
    // Uncut. With a radix below 2 it never ends.
    by_fan_out(LibraryAlgorithm{reduce, 8, "knomial", "pipeline", "knomial", false, 6}, 2),
    LibraryAlgorithm{reduce_scatter, 1, "non-overlapping", "nonoverlapping", "", false, 4, false,
                     99, 0, "", "open_mpi"},
    LibraryAlgorithm{reduce_scatter, 2, "recursive_halving", "recursive_halving", ""},
    LibraryAlgorithm{reduce_scatter, 3, "ring", "ring", ""},
    LibraryAlgorithm{reduce_scatter, 4, "butterfly", "butterfly", ""},
    LibraryAlgorithm{scatter, 1, "basic_linear", "linear", ""},
    LibraryAlgorithm{scatter, 2, "binomial", "binomial", ""},
    LibraryAlgorithm{scatter, 3, "linear_nb", "linear", ""},
    // A gatherv, which is linear, and a broadcast, whichever the communicator has.
    LibraryAlgorithm{allgatherv, 1, "default", "gather_bcast", "", false, 4, false, 99, 0, "",
                     "open_mpi"},
    LibraryAlgorithm{allgatherv, 2, "bruck", "bruck_mirrored", ""},
    LibraryAlgorithm{allgatherv, 3, "ring", "ring", ""},
    LibraryAlgorithm{allgatherv, 4, "neighbor", "neighbor_exchange", ""},
    // On other numbers of ranks it fails, and a rule serves all up to the next one.
    read_only(
        LibraryAlgorithm{allgatherv, 5, "two_proc", "recursive_doubling", "", false, 4, true}),
    LibraryAlgorithm{allgatherv, 6, "sparbit", "sparbit", "", false, 5},
    LibraryAlgorithm{alltoallv, 1, "basic_linear", "linear", ""},
    LibraryAlgorithm{alltoallv, 2, "pairwise", "pairwise", ""},
    LibraryAlgorithm{exscan, 1, "linear", "linear", ""},
    LibraryAlgorithm{exscan, 2, "recursive_doubling", "recursive_doubling", ""},
    LibraryAlgorithm{reduce_scatter_block, 1, "basic_linear", "basic_linear", "", false, 4, false,
                     99, 0, "", "open_mpi"},
    LibraryAlgorithm{reduce_scatter_block, 2, "recursive_doubling", "recursive_doubling", ""},
    LibraryAlgorithm{reduce_scatter_block, 3, "recursive_halving", "recursive_halving", ""},
    LibraryAlgorithm{reduce_scatter_block, 4, "butterfly", "butterfly", ""},
    LibraryAlgorithm{scan, 1, "linear", "linear", ""},
    LibraryAlgorithm{scan, 2, "recursive_doubling", "recursive_doubling", ""},
};

// Versions count from 4, which is 4.0: 7 is 4.3. A rule gives the radix.
constexpr std::array kMpich{
    LibraryAlgorithm{allgather, 0, "MPIR_Allgather_intra_brucks", "bruck_mirrored", ""},
    by_fan_out(LibraryAlgorithm{allgather, 0, "MPIR_Allgather_intra_k_brucks", "bruck_mirrored", "",
                                false, 5},
               2),
    by_fan_out(LibraryAlgorithm{allgather, 0, "MPIR_Allgather_intra_recexch_doubling",
                                "recursive_exchange", "", false, 6},
               2),
    by_fan_out(LibraryAlgorithm{allgather, 0, "MPIR_Allgather_intra_recexch_halving",
                                "recursive_exchange_halving", "", false, 6},
               2),
    LibraryAlgorithm{allgather, 0, "MPIR_Allgather_intra_recursive_doubling", "recursive_doubling",
                     "", false, 4, true},
    LibraryAlgorithm{allgather, 0, "MPIR_Allgather_intra_ring", "ring", ""},
    LibraryAlgorithm{allgather, 0, "MPIR_Allgather_allcomm_nb", "", ""},
    LibraryAlgorithm{allreduce, 0, "MPIR_Allreduce_intra_recursive_doubling", "recursive_doubling",
                     ""},
    LibraryAlgorithm{allreduce, 0, "MPIR_Allreduce_intra_reduce_scatter_allgather",
                     "reduce_scatter_allgather", ""},
    // Its blocks are of ceil(count / p) elements, and the last ones shorter.
    LibraryAlgorithm{allreduce, 0, "MPIR_Allreduce_intra_ring", "ring", "", false, 5},
    over_tree(
        LibraryAlgorithm{allreduce, 0, "MPIR_Allreduce_intra_tree", "tree", "knomial_1", true, 5}),
    by_fan_out(LibraryAlgorithm{allreduce, 0, "MPIR_Allreduce_intra_recexch", "recursive_exchange",
                                "", false, 5},
               2),
    by_fan_out(LibraryAlgorithm{allreduce, 0, "MPIR_Allreduce_intra_recursive_multiplying",
                                "recursive_multiplying", "", false, 7},
               2),
    by_fan_out(LibraryAlgorithm{allreduce, 0, "MPIR_Allreduce_intra_k_reduce_scatter_allgather",
                                "k_reduce_scatter_allgather", "", false, 5},
               2),
    LibraryAlgorithm{allreduce, 0, "MPIR_Allreduce_intra_smp", "", ""},
    LibraryAlgorithm{allreduce, 0, "MPIR_Allreduce_allcomm_nb", "", ""},
    LibraryAlgorithm{alltoall, 0, "MPIR_Alltoall_intra_brucks", "bruck", ""},
    by_fan_out(LibraryAlgorithm{alltoall, 0, "MPIR_Alltoall_intra_k_brucks", "bruck", "", false, 5},
               2),
    LibraryAlgorithm{alltoall, 0, "MPIR_Alltoall_intra_pairwise", "pairwise_exchange", ""},
    // MPIR_CVAR_ALLTOALL_THROTTLE is 32, unless it is set.
    throttled(LibraryAlgorithm{alltoall, 0, "MPIR_Alltoall_intra_scattered", "scattered", ""}, 32),
    // Looks at one buffer only: of no use where there are two.
    read_only(LibraryAlgorithm{alltoall, 0, "MPIR_Alltoall_intra_pairwise_sendrecv_replace",
                               "pairwise_replace", ""}),
    LibraryAlgorithm{alltoall, 0, "MPIR_Alltoall_allcomm_nb", "", ""},
    LibraryAlgorithm{barrier, 0, "MPIR_Barrier_intra_dissemination", "dissemination", "", false, 4,
                     false, 4},
    by_fan_out(LibraryAlgorithm{barrier, 0, "MPIR_Barrier_intra_k_dissemination", "dissemination",
                                "", false, 5},
               2),
    by_fan_out(LibraryAlgorithm{barrier, 0, "MPIR_Barrier_intra_recexch", "recursive_exchange", "",
                                false, 5},
               2),
    LibraryAlgorithm{barrier, 0, "MPIR_Barrier_intra_smp", "", ""},
    LibraryAlgorithm{barrier, 0, "MPIR_Barrier_allcomm_nb", "", ""},
    LibraryAlgorithm{bcast, 0, "MPIR_Bcast_intra_binomial", "binomial", ""},
    LibraryAlgorithm{bcast, 0, "MPIR_Bcast_intra_scatter_ring_allgather", "scatter_allgather", ""},
    LibraryAlgorithm{bcast, 0, "MPIR_Bcast_intra_scatter_recursive_doubling_allgather",
                     "scatter_doubling", ""},
    // From 4.1 on, with a tree and its radix, and with segments of chunk_size.
    over_tree(
        LibraryAlgorithm{bcast, 0, "MPIR_Bcast_intra_pipelined_tree", "pipeline", "kary", true, 5}),
    over_tree(LibraryAlgorithm{bcast, 0, "MPIR_Bcast_intra_tree", "pipeline", "kary", false, 5}),
    LibraryAlgorithm{bcast, 0, "MPIR_Bcast_intra_smp", "", ""},
    LibraryAlgorithm{bcast, 0, "MPIR_Bcast_allcomm_nb", "", ""},
    LibraryAlgorithm{gather, 0, "MPIR_Gather_intra_binomial", "binomial", ""},
    LibraryAlgorithm{gather, 0, "MPIR_Gather_allcomm_nb", "", ""},
    LibraryAlgorithm{reduce, 0, "MPIR_Reduce_intra_binomial", "binomial", ""},
    LibraryAlgorithm{reduce, 0, "MPIR_Reduce_intra_reduce_scatter_gather", "reduce_scatter_gather",
                     ""},
    LibraryAlgorithm{reduce, 0, "MPIR_Reduce_intra_smp", "", ""},
    LibraryAlgorithm{reduce, 0, "MPIR_Reduce_allcomm_nb", "", ""},
    LibraryAlgorithm{reduce_scatter, 0, "MPIR_Reduce_scatter_intra_recursive_halving",
                     "recursive_halving", ""},
    LibraryAlgorithm{reduce_scatter, 0, "MPIR_Reduce_scatter_intra_pairwise", "pairwise", ""},
    LibraryAlgorithm{reduce_scatter, 0, "MPIR_Reduce_scatter_intra_recursive_doubling",
                     "recursive_doubling", ""},
    // Ends the program unless all blocks have one size.
    read_only(LibraryAlgorithm{reduce_scatter, 0, "MPIR_Reduce_scatter_intra_noncommutative",
                               "butterfly_mirrored", "", false, 4, true}),
    LibraryAlgorithm{reduce_scatter, 0, "MPIR_Reduce_scatter_allcomm_nb", "", ""},
    LibraryAlgorithm{scatter, 0, "MPIR_Scatter_intra_binomial", "binomial", ""},
    LibraryAlgorithm{scatter, 0, "MPIR_Scatter_allcomm_nb", "", ""},
    LibraryAlgorithm{allgatherv, 0, "MPIR_Allgatherv_intra_brucks", "bruck_mirrored", ""},
    LibraryAlgorithm{allgatherv, 0, "MPIR_Allgatherv_intra_recursive_doubling",
                     "recursive_doubling", "", false, 4, true},
    LibraryAlgorithm{allgatherv, 0, "MPIR_Allgatherv_intra_ring", "ring", ""},
    LibraryAlgorithm{allgatherv, 0, "MPIR_Allgatherv_allcomm_nb", "", ""},
    LibraryAlgorithm{alltoallv, 0, "MPIR_Alltoallv_intra_pairwise_sendrecv_replace",
                     "sendrecv_replace", ""},
    throttled(LibraryAlgorithm{alltoallv, 0, "MPIR_Alltoallv_intra_scattered", "scattered", ""},
              32),
    LibraryAlgorithm{alltoallv, 0, "MPIR_Alltoallv_allcomm_nb", "", ""},
    LibraryAlgorithm{exscan, 0, "MPIR_Exscan_intra_recursive_doubling", "recursive_doubling", ""},
    LibraryAlgorithm{exscan, 0, "MPIR_Exscan_allcomm_nb", "", ""},
    LibraryAlgorithm{gatherv, 0, "MPIR_Gatherv_allcomm_linear", "linear", ""},
    LibraryAlgorithm{gatherv, 0, "MPIR_Gatherv_allcomm_nb", "", ""},
    LibraryAlgorithm{reduce_scatter_block, 0, "MPIR_Reduce_scatter_block_intra_noncommutative",
                     "butterfly", "", false, 4, true},
    LibraryAlgorithm{reduce_scatter_block, 0, "MPIR_Reduce_scatter_block_intra_pairwise",
                     "pairwise", ""},
    LibraryAlgorithm{reduce_scatter_block, 0, "MPIR_Reduce_scatter_block_intra_recursive_doubling",
                     "recursive_doubling", ""},
    LibraryAlgorithm{reduce_scatter_block, 0, "MPIR_Reduce_scatter_block_intra_recursive_halving",
                     "recursive_halving", ""},
    LibraryAlgorithm{reduce_scatter_block, 0, "MPIR_Reduce_scatter_block_allcomm_nb", "", ""},
    LibraryAlgorithm{scan, 0, "MPIR_Scan_intra_recursive_doubling", "recursive_doubling", ""},
    LibraryAlgorithm{scan, 0, "MPIR_Scan_intra_smp", "", ""},
    LibraryAlgorithm{scan, 0, "MPIR_Scan_allcomm_nb", "", ""},
    LibraryAlgorithm{scatterv, 0, "MPIR_Scatterv_allcomm_linear", "linear", ""},
    LibraryAlgorithm{scatterv, 0, "MPIR_Scatterv_allcomm_nb", "", ""},
};

// Of one GPU per node, and of one channel: with more, each has a share of the vector.
constexpr std::array kNccl{
    LibraryAlgorithm{allreduce, 0, "ring", "ring", ""},
    LibraryAlgorithm{allreduce, 0, "tree", "double_tree", ""},
    LibraryAlgorithm{bcast, 0, "ring", "pipeline", "chain"},
    LibraryAlgorithm{reduce, 0, "ring", "pipeline", "chain"},
    LibraryAlgorithm{allgather, 0, "ring", "ring", ""},
    LibraryAlgorithm{allgather, 0, "pat", "pat", ""},
    LibraryAlgorithm{reduce_scatter, 0, "ring", "ring", ""},
    LibraryAlgorithm{reduce_scatter, 0, "pat", "pat", ""},
};

}  // namespace

std::span<const LibraryAlgorithm> open_mpi_algorithms() { return kOpenMpi; }
std::span<const LibraryAlgorithm> mpich_algorithms() { return kMpich; }
std::span<const LibraryAlgorithm> nccl_algorithms() { return kNccl; }

std::span<const LibraryAlgorithm> library_algorithms(RuleFormat format) {
  const RuleForm& form = rule_form(format);
  return form.algorithms == nullptr ? std::span<const LibraryAlgorithm>() : form.algorithms();
}

int major_version(RuleFormat format) { return rule_form(format).major_version; }

namespace {

template <typename Matches>
const LibraryAlgorithm* find(RuleFormat format, Collective collective, Matches&& matches) {
  const auto all = library_algorithms(format);
  const auto found = std::find_if(all.begin(), all.end(), [&](const LibraryAlgorithm& each) {
    return each.collective == collective && each.in_version(major_version(format)) && matches(each);
  });
  return found == all.end() ? nullptr : &*found;
}

// A value of the tables above, or none.
void give(Choice& choice, Option option, std::string_view text, Collective collective) {
  if (!text.empty()) {
    choice.options.parse(option_type(option), option_type(option).flag(), text, collective);
  }
}

// Whether a rule's number of requests is our throttle.
bool tells_requests(const LibraryAlgorithm& algorithm) {
  return algorithm.name == "linear_sync" && algorithm.collective == alltoall;
}

// What ours has where nobody says which; null where it has none, or there is none of ours.
const DefaultedNumber* own_radix(const LibraryAlgorithm& algorithm) {
  const Algorithm* const ours = find_algorithm(algorithm.collective, algorithm.ours);
  return ours == nullptr ? nullptr : defaulted_number(*ours, Option::radix);
}
std::uint32_t radix_of(const LibraryAlgorithm& algorithm, const Problem& values) {
  const DefaultedNumber* const own = own_radix(algorithm);
  return own == nullptr ? values.radix : own->of(values);
}

bool is_tree_of(const LibraryAlgorithm& algorithm, std::string_view tree) {
  constexpr std::array kOfMpich{"kary", "knomial_1", "knomial_2"};
  return algorithm.tells_tree ? std::find(kOfMpich.begin(), kOfMpich.end(), tree) != kOfMpich.end()
                              : algorithm.tree == tree;
}

// Whether a rule can say the radix and the throttle of `values`, or the library has them.
bool takes_parameters(const LibraryAlgorithm& algorithm, const Problem& values) {
  if (!tells_requests(algorithm) && values.throttle != algorithm.throttle) {
    return false;
  }
  if (algorithm.name == "chain") {
    return values.radix > 1 && values.radix <= kMostChains;
  }
  if (algorithm.fan_is_radix) {
    return radix_of(algorithm, values) >= static_cast<std::uint32_t>(algorithm.fan);
  }
  const DefaultedNumber* const own = own_radix(algorithm);
  return values.radix == 0 || (own != nullptr && own->is_redundant(values));
}

}  // namespace

bool has_algorithm(RuleFormat format, const LibraryAlgorithm& algorithm, int release) {
  const MpichName* const name = find_mpich_name(MpichLevel::coll, algorithm.name);
  return name == nullptr || name->in(release != 0 ? release : rule_form(format).first_release);
}

bool rules_name(RuleFormat format, Collective collective) {
  return std::ranges::any_of(library_algorithms(format), [&](const LibraryAlgorithm& each) {
    const Algorithm* const ours = find_algorithm(collective, each.ours);
    return each.collective == collective && each.in_version(major_version(format)) &&
           ours != nullptr && each.exported && (each.segments || !takes(*ours, Option::segment));
  });
}

const LibraryAlgorithm* find_by_id(RuleFormat format, Collective collective, long id) {
  return find(format, collective, [id](const LibraryAlgorithm& each) { return each.id == id; });
}

const LibraryAlgorithm* find_by_name(RuleFormat format, Collective collective,
                                     std::string_view name) {
  return find(format, collective,
              [name](const LibraryAlgorithm& each) { return each.name == name; });
}

const LibraryAlgorithm* find_for(RuleFormat format, Collective collective, const Choice& choice) {
  return find(format, collective, [&](const LibraryAlgorithm& each) {
    const GivenOptions& options = choice.options;
    if ((options.has(Option::cuts) && options.text(Option::cuts) != cuts_of(format)) ||
        options.values().skips != Skips{} || !each.exported ||
        !takes_parameters(each, options.values())) {
      return false;
    }
    // Its lines have no number of requests.
    if (format == RuleFormat::ompi4 && parameters_of(each, choice).requests > 0) {
      return false;
    }
    const Fold fold = options.values().fold;
    return each.ours == choice.algorithm && is_tree_of(each, options.text(Option::tree)) &&
           each.fold == (fold == Fold::neighbours ? "" : name(fold)) &&
           each.parts == options.text(Option::parts) &&
           (choice.segment_bytes == 0 || each.segments || rule_form(format).cuts_as_it_likes);
  });
}

bool is_library_form(Collective collective, std::string_view algorithm) {
  constexpr std::array<std::pair<Collective, std::string_view>, 7> kForms{
      {{allreduce, "reduce_scatter_allgather"},
       {allreduce, "tree"},
       {reduce, "reduce_scatter_gather"},
       {allgather, "bruck_mirrored"},
       {alltoall, "pairwise_exchange"},
       {alltoall, "pairwise_replace"},
       {alltoall, "scattered"}}};
  return std::find(kForms.begin(), kForms.end(), std::pair{collective, algorithm}) != kForms.end();
}

std::vector<Substitute> library_substitutes(RuleFormat format, Collective collective) {
  const std::string_view cuts = cuts_of(format);
  if (cuts != name(Cuts::open_mpi)) {
    return {};
  }
  const auto instead = [&](const char* algorithm, bool cut = false) {
    Choice choice;
    choice.algorithm = algorithm;
    if (cut) {
      give(choice, Option::cuts, cuts, collective);
    }
    return choice;
  };
  switch (collective) {
    case allreduce:
      return {{"ring", instead("recursive_doubling")},
              {"segmented_ring", instead("ring")},
              {"rabenseifner", instead("basic_linear")}};
    case reduce:
      return {{"rabenseifner", instead("linear")}};
    case bcast: {
      Choice chain = instead("pipeline", true);
      give(chain, Option::tree, "chain", collective);
      return {{"split_binary_tree", chain},
              {"scatter_allgather", instead("linear")},
              {"scatter_doubling", instead("linear")}};
    }
    case allgather:
      return {{"recursive_doubling", instead("bruck_mirrored")},
              {"neighbor_exchange", instead("ring")}};
    case allgatherv:
      return {{"neighbor_exchange", instead("ring")}};
    default:
      return {};
  }
}

std::string_view cuts_of(RuleFormat format) { return rule_form(format).cuts; }

const LibraryAlgorithm& library_algorithm_for(RuleFormat format, Collective collective,
                                              const Choice& choice) {
  // Open MPI takes number 0, "ignore", for no rule.
  static constexpr LibraryAlgorithm kIgnore{Collective::allreduce, 0, "ignore", "", ""};
  if (choice.left_to_library) {
    return kIgnore;
  }
  const LibraryAlgorithm* found = find_for(format, collective, choice);
  TUTTI_INVARIANT(found != nullptr);
  return *found;
}

Choice choice_of(RuleFormat format, const LibraryAlgorithm& algorithm, std::uint64_t segment_bytes,
                 std::int64_t fan, std::int64_t requests, std::string_view tree) {
  Choice choice;
  if (!tree.empty() && !is_tree_of(algorithm, tree)) {
    choice.library_algorithm = fmt::format("{} over the tree {}", algorithm.name, tree);
    return choice;
  }
  if (algorithm.fan > 0 && (algorithm.fan_is_radix ? fan < algorithm.fan : fan != algorithm.fan)) {
    choice.library_algorithm = fmt::format("{} of fan-out {}", algorithm.name, fan);
    return choice;
  }
  choice.algorithm = algorithm.ours;
  choice.library_algorithm = algorithm.name;
  give(choice, Option::tree, tree.empty() ? algorithm.tree : tree, algorithm.collective);
  choice.segment_bytes = algorithm.segments ? segment_bytes : 0;
  give(choice, Option::fold, algorithm.fold, algorithm.collective);
  give(choice, Option::parts, algorithm.parts, algorithm.collective);
  Problem numbers;
  if (algorithm.fan_is_radix && fan > (algorithm.tells_tree ? 0 : 1)) {
    const std::int64_t most =
        algorithm.name == "chain" ? kMostChains : std::numeric_limits<std::int32_t>::max();
    numbers.radix = static_cast<std::uint32_t>(std::min(fan, most));
    choice.options.give(Option::radix, numbers);
  }
  if (tells_requests(algorithm) && requests > 0) {
    numbers.throttle = static_cast<std::uint32_t>(std::min<std::int64_t>(requests, kMostRanks));
  } else {
    numbers.throttle = algorithm.throttle;
  }
  if (numbers.throttle > 0) {
    choice.options.give(Option::throttle, numbers);
  }
  choice.served = algorithm.name == "two_proc"   ? ServedRanks::two
                  : algorithm.powers_of_two_only ? ServedRanks::powers_of_two
                                                 : ServedRanks::any;
  const Algorithm* ours = find_algorithm(algorithm.collective, choice.algorithm);
  if (ours != nullptr && takes(*ours, Option::cuts)) {
    give(choice, Option::cuts, cuts_of(format), algorithm.collective);
  }
  return choice;
}

std::string in_both_words(RuleFormat format, Collective collective, const Choice& choice) {
  if (choice.library_algorithm.empty() || choice.algorithm.empty()) {
    return in_words(choice);
  }
  const LibraryAlgorithm* const known = find_by_name(format, collective, choice.library_algorithm);
  const std::string theirs = known != nullptr && known->id > 0
                                 ? fmt::format("{} {}", known->id, known->name)
                                 : choice.library_algorithm;
  Choice ours = choice;
  ours.options.drop(Option::cuts);
  ours.options.drop(Option::parts);
  if (ours.algorithm == ours.library_algorithm) {
    ours.algorithm = theirs;
    return in_words(ours);
  }
  return fmt::format("{} ({})", theirs, in_words(ours));
}

RuleParameters parameters_of(const LibraryAlgorithm& algorithm, const Choice& choice) {
  const Problem& values = choice.options.values();
  return {algorithm.fan_is_radix ? radix_of(algorithm, values)
                                 : static_cast<std::uint32_t>(algorithm.fan),
          tells_requests(algorithm) ? values.throttle : 0};
}

}  // namespace tutti::inline rule_files

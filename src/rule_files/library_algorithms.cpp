// Open MPI: the enumerations of ompi/mca/coll/tuned/coll_tuned_*_decision.c at v4.1.4, v5.0.9 and
// main of August 2026; coll/base for what they do. MPICH: src/mpi/coll/src/csel_container.c at
// v4.0.2. NCCL: ext-tuner/example/plugin.c.
#include "src/rule_files/library_algorithms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.hpp"
#include "schedules/registry.hpp"
#include "src/rule_files/forms/rule_form.hpp"

namespace tutti {

namespace {

using enum Collective;

// The first of those that are the same to tutti is the one that is written.
constexpr std::array kOpenMpi{
    // Not linear: a gather and a broadcast, whichever the communicator has.
    LibraryAlgorithm{allgather, 1, "linear", "gather_bcast", "", false, 4, false, 99, 0, "",
                     "open_mpi"},
    LibraryAlgorithm{allgather, 2, "bruck", "bruck_mirrored", "", false, 4, false, 5},
    // It has any radix, which is the rule's fan-out: with less than 2 it never ends.
    LibraryAlgorithm{allgather, 2, "bruck-k-fanout", "bruck_mirrored", "", false, 6, false, 99, 2},
    // Elsewhere it calls Bruck's.
    LibraryAlgorithm{allgather, 3, "recursive_doubling", "recursive_doubling", "", false, 4, true},
    LibraryAlgorithm{allgather, 4, "ring", "ring", ""},
    LibraryAlgorithm{allgather, 5, "neighbor", "", ""},
    LibraryAlgorithm{allgather, 6, "two_proc", "recursive_doubling", "", false, 4, true},
    LibraryAlgorithm{allgather, 7, "sparbit", "", "", false, 5},
    LibraryAlgorithm{allgather, 8, "direct-messaging", "", "", false, 6},
    LibraryAlgorithm{allreduce, 1, "basic_linear", "basic_linear", ""},
    LibraryAlgorithm{allreduce, 2, "nonoverlapping", "nonoverlapping", "", false, 4, false, 99, 0,
                     "", "open_mpi"},
    LibraryAlgorithm{allreduce, 3, "recursive_doubling", "recursive_doubling", ""},
    LibraryAlgorithm{allreduce, 4, "ring", "ring", ""},
    LibraryAlgorithm{allreduce, 5, "segmented_ring", "segmented_ring", "", true},
    LibraryAlgorithm{allreduce, 6, "rabenseifner", "rabenseifner", ""},
    LibraryAlgorithm{allreduce, 7, "allgather_reduce", "", "", false, 6},
    LibraryAlgorithm{alltoall, 1, "linear", "linear", ""},
    LibraryAlgorithm{alltoall, 2, "pairwise", "pairwise", ""},
    LibraryAlgorithm{alltoall, 3, "modified_bruck", "bruck", ""},
    // It sends the same messages, no more of them at a time than a parameter says, which is all by
    // default.
    LibraryAlgorithm{alltoall, 4, "linear_sync", "linear", ""},
    LibraryAlgorithm{alltoall, 5, "two_proc", "pairwise", ""},
    LibraryAlgorithm{barrier, 1, "linear", "linear", ""},
    LibraryAlgorithm{barrier, 2, "double_ring", "", ""},
    LibraryAlgorithm{barrier, 3, "recursive_doubling", "recursive_doubling", "", false, 4, false,
                     99, 0, "far"},
    LibraryAlgorithm{barrier, 4, "bruck", "dissemination", ""},
    LibraryAlgorithm{barrier, 5, "two_proc", "recursive_doubling", "", false, 4, false, 99, 0,
                     "far"},
    LibraryAlgorithm{barrier, 6, "tree", "", ""},
    LibraryAlgorithm{bcast, 1, "basic_linear", "linear", ""},
    LibraryAlgorithm{bcast, 3, "pipeline", "pipeline", "chain", true},
    // As many chains as the fan-out says; with 0 or 1 the same as the pipeline.
    LibraryAlgorithm{bcast, 2, "chain", "pipeline", "chain", true},
    LibraryAlgorithm{bcast, 4, "split_binary_tree", "split_binary_tree", "", true},
    LibraryAlgorithm{bcast, 5, "binary_tree", "pipeline", "binary", true},
    LibraryAlgorithm{bcast, 6, "binomial", "pipeline", "doubling", true},
    // Its radix is 4, unless coll_tuned_bcast_algorithm_knomial_radix says otherwise.
    LibraryAlgorithm{bcast, 7, "knomial", "pipeline", "knomial", true},
    LibraryAlgorithm{bcast, 8, "scatter_allgather", "scatter_doubling", ""},
    LibraryAlgorithm{bcast, 9, "scatter_allgather_ring", "scatter_allgather", ""},
    LibraryAlgorithm{gather, 1, "basic_linear", "linear", ""},
    LibraryAlgorithm{gather, 2, "binomial", "binomial", ""},
    LibraryAlgorithm{gather, 3, "linear_sync", "", ""},
    LibraryAlgorithm{reduce, 1, "linear", "linear", ""},
    LibraryAlgorithm{reduce, 3, "pipeline", "pipeline", "chain", true},
    LibraryAlgorithm{reduce, 2, "chain", "pipeline", "chain", true},
    LibraryAlgorithm{reduce, 4, "binary", "pipeline", "binary", true},
    LibraryAlgorithm{reduce, 5, "binomial", "pipeline", "binomial", true},
    LibraryAlgorithm{reduce, 6, "in-order_binary", "", ""},
    LibraryAlgorithm{reduce, 7, "rabenseifner", "rabenseifner", ""},
    LibraryAlgorithm{reduce, 8, "knomial", "", "", false, 6},
    LibraryAlgorithm{reduce_scatter, 1, "non-overlapping", "nonoverlapping", "", false, 4, false,
                     99, 0, "", "open_mpi"},
    LibraryAlgorithm{reduce_scatter, 2, "recursive_halving", "recursive_halving", ""},
    LibraryAlgorithm{reduce_scatter, 3, "ring", "ring", ""},
    LibraryAlgorithm{reduce_scatter, 4, "butterfly", "butterfly", ""},
    LibraryAlgorithm{scatter, 1, "basic_linear", "linear", ""},
    LibraryAlgorithm{scatter, 2, "binomial", "binomial", ""},
    LibraryAlgorithm{scatter, 3, "linear_nb", "linear", ""},
};

constexpr std::array kMpich{
    LibraryAlgorithm{allgather, 0, "MPIR_Allgather_intra_brucks", "bruck_mirrored", ""},
    LibraryAlgorithm{allgather, 0, "MPIR_Allgather_intra_recursive_doubling", "recursive_doubling",
                     "", false, 4, true},
    LibraryAlgorithm{allgather, 0, "MPIR_Allgather_intra_ring", "ring", ""},
    LibraryAlgorithm{allgather, 0, "MPIR_Allgather_allcomm_nb", "", ""},
    LibraryAlgorithm{allreduce, 0, "MPIR_Allreduce_intra_recursive_doubling", "recursive_doubling",
                     ""},
    LibraryAlgorithm{allreduce, 0, "MPIR_Allreduce_intra_reduce_scatter_allgather",
                     "reduce_scatter_allgather", ""},
    LibraryAlgorithm{allreduce, 0, "MPIR_Allreduce_intra_smp", "", ""},
    LibraryAlgorithm{allreduce, 0, "MPIR_Allreduce_allcomm_nb", "", ""},
    LibraryAlgorithm{alltoall, 0, "MPIR_Alltoall_intra_brucks", "bruck", ""},
    LibraryAlgorithm{alltoall, 0, "MPIR_Alltoall_intra_pairwise", "pairwise_exchange", ""},
    LibraryAlgorithm{alltoall, 0, "MPIR_Alltoall_intra_scattered", "linear", ""},
    LibraryAlgorithm{alltoall, 0, "MPIR_Alltoall_intra_pairwise_sendrecv_replace", "", ""},
    LibraryAlgorithm{alltoall, 0, "MPIR_Alltoall_allcomm_nb", "", ""},
    LibraryAlgorithm{barrier, 0, "MPIR_Barrier_intra_dissemination", "dissemination", ""},
    LibraryAlgorithm{barrier, 0, "MPIR_Barrier_intra_smp", "", ""},
    LibraryAlgorithm{barrier, 0, "MPIR_Barrier_allcomm_nb", "", ""},
    LibraryAlgorithm{bcast, 0, "MPIR_Bcast_intra_binomial", "binomial", ""},
    LibraryAlgorithm{bcast, 0, "MPIR_Bcast_intra_scatter_ring_allgather", "scatter_allgather", ""},
    LibraryAlgorithm{bcast, 0, "MPIR_Bcast_intra_scatter_recursive_doubling_allgather",
                     "scatter_doubling", ""},
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
    LibraryAlgorithm{reduce_scatter, 0, "MPIR_Reduce_scatter_intra_recursive_doubling", "", ""},
    LibraryAlgorithm{reduce_scatter, 0, "MPIR_Reduce_scatter_intra_noncommutative", "", ""},
    LibraryAlgorithm{reduce_scatter, 0, "MPIR_Reduce_scatter_allcomm_nb", "", ""},
    LibraryAlgorithm{scatter, 0, "MPIR_Scatter_intra_binomial", "binomial", ""},
    LibraryAlgorithm{scatter, 0, "MPIR_Scatter_allcomm_nb", "", ""},
};

// Its tree is a pair of pipelined binary trees: a reduction up, a broadcast down. Of tutti's, only
// the non-overlapping allreduce does the same, over one binomial tree. pat is Bruck's pattern with
// the aggregation that NCCL chooses.
constexpr std::array kNccl{
    LibraryAlgorithm{allreduce, 0, "ring", "ring", ""},
    LibraryAlgorithm{allreduce, 0, "tree", "nonoverlapping", ""},
    LibraryAlgorithm{bcast, 0, "ring", "pipeline", "chain"},
    LibraryAlgorithm{reduce, 0, "ring", "pipeline", "chain"},
    LibraryAlgorithm{allgather, 0, "ring", "ring", ""},
    LibraryAlgorithm{allgather, 0, "pat", "bruck", ""},
    LibraryAlgorithm{reduce_scatter, 0, "ring", "ring", ""},
    LibraryAlgorithm{reduce_scatter, 0, "pat", "circulant", ""},
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
    choice.options.parse(option_type(option), option_type(option).flag, text, collective);
  }
}

}  // namespace

const LibraryAlgorithm* find_by_id(RuleFormat format, Collective collective, long id) {
  return find(format, collective, [id](const LibraryAlgorithm& each) { return each.id == id; });
}

const LibraryAlgorithm* find_by_name(RuleFormat format, Collective collective,
                                     std::string_view name) {
  return find(format, collective,
              [name](const LibraryAlgorithm& each) { return each.name == name; });
}

const LibraryAlgorithm* find_for(RuleFormat format, Collective collective, const Choice& choice) {
  // Uncut, the binomial tree is one algorithm, whichever of tutti's two it is.
  const bool also_tree = choice.algorithm == "binomial" && collective == reduce;
  return find(format, collective, [&](const LibraryAlgorithm& each) {
    const GivenOptions& options = choice.options;
    if ((options.has(Option::cuts) && options.text(Option::cuts) != cuts_of(format)) ||
        options.values().skips != Skips{}) {
      return false;
    }
    if (also_tree && each.ours == "pipeline" && each.tree == "binomial") {
      return true;
    }
    const Fold fold = options.values().fold;
    return each.ours == choice.algorithm && each.tree == options.text(Option::tree) &&
           each.fold == (fold == Fold::neighbours ? "" : name(fold)) &&
           each.parts == options.text(Option::parts) &&
           (choice.segment_bytes == 0 || each.segments || rule_form(format).cuts_as_it_likes);
  });
}

bool is_library_form(Collective collective, std::string_view algorithm) {
  constexpr std::array<std::pair<Collective, std::string_view>, 4> kForms{
      {{allreduce, "reduce_scatter_allgather"},
       {reduce, "reduce_scatter_gather"},
       {allgather, "bruck_mirrored"},
       {alltoall, "pairwise_exchange"}}};
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
      return {{"recursive_doubling", instead("bruck_mirrored")}};
    default:
      return {};
  }
}

std::string_view cuts_of(RuleFormat format) { return rule_form(format).cuts; }

const LibraryAlgorithm& library_algorithm_for(RuleFormat format, Collective collective,
                                              const Choice& choice) {
  const LibraryAlgorithm* found = find_for(format, collective, choice);
  TUTTI_INVARIANT(found != nullptr);
  return *found;
}

Choice choice_of(RuleFormat format, const LibraryAlgorithm& algorithm, std::uint64_t segment_bytes,
                 std::int64_t fan) {
  Choice choice;
  if (algorithm.name == "chain" && fan > 1) {
    choice.library_algorithm = fmt::format("{} chains", fan);
    return choice;
  }
  if (algorithm.fan > 0 && fan != algorithm.fan) {
    choice.library_algorithm = fmt::format("{} of fan-out {}", algorithm.name, fan);
    return choice;
  }
  choice.algorithm = algorithm.ours;
  choice.library_algorithm = algorithm.name;
  give(choice, Option::tree, algorithm.tree, algorithm.collective);
  choice.segment_bytes = algorithm.segments ? segment_bytes : 0;
  if (choice.algorithm == "pipeline" && algorithm.tree == "binomial" && choice.segment_bytes == 0) {
    choice.algorithm = "binomial";
    choice.options.drop(Option::tree);
  }
  give(choice, Option::fold, algorithm.fold, algorithm.collective);
  give(choice, Option::parts, algorithm.parts, algorithm.collective);
  choice.served = algorithm.name == "two_proc"   ? ServedRanks::two
                  : algorithm.powers_of_two_only ? ServedRanks::powers_of_two
                                                 : ServedRanks::any;
  const Algorithm* ours = find_algorithm(algorithm.collective, choice.algorithm);
  if (ours != nullptr && takes(*ours, Option::cuts)) {
    give(choice, Option::cuts, cuts_of(format), algorithm.collective);
  }
  return choice;
}

}  // namespace tutti

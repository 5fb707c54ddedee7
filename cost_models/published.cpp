#include "cost_models/published.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <string>

#include "schedules/patterns/arithmetic.hpp"

namespace tutti { inline namespace cost_models {

namespace {

// The terms of which the formulas consist. The comment after each member is its formula.
struct Terms {
  double p;
  double lg;        // lg p
  double lg_floor;  // floor(lg p)
  double lg_ceil;   // ceil(lg p)
  double share;     // (p-1)/p
  double a;         // alpha
  double b;         // n beta
  double g;         // n gamma
};

Terms terms(const Problem& problem, const Prices& prices) {
  const double p = problem.ranks;
  const auto n = static_cast<double>(problem.bytes);
  const double lg = std::log2(p);
  return {p,
          lg,
          static_cast<double>(floor_log2(problem.ranks)),
          static_cast<double>(ceil_log2(problem.ranks)),
          (p - 1) / p,
          prices.alpha_s,
          n * prices.beta_s_per_byte,
          n * prices.gamma_s_per_byte};
}

// Predicates that are true for problems for which a formula holds. Each row of kRows also states
// its condition in words.
bool any(const Problem&) { return true; }
bool power_of_two(const Problem& problem) { return std::has_single_bit(problem.ranks); }
bool no_power_of_two(const Problem& problem) { return !power_of_two(problem); }

bool radix_2(const Problem& problem) { return problem.radix == 0 || problem.radix == 2; }
bool radix_2_power_of_two(const Problem& problem) {
  return radix_2(problem) && power_of_two(problem);
}
bool radix_2_no_power_of_two(const Problem& problem) {
  return radix_2(problem) && no_power_of_two(problem);
}

bool equal_blocks(const Problem& problem) { return problem.block_bytes.empty(); }
bool equal_blocks_power_of_two(const Problem& problem) {
  return equal_blocks(problem) && power_of_two(problem);
}
bool equal_blocks_no_power_of_two(const Problem& problem) {
  return equal_blocks(problem) && no_power_of_two(problem);
}

bool own_parts(const Problem& problem) { return problem.parts.standard(); }

// If p is not a power of two, pairs of ranks are merged first. True if the root is the odd rank of
// such a pair.
bool odd_root_of_pair(const Problem& problem) {
  return problem.root % 2 == 1 &&
         problem.root < 2 * (problem.ranks - power_of_two_below(problem.ranks));
}
bool halves_go_to_root(const Problem& problem) {
  return no_power_of_two(problem) && !(problem.cuts == Cuts::open_mpi && odd_root_of_pair(problem));
}
bool root_stays(const Problem& problem) {
  return no_power_of_two(problem) && !odd_root_of_pair(problem);
}

bool halving_or_doubling(const Problem& problem) {
  return problem.skips.scheme == Skips::Scheme::halving ||
         problem.skips.scheme == Skips::Scheme::doubling;
}
bool halving_or_doubling_equal_blocks(const Problem& problem) {
  return halving_or_doubling(problem) && equal_blocks(problem);
}
bool halving_or_doubling_unequal_blocks(const Problem& problem) {
  return halving_or_doubling(problem) && !equal_blocks(problem);
}

constexpr std::string_view kThakur =
    "Thakur, Rabenseifner and Gropp, \"Optimization of Collective Communication Operations in "
    "MPICH\", IJHPCA 19(1), 2005";
constexpr std::string_view kMpich =
    "Thakur and Gropp in the sources of MPICH, src/mpi/coll (cost in the header comment)";
constexpr std::string_view kCirculant =
    "Träff, \"Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms\", 2025";

constexpr std::string_view kOpenMpi =
    "Kurnosov in the sources of Open MPI, ompi/mca/coll/base (time complexity in the header "
    "comment)";

constexpr std::string_view kAny = "any p";
constexpr std::string_view kPower = "p a power of two";
constexpr std::string_view kNoPower = "p not a power of two";
constexpr std::string_view kAnyRadix2 = "any p, radix 2";
constexpr std::string_view kPowerRadix2 = "p a power of two, radix 2";
constexpr std::string_view kNoPowerRadix2 = "p not a power of two, radix 2";
constexpr std::string_view kEqual = "any p, equal blocks";
constexpr std::string_view kPowerEqual = "p a power of two, equal blocks";
constexpr std::string_view kNoPowerEqual = "p not a power of two, equal blocks";
constexpr std::string_view kRoundedUp = "any p, with lg p rounded up";
constexpr std::string_view kSkips = "any p, halving or doubling skips";

struct Row {
  PublishedFormula published;
  bool (*holds)(const Problem&);
  double (*seconds)(const Terms&);
};

using T = const Terms&;
using enum Account;

double halving_doubling_s(T t) { return 2 * t.lg * t.a + t.share * (2 * t.b + t.g); }
constexpr std::string_view kHalvingDoubling = "2 lg p alpha + 2(p-1)/p n beta + (p-1)/p n gamma";

double whole_fold_allreduce_s(T t) {
  return (2 * t.lg_floor + 2) * t.a + (2 * t.share + 2) * t.b + (1 + t.share) * t.g;
}
double whole_fold_reduce_s(T t) {
  return (2 * t.lg_floor + 1) * t.a + (2 * t.share + 1) * t.b + (1 + t.share) * t.g;
}
constexpr std::string_view kWithoutShare =
    "leaves out terms in 1/p', where p' is the power of two below p: the exact cost minus (2 n "
    "beta + n gamma)/p'";
constexpr std::string_view kShareOfP =
    "exact if p' is used instead of p, where p' is the power of two below p";

double doubled_s(T t) { return t.lg * t.a + t.share * t.b; }
double rounded_up_s(T t) { return t.lg_ceil * t.a + t.share * t.b; }
double one_by_one_s(T t) { return (t.p - 1) * t.a + t.share * t.b; }
double one_by_one_reduced_s(T t) { return (t.p - 1) * t.a + t.share * (t.b + t.g); }
double tree_reduction_s(T t) { return t.lg_ceil * (t.a + t.b + t.g); }

// Rows of the same algorithm are adjacent, with the main formula first.
constexpr std::array kRows{
    Row{{"allreduce/recursive_doubling", "lg p alpha + n lg p beta + n lg p gamma", kThakur, "4.5",
         kPower, exact, ""},
        power_of_two,
        [](T t) { return t.lg * (t.a + t.b + t.g); }},

    Row{{"allreduce/ring", "2(p-1) alpha + 2(p-1)/p n beta + (p-1)/p n gamma",
         "Patarasuk and Yuan, \"Bandwidth optimal all-reduce algorithms for clusters of "
         "workstations\", JPDC 69(2), 2009; Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005",
         "5.3 of the second paper", kAny, exact, "the ring allreduce, both phases"},
        any,
        [](T t) { return 2 * (t.p - 1) * t.a + t.share * (2 * t.b + t.g); }},
    Row{{"allreduce/ring", "(p-1) alpha + (p-1)/p n beta",
         "[allreduce notes], which refer to Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005",
         "ring algorithm", kAny, misprint,
         "this is the ring allgather: the other phase, with its reductions, is missing (exactly "
         "half the cost at gamma = 0)"},
        any,
        one_by_one_s},

    Row{{"allreduce/rabenseifner", kHalvingDoubling, kThakur, "4.5", kPower, exact, ""},
        power_of_two,
        halving_doubling_s},
    Row{{"allreduce/rabenseifner", "(2 floor(lg p) + 3) alpha + 4 n beta + 3/2 n gamma", kThakur,
         "5.1", kNoPower, approximate, kWithoutShare},
        no_power_of_two,
        [](T t) { return (2 * t.lg_floor + 3) * t.a + 4 * t.b + 1.5 * t.g; }},

    Row{{"allreduce/reduce_scatter_allgather", kHalvingDoubling, kThakur, "4.5", kPower, exact, ""},
        power_of_two,
        halving_doubling_s},
    Row{{"allreduce/reduce_scatter_allgather",
         "(2 floor(lg p) + 2) alpha + (2(p-1)/p + 2) n beta + (1 + (p-1)/p) n gamma", kMpich,
         "allreduce/allreduce_intra_reduce_scatter_allgather.c", kNoPower, approximate, kShareOfP},
        no_power_of_two,
        whole_fold_allreduce_s},

    Row{{"allreduce/nonoverlapping", "ceil(lg p)(2 alpha + 2 n beta + n gamma)", kThakur, "4.5",
         "any p, without $parts", exact,
         "the sum of that paper's binomial reduce and binomial broadcast"},
        own_parts,
        [](T t) { return t.lg_ceil * (2 * t.a + 2 * t.b + t.g); }},

    Row{{"allreduce/circulant", "2 ceil(lg p) alpha + 2(p-1)/p n beta + (p-1)/p n gamma",
         kCirculant, "Theorem 2", kSkips, exact,
         "the counts of Theorem 2 with the prices of Corollary 1"},
        halving_or_doubling,
        [](T t) { return 2 * t.lg_ceil * t.a + t.share * (2 * t.b + t.g); }},

    Row{{"reduce_scatter/circulant", "ceil(lg p) alpha + (p-1)/p n beta + (p-1)/p n gamma",
         kCirculant, "Corollary 1", "any p, halving or doubling skips, equal blocks", exact,
         "the copy of the input into the work buffer is not counted"},
        halving_or_doubling_equal_blocks,
        [](T t) { return t.lg_ceil * t.a + t.share * (t.b + t.g); }},
    Row{{"reduce_scatter/circulant", "ceil(lg p)(alpha + n beta + n gamma)", kCirculant,
         "Corollary 3", "any p, halving or doubling skips, unequal blocks", bound,
         "for any block sizes"},
        halving_or_doubling_unequal_blocks,
        tree_reduction_s},
    Row{{"reduce/circulant", "ceil(lg p)(alpha + n beta + n gamma)", kCirculant, "Corollary 3",
         kSkips, bound, "with all elements in one block"},
        halving_or_doubling,
        tree_reduction_s},

    Row{{"reduce_scatter/recursive_halving", "lg p alpha + (p-1)/p n beta + (p-1)/p n gamma",
         kThakur, "4.4", kPowerEqual, exact, ""},
        equal_blocks_power_of_two,
        [](T t) { return t.lg * t.a + t.share * (t.b + t.g); }},
    Row{{"reduce_scatter/recursive_halving",
         "(floor(lg p) + 2) alpha + 2 n beta + (1 + (p-1)/p) n gamma", kMpich,
         "reduce_scatter/reduce_scatter_intra_recursive_halving.c", kNoPowerEqual, approximate,
         "ranks that also work for a neighbour hold two blocks; printed with (p-1+n)/p in the "
         "factor of beta, which must mean (p-1+1)/p"},
        equal_blocks_no_power_of_two,
        [](T t) { return (t.lg_floor + 2) * t.a + 2 * t.b + (1 + t.share) * t.g; }},
    Row{{"reduce_scatter/recursive_doubling",
         "lg p alpha + n (lg p - (p-1)/p) beta + n (lg p - (p-1)/p) gamma", kThakur, "4.4",
         kPowerEqual, exact, ""},
        equal_blocks_power_of_two,
        [](T t) { return t.lg * t.a + (t.lg - t.share) * (t.b + t.g); }},
    Row{{"reduce_scatter/butterfly",
         "(2 lg p + 4) alpha + (1 + 2(p-1)/p + 3/p) n beta + (1 + (p-1)/p) n gamma", kOpenMpi,
         "coll_base_reduce_scatter_block.c", kNoPowerEqual, approximate,
         "counts an exchange as two consecutive messages, and one block per rank; its copies, "
         "another m lambda, are left out here"},
        equal_blocks_no_power_of_two,
        [](T t) {
          return (2 * t.lg + 4) * t.a + (1 + 2 * t.share + 3 / t.p) * t.b + (1 + t.share) * t.g;
        }},
    Row{{"reduce_scatter/butterfly_mirrored", "2 lg p alpha + 2(p-1)/p n beta + (p-1)/p n gamma",
         kOpenMpi, "coll_base_reduce_scatter_block.c, butterfly_pof2", kPowerEqual, bound,
         "counts an exchange as two consecutive messages; its copies, another (m + m/p) lambda, "
         "are left out here"},
        equal_blocks_power_of_two,
        halving_doubling_s},
    Row{{"reduce_scatter/reduce_scatterv",
         "(ceil(lg p) + p - 1) alpha + (ceil(lg p) + (p-1)/p) n beta + ceil(lg p) n gamma", kThakur,
         "4.4", kEqual, exact, ""},
        equal_blocks,
        [](T t) {
          return (t.lg_ceil + t.p - 1) * t.a + (t.lg_ceil + t.share) * t.b + t.lg_ceil * t.g;
        }},
    Row{{"reduce_scatter/pairwise", "(p-1) alpha + (p-1)/p n beta + (p-1)/p n gamma", kThakur,
         "4.4", kEqual, exact, ""},
        equal_blocks,
        one_by_one_reduced_s},
    Row{{"reduce_scatter/ring", "(p-1) alpha + (p-1)/p n beta + (p-1)/p n gamma",
         "Chan, Heimlich, Purkayastha and van de Geijn, \"Collective communication: theory, "
         "practice, and experience\", CCPE 19(13), 2007",
         "bucket algorithm", kEqual, exact, ""},
        equal_blocks,
        one_by_one_reduced_s},

    Row{{"allgather/ring", "(p-1) alpha + (p-1)/p n beta", kThakur, "4.1", kAny, exact, ""},
        any,
        one_by_one_s},
    Row{{"allgather/recursive_doubling", "lg p alpha + (p-1)/p n beta", kThakur, "4.1.1", kPower,
         exact, ""},
        power_of_two,
        doubled_s},
    Row{{"allgather/bruck", "ceil(lg p) alpha + (p-1)/p n beta", kThakur, "4.1.2", kAnyRadix2,
         exact, ""},
        radix_2,
        rounded_up_s},
    Row{{"allgather/bruck_mirrored", "ceil(lg p) alpha + (p-1)/p n beta", kThakur, "4.1.2",
         kAnyRadix2, exact, ""},
        radix_2,
        rounded_up_s},

    Row{{"alltoall/bruck", "lg p alpha + n/2 lg p beta", kThakur, "4.3", kPowerRadix2, exact, ""},
        radix_2_power_of_two,
        [](T t) { return t.lg * (t.a + t.b / 2); }},
    Row{{"alltoall/bruck", "ceil(lg p) alpha + (n/2 lg p + n/p (p - 2^floor(lg p))) beta", kThakur,
         "4.3", kNoPowerRadix2, bound,
         "printed as the cost, but it is an upper bound; floor(lg p) instead of lg p in the factor "
         "of beta is closer"},
        radix_2_no_power_of_two,
        [](T t) { return t.lg_ceil * t.a + (t.lg / 2 + 1 - std::exp2(t.lg_floor) / t.p) * t.b; }},
    Row{{"alltoall/pairwise", "(p-1) alpha + (p-1)/p n beta", kThakur, "4.3", kAny, exact,
         "printed as (p-1) alpha + n beta, where n is only the data for other ranks"},
        any,
        one_by_one_s},
    Row{{"alltoall/pairwise_exchange", "(p-1) alpha + (p-1)/p n beta", kThakur, "4.3", kAny, exact,
         "printed as (p-1) alpha + n beta, where n is only the data for other ranks"},
        any,
        one_by_one_s},

    Row{{"bcast/binomial", "ceil(lg p)(alpha + n beta)", kThakur, "4.2", kAny, exact, ""},
        any,
        [](T t) { return t.lg_ceil * (t.a + t.b); }},
    Row{{"bcast/scatter_allgather", "(lg p + p - 1) alpha + 2(p-1)/p n beta", kThakur, "4.2",
         kRoundedUp, exact, "with the ring for the allgather"},
        any,
        [](T t) { return (t.lg_ceil + t.p - 1) * t.a + 2 * t.share * t.b; }},
    Row{{"bcast/scatter_doubling", "2 lg p alpha + 2(p-1)/p n beta", kThakur, "4.2", kPower, exact,
         ""},
        power_of_two,
        [](T t) { return 2 * (t.lg * t.a + t.share * t.b); }},

    Row{{"reduce/binomial", "ceil(lg p)(alpha + n beta + n gamma)", kThakur, "4.5", kAny, exact,
         ""},
        any,
        tree_reduction_s},
    Row{{"reduce/rabenseifner", kHalvingDoubling, kThakur, "4.5", kPower, exact, ""},
        power_of_two,
        halving_doubling_s},
    Row{{"reduce/rabenseifner", "(2 floor(lg p) + 2) alpha + 3 n beta + 3/2 n gamma", kThakur,
         "5.1", "p not a power of two, except an odd root of a pair with $cuts open_mpi",
         approximate, kWithoutShare},
        halves_go_to_root,
        [](T t) { return (2 * t.lg_floor + 2) * t.a + 3 * t.b + 1.5 * t.g; }},
    Row{{"reduce/reduce_scatter_gather", kHalvingDoubling, kThakur, "4.5", kPower, exact, ""},
        power_of_two,
        halving_doubling_s},
    Row{{"reduce/reduce_scatter_gather",
         "(2 floor(lg p) + 1) alpha + (2(p-1)/p + 1) n beta + (1 + (p-1)/p) n gamma", kMpich,
         "reduce/reduce_intra_reduce_scatter_gather.c",
         "p not a power of two, a root that is not folded in", approximate, kShareOfP},
        root_stays,
        whole_fold_reduce_s},

    Row{{"gather/binomial", "lg p alpha + (p-1)/p n beta", kMpich, "gather/gather_intra_binomial.c",
         kRoundedUp, exact, ""},
        any,
        rounded_up_s},
    Row{{"scatter/binomial", "lg p alpha + (p-1)/p n beta", kMpich,
         "scatter/scatter_intra_binomial.c", kRoundedUp, exact, ""},
        any,
        rounded_up_s},

    Row{{"barrier/dissemination", "ceil(lg p) alpha",
         "Hensgen, Finkel and Manber, \"Two Algorithms for Barrier Synchronization\", "
         "International "
         "Journal of Parallel Programming 17(1), 1988",
         "dissemination barrier", kAnyRadix2, exact, "ceil(lg p) steps of alpha each"},
        radix_2,
        [](T t) { return t.lg_ceil * t.a; }},
};

}  // namespace

std::vector<PublishedFormula> published_formulas(std::string_view algorithm) {
  std::vector<PublishedFormula> formulas;
  for (const Row& row : kRows) {
    if (row.published.algorithm == algorithm) {
      formulas.push_back(row.published);
    }
  }
  return formulas;
}

std::vector<PublishedCost> published_costs(const Algorithm& algorithm, const Problem& problem,
                                           const Prices& prices) {
  const std::string full_name = algorithm.full_name();
  const Terms known = terms(problem, prices);
  std::vector<PublishedCost> costs;
  for (const Row& row : kRows) {
    if (row.published.algorithm == full_name && row.holds(problem)) {
      costs.push_back({row.published, row.seconds(known)});
    }
  }
  return costs;
}

}}  // namespace tutti::cost_models

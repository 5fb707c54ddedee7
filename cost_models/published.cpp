#include "cost_models/published.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <string>

#include "schedules/patterns/arithmetic.hpp"

namespace tutti {

namespace {

// What the formulas are made of.
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

bool always(const Problem&) { return true; }
bool own_parts(const Problem& problem) { return problem.parts.standard(); }
bool folds(const Problem& problem) { return !std::has_single_bit(problem.ranks); }
bool halves_or_doubles(const Problem& problem) {
  return problem.skips.scheme == Skips::Scheme::halving ||
         problem.skips.scheme == Skips::Scheme::doubling;
}
bool equal_parts(const Problem& problem) {
  return halves_or_doubles(problem) && problem.block_bytes.empty();
}
bool unequal_parts(const Problem& problem) {
  return halves_or_doubles(problem) && !problem.block_bytes.empty();
}

constexpr std::string_view kThakur =
    "Thakur, Rabenseifner and Gropp, \"Optimization of Collective Communication Operations in "
    "MPICH\", IJHPCA 19(1), 2005";
constexpr std::string_view kMpich =
    "Thakur and Gropp in the sources of MPICH, src/mpi/coll (cost in the header comment)";
constexpr std::string_view kTraeff =
    "Träff, \"Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms\", 2025";
constexpr std::string_view kPowers = "for p a power of two";

struct Row {
  std::string_view algorithm;
  bool (*applies)(const Problem&);
  std::string_view formula;
  std::string_view citation;
  double (*seconds)(const Terms&);
  std::string_view remark;
  bool misprint = false;
};

using T = const Terms&;

double whole_fold_allreduce_s(T t) {
  return (2 * t.lg_floor + 2) * t.a + (2 * t.share + 2) * t.b + (1 + t.share) * t.g;
}
double whole_fold_reduce_s(T t) {
  return (2 * t.lg_floor + 1) * t.a + (2 * t.share + 1) * t.b + (1 + t.share) * t.g;
}

// Rows of one algorithm stand together, the main one first.
constexpr std::array kRows{
    Row{"allreduce/recursive_doubling", always, "lg p alpha + n lg p beta + n lg p gamma", kThakur,
        [](T t) { return t.lg * (t.a + t.b + t.g); },
        "for p a power of two; other ranks must be folded in, at two more messages"},

    Row{"allreduce/ring", always, "(p-1) alpha + (p-1)/p n beta",
        "[allreduce notes], which refer to Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005",
        [](T t) { return (t.p - 1) * t.a + t.share * t.b; },
        "this is the ring allgather: the other phase, with its reductions, is missing (exactly "
        "half "
        "the cost at gamma = 0)",
        true},
    Row{"allreduce/ring", always, "2(p-1) alpha + 2(p-1)/p n beta + (p-1)/p n gamma",
        "Patarasuk and Yuan, \"Bandwidth optimal all-reduce algorithms for clusters of "
        "workstations\", JPDC 69(2), 2009; Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005",
        [](T t) { return 2 * (t.p - 1) * t.a + t.share * (2 * t.b + t.g); },
        "the ring allreduce, both phases"},

    Row{"allreduce/rabenseifner", always, "2 lg p alpha + 2(p-1)/p n beta + (p-1)/p n gamma",
        kThakur, [](T t) { return 2 * t.lg * t.a + t.share * (2 * t.b + t.g); }, kPowers},
    Row{"allreduce/rabenseifner", folds,
        "(2 floor(lg p) + 2) alpha + (2(p-1)/p + 2) n beta + (1 + (p-1)/p) n gamma", kMpich,
        whole_fold_allreduce_s,
        "for p no power of two, with MPICH's fold of whole vectors; folding halves, as done here, "
        "takes one more message and half a vector less of reduction"},

    Row{"allreduce/reduce_scatter_allgather", always,
        "2 lg p alpha + 2(p-1)/p n beta + (p-1)/p n gamma", kThakur,
        [](T t) { return 2 * t.lg * t.a + t.share * (2 * t.b + t.g); }, kPowers},
    Row{"allreduce/reduce_scatter_allgather", folds,
        "(2 floor(lg p) + 2) alpha + (2(p-1)/p + 2) n beta + (1 + (p-1)/p) n gamma", kMpich,
        whole_fold_allreduce_s,
        "for p no power of two; exact with p', the power of two below p, in place of p"},

    Row{"allreduce/nonoverlapping", own_parts, "ceil(lg p)(2 alpha + 2 n beta + n gamma)", kThakur,
        [](T t) { return t.lg_ceil * (2 * t.a + 2 * t.b + t.g); },
        "the sum of that paper's binomial reduce and binomial broadcast"},

    Row{"allreduce/circulant", halves_or_doubles,
        "2 ceil(lg p) alpha + 2(p-1)/p n beta + (p-1)/p n gamma", kTraeff,
        [](T t) { return 2 * t.lg_ceil * t.a + t.share * (2 * t.b + t.g); },
        "the counts of Theorem 2, priced as Corollary 1 prices them"},

    Row{"reduce_scatter/circulant", equal_parts,
        "ceil(lg p) alpha + (p-1)/p n beta + (p-1)/p n gamma", kTraeff,
        [](T t) { return t.lg_ceil * t.a + t.share * (t.b + t.g); },
        "Corollary 1; the copy of the input into the work buffer is not counted"},
    Row{"reduce_scatter/circulant", unequal_parts, "ceil(lg p)(alpha + n beta + n gamma)", kTraeff,
        [](T t) { return t.lg_ceil * (t.a + t.b + t.g); },
        "Corollary 3: at most this, whatever the sizes of the blocks"},
    Row{"reduce/circulant", halves_or_doubles, "ceil(lg p)(alpha + n beta + n gamma)", kTraeff,
        [](T t) { return t.lg_ceil * (t.a + t.b + t.g); },
        "Corollary 3, with all elements in one block"},

    Row{"reduce_scatter/recursive_halving", always, "lg p alpha + (p-1)/p n beta + (p-1)/p n gamma",
        kThakur, [](T t) { return t.lg * t.a + t.share * (t.b + t.g); }, kPowers},
    Row{"reduce_scatter/recursive_halving", folds,
        "(floor(lg p) + 2) alpha + 2 n beta + (1 + (p-1)/p) n gamma", kMpich,
        [](T t) { return (t.lg_floor + 2) * t.a + 2 * t.b + (1 + t.share) * t.g; },
        "for p no power of two, and approximate: ranks that work for a neighbour, too, hold two "
        "blocks; printed with (p-1+n)/p in the factor of beta, where (p-1+1)/p must be meant"},
    Row{"reduce_scatter/pairwise", always, "(p-1) alpha + (p-1)/p n beta + (p-1)/p n gamma",
        kThakur, [](T t) { return (t.p - 1) * t.a + t.share * (t.b + t.g); }, ""},
    Row{"reduce_scatter/ring", always, "(p-1) alpha + (p-1)/p n beta + (p-1)/p n gamma",
        "Chan, Heimlich, Purkayastha and van de Geijn, \"Collective communication: theory, "
        "practice, and experience\", CCPE 19(13), 2007 (bucket algorithm)",
        [](T t) { return (t.p - 1) * t.a + t.share * (t.b + t.g); }, ""},

    Row{"allgather/ring", always, "(p-1) alpha + (p-1)/p n beta", kThakur,
        [](T t) { return (t.p - 1) * t.a + t.share * t.b; }, ""},
    Row{"allgather/recursive_doubling", always, "lg p alpha + (p-1)/p n beta", kThakur,
        [](T t) { return t.lg * t.a + t.share * t.b; }, kPowers},
    Row{"allgather/bruck", always, "ceil(lg p) alpha + (p-1)/p n beta", kThakur,
        [](T t) { return t.lg_ceil * t.a + t.share * t.b; }, ""},
    Row{"allgather/bruck_mirrored", always, "ceil(lg p) alpha + (p-1)/p n beta", kThakur,
        [](T t) { return t.lg_ceil * t.a + t.share * t.b; }, ""},

    Row{"alltoall/bruck", always, "lg p alpha + n/2 lg p beta", kThakur,
        [](T t) { return t.lg * (t.a + t.b / 2); }, kPowers},
    Row{"alltoall/pairwise", always, "(p-1) alpha + n beta", kThakur,
        [](T t) { return (t.p - 1) * t.a + t.share * t.b; },
        "n counts there what goes to others: (p-1)/p of the n here"},
    Row{"alltoall/pairwise_exchange", always, "(p-1) alpha + n beta", kThakur,
        [](T t) { return (t.p - 1) * t.a + t.share * t.b; },
        "n counts there what goes to others: (p-1)/p of the n here"},

    Row{"bcast/binomial", always, "ceil(lg p)(alpha + n beta)", kThakur,
        [](T t) { return t.lg_ceil * (t.a + t.b); }, ""},
    Row{"bcast/scatter_allgather", always, "(lg p + p - 1) alpha + 2(p-1)/p n beta", kThakur,
        [](T t) { return (t.lg + t.p - 1) * t.a + 2 * t.share * t.b; },
        "with the ring for the allgather; lg p is rounded up where p is no power of two"},
    Row{"bcast/scatter_doubling", always, "2 lg p alpha + 2(p-1)/p n beta", kThakur,
        [](T t) { return 2 * (t.lg * t.a + t.share * t.b); }, kPowers},

    Row{"reduce/binomial", always, "ceil(lg p)(alpha + n beta + n gamma)", kThakur,
        [](T t) { return t.lg_ceil * (t.a + t.b + t.g); }, ""},
    Row{"reduce/rabenseifner", always, "2 lg p alpha + 2(p-1)/p n beta + (p-1)/p n gamma", kThakur,
        [](T t) { return 2 * t.lg * t.a + t.share * (2 * t.b + t.g); }, kPowers},
    Row{"reduce/rabenseifner", folds,
        "(2 floor(lg p) + 1) alpha + (2(p-1)/p + 1) n beta + (1 + (p-1)/p) n gamma", kMpich,
        whole_fold_reduce_s,
        "for p no power of two, with MPICH's fold of whole vectors and a root that is not folded "
        "in"},
    Row{"reduce/reduce_scatter_gather", always, "2 lg p alpha + 2(p-1)/p n beta + (p-1)/p n gamma",
        kThakur, [](T t) { return 2 * t.lg * t.a + t.share * (2 * t.b + t.g); }, kPowers},
    Row{"reduce/reduce_scatter_gather", folds,
        "(2 floor(lg p) + 1) alpha + (2(p-1)/p + 1) n beta + (1 + (p-1)/p) n gamma", kMpich,
        whole_fold_reduce_s,
        "for p no power of two and a root that is not folded in; exact with p', the power of two "
        "below p, in place of p"},

    Row{"gather/binomial", always, "lg p alpha + (p-1)/p n beta", kMpich,
        [](T t) { return t.lg * t.a + t.share * t.b; },
        "lg p is rounded up where p is no power of two"},
    Row{"scatter/binomial", always, "lg p alpha + (p-1)/p n beta", kMpich,
        [](T t) { return t.lg * t.a + t.share * t.b; },
        "lg p is rounded up where p is no power of two"},

    Row{"barrier/dissemination", always, "ceil(lg p) alpha",
        "Hensgen, Finkel and Manber, \"Two Algorithms for Barrier Synchronization\", International "
        "Journal of Parallel Programming 17(1), 1988",
        [](T t) { return t.lg_ceil * t.a; }, "its ceil(lg p) steps, priced at alpha each"},
};

}  // namespace

std::vector<PublishedCost> published_costs(const Algorithm& algorithm, const Problem& problem,
                                           const Prices& prices) {
  const std::string full_name = algorithm.full_name();
  const Terms known = terms(problem, prices);
  std::vector<PublishedCost> costs;
  for (const Row& row : kRows) {
    if (row.algorithm == full_name && row.applies(problem)) {
      costs.push_back({row.formula, row.citation, row.seconds(known), row.remark, row.misprint});
    }
  }
  return costs;
}

}  // namespace tutti

#include "src/rule_files/mpich/tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "src/rule_files/mpich/names.hpp"

namespace tutti { inline namespace rule_files {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 44> kMpichCollectives{"bcast",
                                                             "allreduce",
                                                             "allgather",
                                                             "allgatherv",
                                                             "reduce",
                                                             "reduce_scatter",
                                                             "reduce_scatter_block",
                                                             "gather",
                                                             "scatter",
                                                             "gatherv",
                                                             "scatterv",
                                                             "scan",
                                                             "exscan",
                                                             "barrier",
                                                             "alltoall",
                                                             "alltoallv",
                                                             "alltoallw",
                                                             "neighbor_allgather",
                                                             "neighbor_allgatherv",
                                                             "neighbor_alltoall",
                                                             "neighbor_alltoallv",
                                                             "neighbor_alltoallw",
                                                             "ibarrier",
                                                             "iallreduce",
                                                             "iallgather",
                                                             "iallgatherv",
                                                             "ibcast",
                                                             "ireduce",
                                                             "ireduce_scatter",
                                                             "ireduce_scatter_block",
                                                             "igather",
                                                             "iscatter",
                                                             "igatherv",
                                                             "iscatterv",
                                                             "iscan",
                                                             "iexscan",
                                                             "ialltoall",
                                                             "ialltoallv",
                                                             "ialltoallw",
                                                             "ineighbor_allgather",
                                                             "ineighbor_allgatherv",
                                                             "ineighbor_alltoall",
                                                             "ineighbor_alltoallv",
                                                             "ineighbor_alltoallw"};

using Branches = std::vector<std::pair<std::string, Json>>;

Json when(const Branches& branches) {
  Json json = Json::object();
  for (const auto& [condition, what] : branches) {
    json[condition] = what;
  }
  return json;
}

// Returns a tree that contains `up_to` for sizes of at most `at_most` bytes, and `beyond` for
// larger sizes. `size` is the name of the size in conditions, such as "avg_msg_size".
Json by_size(const std::string& size, std::int64_t at_most, const Json& up_to, const Json& beyond) {
  return when({{fmt::format("{}<={}", size, at_most), up_to}, {size + "=any", beyond}});
}

// Makes leaves for the algorithms of one collective. For "ibcast", for example, the names of these
// algorithms begin with MPIR_Ibcast_intra_sched_.
class Names {
 public:
  explicit Names(std::string_view collective)
      : stem_("MPIR_" + mpich_name(collective)), nonblocking_(collective.front() == 'i') {}
  [[nodiscard]] Json intra(const char* algorithm) const { return leaf("intra", algorithm); }
  [[nodiscard]] Json inter(const char* algorithm) const { return leaf("inter", algorithm); }
  [[nodiscard]] Json all(const char* algorithm) const { return leaf("allcomm", algorithm); }

 private:
  [[nodiscard]] Json leaf(const char* kind, const char* algorithm) const {
    return mpich_leaf(
        fmt::format("{}_{}{}_{}", stem_, kind, nonblocking_ ? "_sched" : "", algorithm));
  }
  std::string stem_;
  bool nonblocking_;
};

// Returns the name of the blocking collective: "bcast" for "ibcast".
std::string_view blocking(std::string_view collective) {
  return collective.front() == 'i' ? collective.substr(1) : collective;
}

// Returns a tree that contains `halving` where a reduction that halves the vector is possible, and
// `otherwise` elsewhere. Such a reduction needs a predefined operator, and at least as many
// elements as the largest power of two up to the number of ranks.
Json if_halves(const Json& halving, const Json& otherwise) {
  return when({{"is_op_built_in=yes", when({{"count<pow2", otherwise}, {"count=any", halving}})},
               {"is_op_built_in=no", otherwise}});
}

Json allreduce_tree(const Names& names, bool nonblocking) {
  const Json doubling = names.intra("recursive_doubling");
  const Json halving = if_halves(names.intra("reduce_scatter_allgather"), doubling);
  if (nonblocking) {
    return by_size("avg_msg_size", 2048, doubling, halving);
  }
  return when({{"avg_msg_size<=0", when({{"is_commutative=yes", names.intra("smp")},
                                         {"is_commutative=no", doubling}})},
               {"avg_msg_size<=8", doubling},
               {"avg_msg_size=any", halving}});
}

Json reduce_tree(const Names& names, bool nonblocking) {
  const Json binomial = names.intra("binomial");
  const Json flat = by_size("avg_msg_size", 2048, binomial,
                            if_halves(names.intra("reduce_scatter_gather"), binomial));
  const Json smp =
      when({{"is_commutative=yes", names.intra("smp")}, {"is_commutative=no", binomial}});
  if (nonblocking) {
    return when({{"comm_hierarchy=parent", smp}, {"comm_hierarchy=any", flat}});
  }
  Json parent = when({{"avg_msg_size<=0", smp}});
  parent.update(flat);
  return when({{"comm_hierarchy=parent", parent}, {"comm_hierarchy=any", flat}});
}

Json bcast_tree(const Names& names, bool nonblocking) {
  const Json binomial = names.intra("binomial");
  const Json doubling = names.intra("scatter_recursive_doubling_allgather");
  const Json ring = names.intra("scatter_ring_allgather");
  // The limits 12288 and 524288 bytes are inclusive in the blocking tree and exclusive in the
  // nonblocking tree.
  const std::int64_t medium = nonblocking ? 12287 : 12288;
  const std::int64_t large = nonblocking ? 524287 : 524288;
  const Json of_power = when({{fmt::format("avg_msg_size<={}", medium), binomial},
                              {fmt::format("avg_msg_size<={}", large), doubling},
                              {"avg_msg_size=any", ring}});
  const Json of_any = by_size("avg_msg_size", medium, binomial, ring);
  const Json flat = when({{"comm_size<=7", when({{"avg_msg_size=any", binomial}})},
                          {"comm_size=pow2", of_power},
                          {"comm_size=any", of_any}});
  if (nonblocking) {
    return when({{"comm_hierarchy=parent", names.intra("smp")}, {"comm_hierarchy=any", flat}});
  }
  // The built-in tree uses the algorithm smp, for nodes with several ranks, only if messages are
  // empty.
  Json hierarchical = Json::object();
  for (const auto& [condition, sizes] : flat.items()) {
    Json parent = when({{"avg_msg_size<=0", names.intra("smp")}});
    parent.update(sizes);
    hierarchical[condition] =
        when({{"comm_hierarchy=parent", parent}, {"comm_hierarchy=any", sizes}});
  }
  return hierarchical;
}

Json allgather_tree(const Names& names) {
  const Json ring = names.intra("ring");
  return when({{"comm_size=pow2",
                by_size("total_msg_size", 524287, names.intra("recursive_doubling"), ring)},
               {"comm_size=any", by_size("total_msg_size", 81919, names.intra("brucks"), ring)}});
}

Json reduce_scatter_tree(const Names& names, bool blocks_alike) {
  const Json doubling = names.intra("recursive_doubling");
  const Json ordered =
      when({{"comm_size=pow2", names.intra("noncommutative")}, {"comm_size=any", doubling}});
  return when(
      {{"is_commutative=yes", by_size("total_msg_size", 524287, names.intra("recursive_halving"),
                                      names.intra("pairwise"))},
       {"is_commutative=no", blocks_alike ? ordered
                                          : when({{"is_block_regular=yes", ordered},
                                                  {"is_block_regular=no", doubling}})}});
}

Json alltoall_tree(const Names& names, bool nonblocking) {
  // The built-in tree contains "comm_size<8", but MPICH 4.0 treats < as <= in the subtree of a
  // condition on the call.
  const char* at_most_8 = "comm_size<=8";
  const Json spread = names.intra(nonblocking ? "permuted_sendrecv" : "scattered");
  const Json pairwise = names.intra("pairwise");
  return when(
      {{"is_sendbuf_inplace=yes",
        names.intra(nonblocking ? "inplace" : "pairwise_sendrecv_replace")},
       {"is_sendbuf_inplace=no",
        when({{at_most_8, by_size("avg_msg_size", 32768, spread, pairwise)},
              {"comm_size=any", when({{fmt::format("avg_msg_size<={}", nonblocking ? 2048 : 256),
                                       names.intra("brucks")},
                                      {"avg_msg_size<=32768", spread},
                                      {"avg_msg_size=any", pairwise}})}})}});
}

Json intra_tree(std::string_view collective, int release) {
  const bool nonblocking = collective.front() == 'i';
  const std::string_view what = blocking(collective);
  const Names names(collective);
  if (what == "allreduce") {
    return allreduce_tree(names, nonblocking);
  }
  if (what == "reduce") {
    return reduce_tree(names, nonblocking);
  }
  if (what == "bcast") {
    return bcast_tree(names, nonblocking);
  }
  if (what == "allgather" || what == "allgatherv") {
    return allgather_tree(names);
  }
  if (what == "reduce_scatter" || what == "reduce_scatter_block") {
    return reduce_scatter_tree(names, what == "reduce_scatter_block");
  }
  if (what == "gather" || what == "scatter") {
    return names.intra("binomial");
  }
  if (what == "alltoall") {
    return alltoall_tree(names, nonblocking);
  }
  if (what == "alltoallv" || what == "alltoallw") {
    return when({{"is_sendbuf_inplace=yes",
                  names.intra(nonblocking ? "inplace" : "pairwise_sendrecv_replace")},
                 {"is_sendbuf_inplace=no", names.intra(nonblocking ? "blocked" : "scattered")}});
  }
  if (what == "barrier") {
    if (nonblocking) {
      return names.intra("recursive_doubling");
    }
    Json flat = names.intra("dissemination");
    if (release > 400) {
      flat = names.intra("k_dissemination");
      flat.front()["k=2"] = Json::object();
    }
    return when({{"comm_hierarchy=parent", names.intra("smp")}, {"comm_hierarchy=any", flat}});
  }
  TUTTI_INVARIANT(what == "scan");
  return when({{"is_node_consecutive=yes", names.intra("smp")},
               {"is_node_consecutive=no", names.intra("recursive_doubling")}});
}

// The algorithms for inter-communicators, by the blocking and the nonblocking collective.
struct InterAlgorithm {
  std::string_view collective;
  const char* blocking;
  const char* nonblocking;
};
constexpr std::array kInter{
    InterAlgorithm{"allreduce", "reduce_exchange_bcast", "remote_reduce_local_bcast"},
    InterAlgorithm{"bcast", "remote_send_local_bcast", "flat"},
    InterAlgorithm{"reduce", "local_reduce_remote_send", "local_reduce_remote_send"},
    InterAlgorithm{"allgather", "local_gather_remote_bcast", "local_gather_remote_bcast"},
    InterAlgorithm{"allgatherv", "remote_gather_local_bcast", "remote_gather_local_bcast"},
    InterAlgorithm{"reduce_scatter", "remote_reduce_local_scatter", "remote_reduce_local_scatterv"},
    InterAlgorithm{"reduce_scatter_block", "remote_reduce_local_scatter",
                   "remote_reduce_local_scatterv"},
    InterAlgorithm{"barrier", "bcast", "bcast"},
    InterAlgorithm{"alltoall", "pairwise_exchange", "pairwise_exchange"},
    InterAlgorithm{"alltoallv", "pairwise_exchange", "pairwise_exchange"},
    InterAlgorithm{"alltoallw", "pairwise_exchange", "pairwise_exchange"},
};

// Returns the subtree for inter-communicators.
Json inter_tree(std::string_view collective) {
  const bool nonblocking = collective.front() == 'i';
  const std::string_view what = blocking(collective);
  const Names names(collective);
  if (what == "gather") {
    return by_size("total_msg_size", 2047,
                   names.inter(nonblocking ? "short" : "local_gather_remote_send"),
                   names.inter(nonblocking ? "long" : "linear"));
  }
  if (what == "scatter") {
    return by_size("total_msg_size", 2047, names.inter("remote_send_local_scatter"),
                   names.inter("linear"));
  }
  if (collective == "scan") {
    // MPI has no scan on inter-communicators, but the built-in tree contains this entry for them.
    return names.intra("smp");
  }
  const auto found = std::ranges::find(kInter, what, &InterAlgorithm::collective);
  TUTTI_INVARIANT(found != kInter.end());
  return names.inter(nonblocking ? found->nonblocking : found->blocking);
}

}  // namespace

std::span<const std::string_view> mpich_collectives() { return kMpichCollectives; }

Json mpich_leaf(const std::string& algorithm) {
  return {{"algorithm=" + algorithm, Json::object()}};
}

Json mpich_built_in(std::string_view collective, int release) {
  const bool nonblocking = collective.front() == 'i';
  const std::string_view what = blocking(collective);
  const Names names(collective);
  if (what.starts_with("neighbor_")) {
    return names.all(nonblocking ? "linear" : "nb");
  }
  if (what == "gatherv" || what == "scatterv") {
    return names.all("linear");
  }
  if (what == "exscan") {
    return names.intra("recursive_doubling");
  }
  if (collective == "iscan") {
    return when({{"comm_hierarchy=parent", names.intra("smp")},
                 {"comm_hierarchy=any", names.intra("recursive_doubling")}});
  }
  return when({{"comm_type=intra", intra_tree(collective, release)},
               {"comm_type=inter", inter_tree(collective)}});
}

}}  // namespace tutti::rule_files

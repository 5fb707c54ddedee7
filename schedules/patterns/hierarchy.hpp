// Hierarchies: a collective composed of collectives within groups (the ranks of a node, the nodes
// of a switch, ...) and one across the groups. The class GroupCalls (see
// schedules/patterns/group_calls.hpp) writes their schedules.
//
// --composition selects the library whose composition is used:
//
//   han (Open MPI, coll/han, 4.1 to 5.0). Each group has a leader: in allreduce, allgather and
//     barrier its first rank; in bcast, reduce, gather and scatter the rank at the place that the
//     root has in its own group. The root then leads its group and is never served separately
//     (mca_coll_han_get_ranks).
//       allreduce   reduce within, allreduce across, bcast within ("simple"); if --across names two
//                   algorithms, reduce and bcast across (`intra`: tasks lr, ur, ub, lb)
//       bcast       bcast across, bcast within
//       reduce      reduce within, reduce across
//       allgather   gather within, allgather across, bcast of the whole vector within
//       gather      gather within, gather across
//       scatter     scatter across, scatter within
//       barrier     barrier within, barrier across, barrier within
//       alltoall    not part of han, but node-aware (Träff and Hunold, see below; MPICH's
//                   MPIDI_Alltoall_intra_composition_alpha, whose first stage copies): within
//                   each group, each member receives what is meant for its place in any group; then
//                   ranks at the same place exchange across
//     han itself leaves groups of unequal size and non-commutative operators to flat algorithms;
//     here both are supported. In a group too small to have the root's place, its last rank is the
//     leader.
//     --segment: as in `intra`, stage k works on segment i in turn i + k. In each turn the calls
//     across are begun first, from the last stage to the first. Then the calls within the smallest
//     groups run one after the other, from the first stage to the last. All of them are waited for
//     at the end of the turn (coll_han_allreduce.c, the table above mca_coll_han_allreduce_intra,
//     and its t3 task).
//   mpich_alpha (MPICH 4.0, MPIDI_..._intra_composition_alpha of ch4_coll_impl.h). The first rank
//     of each group is its leader.
//       bcast       the root sends to its group's leader, if that is another rank; bcast across
//                   from there; bcast within, which includes the root
//       reduce      reduce within; reduce across to the first rank of all, which sends to the root
//       barrier     barrier within, barrier across, bcast within (of 1 byte; here of 0 bytes)
//       allreduce   the same as "simple" of han
//   mpich_beta (..._composition_beta, and MPIR_..._intra_smp). The first rank of each group is its
//     leader here, too.
//       bcast       bcast within the root's group, if the root is not its leader; bcast across;
//                   bcast within the other groups
//       reduce      reduce within the other groups; reduce across to the leader of the root's
//                   group; reduce within that group to the root
//     (MPICH's beta compositions of barrier and allreduce are flat, and so are its gamma
//     compositions of all collectives. Its delta composition of bcast sends the same messages as
//     alpha, but from and to other memory. Its delta composition of allreduce and its multi-leader
//     compositions of allgather and alltoall use no messages within a node, but memory that the
//     ranks share. coll/han's "reproducible" allreduce and reduce call a flat component, tuned or
//     basic.)
//
// Multi-lane (Träff and Hunold, "Decomposing MPI collectives for exploiting multi-lane
// communication", CLUSTER 2020; github.com/parlab-tuwien/mpi-lane-collectives): the ranks of a
// group share the vector, and each takes its part, a lane, across. UCC's split rail and DPML
// (Bayatpour et al., SC 2017) do the same.
//       allreduce   reduce_scatter within, allreduce on each lane, allgather within
//       bcast       scatter within the root's group, bcast on each lane, allgather within
//       reduce      reduce_scatter within, reduce on each lane to the root's group, gather within
//                   it
//     The number of lanes is the size of the smallest group; the remaining ranks of larger groups
//     have no part of the vector. If every rank owns a part of the result, each lane moves the
//     parts of its own ranks, and all groups must have the same size:
//       allgather, gather    on each lane, then within each group, or within the root's group
//       scatter              within the root's group, then on each lane
//       reduce_scatter(_block)   within each group, then on each lane
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/group_calls.hpp"
#include "schedules/patterns/group_tree.hpp"
#include "schedules/patterns/hierarchy_stages.hpp"

namespace tutti { inline namespace schedules {

// The stages of a hierarchy, and the algorithms that --within and --across name for them.
class Hierarchy {
 public:
  using Kind = HierarchyKind;

  // Throws UserError if the groups or the algorithms of the stages are invalid.
  Hierarchy(const Problem& problem, Kind kind);

  [[nodiscard]] BlockLayout layout() const { return calls_->layout(); }
  void emit(ScheduleBuilder& builder) const { calls_->emit(builder); }
  // Returns the sum of the times of all stages. Returns nothing for groups of unequal size, for
  // segments, and if a stage may begin before the previous one is over at all ranks.
  [[nodiscard]] std::optional<double> exact_s(const Prices& prices) const;
  [[nodiscard]] bool keeps_order() const;
  // Returns the algorithm's name if the hierarchy is a single call among all ranks, else "".
  [[nodiscard]] std::string_view same_as() const;
  // True if each stage has one shape, and no piece of the vector is cut in two ways.
  [[nodiscard]] bool one_shape() const;

 private:
  [[nodiscard]] bool keeps_order(std::uint32_t segment) const;

  Problem problem_;
  bool stages_end_together_ = true;
  std::optional<GroupCalls> calls_;
};

// Provides the functions of an Algorithm that is a hierarchy.
template <Hierarchy::Kind kKind>
struct HierarchyOf {
  // Fills in the functions of `own`; the caller sets the texts of `own`. `exact_s` and
  // `keeps_order` are set only if `own` has the text that describes them: `cost` and `order_kept`.
  static constexpr Algorithm algorithm(Algorithm own) {
    own.refusal = refusal;
    own.layout = layout;
    own.emit = emit;
    own.one_shape = one_shape;
    own.same_as = same_as;
    own.exact_s = own.cost.empty() ? nullptr : exact_s;
    own.keeps_order = own.order_kept.empty() ? nullptr : keeps_order;
    return own;
  }

  static std::optional<Sentence> refusal(const Problem& problem) {
    if (auto groups = GroupTree::refusal(problem)) {
      return groups;
    }
    try {
      (void)Hierarchy(problem, kKind);
    } catch (const UserError& error) {
      return error.sentence();
    }
    return std::nullopt;
  }
  static BlockLayout layout(const Problem& problem) { return Hierarchy(problem, kKind).layout(); }
  static bool keeps_order(const Problem& problem) {
    return Hierarchy(problem, kKind).keeps_order();
  }
  static std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
    return Hierarchy(problem, kKind).exact_s(prices);
  }
  static void emit(const Problem& problem, ScheduleBuilder& builder) {
    Hierarchy(problem, kKind).emit(builder);
  }
  static std::string_view same_as(const Problem& problem) {
    return GroupTree::refusal(problem) ? "" : Hierarchy(problem, kKind).same_as();
  }
  static bool one_shape(const Problem& problem) { return Hierarchy(problem, kKind).one_shape(); }
};
using LeaderHierarchy = HierarchyOf<Hierarchy::Kind::leaders>;
using LaneHierarchy = HierarchyOf<Hierarchy::Kind::lanes>;

// Texts for Algorithm::limits: those of GroupTree, and `more`.
template <typename... Words>
constexpr auto hierarchy_limits(Words... more) {
  return std::array<std::string_view, GroupTree::kLimits.size() + sizeof...(more)>{
      GroupTree::kLimits[0], GroupTree::kLimits[1], GroupTree::kLimits[2], more...};
}

// The options that select the groups and the algorithms of the stages.
inline constexpr unsigned kHierarchyOptions =
    bit(Option::groups) | bit(Option::ranks_per_node) | bit(Option::within) | bit(Option::across);

}}  // namespace tutti::schedules

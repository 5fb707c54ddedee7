// Hierarchies: a collective made of collectives within groups (the ranks of a node, the nodes of a
// switch, ...) and one across them. schedules/patterns/group_calls.hpp writes them.
//
// What libraries do, and --composition says which:
//
//   han (Open MPI, coll/han, 4.1 to 5.0). One rank of each group stands for it: in allreduce,
//     allgather and barrier the first; in bcast, reduce, gather and scatter the one at the place
//     that the root has in its own group, so that the root stands for its group and is never
//     served apart (mca_coll_han_get_ranks).
//       allreduce   reduce within, allreduce across, bcast within ("simple"); where --across names
//                   two, reduce and bcast across (`intra`: tasks lr, ur, ub, lb)
//       bcast       bcast across, bcast within
//       reduce      reduce within, reduce across
//       allgather   gather within, allgather across, bcast of all within
//       gather      gather within, gather across
//       scatter     scatter across, scatter within
//       barrier     barrier within, barrier across, barrier within
//       alltoall    not han's, but node-aware (Träff and Hunold, see below; MPICH's
//                   MPIDI_Alltoall_intra_composition_alpha with copies for its first stage): within
//                   each group, to each member what is for its place in any group; then across,
//                   between those at the same place
//     It leaves groups of unequal size, and operators that do not commute, to flat algorithms; here
//     they are taken, and the root's place in a smaller group is its last.
//     --segment: `intra`. Segment i is at stage k in turn i + k. In a turn those across are begun
//     first, the last stage before the others, then one after the other those within the smallest
//     groups, the first stage before the others; all of it is waited for at the turn's end
//     (coll_han_allreduce.c, the table above mca_coll_han_allreduce_intra, and its t3 task).
//   mpich_alpha (MPICH 4.0, MPIDI_..._intra_composition_alpha of ch4_coll_impl.h). The first rank
//   of
//     each group stands for it.
//       bcast       the root sends to its group's first rank, where that is another; across from
//                   there; within, to the root too
//       reduce      reduce within; across to the first rank of all; which sends to the root
//       barrier     barrier within, barrier across, bcast within (of 1 byte; here of none)
//       allreduce   as han, "simple", which needs no word
//   mpich_beta (..._composition_beta, and MPIR_..._intra_smp). The first rank of each group too.
//       bcast       bcast within the root's group, where the root is not its first rank; across;
//                   within the other groups
//       reduce      reduce within the other groups; across to the first rank of the root's group;
//                   reduce within that group to the root
//     (MPICH's beta of barrier and allreduce is flat, as is gamma of all. Its delta of bcast sends
//     what alpha does, from and to other memory; its delta of allreduce, and the multi-leader
//     compositions of allgather and alltoall, go through memory that the ranks of a node share,
//     and not by messages. coll/han's "reproducible" allreduce and reduce hand over to a flat
//     component, tuned or basic.)
//
// Multi-lane (Träff and Hunold, "Decomposing MPI collectives for exploiting multi-lane
// communication", CLUSTER 2020; github.com/parlab-tuwien/mpi-lane-collectives): the ranks of a
// group share the vector, and each takes its part, a lane, across; UCC's split rail and DPML
// (Bayatpour et al., SC 2017) are the same.
//       allreduce   reduce_scatter within, allreduce on each lane, allgather within
//       bcast       scatter within the root's group, bcast on each lane, allgather within
//       reduce      reduce_scatter within, reduce on each lane to the root's group, gather within
//       it
//     There are as many lanes as the smallest group has ranks; further ranks of larger groups own
//     nothing of it. Where every rank owns a part, a lane moves those of its ranks, and groups are
//     of equal size:
//       allgather, gather    on each lane, then within each group, or the root's
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

namespace tutti::inline schedules {

// The stages of a hierarchy, and the algorithms that --within and --across name for them.
class Hierarchy {
 public:
  using Kind = HierarchyKind;

  // Throws UserError for groups and parts that cannot be.
  Hierarchy(const Problem& problem, Kind kind);

  [[nodiscard]] BlockLayout layout() const { return calls_->layout(); }
  void emit(ScheduleBuilder& builder) const { calls_->emit(builder); }
  // The sum of all stages. Nothing for groups of unequal size, for segments, and where a stage may
  // begin before the one before is over at all ranks.
  [[nodiscard]] std::optional<double> exact_s(const Prices& prices) const;
  [[nodiscard]] bool keeps_order() const;
  // Of all ranks at once, where that is all there is to do; else "".
  [[nodiscard]] std::string_view same_as() const;
  // Where each stage has one shape, and no piece of the vector is cut in two ways.
  [[nodiscard]] bool one_shape() const;

 private:
  [[nodiscard]] bool keeps_order(std::uint32_t segment) const;

  Problem problem_;
  bool stages_end_together_ = true;
  std::optional<GroupCalls> calls_;
};

// What algorithms that are hierarchies have in common: the members of their Algorithm.
template <Hierarchy::Kind kKind>
struct HierarchyOf {
  // `own` has the words; where it has some for the cost, or for the order that is kept, there is
  // more to say than words.
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

// What is refused of groups, and more.
template <typename... Words>
constexpr auto hierarchy_limits(Words... more) {
  return std::array<std::string_view, GroupTree::kLimits.size() + sizeof...(more)>{
      GroupTree::kLimits[0], GroupTree::kLimits[1], GroupTree::kLimits[2], more...};
}

// The options that choose groups and parts.
inline constexpr unsigned kHierarchyOptions =
    bit(Option::groups) | bit(Option::ranks_per_node) | bit(Option::within) | bit(Option::across);

}  // namespace tutti::inline schedules

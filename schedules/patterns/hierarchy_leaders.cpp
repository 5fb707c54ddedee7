// Makes hierarchies in which each group has a leader.
#include <algorithm>

#include "base/error.hpp"
#include "schedules/patterns/hierarchy_stages.hpp"

namespace tutti { inline namespace schedules {

void HierarchyStages::make() {
  const Collective collective = problem_.collective;
  const std::uint32_t root = tree_.top().root.value_or(0);
  switch (collective) {
    case Collective::allreduce:
      return make_allreduce();
    case Collective::bcast:
      return make_bcast(root);
    case Collective::reduce:
      return make_reduce(root);
    case Collective::gather:
      up({collective}, true);
      return add_across(across(collective), root, true);
    case Collective::scatter:
      add_across(across(collective), root, true);
      return down({collective}, true);
    case Collective::allgather:
      up({Collective::gather, Collective::bcast}, true);
      add_across(across(collective), 0, true);
      return down({Collective::gather, Collective::bcast}, false);
    case Collective::alltoall:
      return make_alltoall();
    default:
      TUTTI_INVARIANT(collective == Collective::barrier);
      return make_barrier();
  }
}

void HierarchyStages::make_allreduce() {
  const std::vector both{Collective::reduce, Collective::bcast};
  up(both, false);
  if (!problem_.across.standard() && problem_.across.levels.front().size() == 2) {
    const std::vector<NamedStage> parts = named_parts("$across", problem_.across, 0, both);
    add_across(parts[0], 0, false);
    add_across(parts[1], 0, false);
  } else {
    add_across(across(Collective::allreduce), 0, false);
  }
  down(both, false);
}

void HierarchyStages::make_barrier() {
  const bool released = problem_.composition == HierarchyForm::mpich_alpha;
  if (problem_.composition == HierarchyForm::mpich_beta) {
    throw UserError(
        "with $composition mpich_beta, a barrier has no hierarchy; use barrier/dissemination");
  }
  const std::vector<Collective> collectives =
      released ? std::vector{Collective::barrier, Collective::bcast}
               : std::vector{Collective::barrier};
  // Named algorithms may release one rank after the other, so their stages need not end together.
  end_together_ = problem_.within.standard() && problem_.across.standard();
  up(collectives, false);
  add_across(across(Collective::barrier), 0, false);
  down(collectives, false);
}

void HierarchyStages::make_bcast(std::uint32_t top_root) {
  const std::vector one{Collective::bcast};
  const auto part = [&](std::size_t level) { return within(level, one, 0); };
  if (problem_.composition == HierarchyForm::mpich_alpha) {
    add_send(problem_.root, tree_.top().members[top_root]);
  }
  // In mpich_beta, the group of the root is served first if the root is not its leader.
  const bool beta = problem_.composition == HierarchyForm::mpich_beta;
  const auto served = [&](const GroupTree::Group& group) {
    return beta && group.root && *group.root != group.leader;
  };
  for (std::size_t level = 0; beta && level < depth(); ++level) {
    end_together_ =
        end_together_ && std::none_of(groups(level).begin(), groups(level).end(), served);
    add_within(
        level, part(level),
        [&](const GroupTree::Group& group) { return served(group) ? group.root : std::nullopt; },
        false);
  }
  add_across(across(Collective::bcast), top_root, false);
  for (std::size_t level = depth(); level-- > 0;) {
    add_within(
        level, part(level),
        [&](const GroupTree::Group& group) {
          return served(group) ? std::nullopt : std::optional(group.leader);
        },
        false);
  }
}

void HierarchyStages::make_reduce(std::uint32_t top_root) {
  const std::vector one{Collective::reduce};
  const auto part = [&](std::size_t level) { return within(level, one, 0); };
  if (problem_.composition != HierarchyForm::mpich_beta) {
    up(one, false);
    const bool alpha = problem_.composition == HierarchyForm::mpich_alpha;
    add_across(across(Collective::reduce), alpha ? 0 : top_root, false);
    if (alpha) {
      add_send(tree_.top().members.front(), problem_.root);
    }
    return;
  }
  // The groups without the root come first, those with the root last.
  for (std::size_t level = 0; level < depth(); ++level) {
    add_within(
        level, part(level),
        [](const GroupTree::Group& group) {
          return group.root ? std::nullopt : std::optional(group.leader);
        },
        false);
  }
  end_together_ = false;
  add_across(across(Collective::reduce), top_root, false);
  for (std::size_t level = depth(); level-- > 0;) {
    add_within(
        level, part(level), [](const GroupTree::Group& group) { return group.root; }, false);
  }
}

}}  // namespace tutti::schedules

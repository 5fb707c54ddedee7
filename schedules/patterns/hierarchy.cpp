#include "schedules/patterns/hierarchy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "schedules/patterns/segments.hpp"
#include "schedules/registry.hpp"

namespace tutti {

namespace {

// What a level runs where nobody says: small vectors over trees, lanes over what shares the load.
std::string_view standard_part(Collective collective) {
  switch (collective) {
    case Collective::allreduce:
      return "recursive_doubling";
    case Collective::reduce_scatter:
      return "butterfly";  // keeps the order of ranks
    case Collective::allgather:
      return "circulant";
    case Collective::barrier:
      return "dissemination";
    case Collective::alltoall:
      return "pairwise";
    default:
      return "binomial";
  }
}

struct NamedPart {
  const Algorithm* algorithm = nullptr;
  OnePart part;
};

NamedPart named_part(std::string_view flag, const StageParts& all, const OnePart& part,
                     Collective collective) {
  const auto refuse = [&](const std::string& why) {
    throw UserError(fmt::format("{} '{}': {}", flag, to_text(all), why));
  };
  const Algorithm* const algorithm = find_algorithm(collective, part.algorithm);
  if (algorithm == nullptr) {
    refuse(fmt::format("there is no {}/{}", name(collective), part.algorithm));
  } else if (part.tree && !takes(*algorithm, Option::tree)) {
    refuse(fmt::format("{} takes no tree", algorithm->full_name()));
  } else if (part.segment_bytes != 0 && !takes(*algorithm, Option::segment)) {
    refuse(fmt::format("{} takes no segment", algorithm->full_name()));
  }
  return {algorithm, part};
}

// One for each of the collectives.
std::vector<NamedPart> named_parts(std::string_view flag, const StageParts& all, std::size_t level,
                                   const std::vector<Collective>& collectives) {
  std::vector<NamedPart> found;
  if (all.standard()) {
    for (const Collective collective : collectives) {
      found.push_back({find_algorithm(collective, standard_part(collective)),
                       {std::string(standard_part(collective)), std::nullopt, 0}});
    }
    return found;
  }
  const std::vector<OnePart>& parts = all.levels[std::min(level, all.levels.size() - 1)];
  if (parts.size() != collectives.size()) {
    std::string wanted;
    for (const Collective collective : collectives) {
      wanted += fmt::format("{}one for {}", wanted.empty() ? "" : ", then ", name(collective));
    }
    throw UserError(fmt::format("{} '{}': accepted is an algorithm for each stage: {}", flag,
                                to_text(all), wanted));
  }
  for (std::size_t at = 0; at < parts.size(); ++at) {
    found.push_back(named_part(flag, all, parts[at], collectives[at]));
  }
  return found;
}

std::vector<std::uint64_t> piece_bytes(const BlockLayout& layout) {
  std::vector<std::uint64_t> bytes;
  for (std::uint32_t block = 0; block < layout.blocks(); ++block) {
    bytes.push_back(layout.size_bytes(block));
  }
  return bytes;
}

// The vector, or its segments; what each rank owns; or the lanes' shares.
BlockLayout pieces_of(const Problem& problem, const std::optional<std::uint32_t>& lanes) {
  if (lanes) {
    return BlockLayout::even(problem.elements(), *lanes, problem.element_bytes);
  }
  if (owns_parts(problem.collective)) {
    return layout_in_blocks(problem, problem.ranks);
  }
  if (problem.segment_bytes == 0) {
    return one_block(problem);
  }
  const std::uint64_t each = segment_elements(problem, problem.segment_bytes);
  if (segment_count(problem.elements(), each) > kMaxSegment) {
    throw UserError(sentence("segments of {} bytes are more than {}; take a larger --segment",
                             problem.segment_bytes, kMaxSegment));
  }
  return BlockLayout::segmented(problem.elements(), each, problem.element_bytes);
}

}  // namespace

// Calls that any rank makes one of at a time: of each group of a level, or across.
struct Hierarchy::Stage {
  struct OneCall {
    NamedPart part;
    std::uint32_t group = 0;
    std::uint32_t ranks = 0;
    std::uint32_t root = 0;
    std::optional<std::uint32_t> blocks;  // of GroupCalls
    std::optional<std::uint32_t> piece;   // alone; else the segment, or all
    Buffer input = Buffer::input;
    Buffer result = Buffer::work;
  };
  std::vector<OneCall> calls;
  bool within_nodes = false;
};

class Hierarchy::Stages {
 public:
  Stages(const Problem& problem, Kind kind)
      : problem_(problem), kind_(kind), tree_(problem, leaders_of(problem, kind)) {
    if (kind == Kind::lanes && tree_.levels().size() != 1) {
      throw UserError(
          fmt::format("--groups '{}': lanes are of one level of groups", to_text(problem.groups)));
    }
    if (problem.within.levels.size() > tree_.levels().size()) {
      throw UserError(fmt::format("--within '{}': {} levels, but --groups makes {}",
                                  to_text(problem.within), problem.within.levels.size(),
                                  tree_.levels().size()));
    }
    std::optional<std::uint32_t> lanes;
    if (kind == Kind::lanes) {
      lanes_ = problem.ranks;
      for (const GroupTree::Group& group : tree_.levels().front()) {
        lanes_ = std::min(lanes_, group.size());
      }
      lanes = lanes_;
    }
    pieces_ = pieces_of(problem, lanes);
    calls_.emplace(problem, piece_bytes(pieces_));
    for (const auto& level : tree_.levels()) {
      std::vector<std::uint32_t>& ids = groups_.emplace_back();
      for (const GroupTree::Group& group : level) {
        ids.push_back(calls_->add_group(group.members));
      }
    }
    top_ = calls_->add_group(tree_.top().members);
    if (kind == Kind::lanes) {
      make_lanes();
    } else {
      make();
    }
    write();
  }

  GroupCalls take_calls() { return std::move(*calls_); }
  [[nodiscard]] bool end_together() const { return end_together_; }

 private:
  static Leaders leaders_of(const Problem& problem, Kind kind) {
    return kind == Kind::leaders && has_root(problem.collective) &&
                   problem.composition == HierarchyForm::han
               ? Leaders::as_the_root
               : Leaders::first;
  }

  [[nodiscard]] std::size_t depth() const { return tree_.levels().size(); }
  [[nodiscard]] const std::vector<GroupTree::Group>& groups(std::size_t level) const {
    return tree_.levels()[level];
  }

  NamedPart within(std::size_t level, const std::vector<Collective>& collectives,
                   std::size_t which) const {
    return named_parts("--within", problem_.within, level, collectives)[which];
  }

  // A stage of calls within the groups of a level, from or to their leaders or the given members.
  template <typename RootOf>
  void add_within(std::size_t level, const NamedPart& part, RootOf&& root_of, bool on_blocks) {
    Stage stage;
    stage.within_nodes = level == 0;
    for (std::size_t at = 0; at < groups(level).size(); ++at) {
      const GroupTree::Group& group = groups(level)[at];
      const std::optional<std::uint32_t> root = root_of(group);
      if (!root || group.size() == 1) {
        continue;
      }
      stage.calls.push_back(
          {part, groups_[level][at], group.size(), *root,
           on_blocks ? std::optional(calls_->add_blocks(group.stands_for)) : std::nullopt,
           std::nullopt});
    }
    stages_.push_back(std::move(stage));
  }

  void add_across(const NamedPart& part, std::uint32_t root, bool on_blocks) {
    const GroupTree::Group& top = tree_.top();
    Stage stage;
    stage.calls.push_back(
        {part, top_, top.size(), root,
         on_blocks ? std::optional(calls_->add_blocks(top.stands_for)) : std::nullopt,
         std::nullopt});
    stages_.push_back(std::move(stage));
  }

  // The whole vector from one rank to another.
  void add_send(Rank from, Rank to) {
    if (from == to) {
      return;
    }
    const NamedPart part{find_algorithm(Collective::bcast, "linear"), {"linear", std::nullopt, 0}};
    Stage stage;
    stage.within_nodes = true;
    stage.calls.push_back({part, calls_->add_group({from, to}), 2, 0, std::nullopt, std::nullopt});
    stages_.push_back(std::move(stage));
  }

  [[nodiscard]] NamedPart across(Collective collective) const {
    return named_parts("--across", problem_.across, 0, {collective}).front();
  }

  static std::optional<std::uint32_t> leader(const GroupTree::Group& group) { return group.leader; }

  void up(const std::vector<Collective>& collectives, bool on_blocks) {
    for (std::size_t level = 0; level < depth(); ++level) {
      add_within(level, within(level, collectives, 0), leader, on_blocks);
    }
  }
  void down(const std::vector<Collective>& collectives, bool on_blocks) {
    for (std::size_t level = depth(); level-- > 0;) {
      add_within(level, within(level, collectives, collectives.size() - 1), leader, on_blocks);
    }
  }

  void make() {
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

  void make_allreduce() {
    const std::vector both{Collective::reduce, Collective::bcast};
    up(both, false);
    if (!problem_.across.standard() && problem_.across.levels.front().size() == 2) {
      const std::vector<NamedPart> parts = named_parts("--across", problem_.across, 0, both);
      add_across(parts[0], 0, false);
      add_across(parts[1], 0, false);
    } else {
      add_across(across(Collective::allreduce), 0, false);
    }
    down(both, false);
  }

  void make_barrier() {
    const bool released = problem_.composition == HierarchyForm::mpich_alpha;
    if (problem_.composition == HierarchyForm::mpich_beta) {
      throw UserError("MPICH's beta of a barrier is flat; take barrier/dissemination");
    }
    const std::vector<Collective> collectives =
        released ? std::vector{Collective::barrier, Collective::bcast}
                 : std::vector{Collective::barrier};
    // Not all ranks are done at once with a release that comes to one after the other.
    end_together_ = problem_.within.standard() && problem_.across.standard();
    up(collectives, false);
    add_across(across(Collective::barrier), 0, false);
    down(collectives, false);
  }

  void make_bcast(std::uint32_t top_root) {
    const std::vector one{Collective::bcast};
    const auto part = [&](std::size_t level) { return within(level, one, 0); };
    if (problem_.composition == HierarchyForm::mpich_alpha) {
      add_send(problem_.root, tree_.top().members[top_root]);
    }
    // Where the root does not stand for its group, which is served first by beta.
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

  void make_reduce(std::uint32_t top_root) {
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
    // All but the root's groups come first, and these last.
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

  // Blocks count by distance, from rank s to rank d block d - s. Within a group, a block for each
  // distance there: all that goes to the member at that distance, for the same place in any group.
  // Then on each lane, a block for each distance between groups: all that the group's members have
  // for the one there. Where groups are alike, that is the same whoever sends it.
  void make_alltoall() {
    const std::vector<GroupTree::Group>& nodes = groups(0);
    const auto count = static_cast<std::uint32_t>(nodes.size());
    const std::uint32_t size = nodes.front().size();
    if (depth() != 1) {
      throw UserError(fmt::format("--groups '{}': an alltoall is of one level of groups",
                                  to_text(problem_.groups)));
    }
    if (!tree_.even()) {
      refuse_unlike();
    }
    const NamedPart inner = within(0, {Collective::alltoall}, 0);
    const NamedPart outer = across(Collective::alltoall);
    Stage near;
    near.within_nodes = true;
    for (std::uint32_t node = 0; (size > 1 || count == 1) && node < count; ++node) {
      const auto blocks = blocks_by_distance(size, count, [&](auto from, auto to, auto other) {
        return distance(nodes[node].members[from], nodes[other].members[to]);
      });
      near.calls.push_back({inner, groups_[0][node], size, 0, blocks, std::nullopt, Buffer::input,
                            count > 1 ? Buffer::scratch : Buffer::work});
    }
    Stage far;
    for (std::uint32_t lane = 0; count > 1 && lane < size; ++lane) {
      std::vector<Rank> members;
      for (const GroupTree::Group& node : nodes) {
        members.push_back(node.members[lane]);
      }
      const auto blocks = blocks_by_distance(count, size, [&](auto from, auto to, auto other) {
        return distance(nodes[from].members[other], nodes[to].members[lane]);
      });
      far.calls.push_back({outer, calls_->add_group(std::move(members)), count, 0, blocks,
                           std::nullopt, size > 1 ? Buffer::scratch : Buffer::input, Buffer::work});
    }
    end_together_ = inner.algorithm->symmetry != nullptr;
    stages_.push_back(std::move(near));
    stages_.push_back(std::move(far));
  }

  [[noreturn]] static void refuse_unlike() {
    throw UserError(
        "groups that are not alike: they must be as large as each other, of consecutive ranks or "
        "of "
        "ranks dealt out to them in turn");
  }
  [[nodiscard]] std::uint32_t distance(Rank from, Rank to) const {
    return to >= from ? to - from : to + problem_.ranks - from;
  }
  // Of a call among `members`, whose blocks have `each` pieces: piece_of(from, to, i).
  template <typename PieceOf>
  std::uint32_t blocks_by_distance(std::uint32_t members, std::uint32_t each, PieceOf&& piece_of) {
    std::vector<GroupCalls::Pieces> blocks(members);
    for (std::uint32_t from = 0; from < members; ++from) {
      for (std::uint32_t block = 0; block < members; ++block) {
        GroupCalls::Pieces pieces(each);
        for (std::uint32_t i = 0; i < each; ++i) {
          pieces[i] = piece_of(from, (from + block) % members, i);
        }
        std::sort(pieces.begin(), pieces.end());
        if (from == 0) {
          blocks[block] = std::move(pieces);
        } else if (pieces != blocks[block]) {
          refuse_unlike();
        }
      }
    }
    return calls_->add_blocks(std::move(blocks));
  }

  // Within groups, a block for each lane; none for further ranks.
  std::uint32_t lane_blocks(const GroupTree::Group& group) {
    std::vector<GroupCalls::Pieces> pieces(group.size());
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
      pieces[lane] = {lane};
    }
    return calls_->add_blocks(std::move(pieces));
  }

  template <typename RootOf>
  void add_shares(const NamedPart& part, RootOf&& root_of) {
    Stage stage;
    stage.within_nodes = true;
    for (std::size_t at = 0; at < groups(0).size(); ++at) {
      const GroupTree::Group& group = groups(0)[at];
      if (const std::optional<std::uint32_t> root = root_of(group); root && group.size() > 1) {
        stage.calls.push_back(
            {part, groups_[0][at], group.size(), *root, lane_blocks(group), std::nullopt});
      }
    }
    stages_.push_back(std::move(stage));
  }

  void add_lanes(const NamedPart& part, std::uint32_t root) {
    Stage stage;
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
      std::vector<Rank> members;
      for (const GroupTree::Group& group : groups(0)) {
        members.push_back(group.members[lane]);
      }
      const auto ranks = static_cast<std::uint32_t>(members.size());
      stage.calls.push_back(
          {part, calls_->add_group(std::move(members)), ranks, root, std::nullopt, lane});
    }
    stages_.push_back(std::move(stage));
  }

  void make_lanes() {
    const Collective collective = problem_.collective;
    const auto all = [](const GroupTree::Group&) { return std::optional(0U); };
    const auto of_root = [](const GroupTree::Group& group) { return group.root; };
    const std::uint32_t top_root = tree_.top().root.value_or(0);
    const auto parts = [&](Collective first, Collective last) {
      return named_parts("--within", problem_.within, 0, {first, last});
    };
    end_together_ = false;
    switch (collective) {
      case Collective::allreduce: {
        const auto within = parts(Collective::reduce_scatter, Collective::allgather);
        // Where ranks are alike, none is done before the others.
        end_together_ = within[0].algorithm->symmetry != nullptr;
        add_shares(within[0], all);
        add_lanes(across(collective), 0);
        return add_shares(within[1], all);
      }
      case Collective::bcast: {
        const auto within = parts(Collective::scatter, Collective::allgather);
        add_shares(within[0], of_root);
        add_lanes(across(collective), top_root);
        return add_shares(within[1], all);
      }
      default: {
        TUTTI_INVARIANT(collective == Collective::reduce);
        const auto within = parts(Collective::reduce_scatter, Collective::gather);
        add_shares(within[0], all);
        add_lanes(across(collective), top_root);
        return add_shares(within[1], of_root);
      }
    }
  }

  [[nodiscard]] GroupCalls::Call call_of(const Stage::OneCall& one, std::uint32_t piece,
                                         std::uint32_t end_piece) const {
    GroupCalls::Call call;
    call.algorithm = one.part.algorithm;
    call.group = one.group;
    call.blocks = one.blocks;
    call.first_piece = piece;
    call.end_piece = end_piece;
    call.input = one.input;
    call.result = one.result;
    Problem& problem = call.problem;
    problem.collective = one.part.algorithm->collective;
    problem.ranks = one.ranks;
    problem.element_bytes = problem_.element_bytes;
    problem.root = one.root;
    problem.tree = one.part.part.tree.value_or(problem.tree);
    problem.segment_bytes = one.part.part.segment_bytes;
    problem.bytes = one.blocks ? std::uint64_t{one.ranks} * problem.element_bytes
                               : pieces_.offset_bytes(end_piece) - pieces_.offset_bytes(piece);
    return call;
  }

  void write() {
    const bool segmented = problem_.segment_bytes != 0;
    const std::uint32_t segments = segmented ? pieces_.blocks() : 1;
    const auto count = static_cast<std::uint32_t>(stages_.size());
    const auto add = [&](std::uint32_t stage, std::uint32_t segment, bool beside) {
      for (const Stage::OneCall& one : stages_[stage].calls) {
        const std::uint32_t first = one.piece.value_or(segmented ? segment : 0);
        GroupCalls::Call call =
            call_of(one, first, one.piece || segmented ? first + 1 : pieces_.blocks());
        call.stage = stage;
        call.segment = segment;
        call.turn = stage + segment;
        call.beside = beside;
        calls_->add(std::move(call));
      }
    };
    for (std::uint32_t turn = 0; turn + 1 < count + segments; ++turn) {
      const std::uint32_t first = turn + 1 > segments ? turn + 1 - segments : 0;
      const std::uint32_t last = std::min(turn, count - 1);
      for (std::uint32_t stage = last + 1; stage-- > first;) {
        if (!stages_[stage].within_nodes) {
          add(stage, turn - stage, true);
        }
      }
      for (std::uint32_t stage = first; stage <= last; ++stage) {
        if (stages_[stage].within_nodes) {
          add(stage, turn - stage, false);
        }
      }
    }
    end_together_ = end_together_ && segments == 1 && tree_.even();
  }

  const Problem& problem_;
  Kind kind_;
  GroupTree tree_;
  std::uint32_t lanes_ = 0;
  BlockLayout pieces_;
  std::optional<GroupCalls> calls_;
  std::vector<std::vector<std::uint32_t>> groups_;  // of GroupCalls, by level
  std::uint32_t top_ = 0;
  std::vector<Stage> stages_;
  bool end_together_ = true;
};

Hierarchy::Hierarchy(const Problem& problem, Kind kind) : problem_(problem) {
  if (const auto reason = GroupTree::refusal(problem)) {
    throw UserError(*reason);
  }
  Stages stages(problem, kind);
  stages_end_together_ = stages.end_together();
  calls_ = stages.take_calls();
}

std::optional<double> Hierarchy::exact_s(const Prices& prices) const {
  if (!stages_end_together_) {
    return std::nullopt;
  }
  double sum_s = 0;
  std::optional<std::uint32_t> stage;
  for (const GroupCalls::Call& call : calls_->calls()) {
    if (stage == call.stage) {
      continue;  // all calls of a stage are alike
    }
    stage = call.stage;
    Problem problem = call.problem;
    problem.bytes = calls_->bytes_of(call);
    const auto seconds = call.algorithm->exact_s == nullptr
                             ? std::nullopt
                             : call.algorithm->exact_s(problem, prices);
    if (!seconds) {
      return std::nullopt;
    }
    sum_s += *seconds;
  }
  return sum_s;
}

std::string_view Hierarchy::same_as() const {
  if (calls_->calls().size() != 1) {
    return "";
  }
  const GroupCalls::Call& call = calls_->calls().front();
  const std::vector<Rank>& members = calls_->group(call.group);
  const Problem plain;
  const bool all =
      members.size() == problem_.ranks && std::is_sorted(members.begin(), members.end());
  const bool told = call.problem.tree != plain.tree || call.problem.segment_bytes != 0;
  const bool same =
      call.problem.collective == problem_.collective && call.problem.root == problem_.root;
  return all && same && !told ? call.algorithm->name : "";
}

bool Hierarchy::one_shape() const {
  const Algorithm* cuts = nullptr;
  return problem_.segment_bytes == 0 &&
         std::all_of(calls_->calls().begin(), calls_->calls().end(), [&](const auto& call) {
           if (call.algorithm->one_shape == nullptr || !call.algorithm->one_shape(call.problem)) {
             return false;
           }
           if (call.blocks || call.algorithm->layout(call.problem).blocks() == 1) {
             return true;
           }
           const bool alone = cuts == nullptr || cuts == call.algorithm;
           cuts = call.algorithm;
           return alone && call.end_piece == call.first_piece + 1;
         });
}

// By what each rank holds of the first piece: a sum of consecutive ranks in their order, or
// another.
bool Hierarchy::keeps_order() const {
  struct Sum {
    Rank first = 0;
    Rank end = 0;  // 0: not in order
  };
  std::vector<Sum> sums(problem_.ranks);
  for (Rank rank = 0; rank < problem_.ranks; ++rank) {
    sums[rank] = {rank, rank + 1};
  }
  for (const GroupCalls::Call& call : calls_->calls()) {
    if (call.segment != 0) {
      continue;
    }
    const std::vector<Rank>& members = calls_->group(call.group);
    Sum sum = sums[members[call.problem.root]];
    if (reduces(call.algorithm->collective)) {
      const bool kept =
          call.algorithm->keeps_order != nullptr && call.algorithm->keeps_order(call.problem);
      sum = kept ? sums[members.front()] : Sum{};
      for (std::size_t at = 1; at < members.size() && sum.end != 0; ++at) {
        const Sum next = sums[members[at]];
        sum = next.first == sum.end && next.end != 0 ? Sum{sum.first, next.end} : Sum{};
      }
    } else if (call.blocks) {
      sum = sums[members.front()];  // of lanes, which are alike, put together again
    }
    for (std::size_t at = 0; at < members.size(); ++at) {
      if (call.algorithm->collective != Collective::reduce || at == call.problem.root) {
        sums[members[at]] = sum;
      }
    }
  }
  return std::all_of(sums.begin(), sums.end(), [&](const Sum& sum) {
    const bool holds_it = problem_.collective != Collective::reduce || &sum == &sums[problem_.root];
    return !holds_it || (sum.first == 0 && sum.end == problem_.ranks);
  });
}

}  // namespace tutti

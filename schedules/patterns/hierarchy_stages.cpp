#include "schedules/patterns/hierarchy_stages.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "schedules/patterns/segments.hpp"
#include "schedules/registry.hpp"

namespace tutti { inline namespace schedules {

namespace {

Leaders leaders_of(const Problem& problem, HierarchyKind kind) {
  return kind == HierarchyKind::leaders && has_root(problem.collective) &&
                 problem.composition == HierarchyForm::han
             ? Leaders::as_the_root
             : Leaders::first;
}

std::vector<std::uint64_t> piece_bytes(const BlockLayout& layout) {
  std::vector<std::uint64_t> bytes;
  for (std::uint32_t block = 0; block < layout.blocks(); ++block) {
    bytes.push_back(layout.size_bytes(block));
  }
  return bytes;
}

// Cuts the vector into pieces: one for each part that a rank owns, one for each lane, or one for
// each segment. If none of these apply, the whole vector is one piece.
BlockLayout pieces_of(const Problem& problem, const std::optional<std::uint32_t>& lanes) {
  if (owns_parts(problem.collective)) {
    return layout_in_blocks(problem, problem.ranks);
  }
  if (lanes) {
    return BlockLayout::even(problem.elements(), *lanes, problem.element_bytes);
  }
  if (problem.segment_bytes == 0) {
    return one_block(problem);
  }
  const std::uint64_t each = segment_elements(problem, problem.segment_bytes);
  if (segment_count(problem.elements(), each) > kMaxSegment) {
    throw UserError(
        sentence("segments of {} bytes make more than {} segments; use a larger $segment",
                 problem.segment_bytes, kMaxSegment));
  }
  return BlockLayout::segmented(problem.elements(), each, problem.element_bytes);
}

}  // namespace

HierarchyStages::HierarchyStages(const Problem& problem, HierarchyKind kind)
    : problem_(problem), tree_(problem, leaders_of(problem, kind)) {
  if (kind == HierarchyKind::lanes && tree_.levels().size() != 1) {
    throw UserError(fmt::format("$groups '{}': multilane algorithms take only one level of groups",
                                to_text(problem.groups)));
  }
  if (problem.within.levels.size() > tree_.levels().size()) {
    throw UserError(fmt::format("$within '{}': {} levels, but $groups defines only {}",
                                to_text(problem.within), problem.within.levels.size(),
                                tree_.levels().size()));
  }
  for (const auto& [flag, parts] :
       {std::pair("$within", &problem.within), std::pair("$across", &problem.across)}) {
    for (const std::vector<StagePart>& level : parts->levels) {
      for (const StagePart& part : level) {
        if ((part.others || part.last) && problem.segment_bytes == 0) {
          throw UserError(
              fmt::format("{} '{}': '{}' has parts for several segments, but the vector is not "
                          "segmented; add $segment",
                          flag, to_text(*parts), to_text(part)));
        }
      }
    }
  }
  std::optional<std::uint32_t> lanes;
  if (kind == HierarchyKind::lanes) {
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
  if (kind == HierarchyKind::lanes) {
    make_lanes();
  } else {
    make();
  }
  write();
}

NamedStage HierarchyStages::within(std::size_t level, const std::vector<Collective>& collectives,
                                   std::size_t which) const {
  return named_parts("$within", problem_.within, level, collectives)[which];
}

NamedStage HierarchyStages::across(Collective collective) const {
  return named_parts("$across", problem_.across, 0, {collective}).front();
}

void HierarchyStages::add_within(std::size_t level, const NamedStage& part, const RootOf& root_of,
                                 bool on_blocks) {
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

void HierarchyStages::add_across(const NamedStage& part, std::uint32_t root, bool on_blocks) {
  const GroupTree::Group& top = tree_.top();
  Stage stage;
  stage.calls.push_back(
      {part, top_, top.size(), root,
       on_blocks ? std::optional(calls_->add_blocks(top.stands_for)) : std::nullopt, std::nullopt});
  stages_.push_back(std::move(stage));
}

void HierarchyStages::add_send(Rank from, Rank to) {
  if (from == to) {
    return;
  }
  const NamedStage part{{find_algorithm(Collective::bcast, "linear"), {.algorithm = "linear"}},
                        std::nullopt,
                        std::nullopt};
  Stage stage;
  stage.within_nodes = true;
  stage.calls.push_back({part, calls_->add_group({from, to}), 2, 0, std::nullopt, std::nullopt});
  stages_.push_back(std::move(stage));
}

void HierarchyStages::up(const std::vector<Collective>& collectives, bool on_blocks) {
  for (std::size_t level = 0; level < depth(); ++level) {
    add_within(level, within(level, collectives, 0), leader, on_blocks);
  }
}

void HierarchyStages::down(const std::vector<Collective>& collectives, bool on_blocks) {
  for (std::size_t level = depth(); level-- > 0;) {
    add_within(level, within(level, collectives, collectives.size() - 1), leader, on_blocks);
  }
}

GroupCalls::Call HierarchyStages::call_of(const Stage::OneCall& one, std::uint32_t piece,
                                          std::uint32_t end_piece) const {
  const NamedPart& named = one.part.of(piece, problem_.segment_bytes != 0 ? pieces_.blocks() : 1);
  GroupCalls::Call call;
  call.algorithm = named.algorithm;
  call.group = one.group;
  call.blocks = one.blocks;
  call.first_piece = piece;
  call.end_piece = end_piece;
  call.input = one.input;
  call.result = one.result;
  Problem& problem = call.problem;
  problem.collective = named.algorithm->collective;
  problem.ranks = one.ranks;
  problem.element_bytes = problem_.element_bytes;
  problem.root = one.root;
  problem.tree = named.part.tree.value_or(problem.tree);
  problem.segment_bytes = named.part.segment_bytes;
  problem.radix = named.part.radix;
  problem.fold = named.part.fold;
  problem.cuts = named.part.cuts;
  problem.bytes = one.blocks ? std::uint64_t{one.ranks} * problem.element_bytes
                             : pieces_.offset_bytes(end_piece) - pieces_.offset_bytes(piece);
  return call;
}

void HierarchyStages::write() {
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

}}  // namespace tutti::schedules

#include "schedules/patterns/group_calls.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "schedules/patterns/scattered_vector.hpp"

namespace tutti { inline namespace schedules {

GroupCalls::GroupCalls(const Problem& problem, const std::vector<std::uint64_t>& piece_bytes)
    : problem_(problem), piece_offsets_{0} {
  piece_offsets_.reserve(piece_bytes.size() + 1);
  for (const std::uint64_t bytes : piece_bytes) {
    piece_offsets_.push_back(piece_offsets_.back() + bytes);
  }
  TUTTI_INVARIANT(piece_offsets_.back() == problem.bytes);
  TUTTI_INVARIANT(!owns_parts(problem.collective) || piece_bytes.size() % problem.ranks == 0);
}

std::uint32_t GroupCalls::add_group(std::vector<Rank> members) {
  groups_.push_back(std::move(members));
  return static_cast<std::uint32_t>(groups_.size() - 1);
}

std::uint32_t GroupCalls::add_blocks(std::vector<Pieces> pieces_of_block) {
  blocks_.push_back(std::move(pieces_of_block));
  return static_cast<std::uint32_t>(blocks_.size() - 1);
}

void GroupCalls::add(Call call) {
  // A single rank has nothing to do, except to copy its own block in an all-to-all.
  if (call.problem.ranks == 1 && call.problem.collective != Collective::alltoall) {
    return;
  }
  TUTTI_INVARIANT(groups_[call.group].size() == call.problem.ranks);
  TUTTI_INVARIANT(calls_.empty() || calls_.back().turn <= call.turn);
  shape_of_call_.push_back(shape_of(call));
  calls_.push_back(std::move(call));
}

std::uint32_t GroupCalls::shape_of(const Call& call) {
  const auto found = std::find_if(shapes_.rbegin(), shapes_.rend(), [&](const Shape& shape) {
    return shape.algorithm == call.algorithm && shape.problem == call.problem;
  });
  if (found != shapes_.rend()) {
    return static_cast<std::uint32_t>(shapes_.rend() - found - 1);
  }
  const Algorithm& algorithm = *call.algorithm;
  if (algorithm.in_network()) {
    throw UserError(sentence("its {} needs switches, so it cannot be a part of a hierarchy",
                             algorithm.full_name()));
  }
  if (algorithm.refusal != nullptr) {
    if (const auto reason = algorithm.refusal(call.problem)) {
      throw UserError(reason->after("its " + algorithm.full_name() + ": "));
    }
  }
  if (reduces(problem_.collective)) {
    if (const auto reason = refuse_cut_elements(algorithm, call.problem)) {
      throw UserError(reason->after("its " + algorithm.full_name() + ": "));
    }
  }
  if (call.blocks && algorithm.layout(call.problem).blocks() != blocks_[*call.blocks].size()) {
    throw UserError(sentence("its {}: this algorithm divides blocks, so all blocks must be equal",
                             algorithm.full_name()));
  }
  shapes_.push_back({call.algorithm, call.problem});
  return static_cast<std::uint32_t>(shapes_.size() - 1);
}

std::uint64_t GroupCalls::bytes_of(const Call& call) const {
  if (!call.blocks) {
    return piece_offsets_[call.end_piece] - piece_offsets_[call.first_piece];
  }
  std::uint64_t bytes = 0;
  for (const Pieces& pieces : blocks_[*call.blocks]) {
    for (const std::uint32_t piece : pieces) {
      bytes += piece_offsets_[piece + 1] - piece_offsets_[piece];
    }
  }
  return bytes;
}

GroupCalls::Cut GroupCalls::cut() const {
  Cut cut{VectorCut(piece_offsets_), {}};
  for (std::size_t at = 0; at < calls_.size(); ++at) {
    const Call& call = calls_[at];
    const Run run{shape_of_call_[at], call.first_piece, call.end_piece};
    if (call.blocks || cut.runs.count(run) == 1) {
      continue;
    }
    const Shape& shape = shapes_[run.shape];
    cut.runs[run] =
        cut.vector.add_run(shape.algorithm->layout(shape.problem), run.first_piece, run.end_piece);
  }
  const auto pieces = static_cast<std::uint32_t>(piece_offsets_.size() - 1);
  cut.vector.settle(owns_parts(problem_.collective) ? pieces / problem_.ranks : 0);
  return cut;
}

BlockLayout GroupCalls::layout() const { return cut().vector.layout(problem_.element_bytes); }

}}  // namespace tutti::schedules

#include "schedules/notation/program/calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "base/plural.hpp"
#include "schedules/notation/program/moved_blocks.hpp"
#include "schedules/options/option_type.hpp"

namespace tutti { inline namespace schedules { namespace program {

std::vector<Rank> Calls::members_of(const UseCode& code, const Numbers& list) {
  if (list.empty()) {
    fail_at(code.members_place, "the list of ranks is empty; a call needs at least 1");
  }
  state_.count_steps(list.size());
  std::vector<Rank> members;
  taken_.resize(problem_.ranks);
  ++lists_;
  for (const std::int64_t rank : list) {
    if (rank < 0 || rank >= problem_.ranks) {
      fail_at(code.members_place,
              fmt::format("rank {} in the list: the ranks are 0 to {}", rank, problem_.ranks - 1));
    }
    if (std::exchange(taken_[static_cast<std::size_t>(rank)], lists_) == lists_) {
      fail_at(code.members_place,
              fmt::format("rank {} is in the list twice; list each rank once", rank));
    }
    members.push_back(static_cast<Rank>(rank));
  }
  return members;
}

Problem Calls::problem_of(const UseCode& code, const Numbers& slots,
                          const std::vector<Rank>& members) const {
  Problem problem;
  problem.collective = code.algorithm->collective;
  problem.ranks = static_cast<std::uint32_t>(members.size());
  problem.element_bytes = problem_.element_bytes;
  if (code.root != kNone) {
    const std::int64_t root = slots[code.root];
    const auto found = std::find_if(members.begin(), members.end(),
                                    [&](Rank rank) { return std::int64_t{rank} == root; });
    if (found == members.end()) {
      fail_at(code.root_place, fmt::format("root {} is not among the {} of the call", root,
                                           number_of(members.size(), "rank")));
    }
    problem.root = static_cast<Rank>(found - members.begin());
  }
  for (const UseOption& option : code.options) {
    if (option.as_given) {
      option.type->copy(problem_, problem);
      continue;
    }
    try {
      option.type->parse(option.type->json_key,
                         option.slot == kNone ? option.word : fmt::format("{}", slots[option.slot]),
                         problem);
    } catch (const UserError& error) {
      fail_at(option.place, error.what());
    }
  }
  return problem;
}

void Calls::set_run(Call& call, const UseCode& code,
                    const std::vector<std::uint32_t>& blocks) const {
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    if (blocks[i] != blocks[i - 1] + 1) {
      fail_at(code.on.place,
              fmt::format("block {} does not follow block {}; {} needs consecutive blocks",
                          blocks[i], blocks[i - 1], code.algorithm->full_name()));
    }
  }
  call.first_piece = blocks.front();
  call.end_piece = blocks.back() + 1;
}

void Calls::set_shares(Call& call, const UseCode& code, const std::vector<std::uint32_t>& blocks,
                       const std::vector<Numbers>& lists) const {
  const std::size_t ranks = call.members.size();
  Numbers even;
  if (code.shares == kNone) {
    if (blocks.size() % ranks != 0) {
      fail_at(code.on.given ? code.on.place : code.place,
              fmt::format("{} cannot be divided evenly among {}; use 'shares' to list the number "
                          "of blocks of each rank",
                          number_of(blocks.size(), "block"), number_of(ranks, "rank")));
    }
    even.assign(ranks, static_cast<std::int64_t>(blocks.size() / ranks));
  }
  const Numbers& shares = code.shares == kNone ? even : lists[code.shares];
  if (shares.size() != ranks) {
    fail_at(code.shares_place,
            fmt::format("'shares' lists {}, but the call has {}", number_of(shares.size(), "rank"),
                        number_of(ranks, "rank")));
  }
  std::size_t next = 0;
  for (const std::int64_t share : shares) {
    if (share < 0 || static_cast<std::uint64_t>(share) > blocks.size() - next) {
      fail_at(code.shares_place,
              share < 0 ? fmt::format("a share of {} blocks: must not be negative", share)
                        : fmt::format("the shares exceed the {} of the call",
                                      number_of(blocks.size(), "block")));
    }
    const auto begin = blocks.begin() + static_cast<std::ptrdiff_t>(next);
    call.blocks.emplace_back(begin, begin + share);
    next += static_cast<std::size_t>(share);
  }
  if (next != blocks.size()) {
    fail_at(code.shares_place,
            fmt::format("the shares add up to {}, but the call has {}", number_of(next, "block"),
                        number_of(blocks.size(), "block")));
  }
}

Call Calls::resolve(const UseCode& code, const Numbers& slots, const std::vector<Numbers>& lists,
                    OperationBlocks& blocks) {
  const Collective collective = code.algorithm->collective;
  if (collective == Collective::barrier && problem_.collective != Collective::barrier) {
    fail_at(code.place, fmt::format("a program for {} cannot call a barrier, which moves no data",
                                    name(problem_.collective)));
  }
  Call call;
  call.place = code.place;
  call.members = members_of(code, lists[code.members]);
  const BlockLayout& layout = blocks.layout();
  std::vector<std::uint32_t> all = blocks.blocks_of(code.on, slots, lists);
  state_.count_steps(all.size());
  Problem problem = problem_of(code, slots, call.members);
  const bool on_shares = owns_parts(collective);
  if (on_shares) {
    set_shares(call, code, all, lists);
    problem.bytes = std::uint64_t{problem.ranks} * problem.element_bytes;
  } else {
    set_run(call, code, all);
    problem.bytes = layout.offset_bytes(call.end_piece) - layout.offset_bytes(call.first_piece);
  }
  call.shape = shape_of(code, problem, on_shares);
  return call;
}

std::uint32_t Calls::shape_of(const UseCode& code, const Problem& problem, bool on_shares) {
  const Algorithm& algorithm = *code.algorithm;
  const auto found = std::find_if(shapes_.rbegin(), shapes_.rend(), [&](const Shape& shape) {
    return shape.algorithm == &algorithm && shape.problem == problem;
  });
  if (found != shapes_.rend()) {
    return static_cast<std::uint32_t>(shapes_.rend() - found - 1);
  }
  try {
    if (algorithm.refusal != nullptr) {
      if (auto reason = algorithm.refusal(problem)) {
        throw CallRefusal{code.place, &algorithm, std::move(*reason)};
      }
    }
    check(algorithm, problem);
    if (on_shares && algorithm.layout(problem).blocks() != problem.ranks) {
      throw CallRefusal{code.place, &algorithm,
                        "it splits the block of each rank, which is not possible in a call"};
    }
    shapes_.push_back({&algorithm, problem, GroupPart(make_schedule(algorithm, problem))});
  } catch (const ScheduleTooLarge&) {
    throw;
  } catch (const UserError& error) {
    throw CallRefusal{code.place, &algorithm, error.sentence()};
  }
  memory_bytes_ += shapes_.back().part.schedule.memory_bytes();
  return static_cast<std::uint32_t>(shapes_.size() - 1);
}

std::uint64_t Calls::bytes_of(const Call& call, OpId id, const BlockLayout& pieces) const {
  const Shape& shape = shapes_[call.shape];
  const Schedule& part = shape.part.schedule;
  if (call.blocks.empty()) {
    return part.op(id).bytes();
  }
  const auto size_of = [&](std::uint32_t block) {
    const VectorCut::Pieces& all = call.blocks[block % part.blocks()];
    return std::accumulate(
        all.begin(), all.end(), std::uint64_t{0},
        [&](std::uint64_t sum, std::uint32_t piece) { return sum + pieces.size_bytes(piece); });
  };
  std::uint64_t bytes = 0;
  for_each_block_pair(part, id, [&](std::uint32_t read, std::uint32_t written) {
    const std::uint64_t size = size_of(read);
    if (read % part.blocks() != written % part.blocks() && size != size_of(written)) {
      throw CallRefusal{call.place, shape.algorithm,
                        "it moves a block to the place of another rank's block, but the two blocks "
                        "differ in size"};
    }
    bytes += size;
  });
  return bytes;
}

void Calls::add(Call&& call) {
  std::size_t pieces = 0;
  for (const VectorCut::Pieces& block : call.blocks) {
    pieces += block.size();
  }
  memory_bytes_ +=
      sizeof(Call) + call.blocks.size() * sizeof(VectorCut::Pieces) +
      sizeof(Rank) * (call.members.size() + call.origins.size() + call.kept.size() + pieces);
  calls_.push_back(std::move(call));
}

std::uint32_t Calls::cut_blocks(ScheduleParts& parts, std::uint32_t own_slots) const {
  std::vector<std::uint64_t> offsets;
  for (std::uint32_t piece = 0; piece <= parts.layout.blocks(); ++piece) {
    offsets.push_back(parts.layout.offset_bytes(piece));
  }
  VectorCut cut(std::move(offsets));
  // The number of each run of pieces in `cut`. The key is the shape, the first piece and the end
  // piece.
  std::map<std::array<std::uint32_t, 3>, std::uint32_t> runs;
  const auto run_of = [&](const Call& call) -> std::uint32_t& {
    return runs[{call.shape, call.first_piece, call.end_piece}];
  };
  for (const Call& call : calls_) {
    const std::size_t before = runs.size();
    if (std::uint32_t& run = run_of(call); call.blocks.empty() && runs.size() != before) {
      const Shape& shape = shapes_[call.shape];
      run = cut.add_run(shape.part.schedule.layout(), call.first_piece, call.end_piece);
    }
  }
  const auto owned = natural_blocks(problem_.collective, problem_.ranks);
  cut.settle(owns_parts(problem_.collective)
                 ? static_cast<std::uint32_t>(parts.layout.blocks() / owned)
                 : 0);
  const BlockLayout layout = cut.layout(problem_.element_bytes);
  if (parts.payloads.empty()) {
    parts.layout = layout;
    return own_slots;
  }

  const Schedule pieces = link(std::move(parts), own_slots);
  MovedBlocks moved(pieces, layout, own_slots);
  BlockPlaces own;
  own.bounds = &cut.piece_bounds();
  OpId next = 0;
  for (const Call& call : calls_) {
    for (; next < call.first; ++next) {
      moved.add(pieces, next, own, next);
    }
    const GroupPart& part = shapes_[call.shape].part;
    const OwnedPlaces shares = cut.places_of(call.blocks);
    BlockPlaces places = shares.places();
    if (call.blocks.empty()) {
      places.bounds = &cut.run_bounds(run_of(call));
    }
    try {
      for (const Rank rank : call.kept) {
        moved.add_kept(part, rank, places, next++);
      }
      for (const OpId origin : call.origins) {
        moved.add_call(part, origin, places, next++);
      }
    } catch (const UnservedProblem& error) {
      throw CallRefusal{call.place, shapes_[call.shape].algorithm, error.sentence()};
    }
  }
  for (; next < pieces.size(); ++next) {
    moved.add(pieces, next, own, next);
  }
  parts = moved.take();
  return moved.scratch_slots();
}

}}}  // namespace tutti::schedules::program

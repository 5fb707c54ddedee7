#include "schedules/patterns/composition.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "schedules/patterns/open_mpi_decision.hpp"
#include "schedules/registry.hpp"

namespace tutti {

namespace {

// Which part has blocks of each rank's own, as many for one as for another: the gather or the
// scatter.
std::optional<std::size_t> part_with_rank_blocks(Collective whole) {
  switch (whole) {
    case Collective::allgather:
    case Collective::allgatherv:
      return 0;
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
      return 1;
    default:
      return std::nullopt;
  }
}

std::vector<std::uint64_t> bounds_of(const BlockLayout& layout) {
  std::vector<std::uint64_t> bounds;
  bounds.reserve(layout.blocks() + std::size_t{1});
  for (std::uint32_t block = 0; block <= layout.blocks(); ++block) {
    bounds.push_back(layout.offset_bytes(block));
  }
  return bounds;
}

// The two parts of a problem, as algorithms have them.
std::array<OnePart, 2> parts_of(const TwoParts& parts) {
  return parts.standard() ? std::array{OnePart{"binomial", std::nullopt, 0},
                                       OnePart{"binomial", std::nullopt, 0}}
                          : parts.two;
}

// Throws UserError where the parts are those of another collective.
std::array<const Algorithm*, 2> algorithms_of(const std::array<OnePart, 2>& parts,
                                              Collective whole) {
  const std::array<Collective, 2> collectives = collectives_of_parts(whole);
  std::array<const Algorithm*, 2> found{};
  for (const std::size_t at : {0U, 1U}) {
    found[at] = find_algorithm(collectives[at], parts[at].algorithm);
    const auto refuse = [&](const std::string& why) {
      throw UserError(fmt::format("--parts '{}': {}", to_text(parts[at]), why));
    };
    if (found[at] == nullptr) {
      refuse(fmt::format("there is no {}/{}", name(collectives[at]), parts[at].algorithm));
    } else if (parts[at].tree && !takes(*found[at], Option::tree)) {
      refuse(fmt::format("{} takes no tree", found[at]->full_name()));
    } else if (parts[at].segment_bytes != 0 && !takes(*found[at], Option::segment)) {
      refuse(fmt::format("{} takes no segment", found[at]->full_name()));
    }
  }
  return found;
}

// What would change nothing is not taken in silence, nor is another library's rounding.
void check_cuts(const Problem& problem, const std::array<const Algorithm*, 2>& parts) {
  if (problem.cuts == Cuts::even) {
    return;
  }
  if (problem.parts.kind == TwoParts::Kind::open_mpi) {
    if (problem.cuts != Cuts::open_mpi) {
      throw UserError(
          fmt::format("--cuts {}: --parts open_mpi is what Open MPI calls, which cuts in its own "
                      "way; take --cuts open_mpi, or leave it out",
                      name(problem.cuts)));
    }
    return;  // it holds for those that the library cuts
  }
  if (!takes(*parts[0], Option::cuts) && !takes(*parts[1], Option::cuts)) {
    throw UserError(
        fmt::format("--cuts {} would change nothing: neither {} nor {} takes it; leave it out, or "
                    "name --parts that do",
                    name(problem.cuts), parts[0]->full_name(), parts[1]->full_name()));
  }
}

}  // namespace

bool parts_take_cuts(const TwoParts& parts, Collective whole) {
  if (parts.kind == TwoParts::Kind::open_mpi) {
    return true;
  }
  try {
    const auto both = algorithms_of(parts_of(parts), whole);
    return takes(*both[0], Option::cuts) || takes(*both[1], Option::cuts);
  } catch (const UserError&) {
    return true;
  }
}

Composition::Composition(const Problem& problem) : problem_(problem) {
  const std::array<Collective, 2> collectives = collectives_of_parts(problem.collective);
  const std::array<OnePart, 2> words = problem.parts.kind == TwoParts::Kind::open_mpi
                                           ? open_mpi_parts(problem, collectives)
                                           : parts_of(problem.parts);
  const std::array<const Algorithm*, 2> algorithms = algorithms_of(words, problem.collective);
  check_cuts(problem, algorithms);
  for (const std::size_t at : {0U, 1U}) {
    Part& part = parts_[at];
    part.algorithm = algorithms[at];
    part.problem.collective = collectives[at];
    part.problem.ranks = problem.ranks;
    part.problem.bytes = problem.bytes;
    part.problem.element_bytes = problem.element_bytes;
    if (takes(*part.algorithm, Option::cuts)) {
      part.problem.cuts = problem.cuts;
    }
    if (takes(*part.algorithm, Option::block_sizes)) {
      part.problem.block_bytes = problem.block_bytes;
    }
    part.problem.tree = words[at].tree.value_or(part.problem.tree);
    part.problem.segment_bytes = words[at].segment_bytes;
    // The rest of check() is asked of the whole, in the same sizes.
    if (part.algorithm->refusal != nullptr) {
      if (const auto reason = part.algorithm->refusal(part.problem)) {
        throw UserError(reason->after(fmt::format("its {}: ", part.algorithm->full_name())));
      }
    }
  }
}

std::optional<Sentence> Composition::refusal(const Problem& problem) {
  try {
    (void)Composition(problem);
  } catch (const UserError& error) {
    return error.sentence();
  }
  return std::nullopt;
}

// Bounds that are there several times have empty blocks between them, which messages of no bytes
// move; the whole has as many as the part that has most.
Composition::Cut Composition::cut() const {
  std::array<std::vector<std::uint64_t>, 2> bounds;
  for (const std::size_t at : {0U, 1U}) {
    bounds[at] = bounds_of(parts_[at].algorithm->layout(parts_[at].problem));
  }
  Cut cut;
  std::array<std::size_t, 2> next{0, 0};
  while (next[0] < bounds[0].size() || next[1] < bounds[1].size()) {
    const auto left = [&](std::size_t at) { return next[at] < bounds[at].size(); };
    const std::uint64_t offset = !left(0)   ? bounds[1][next[1]]
                                 : !left(1) ? bounds[0][next[0]]
                                            : std::min(bounds[0][next[0]], bounds[1][next[1]]);
    const auto first = static_cast<std::uint32_t>(cut.offsets.size());
    std::uint32_t most = 0;
    for (const std::size_t at : {0U, 1U}) {
      std::uint32_t here = 0;
      for (; left(at) && bounds[at][next[at]] == offset; ++next[at]) {
        cut.places[at].push_back(first + here++);
      }
      most = std::max(most, here);
    }
    cut.offsets.insert(cut.offsets.end(), most, offset);
  }
  for (std::vector<std::uint32_t>& places : cut.places) {
    places.back() = static_cast<std::uint32_t>(cut.offsets.size() - 1);
  }
  const auto owning = part_with_rank_blocks(problem_.collective);
  if (!owning) {
    return cut;
  }
  // Empty blocks at the end of each rank's, until all ranks have as many.
  const std::vector<std::uint32_t>& bounds_of_rank_blocks = cut.places[*owning];
  const std::size_t of_rank = (bounds_of_rank_blocks.size() - 1) / problem_.ranks;
  TUTTI_INVARIANT(bounds_of_rank_blocks.size() == of_rank * problem_.ranks + 1);
  std::vector<std::uint32_t> ranks;  // where each rank's blocks begin
  ranks.reserve(problem_.ranks + std::size_t{1});
  for (Rank rank = 0; rank <= problem_.ranks; ++rank) {
    ranks.push_back(bounds_of_rank_blocks[of_rank * rank]);
  }
  std::uint32_t each = 0;
  for (Rank rank = 0; rank < problem_.ranks; ++rank) {
    each = std::max(each, ranks[rank + 1] - ranks[rank]);
  }
  std::vector<std::uint32_t> moved(cut.offsets.size());
  std::vector<std::uint64_t> offsets;
  for (Rank rank = 0; rank < problem_.ranks; ++rank) {
    for (std::uint32_t bound = ranks[rank]; bound < ranks[rank + 1]; ++bound) {
      moved[bound] = static_cast<std::uint32_t>(offsets.size());
      offsets.push_back(cut.offsets[bound]);
    }
    offsets.resize(std::size_t{each} * (rank + 1), cut.offsets[ranks[rank + 1]]);
  }
  moved.back() = static_cast<std::uint32_t>(offsets.size());
  offsets.push_back(cut.offsets.back());
  for (std::vector<std::uint32_t>& places : cut.places) {
    for (std::uint32_t& place : places) {
      place = moved[place];
    }
  }
  cut.offsets = std::move(offsets);
  return cut;
}

BlockLayout Composition::layout() const {
  const Cut whole = cut();
  std::vector<std::uint64_t> elements;
  elements.reserve(whole.offsets.size());
  for (std::size_t bound = 1; bound < whole.offsets.size(); ++bound) {
    elements.push_back((whole.offsets[bound] - whole.offsets[bound - 1]) / problem_.element_bytes);
  }
  return BlockLayout::irregular(elements, problem_.element_bytes);
}

namespace {

// A part's schedule, written into the whole's.
class Copier {
 public:
  Copier(ScheduleBuilder& builder, const std::vector<std::uint32_t>& places, std::uint32_t level)
      : builder_(builder), places_(places), level_(level) {}

  // `after` are all operations that it comes after, in the whole.
  OpId add(const Schedule& part, OpId id, std::span<const OpId> after) {
    const Op& op = part.op(id);
    const Payload& payload = part.payload(id);
    const std::uint32_t blocks = part.blocks();
    const Label label{op.label().level + level_, op.label().segment};
    const std::uint32_t into = payload.into_first % blocks;
    const Place from{op.from(), op.pooled() ? 0 : payload.from.first / blocks};
    const Place to{op.into(), op.pooled() ? 0 : payload.into_first / blocks};
    if (!op.pooled() && payload.from.contiguous() && payload.from.first % blocks == into) {
      const std::uint32_t count = payload.from.count;
      const std::uint32_t end = into + count <= blocks ? into + count : into + count - blocks;
      const std::uint32_t size = into + count <= blocks
                                     ? places_[end] - places_[into]
                                     : builder_.blocks() - places_[into] + places_[end];
      const Move move{{places_[into], size}, from, to};
      switch (op.kind()) {
        case OpKind::comm:
          return builder_.comm(label, op.src(), op.dst(), move, after);
        case OpKind::reduce:
          return builder_.reduce(label, op.rank(), move, op.from_is(), after);
        case OpKind::copy:
          return builder_.copy(label, op.rank(), move, after);
      }
    }
    return add_pairs(part, id, label, after);
  }

 private:
  OpId add_pairs(const Schedule& part, OpId id, Label label, std::span<const OpId> after) {
    const Op& op = part.op(id);
    const std::uint32_t blocks = part.blocks();
    std::vector<BlockPair> pairs;
    Place from{op.from(), 0};
    Place to{op.into(), 0};
    for_each_block_pair(part, id, [&](std::uint32_t read, std::uint32_t written) {
      from.slot = read / blocks;
      to.slot = written / blocks;
      read %= blocks;
      written %= blocks;
      const std::uint32_t count = places_[read + 1] - places_[read];
      // Blocks of one part that trade places are cut alike only where the whole cuts no further.
      TUTTI_INVARIANT(read == written || count == places_[written + 1] - places_[written]);
      for (std::uint32_t i = 0; i < count; ++i) {
        pairs.push_back({places_[read] + i, places_[written] + i});
      }
    });
    return builder_.pairs(op.kind(), label, op.src(), op.dst(), from, to, pairs, op.from_is(),
                          after);
  }

  ScheduleBuilder& builder_;
  const std::vector<std::uint32_t>& places_;
  std::uint32_t level_;
};

// Whether an operation of `others` is at `rank`.
bool any_at(const Schedule& schedule, std::span<const OpId> others, Rank rank) {
  return std::any_of(others.begin(), others.end(),
                     [&](OpId other) { return schedule.op(other).touches(rank); });
}

}  // namespace

void Composition::emit(ScheduleBuilder& builder) const {
  if (problem_.ranks == 1) {
    return;
  }
  const std::array<Schedule, 2> schedules{make_schedule(*parts_[0].algorithm, parts_[0].problem),
                                          make_schedule(*parts_[1].algorithm, parts_[1].problem)};
  // Beyond their own dependencies, what begins the second part comes after what ended the first.
  const std::size_t ops = std::size_t{schedules[0].size()} + schedules[1].size();
  builder.reserve(ops, schedules[0].dependencies() + schedules[1].dependencies() + 2 * ops);
  const Cut whole = cut();
  std::uint32_t level = 0;
  std::vector<std::vector<OpId>> last(problem_.ranks);  // of the part before, by rank
  for (const std::size_t at : {0U, 1U}) {
    const Schedule& part = schedules[at];
    std::vector<std::vector<OpId>> last_here(problem_.ranks);
    std::vector<OpId> placed(part.size());
    std::vector<OpId> after;
    std::uint32_t levels = 0;
    Copier copier(builder, whole.places[at], level);
    for (OpId id = 0; id < part.size(); ++id) {
      const Op& op = part.op(id);
      after.clear();
      for (const OpId before : part.predecessors(id)) {
        after.push_back(placed[before]);
      }
      for (const Rank rank : {op.src(), op.dst()}) {
        if (!any_at(part, part.predecessors(id), rank)) {
          after.insert(after.end(), last[rank].begin(), last[rank].end());
        }
      }
      placed[id] = copier.add(part, id, after);
      levels = std::max(levels, op.label().level + 1);
      for (const Rank rank : {op.src(), op.dst()}) {
        if (!any_at(part, part.successors(id), rank) &&
            (last_here[rank].empty() || last_here[rank].back() != placed[id])) {
          last_here[rank].push_back(placed[id]);
        }
      }
    }
    level += levels;
    for (Rank rank = 0; rank < problem_.ranks; ++rank) {
      if (!last_here[rank].empty()) {
        last[rank] = std::move(last_here[rank]);
      }
    }
  }
}

std::optional<double> Composition::exact_s(const Prices& prices) const {
  double sum_s = 0;
  for (const Part& part : parts_) {
    const auto seconds = part.algorithm->exact_s == nullptr
                             ? std::nullopt
                             : part.algorithm->exact_s(part.problem, prices);
    if (!seconds) {
      return std::nullopt;
    }
    sum_s += *seconds;
  }
  return sum_s;
}

bool Composition::keeps_order() const {
  return std::all_of(parts_.begin(), parts_.end(), [](const Part& part) {
    return !reduces(part.problem.collective) ||
           (part.algorithm->keeps_order != nullptr && part.algorithm->keeps_order(part.problem));
  });
}

}  // namespace tutti

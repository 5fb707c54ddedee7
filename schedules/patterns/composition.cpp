#include "schedules/patterns/composition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "schedules/patterns/open_mpi_decision.hpp"
#include "schedules/patterns/scattered_vector.hpp"
#include "schedules/registry.hpp"

namespace tutti { inline namespace schedules {

namespace {

// Returns the index of the part in which each rank owns the same number of blocks: the gather or
// the scatter.
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

// Returns the two parts of a problem; binomial trees by default.
std::array<OnePart, 2> parts_of(const TwoParts& parts) {
  return parts.standard() ? std::array{OnePart{"binomial", std::nullopt, 0},
                                       OnePart{"binomial", std::nullopt, 0}}
                          : parts.two;
}

// Throws UserError if a part is not an algorithm of its collective, or cannot be used as a part.
std::array<const Algorithm*, 2> algorithms_of(const std::array<OnePart, 2>& parts,
                                              Collective whole) {
  const std::array<Collective, 2> collectives = collectives_of_parts(whole);
  std::array<const Algorithm*, 2> found{};
  for (const std::size_t at : {0U, 1U}) {
    found[at] = find_algorithm(collectives[at], parts[at].algorithm);
    const auto refuse = [&](const std::string& why) {
      throw UserError(fmt::format("$parts '{}': {}", to_text(parts[at]), why));
    };
    if (found[at] == nullptr) {
      refuse(fmt::format("there is no {}/{}", name(collectives[at]), parts[at].algorithm));
    } else if (found[at]->in_network()) {
      refuse(fmt::format("{} needs switches, so it cannot be a part of another algorithm",
                         found[at]->full_name()));
    } else if (parts[at].tree && !takes(*found[at], Option::tree)) {
      refuse(fmt::format("{} takes no tree", found[at]->full_name()));
    } else if (parts[at].segment_bytes != 0 && !takes(*found[at], Option::segment)) {
      refuse(fmt::format("{} takes no segment", found[at]->full_name()));
    }
  }
  return found;
}

// Throws UserError for --cuts that have no effect, or that do not match --parts open_mpi.
void check_cuts(const Problem& problem, const std::array<const Algorithm*, 2>& parts) {
  if (problem.cuts == Cuts::even) {
    return;
  }
  if (problem.parts.kind == TwoParts::Kind::open_mpi) {
    if (problem.cuts != Cuts::open_mpi) {
      throw UserError(
          fmt::format("$cuts {}: $parts open_mpi makes the calls of Open MPI, which has its own "
                      "cuts; use $cuts open_mpi, or leave $cuts out",
                      name(problem.cuts)));
    }
    return;  // no error, even if neither of the selected algorithms cuts the vector
  }
  if (!takes(*parts[0], Option::cuts) && !takes(*parts[1], Option::cuts)) {
    throw UserError(
        fmt::format("$cuts {} has no effect: neither {} nor {} takes $cuts; leave $cuts out, or "
                    "name $parts that take $cuts",
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
    // The other conditions of check() are tested for the whole problem, which has the same sizes.
    if (part.algorithm->refusal != nullptr) {
      if (const auto reason = part.algorithm->refusal(part.problem)) {
        throw UserError(reason->after(fmt::format("its {}: ", part.algorithm->full_name())));
      }
    }
    if (const auto reason = refuse_cut_elements(*part.algorithm, part.problem)) {
      throw UserError(reason->after(fmt::format("its {}: ", part.algorithm->full_name())));
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

// The pieces are the blocks of the part in which ranks own blocks; that part moves them whole. The
// other part may cut the vector anywhere.
GroupCalls Composition::calls() const {
  const auto owning = part_with_rank_blocks(problem_.collective);
  std::vector<std::uint64_t> piece_bytes;
  if (owning) {
    const Part& part = parts_[*owning];
    const BlockLayout layout = part.algorithm->layout(part.problem);
    for (std::uint32_t block = 0; block < layout.blocks(); ++block) {
      piece_bytes.push_back(layout.size_bytes(block));
    }
  } else {
    piece_bytes.push_back(problem_.bytes);
  }
  GroupCalls calls(problem_, piece_bytes);
  std::vector<Rank> all(problem_.ranks);
  std::iota(all.begin(), all.end(), Rank{0});
  const std::uint32_t group = calls.add_group(std::move(all));
  for (const std::uint32_t at : {0U, 1U}) {
    GroupCalls::Call call;
    call.algorithm = parts_[at].algorithm;
    call.problem = parts_[at].problem;
    call.group = group;
    call.end_piece = static_cast<std::uint32_t>(piece_bytes.size());
    if (owning == at) {
      std::vector<GroupCalls::Pieces> blocks;
      for (std::uint32_t piece = 0; piece < piece_bytes.size(); ++piece) {
        blocks.push_back({piece});
      }
      call.blocks = calls.add_blocks(std::move(blocks));
    }
    call.stage = call.turn = at;
    calls.add(std::move(call));
  }
  return calls;
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

}}  // namespace tutti::schedules

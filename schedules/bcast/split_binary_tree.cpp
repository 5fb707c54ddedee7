// Split binary tree broadcast: the root cuts the vector into halves and sends one down each side of
// a binary tree, in segments. Then ranks 1 and 2, 3 and 4, ... exchange whole halves; odd ranks
// have the first half, even ranks the second. With an even number of ranks the last one has no
// partner and gets its second half from the root. Ranks are numbered relative to the root.
//
// Source: [schedule document] ("Split bintree with segment size S"); Open MPI coll/base
// bcast_intra_split_bintree, in whose tree rank 1 has the children 3 and 5, and rank 2 the children
// 4 and 6. If the segment is larger than a half, the half is one segment; with --fallback linear
// the root then sends to all ranks itself, as in the schedule document.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/arithmetic.hpp"
#include "schedules/patterns/segmented_tree.hpp"
#include "schedules/patterns/segments.hpp"

namespace tutti { inline namespace schedules { namespace bcast {

extern const Algorithm linear;

namespace {

struct Halves {
  explicit Halves(const Problem& problem) {
    const std::uint64_t second = problem.elements() / 2;
    const std::uint64_t first = problem.elements() - second;
    per_segment = segment_elements_of(problem);
    if (problem.cuts == Cuts::open_mpi) {
      // Open MPI rounds the segment down to whole elements. Without --segment, halves are not cut.
      per_segment = problem.segment_bytes == 0 ? std::max<std::uint64_t>(1, first)
                                               : segment_elements(problem, 0);
    }
    count[0] = segment_count(first, per_segment);
    count[1] = segment_count(second, per_segment);
    elements[0] = first;
    elements[1] = second;
  }
  [[nodiscard]] BlockSet half(std::uint32_t side) const {
    return {side == 0 ? 0 : static_cast<std::uint32_t>(count[0]),
            static_cast<std::uint32_t>(count[side])};
  }
  std::uint64_t per_segment;
  std::array<std::uint64_t, 2> elements;
  std::array<std::uint64_t, 2> count;  // number of segments of each half
};

// Implements a line of [schedule document], "if S > m[0] use linear algorithm": S is the segment
// size, and m[0] the size of the first half.
bool becomes_linear(const Problem& problem) {
  const std::uint64_t first = problem.elements() - problem.elements() / 2;
  return problem.fallback == Fallback::linear &&
         problem.segment_bytes > first * problem.element_bytes;
}

std::optional<Sentence> refusal(const Problem& problem) {
  if (problem.cuts == Cuts::mpich) {
    return "$cuts mpich does not apply: MPICH has no broadcast in halves; leave $cuts out";
  }
  if (problem.fallback == Fallback::linear && problem.cuts == Cuts::open_mpi) {
    return "Open MPI falls back to bcast/pipeline, not to linear, if a segment is longer than a "
           "half; leave out $fallback linear";
  }
  if (becomes_linear(problem)) {
    return std::nullopt;
  }
  Problem with_tree = problem;
  with_tree.tree = Tree::binary;
  if (auto reason = refuse_pipeline(with_tree)) {
    return reason;
  }
  if (problem.cuts == Cuts::open_mpi) {
    const std::uint64_t half_bytes = problem.elements() / 2 * problem.element_bytes;
    const std::uint64_t segment_bytes =
        problem.segment_bytes == 0
            ? 0
            : std::max<std::uint64_t>(problem.segment_bytes, problem.element_bytes);
    if (half_bytes == 0 || segment_bytes > half_bytes) {
      return sentence(
          "a half ({} bytes) is {}; Open MPI then runs bcast/pipeline (a chain)", half_bytes,
          half_bytes == 0 ? "empty"
                          : fmt::format("shorter than a segment ({} bytes)", segment_bytes));
    }
  }
  return std::nullopt;
}

constexpr std::array<std::string_view, 5> kLimits{
    kPipelineLimits[0], kPipelineLimits[1], "$cuts mpich", "$fallback linear with $cuts open_mpi",
    "halves that are empty, or shorter than a segment, with $cuts open_mpi"};

BlockLayout layout(const Problem& problem) {
  if (becomes_linear(problem)) {
    return linear.layout(problem);
  }
  const Halves halves(problem);
  std::vector<std::uint64_t> sizes;
  sizes.reserve(halves.count[0] + halves.count[1]);
  for (const std::size_t side : {0U, 1U}) {
    std::uint64_t left = halves.elements[side];
    for (std::uint64_t segment = 0; segment < halves.count[side]; ++segment) {
      sizes.push_back(std::min(left, halves.per_segment));
      left -= sizes.back();
    }
  }
  return BlockLayout::irregular(sizes, problem.element_bytes);
}

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (becomes_linear(problem)) {
    return linear.exact_s(problem, prices);
  }
  const Halves halves(problem);
  const bool full_tree = std::has_single_bit(problem.ranks + 1);
  if (problem.ranks == 1) {
    return 0;
  }
  if (!full_tree || halves.elements[0] != halves.elements[1] ||
      halves.elements[0] % halves.per_segment != 0) {
    return std::nullopt;
  }
  const double depth = floor_log2(problem.ranks + 1) - 1;
  const double segments = static_cast<double>(2 * halves.count[0]);
  const double half_bytes = static_cast<double>(problem.bytes) / 2;
  const double segment_bytes = static_cast<double>(halves.per_segment) * problem.element_bytes;
  return (segments + 2 * depth - 2) * (prices.alpha_s + segment_bytes * prices.beta_s_per_byte) +
         prices.alpha_s + half_bytes * prices.beta_s_per_byte;
}

std::string_view same_as(const Problem& problem) { return becomes_linear(problem) ? "linear" : ""; }

void emit(const Problem& problem, ScheduleBuilder& builder) {
  if (becomes_linear(problem)) {
    return linear.emit(problem, builder);
  }
  const std::uint32_t p = problem.ranks;
  if (p == 1) {
    return;
  }
  const Halves halves(problem);
  Problem with_tree = problem;
  with_tree.tree = Tree::binary;
  const RootedTree tree = rooted_tree(with_tree);
  // Every rank but the root receives its half in segments, and the other half in one message.
  const std::size_t segments = p / 2 * halves.count[0] + (p - 1) / 2 * halves.count[1];
  const bool as_open_mpi = problem.cuts == Cuts::open_mpi;
  builder.reserve(segments + p - 1, (as_open_mpi ? 4 : 2) * segments + 2 * std::size_t{p});
  const auto rank_of = [&](std::uint32_t relative) { return (relative + problem.root) % p; };
  const auto side_of = [&](Rank child) { return ((child + p - problem.root) % p + 1) % 2; };
  // Emits the messages down the tree. For each rank, `arrivals` has the messages that brought the
  // rank its half; the exchange below waits for them. `sent` is the latest message that the rank
  // sent, and `sent_before` the last message that it sent for the previous segment. In Open MPI, a
  // rank sends one message at a time, and posts the receive of segment s when it has sent segment s
  // - 2.
  std::vector<std::vector<OpId>> arrivals(p);
  std::vector<OpId> sent(p, kNoOp);
  std::vector<OpId> sent_before(p, kNoOp);
  const std::uint64_t most = std::max(halves.count[0], halves.count[1]);
  for (std::uint32_t segment = 0; segment < most; ++segment) {
    for (const RootedTree::Edge& edge : tree.edges) {
      const std::uint32_t side = side_of(edge.child);
      if (segment >= halves.count[side]) {
        continue;
      }
      std::array<OpId, 3> after{kNoOp, kNoOp, kNoOp};
      // The message to the second child depends on the message to the first child, which has this
      // dependency.
      if (edge.parent != problem.root && !(as_open_mpi && edge.child_number == 1)) {
        after[0] = arrivals[edge.parent].back();
      }
      if (as_open_mpi) {
        after[1] = sent[edge.parent];
        after[2] = sent_before[edge.child];
      }
      const OpId message =
          builder.comm({edge.level, segment}, edge.parent, edge.child,
                       {{halves.half(side).first + segment, 1}, kWork, kWork}, after);
      arrivals[edge.child].push_back(message);
      if (edge.child_number == 0) {
        sent_before[edge.parent] = sent[edge.parent];
      }
      sent[edge.parent] = message;
    }
  }
  // Emits one message of the exchange of halves. In Open MPI, two ranks begin their exchange when
  // both are done with their segments.
  const auto exchange = [&](Rank from, Rank to, std::uint32_t side) {
    std::vector<OpId> after = arrivals[from];
    if (as_open_mpi) {
      // If the rank has forwarded its half, it has received the whole half before. Otherwise the
      // exchange must wait for all arrivals, because a later message may arrive before an earlier
      // one.
      if (sent[from] != kNoOp) {
        after = {sent[from]};
      }
      after.push_back(sent[to] == kNoOp ? arrivals[to].back() : sent[to]);
    }
    builder.comm({tree.levels}, from, to, {halves.half(side), kWork, kWork}, after);
  };
  for (std::uint32_t relative = 1; relative + 1 < p; relative += 2) {
    const Rank odd = rank_of(relative);
    const Rank even = rank_of(relative + 1);
    exchange(odd, even, 0);
    exchange(even, odd, 1);
  }
  if (p % 2 == 0) {
    exchange(problem.root, rank_of(p - 1), 1);
  }
}

}  // namespace

extern const Algorithm split_binary_tree{
    .collective = Collective::bcast,
    .name = "split_binary_tree",
    .idea = "halves go down the two sides of a binary tree in segments, then pairs exchange halves",
    .source = "Open MPI coll/base bcast_intra_split_bintree; [schedule document]",
    .cost =
        "(S+2d-2) A + alpha + n/2 beta for p = 2^(d+1)-1, with S segments in all and A = alpha + "
        "n/S beta",
    .options = bit(Option::segment) | bit(Option::cuts) | bit(Option::fallback),
    .refusal = refusal,
    .limits = kLimits,
    .layout = layout,
    .exact_s = exact_s,
    .emit = emit,
    .same_as = same_as,
};

}}}  // namespace tutti::schedules::bcast

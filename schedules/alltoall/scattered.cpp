// Scattered all-to-all: every rank posts --throttle messages in each direction, to the ranks just
// below it first and from those just above it first. It waits until all of these messages are over,
// and posts the next ones. The copy of the rank's own block counts as one of the first messages.
// Without --throttle all messages begin at once. Blocks are numbered by distance.
//
// Source: MPICH 4.0, src/mpi/coll/alltoall/alltoall_intra_scattered.c, whose bound is
// MPIR_CVAR_ALLTOALL_THROTTLE, 32 unless it is set.
#include <algorithm>
#include <array>
#include <vector>

#include "schedules/patterns/pairwise_alltoall.hpp"
#include "schedules/patterns/signs.hpp"

namespace tutti { inline namespace schedules { namespace alltoall {

namespace {

// Every block is followed by its sign, an empty block (see patterns/signs.hpp). A message has both,
// so that a schedule of an empty vector still shows where the blocks go.
constexpr std::uint32_t kWidth = 2;
constexpr BlockSet kOwn{0, kWidth};
constexpr BlockSet kOwnSign{1, 1};

BlockLayout layout(const Problem& problem) { return blocks_with_signs(problem); }

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  const std::uint32_t bound = problem.throttle == 0 || problem.throttle > p ? p : problem.throttle;
  const std::size_t messages = std::size_t{p} * (p - 1);
  const std::size_t waits = std::size_t{p} * ((p - 1) / bound);
  const std::size_t waited_for = std::size_t{p} * ((p - 1) / bound * bound);
  builder.reserve(p + messages + waits, 2 * messages + 2 * waited_for + p - waits);
  std::vector<OpId> own(p);
  for (Rank rank = 0; rank < p; ++rank) {
    own[rank] = builder.copy({0}, rank, {kOwn, kInput, kWork}, {});
  }
  // For each rank, an operation that depends on everything that the rank waited for. It copies the
  // sign, which is empty, of the rank's own block.
  std::vector<OpId> waited(p, kNoOp);
  std::vector<OpId> batch;  // the batch's messages, by step and then by sender
  std::vector<OpId> after;
  for (std::uint32_t first = 0, level = 0; first < p; first += bound, ++level) {
    const std::uint32_t end = std::min(p, first + bound);
    batch.clear();
    for (std::uint32_t step = std::max(first, 1U); step < end; ++step) {
      for (Rank src = 0; src < p; ++src) {
        const Rank dst = src >= step ? src - step : src + p - step;
        batch.push_back(builder.comm({level}, src, dst,
                                     {{kWidth * (p - step), kWidth}, kInput, kWork},
                                     std::array{waited[src], waited[dst]}));
      }
    }
    if (end == p) {
      break;
    }
    for (Rank rank = 0; rank < p; ++rank) {
      after.clear();
      after.push_back(first == 0 ? own[rank] : kNoOp);
      std::size_t step_begin = 0;
      for (std::uint32_t step = std::max(first, 1U); step < end; ++step, step_begin += p) {
        after.push_back(batch[step_begin + rank]);
        after.push_back(batch[step_begin + (rank + step) % p]);
      }
      if (after.size() == 1 && first > 0) {
        after.front() = waited[rank];
      }
      waited[rank] = builder.copy({level, 1}, rank, {kOwnSign, kInput, kWork}, after);
    }
  }
}

}  // namespace

extern const Algorithm scattered{
    .collective = Collective::alltoall,
    .name = "scattered",
    .idea = "every rank sends to every other rank, starting with the ranks below it, in batches",
    .source = "MPICH 4.0 alltoall_intra_scattered",
    .cost = "(p-1) alpha + (p-1)/p n beta",
    .options = bit(Option::throttle),
    .layout = layout,
    .exact_s = pairwise_alltoall_s,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::alltoall

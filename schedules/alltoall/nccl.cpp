// NCCL's all-to-all: a group of sends and receives, one for each peer. They form rounds. In a
// round, a rank sends to one peer and receives from another one. All rounds begin at once, except
// that a channel of a rank moves at most 8 messages to others and 8 from others at a time. A round
// begins at a channel of its own, and the parts of a long message go to consecutive channels.
//
// On several nodes, the ranks of a node form groups of 8, or of the largest common divisor of 8 and
// the numbers of ranks of all nodes. Groups exchange data at the distances 0, 1, 3, 6, 10, ...
// modulo a power of two, and ranks of two groups in turn. Blocks are numbered by distance: block k
// of rank r goes to rank r + k.
//
// Source: NCCL 2.30.7, src/init.cc (ncclP2pSchedule), src/include/channel.h
// (ncclP2pChannelBaseForRound), src/enqueue.cc (addP2pToPlan) and src/graph/paths.cc.
#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <string_view>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/block_parts.hpp"
#include "schedules/patterns/nccl_channels.hpp"
#include "schedules/patterns/segments.hpp"

namespace tutti { inline namespace schedules { namespace alltoall {

namespace {

// The largest number of messages in each direction that a channel of a rank moves at a time.
constexpr std::uint32_t kMostAtOnce = 8;

std::uint32_t own_channels(const Problem& problem) {
  return std::bit_ceil(2 * std::min(kNcclCards.of(problem), problem.ranks));
}
constexpr DefaultedNumber kP2pChannels{
    Option::channels,
    &Problem::channels,
    0,
    own_channels,
    "twice the number of cards of a node, rounded up to a power of two",
    true};

// Returns the number of channels, which is a power of two.
std::uint32_t channels_of(const Problem& problem) {
  constexpr std::uint32_t kMostChannels = 1U << 20U;
  return std::bit_ceil(std::min(kP2pChannels.of(problem), kMostChannels));
}

// Returns the number of parts of a message. NCCL allows 4 channels for each peer if cards have 400
// Gb/s, but fewer if the channels do not suffice for all ranks.
std::uint32_t parts_of(const Problem& problem) {
  const std::uint64_t channels = channels_of(problem);
  const bool alone = problem.ranks <= problem.ranks_per_node;
  std::uint64_t most = alone ? channels : std::min<std::uint64_t>(4, channels);
  while (!alone && most > 1 && most * ((problem.ranks + 7) / 8) > channels) {
    most /= 2;
  }
  std::uint64_t parts = most;
  while (parts > 1 && parts * problem.ranks > channels) {
    parts /= 2;
  }
  const std::uint64_t chunk = segment_elements(problem, alone ? 512U << 10U : 128U << 10U);
  const std::uint64_t shortest = std::max<std::uint64_t>(1, chunk / (alone ? 8 : 2));
  const std::uint64_t longest = alone ? 32 * chunk : chunk;
  const std::uint64_t message = (problem.elements() + problem.ranks - 1) / problem.ranks;
  const auto part = [&] { return std::max(shortest, (message + parts - 1) / parts); };
  while (part() > longest && parts <= most / 2) {
    parts *= 2;
  }
  return static_cast<std::uint32_t>(segment_count(message, part()));
}

// Number of ranks of a group.
std::uint32_t group_size(const NcclChannels& nodes) {
  return nodes.nodes() == 1 ? nodes.gpus()
                            : std::gcd(8U, std::gcd(nodes.gpus(), nodes.gpus(nodes.nodes() - 1)));
}

// The peers of a rank in each round. If a rank sends `group` groups and `member` members further,
// it receives from the rank that is as far back.
struct Round {
  std::uint32_t group;
  std::uint32_t member;
  std::uint32_t first_channel;
};

class P2pRounds {
 public:
  explicit P2pRounds(const Problem& problem) : p_(problem.ranks) {
    const NcclChannels nodes(problem);
    size_ = group_size(nodes);
    const std::uint32_t groups = p_ / size_;
    const std::uint32_t round_up = std::bit_ceil(groups);
    const auto bits = static_cast<std::uint32_t>(std::countr_zero(channels_of(problem)));
    std::uint32_t distance = 0;
    for (std::uint32_t i = 0; i < round_up; ++i) {
      distance = (distance + i) % round_up;
      if (distance >= groups) {
        continue;
      }
      for (std::uint32_t member = 0; member < size_; ++member) {
        const auto round = static_cast<std::uint32_t>(rounds_.size());
        const std::uint32_t base = nodes.nodes() == 1 ? round : round / size_;
        rounds_.push_back({distance, member, reversed(base, bits)});
      }
    }
    TUTTI_INVARIANT(rounds_.size() == p_);
  }

  [[nodiscard]] const std::vector<Round>& rounds() const { return rounds_; }
  [[nodiscard]] Rank receiver(Rank from, const Round& round) const {
    const std::uint32_t group = from / size_ + round.group;
    const std::uint32_t member = from % size_ + round.member;
    return group % (p_ / size_) * size_ + member % size_;
  }
  [[nodiscard]] Rank sender(Rank to, const Round& round) const {
    const std::uint32_t groups = p_ / size_;
    return (to / size_ + groups - round.group) % groups * size_ +
           (to % size_ + size_ - round.member) % size_;
  }

 private:
  // Returns the lowest `bits` bits of `number` in reverse order.
  static std::uint32_t reversed(std::uint32_t number, std::uint32_t bits) {
    std::uint32_t found = 0;
    for (std::uint32_t bit = 0; bit < bits; ++bit) {
      found |= (number >> bit & 1U) << (bits - 1 - bit);
    }
    return found;
  }

  std::uint32_t p_;
  std::uint32_t size_;  // of a group
  std::vector<Round> rounds_;
};

// All groups are equivalent. In a single group, so are all ranks.
RankSymmetry symmetry(const Problem& problem) {
  if (NcclChannels::refusal(problem)) {
    return {{}, "the problem is refused"};
  }
  const NcclChannels nodes(problem);
  return {Symmetry::rotation, {}, nodes.nodes() == 1 ? 1 : group_size(nodes)};
}

BlockLayout layout(const Problem& problem) { return layout_in_parts(problem, parts_of(problem)); }

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  const std::uint32_t parts = parts_of(problem);
  const std::uint32_t channels = channels_of(problem);
  const P2pRounds rounds(problem);
  const std::size_t messages = std::size_t{p} * (p - 1) * parts;
  builder.reserve(messages + p, 2 * messages);
  const RankRange ranks = builder.emitted_ranks();
  for (const Rank rank : ranks) {
    builder.copy({0}, rank, {{0, parts}, kInput, kWork}, {});
  }
  // The last messages of each channel: their round, and the id of the first of them. The messages
  // of the other ranks, or of the other classes in a part of the schedule, have the following ids.
  struct RoundOps {
    std::uint32_t round = 0;
    OpId first = kNoOp;
  };
  const auto sent_by = [&](const RoundOps& ops, Rank rank) {
    return ops.first + (builder.takes_part() ? builder.classes().class_of(rank) : rank);
  };
  std::vector<std::array<RoundOps, kMostAtOnce>> last(channels);
  std::vector<std::uint32_t> used(channels, 0);
  for (std::uint32_t number = 1; number < p; ++number) {
    const Round& round = rounds.rounds()[number];
    for (std::uint32_t part = 0; part < parts; ++part) {
      const std::uint32_t channel = (round.first_channel + part) % channels;
      RoundOps& sent = last[channel][used[channel]++ % kMostAtOnce];
      const RoundOps before = sent;
      sent = {number, builder.size()};
      for (const Rank from : ranks) {
        const Rank to = rounds.receiver(from, round);
        const Rank distance = to > from ? to - from : to + p - from;
        std::array<OpId, 2> after{kNoOp, kNoOp};
        if (before.first != kNoOp) {
          after = {sent_by(before, from),
                   sent_by(before, rounds.sender(to, rounds.rounds()[before.round]))};
        }
        builder.comm({number, part}, from, to, {{distance * parts + part, 1}, kInput, kWork},
                     after);
      }
    }
  }
}

constexpr std::array kNumbers{kP2pChannels, kNcclCards};

}  // namespace

extern const Algorithm nccl{
    .collective = Collective::alltoall,
    .name = "nccl",
    .idea =
        "every rank sends to every other rank, in rounds that all begin at once; a channel moves "
        "at most 8 messages at a time",
    .source = "NCCL 2.30.7 init.cc ncclP2pSchedule, enqueue.cc addP2pToPlan",
    .cost = "",
    .options = bit(Option::ranks_per_node) | bit(Option::cards) | bit(Option::channels) |
               bit(Option::segment),
    .own_numbers = kNumbers,
    .refusal = NcclChannels::refusal,
    .limits = NcclChannels::kLimits,
    .remark = "releases before 2.28 use whole nodes as groups",
    .layout = layout,
    .symmetry = symmetry,
    .emit = emit,
};

}}}  // namespace tutti::schedules::alltoall

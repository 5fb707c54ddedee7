#include "schedules/patterns/nccl_ring.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "schedules/patterns/nccl_chunks.hpp"
#include "schedules/patterns/segments.hpp"

namespace tutti { inline namespace schedules {

namespace {

bool is_chain(const Problem& problem) {
  return problem.collective == Collective::bcast || problem.collective == Collective::reduce;
}

std::uint64_t share(std::uint64_t elements, std::uint32_t channels, std::uint32_t channel) {
  return elements / channels + (channel < elements % channels ? 1 : 0);
}

constexpr std::uint64_t quotient_up(std::uint64_t a, std::uint64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

// Number of elements of a rank in channel 0, which has the most.
std::uint64_t longest_share(const Problem& problem) {
  const std::uint64_t of_rank = quotient_up(problem.elements(), problem.ranks);
  return quotient_up(of_rank, kNcclRings.of(problem));
}

// Number of chunks of a channel of a chain. Channel 0 has at least one, which may be empty.
std::uint32_t chunks_of(const Problem& problem, const NcclPieces& pieces, std::uint32_t channel) {
  const std::uint64_t length = share(problem.elements(), kNcclRings.of(problem), channel);
  return static_cast<std::uint32_t>(
      std::max<std::uint64_t>(quotient_up(length, pieces.chunk), channel == 0 ? 1 : 0));
}

// Number of messages that each rank sends in a loop, if every chunk is one message.
std::uint32_t steps_of_loop(const Problem& problem) {
  return (problem.collective == Collective::allreduce ? 2 : 1) * (problem.ranks - 1);
}

// Emits the operations of all loops. In a part of a symmetric schedule (schedules/symmetry.hpp),
// the state of a rank is that of its class.
class RingEmitter {
 public:
  RingEmitter(const Problem& problem, ScheduleBuilder& builder)
      : problem_(problem),
        builder_(builder),
        pieces_(problem),
        loops_(problem),
        steps_(steps_of_loop(problem)),
        states_(builder.takes_part() ? builder.classes().count() : problem.ranks) {
    const NcclChannels channels(problem);
    for (std::uint32_t ring = 0; ring < std::min(channels.different(), loops_.channels()); ++ring) {
      rings_.emplace_back(channels.ring(ring));
    }
    state_.resize(std::size_t{states_} * loops_.channels());
    const std::size_t messages = std::size_t{loops_.slices()} * steps_ * problem.ranks;
    builder.reserve(2 * messages, 4 * messages);
  }

  void emit() {
    for (std::size_t loop = 0; loop < loops_.most(); ++loop) {
      for (std::uint32_t step = 0; step < steps_; ++step) {
        for (std::uint32_t slice = 0; slice < pieces_.slices; ++slice) {
          emit_slices(loop, step, slice);
        }
      }
    }
  }

 private:
  struct Ring {
    explicit Ring(std::vector<Rank> ranks) : rank(std::move(ranks)), place(rank.size()) {
      for (std::uint32_t at = 0; at < rank.size(); ++at) {
        place[rank[at]] = at;
      }
    }
    std::vector<Rank> rank;            // by place
    std::vector<std::uint32_t> place;  // by rank
  };
  struct State {
    OpId arrival = kNoOp;
    OpId latest = kNoOp;  // the rank's latest local operation in the channel
    // By slice: the local operation of the latest chunk.
    std::array<OpId, 2> handled{kNoOp, kNoOp};
    // By slot: the local operation that emptied the slot.
    std::array<OpId, 8> emptied{kNoOp, kNoOp, kNoOp, kNoOp, kNoOp, kNoOp, kNoOp, kNoOp};
  };

  // Emits one slice of each channel: first the messages of all ranks, then what the receivers do.
  void emit_slices(std::size_t loop, std::uint32_t step, std::uint32_t slice) {
    const auto level = static_cast<std::uint32_t>(loop * steps_ + step);
    const auto slot =
        static_cast<std::uint32_t>((std::uint64_t{level} * pieces_.slices + slice) % pieces_.slots);
    for (std::uint32_t channel = 0; channel < loops_.channels(); ++channel) {
      const std::vector<NcclLoops::Loop>& loops = loops_.of(channel);
      if (loop >= loops.size() || slice >= loops[loop].slices) {
        continue;
      }
      const Label label{level, channel * pieces_.slices + slice};
      for (const Rank rank : builder_.emitted_ranks()) {
        send(label, channel, rank, loops[loop], step, slice, slot);
      }
      for (const Rank rank : builder_.emitted_ranks()) {
        handle(label, channel, rank, loops[loop], step, slice, slot);
      }
    }
  }

  void send(Label label, std::uint32_t channel, Rank rank, const NcclLoops::Loop& loop,
            std::uint32_t step, std::uint32_t slice, std::uint32_t slot) {
    const Ring& ring = ring_of(channel);
    const std::uint32_t place = ring.place[rank];
    const Rank next = ring.rank[place + 1 == ring.rank.size() ? 0 : place + 1];
    const State& own = state(channel, rank);
    State& receiver = state(channel, next);
    receiver.arrival = builder_.comm(
        label, rank, next,
        {{block(ring, place, loop, step, slice), 1}, kWork, {Buffer::scratch, slot}},
        std::array{step == 0 ? own.latest : own.handled[slice], receiver.emptied[slot]});
  }

  // Combines the slice with the rank's own, or copies it.
  void handle(Label label, std::uint32_t channel, Rank rank, const NcclLoops::Loop& loop,
              std::uint32_t step, std::uint32_t slice, std::uint32_t slot) {
    const Ring& ring = ring_of(channel);
    const std::uint32_t place = ring.place[rank];
    const auto before = place == 0 ? static_cast<std::uint32_t>(ring.rank.size()) - 1 : place - 1;
    const Move move{{block(ring, before, loop, step, slice), 1}, {Buffer::scratch, slot}, kWork};
    State& own = state(channel, rank);
    const std::array after{own.latest, own.arrival};
    const bool combines = problem_.collective != Collective::allgather && step + 1 < problem_.ranks;
    own.latest = combines ? builder_.reduce(label, rank, move, Operand::left, after)
                          : builder_.copy(label, rank, move, after);
    own.handled[slice] = own.emptied[slot] = own.latest;
  }

  // The block that the rank at `place` sends. In an allgather, it begins with its own chunk,
  // otherwise with that of the place before it; in each step, it goes on to the place before.
  [[nodiscard]] std::uint32_t block(const Ring& ring, std::uint32_t place,
                                    const NcclLoops::Loop& loop, std::uint32_t step,
                                    std::uint32_t slice) const {
    const std::uint32_t p = problem_.ranks;
    const std::uint32_t back = (problem_.collective == Collective::allgather ? step : step + 1) % p;
    const std::uint32_t chunk = place >= back ? place - back : place + p - back;
    return loops_.block(loop, loops_.of_ranks() ? ring.rank[chunk] : chunk, slice);
  }

  [[nodiscard]] const Ring& ring_of(std::uint32_t channel) const {
    return rings_[channel % rings_.size()];
  }
  State& state(std::uint32_t channel, Rank rank) {
    const std::uint32_t index = builder_.takes_part() ? builder_.classes().class_of(rank) : rank;
    return state_[std::size_t{channel} * states_ + index];
  }

  const Problem& problem_;
  ScheduleBuilder& builder_;
  NcclPieces pieces_;
  NcclLoops loops_;
  std::uint32_t steps_;
  std::uint32_t states_;  // in each channel
  std::vector<Ring> rings_;
  std::vector<State> state_;
};

Sentence too_many(const Problem& problem) {
  return sentence(
      "segments of {} bytes in {} channels cut the vector into more segments than can be numbered; "
      "use a larger $segment",
      NcclPieces(problem).chunk * problem.element_bytes, kNcclRings.of(problem));
}

// The largest number of chunks for which the blocks in all slots have 32-bit numbers.
std::uint64_t most_chunks(const NcclPieces& pieces) {
  return (kSameBlocks - 1) / (pieces.slices * pieces.slots);
}

// Emits the chunks of all channels along their chains.
class ChainEmitter {
 public:
  ChainEmitter(const Problem& problem, ScheduleBuilder& builder)
      : problem_(problem),
        builder_(builder),
        pieces_(problem),
        channels_(kNcclRings.of(problem)),
        at_once_(nccl_messages_at_once(problem, pieces_.slots)) {
    const NcclChannels channels(problem);
    const bool to_root = problem.collective == Collective::reduce;
    for (std::uint32_t chain = 0; chain < std::min(channels.different(), channels_); ++chain) {
      std::vector<Rank>& ranks = chains_.emplace_back(channels.ring(chain));
      const auto root = std::find(ranks.begin(), ranks.end(), problem.root);
      std::rotate(ranks.begin(), root + (to_root ? 1 : 0), ranks.end());
    }
    const std::size_t states = std::size_t{channels_} * problem.ranks;
    latest_.resize(states, kNoOp);
    sent_.resize(states * at_once_, kNoOp);
    emptied_.resize(states * pieces_.slots, kNoOp);
    const std::size_t messages = std::size_t{problem.ranks - 1} * builder.blocks();
    builder.reserve(2 * messages, 5 * messages);
  }

  void emit() {
    std::vector<std::uint32_t> first_block{0};
    for (std::uint32_t channel = 0; channel < channels_; ++channel) {
      first_block.push_back(first_block.back() + chunks_of(problem_, pieces_, channel));
    }
    for (std::uint32_t chunk = 0; chunk < first_block[1]; ++chunk) {
      for (std::uint32_t hop = 0; hop + 1 < problem_.ranks; ++hop) {
        for (std::uint32_t channel = 0; channel < channels_; ++channel) {
          if (first_block[channel] + chunk < first_block[channel + 1]) {
            pass_on(channel, hop, chunk, first_block[channel] + chunk);
          }
        }
      }
    }
  }

 private:
  // Emits the message of a chunk from place `hop` of the chain to the next place, and what the
  // receiver does with it.
  void pass_on(std::uint32_t channel, std::uint32_t hop, std::uint32_t chunk, std::uint32_t block) {
    const std::vector<Rank>& chain = chains_[channel % chains_.size()];
    const Rank from = chain[hop];
    const Rank to = chain[hop + 1];
    const std::size_t sender = std::size_t{channel} * problem_.ranks + from;
    const std::size_t receiver = std::size_t{channel} * problem_.ranks + to;
    const Label label{hop, chunk * channels_ + channel};
    const Place slot{Buffer::scratch, chunk % pieces_.slots};
    OpId& emptied = emptied_[receiver * pieces_.slots + slot.slot];
    OpId& sent = sent_[sender * at_once_ + chunk % at_once_];
    sent = builder_.comm(label, from, to, {{block, 1}, kWork, slot},
                         std::array{hop == 0 ? kNoOp : latest_[sender], sent, emptied});
    const Move move{{block, 1}, slot, kWork};
    const std::array after{latest_[receiver], sent};
    emptied = latest_[receiver] = problem_.collective == Collective::reduce
                                      ? builder_.reduce(label, to, move, Operand::left, after)
                                      : builder_.copy(label, to, move, after);
  }

  const Problem& problem_;
  ScheduleBuilder& builder_;
  NcclPieces pieces_;
  std::uint32_t channels_;
  std::uint32_t at_once_;
  std::vector<std::vector<Rank>> chains_;
  // By channel and rank: the rank's latest local operation; its latest messages; and by slot, the
  // local operation that emptied the slot.
  std::vector<OpId> latest_;
  std::vector<OpId> sent_;
  std::vector<OpId> emptied_;
};

}  // namespace

NcclPieces::NcclPieces(const Problem& problem)
    : chunk(segment_elements(problem, nccl_ring_chunk_bytes(problem))),
      slices(problem.protocol == Protocol::simple && !is_chain(problem) ? 2 : 1),
      slots(problem.in_order && is_chain(problem)
                ? nccl_steps(problem, nccl_ring_chunk_bytes(problem), chunk)
                : kNcclSteps / slices),
      grain(std::max(1U, 16 / problem.element_bytes)) {}

std::uint64_t NcclPieces::first_slice(std::uint64_t length) const {
  const std::uint64_t half = 16 * quotient_up(length, 32);
  return slices == 1 ? length : std::min(length, std::max({half, chunk / 64, std::uint64_t{1}}));
}

NcclLoops::NcclLoops(const Problem& problem)
    : of_ranks_(problem.collective != Collective::allreduce), of_channel_(kNcclRings.of(problem)) {
  const NcclPieces pieces(problem);
  of_ranks_ ? cut_blocks_of_ranks(problem, pieces) : cut_vector(problem, pieces);
}

void NcclLoops::push_chunk(const NcclPieces& pieces, std::uint64_t length, std::uint32_t slices) {
  const std::uint64_t first = slices == 1 ? length : pieces.first_slice(length);
  lengths_.push_back(first);
  if (slices == 2) {
    lengths_.push_back(length - first);
  }
}

void NcclLoops::cut_vector(const Problem& problem, const NcclPieces& pieces) {
  const std::uint64_t p = problem.ranks;
  for (std::uint32_t channel = 0; channel < channels(); ++channel) {
    std::uint64_t left = share(problem.elements(), channels(), channel);
    // If the vector is empty, the first channel shows the messages.
    while (left > 0 || (channel == 0 && of_channel_[0].empty())) {
      std::uint64_t length = pieces.chunk;
      if (left / p < length) {
        const std::uint64_t grains = quotient_up(quotient_up(left, p), pieces.grain);
        length = std::min(length, grains * pieces.grain);
      }
      even_ = even_ && left / p >= length;
      const std::uint32_t slices = pieces.slices_of(length);
      of_channel_[channel].push_back({static_cast<std::uint32_t>(lengths_.size()), slices});
      slices_ += slices;
      for (std::uint64_t chunk = 0; chunk < p; ++chunk) {
        push_chunk(pieces, std::min(length, left), slices);
        left -= std::min(length, left);
      }
    }
  }
}

void NcclLoops::cut_blocks_of_ranks(const Problem& problem, const NcclPieces& pieces) {
  const BlockLayout blocks =
      BlockLayout::even(problem.elements(), problem.ranks, problem.element_bytes);
  even_ = blocks.uniform();
  // Calls visit(channel, loop, length) for all chunks of the block of a rank.
  const auto for_each_chunk = [&](Rank rank, auto&& visit) {
    const std::uint64_t length = blocks.size_bytes(rank) / problem.element_bytes;
    for (std::uint32_t channel = 0; channel < channels(); ++channel) {
      std::uint64_t left = share(length, channels(), channel);
      const std::size_t loops =
          rank == 0 ? std::max<std::uint64_t>(quotient_up(left, pieces.chunk), channel == 0)
                    : of_channel_[channel].size();
      for (std::size_t loop = 0; loop < loops; ++loop) {
        visit(channel, loop, std::min(left, pieces.chunk));
        left -= std::min(left, pieces.chunk);
      }
    }
  };
  // Rank 0 has the longest block.
  for_each_chunk(0, [&](std::uint32_t channel, std::size_t, std::uint64_t length) {
    const std::uint32_t slices = pieces.slices_of(length);
    of_channel_[channel].push_back({slices_, slices});
    slices_ += slices;
  });
  lengths_.reserve(std::size_t{slices_} * problem.ranks);
  for (Rank rank = 0; rank < problem.ranks; ++rank) {
    for_each_chunk(rank, [&](std::uint32_t channel, std::size_t loop, std::uint64_t length) {
      push_chunk(pieces, length, of_channel_[channel][loop].slices);
    });
  }
}

std::optional<Sentence> NcclRing::refusal(const Problem& problem) {
  if (auto nodes = NcclChannels::refusal(problem)) {
    return nodes;
  }
  const NcclPieces pieces(problem);
  const std::uint64_t loops = 1 + longest_share(problem) / pieces.chunk;
  const std::uint64_t channels = kNcclRings.of(problem);
  if (channels * pieces.slices > kMaxSegment ||
      loops > kMaxLevel / std::max(1U, steps_of_loop(problem)) ||
      loops > most_chunks(pieces) / (channels * problem.ranks)) {
    return too_many(problem);
  }
  return std::nullopt;
}

BlockLayout NcclRing::layout(const Problem& problem) {
  return BlockLayout::irregular(NcclLoops(problem).lengths(), problem.element_bytes);
}

RankSymmetry NcclRing::symmetry(const Problem& problem) {
  if (refusal(problem)) {
    return {{}, "the problem is refused"};
  }
  if (!NcclLoops(problem).even()) {
    return {{}, "chunks are uneven"};
  }
  const NcclChannels channels(problem);
  if (channels.nodes() == 1) {
    return {Symmetry::rotation, {}};
  }
  if (!channels.even()) {
    return {{}, "the last node has fewer ranks"};
  }
  if (problem.ring_order != RingOrder::crossed || channels.different() % 2 == 1) {
    return {Symmetry::rotation, {}, channels.gpus()};
  }
  if (channels.nodes() == 2 || channels.nodes() % 2 == 1) {
    return {{}, "only every second node has the same rings"};
  }
  return {Symmetry::rotation, {}, 2 * channels.gpus()};
}

void NcclRing::emit(const Problem& problem, ScheduleBuilder& builder) {
  RingEmitter(problem, builder).emit();
}

std::optional<Sentence> NcclChain::refusal(const Problem& problem) {
  if (auto nodes = NcclChannels::refusal(problem)) {
    return nodes;
  }
  const NcclPieces pieces(problem);
  const std::uint64_t channels = kNcclRings.of(problem);
  const std::uint64_t chunks =
      segment_count(quotient_up(problem.elements(), channels), pieces.chunk) * channels;
  if (chunks > std::min<std::uint64_t>(kMaxSegment, most_chunks(pieces))) {
    return too_many(problem);
  }
  return std::nullopt;
}

BlockLayout NcclChain::layout(const Problem& problem) {
  const NcclPieces pieces(problem);
  const std::uint32_t channels = kNcclRings.of(problem);
  std::vector<std::uint64_t> lengths;
  for (std::uint32_t channel = 0; channel < channels; ++channel) {
    std::uint64_t left = share(problem.elements(), channels, channel);
    for (std::uint32_t chunk = 0; chunk < chunks_of(problem, pieces, channel); ++chunk) {
      lengths.push_back(std::min(left, pieces.chunk));
      left -= lengths.back();
    }
  }
  return BlockLayout::irregular(lengths, problem.element_bytes);
}

void NcclChain::emit(const Problem& problem, ScheduleBuilder& builder) {
  ChainEmitter(problem, builder).emit();
}

}}  // namespace tutti::schedules

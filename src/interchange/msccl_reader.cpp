#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/printable.hpp"
#include "base/rows.hpp"
#include "schedules/assemble.hpp"
#include "src/interchange/depth_labels.hpp"
#include "src/interchange/msccl.hpp"
#include "src/interchange/msccl_file.hpp"

namespace tutti { inline namespace interchange {

namespace {

constexpr std::uint32_t kFar = 0xffffffffU;

// The size of the buffer of a connection.
struct ConnectionRoom {
  // Number of transfers that fit.
  std::uint32_t transfers;
  // Number of chunks that one transfer moves.
  std::uint64_t chunks;
};

// Returns the room for chunks of this size, with NCCL's default buffers (NCCL_BUFFSIZE and its
// counterparts for LL and LL128).
ConnectionRoom room_of(const MscclFile& read, std::uint64_t chunk_bytes) {
  constexpr std::uint64_t kSteps = 8;
  constexpr std::uint64_t kSimpleBytes = std::uint64_t{4} << 20U;
  constexpr std::uint64_t kLlBytes = 8 * 512 * kSteps * 16;
  constexpr std::uint64_t kLl128Bytes = 120 * 640 * kSteps * 8;
  // MSCCL_CHUNKSTEPS: with Simple, a transfer takes four of the eight steps. For reduce and
  // broadcast, it fills only one of them.
  constexpr std::uint64_t kSimpleSteps = kSteps / 2;
  const bool fills_one =
      read.collective == Collective::reduce || read.collective == Collective::bcast;
  std::uint32_t transfers = kSteps;
  std::uint64_t bytes = 0;
  switch (read.protocol) {
    case MscclProtocol::simple:
      transfers = kSteps / kSimpleSteps;
      bytes = kSimpleBytes / kSteps * (fills_one ? 1 : kSimpleSteps);
      break;
    case MscclProtocol::ll:
      bytes = kLlBytes / kSteps / 2;
      break;
    case MscclProtocol::ll128:
      bytes = kLl128Bytes / kSteps / 16 * 15;
      break;
  }
  const std::uint64_t fit = chunk_bytes == 0 ? kMostMscclCount : bytes / chunk_bytes;
  return {transfers, std::clamp<std::uint64_t>(fit, 1, kMostMscclCount)};
}

// Where the chunks of a region are in the buffers of a schedule.
struct Chunks {
  Buffer buffer = Buffer::work;
  std::vector<std::uint32_t> blocks;

  friend bool operator==(const Chunks&, const Chunks&) = default;
};

// Returns, for each chunk of the GPU's scratch, whether a step uses it together with the next one.
std::vector<bool> joined_scratch(const MscclGpu& gpu) {
  std::vector<bool> joined(gpu.scratch_chunks);
  for (const MscclBlock& block : gpu.blocks) {
    for (const MscclStep& step : block.steps) {
      for (const MscclRegion& region : {step.source, step.destination}) {
        if (step.count > 0 && region.buffer == MscclBuffer::scratch) {
          std::fill_n(joined.begin() + region.first, step.count - 1, true);
        }
      }
    }
  }
  return joined;
}

// True if steps use more chunks of scratch together than a slot of scratch holds.
bool overfills_slots(const MscclFile& read) {
  for (const MscclGpu& gpu : read.gpus) {
    std::uint32_t length = 1;
    for (const bool with_next : joined_scratch(gpu)) {
      length = with_next ? length + 1 : 1;
      if (length > read.chunks) {
        return true;
      }
    }
  }
  return false;
}

// Replaces each step by steps of at most `chunks` chunks.
void split_steps(MscclFile& read, std::uint32_t chunks) {
  for (MscclGpu& gpu : read.gpus) {
    // By thread block and step: the number of the last step that takes its place.
    std::vector<std::vector<std::int32_t>> last(gpu.blocks.size());
    for (MscclBlock& block : gpu.blocks) {
      std::vector<MscclStep> split;
      for (const MscclStep& step : block.steps) {
        std::uint32_t done = 0;
        do {
          MscclStep& one = split.emplace_back(step);
          one.count = std::min(step.count - done, chunks);
          one.source.first += done;
          one.destination.first += done;
          if (done > 0) {
            one.waits_for_block = one.waits_for_step = -1;
          }
          done += one.count;
          one.signals = step.signals && done == step.count;
        } while (done < step.count);
        last[block.id].push_back(static_cast<std::int32_t>(split.size()) - 1);
      }
      block.steps = std::move(split);
    }
    for (MscclBlock& block : gpu.blocks) {
      for (MscclStep& step : block.steps) {
        const auto waits_in = static_cast<std::size_t>(std::max(step.waits_for_block, 0));
        if (step.waits_for_block >= 0 && step.waits_for_step >= 0 && waits_in < last.size()) {
          const auto& lasts = last[waits_in];
          const auto number = static_cast<std::size_t>(step.waits_for_step);
          // A step that is not there stays behind all others.
          step.waits_for_step =
              number < lasts.size() ? lasts[number] : std::numeric_limits<std::int32_t>::max();
        }
      }
    }
  }
}

// Makes the schedule of one form: in place, or out of place.
class MscclMaker {
 public:
  // No step of `read` has more chunks than one transfer moves. `pieces` is the largest number of
  // steps that belong to one transfer.
  MscclMaker(const MscclFile& read, std::string_view file, const MscclCall& call,
             std::uint32_t pieces, bool in_place)
      : read_(read), file_(file), in_place_(in_place), gpus_(read.gpus.size()) {
    Problem& problem = parts_.problem;
    problem.collective = read.collective;
    problem.ranks = static_cast<std::uint32_t>(read.gpus.size());
    problem.element_bytes = call.element_bytes;
    problem.bytes = call.bytes.value_or(std::uint64_t{read.chunks} * call.element_bytes);
    problem.root = has_root(read.collective) ? call.root : 0;
    parts_.layout = BlockLayout::even(problem.elements(), read.chunks, call.element_bytes);
    chunk_bytes_ = problem.bytes / read.chunks;
    room_ = room_of(read, chunk_bytes_);
    slots_ = room_.transfers * pieces;
  }

  Schedule make() {
    for (std::uint32_t gpu = 0; gpu < read_.gpus.size(); ++gpu) {
      place_scratch(gpu);
    }
    for (std::uint32_t gpu = 0; gpu < read_.gpus.size(); ++gpu) {
      make_operations(gpu);
    }
    pair_messages();
    for (std::uint32_t gpu = 0; gpu < read_.gpus.size(); ++gpu) {
      connect_steps(gpu);
    }
    write_rows();
    const std::vector<OpId> cycle = label_by_depth(parts_);
    if (!cycle.empty()) {
      fail_with_cycle(cycle);
    }
    return assemble(std::move(parts_));
  }

 private:
  struct StepOf {
    std::uint32_t gpu;
    std::uint32_t block;
    std::uint32_t step;
  };
  // The operations of a step, in order; kNoOp for those that it does not have.
  struct Made {
    OpId copy_before = kNoOp;  // of rrc and rrcs, if source and destination differ
    OpId local = kNoOp;        // takes the data from the connection, or is a copy or reduction
    OpId send = kNoOp;

    [[nodiscard]] OpId first() const {
      return copy_before != kNoOp ? copy_before : local != kNoOp ? local : send;
    }
    [[nodiscard]] OpId last() const { return send != kNoOp ? send : local; }
  };
  struct Gpu {
    // By thread block and step.
    std::vector<std::vector<Made>> made;
    std::vector<std::uint32_t> scratch;  // place of each chunk of scratch
    std::uint32_t slots = 0;             // of scratch
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> slot_of_connection;
    // The part of scratch for copies onto themselves: its last slot, and the free chunks there.
    std::uint32_t aside_slot = 0;
    std::uint32_t aside_free = 0;
  };
  struct Connection {
    std::vector<StepOf> sends;
    std::vector<StepOf> receives;
  };
  struct Edge {
    OpId after;
    OpId before;
  };

  [[noreturn]] void fail(const StepOf& at, const std::string& what) const {
    throw UserError(fmt::format("'{}', {}: {}", printable(file_),
                                name_of_step(at.gpu, at.block, step(at).number), what));
  }
  [[nodiscard]] const MscclStep& step(const StepOf& at) const {
    return read_.gpus[at.gpu].blocks[at.block].steps[at.step];
  }
  [[nodiscard]] Made& made(const StepOf& at) { return gpus_[at.gpu].made[at.block][at.step]; }

  // Puts chunks of scratch that a step uses together into one slot of scratch, side by side.
  void place_scratch(std::uint32_t gpu) {
    const std::uint32_t chunks = read_.gpus[gpu].scratch_chunks;
    const std::vector<bool> joined = joined_scratch(read_.gpus[gpu]);
    Gpu& own = gpus_[gpu];
    own.scratch.resize(chunks);
    std::uint32_t next = 0;
    for (std::uint32_t first = 0; first < chunks;) {
      std::uint32_t last = first;
      while (joined[last]) {
        ++last;
      }
      const std::uint32_t length = last - first + 1;
      if (next % read_.chunks + length > read_.chunks) {
        next = (next / read_.chunks + 1) * read_.chunks;
      }
      std::iota(own.scratch.begin() + first, own.scratch.begin() + last + 1, next);
      next += length;
      first = last + 1;
    }
    own.slots = (next + read_.chunks - 1) / read_.chunks;
  }

  // Returns the slot of a message in the buffer of a connection at the receiving GPU.
  std::uint32_t slot_of(std::uint32_t gpu, std::uint32_t from, std::uint32_t channel,
                        std::size_t message) {
    Gpu& own = gpus_[gpu];
    const auto [at, added] = own.slot_of_connection.try_emplace({from, channel}, own.slots);
    if (added) {
      own.slots += slots_;
    }
    return at->second + static_cast<std::uint32_t>(message % slots_);
  }

  [[nodiscard]] Chunks chunks_of_slot(std::uint32_t slot, std::uint32_t count) const {
    if ((std::uint64_t{slot} + 1) * read_.chunks >= kFar) {
      throw UserError(
          fmt::format("'{}': it needs more scratch than a schedule can hold", printable(file_)));
    }
    Chunks found{Buffer::scratch, std::vector<std::uint32_t>(count)};
    std::iota(found.blocks.begin(), found.blocks.end(), slot * read_.chunks);
    return found;
  }

  // Returns where a copy goes. A copy of chunks onto themselves writes what is there, so that other
  // steps may read the chunks meanwhile, but not write them. It becomes a copy to chunks of scratch
  // that no other step uses.
  Chunks copied_to(const StepOf& at, const Chunks& source, Chunks destination) {
    if (source != destination) {
      return destination;
    }
    const std::uint32_t count = step(at).count;
    Gpu& own = gpus_[at.gpu];
    if (own.aside_free < count) {
      own.aside_slot = own.slots++;
      own.aside_free = read_.chunks;
    }
    Chunks aside = chunks_of_slot(own.aside_slot, count);
    for (std::uint32_t& chunk : aside.blocks) {
      chunk += read_.chunks - own.aside_free;
    }
    own.aside_free -= count;
    return aside;
  }

  [[nodiscard]] Chunks chunks_of(const StepOf& at, const MscclRegion& region, bool written) const {
    const std::uint32_t count = step(at).count;
    if (region.buffer == MscclBuffer::scratch) {
      const auto first = gpus_[at.gpu].scratch.begin() + region.first;
      return {Buffer::scratch, {first, first + count}};
    }
    const bool input = region.buffer == MscclBuffer::input;
    if (input && written && !in_place_) {
      fail(at, "writes to the input, which belongs to the caller if the call is not in place");
    }
    const bool only_root_has_output =
        read_.collective == Collective::reduce || read_.collective == Collective::gather;
    if (!input && only_root_has_output && at.gpu != parts_.problem.root) {
      fail(at, fmt::format("uses the output, which only the root has ($root '{}')",
                           parts_.problem.root));
    }
    const std::uint32_t ranks = parts_.problem.ranks;
    const std::uint32_t part = read_.chunks / ranks;  // used only if every rank owns a part
    const bool is_part = has_parts(read_) && read_.collective != Collective::alltoall &&
                         input == (read_.collective == Collective::allgather ||
                                   read_.collective == Collective::gather);
    const std::uint32_t size = is_part ? part : read_.chunks;
    if (region.first + count > size) {
      fail(at, fmt::format("chunk {} of the {}: it has {}", region.first + count - 1,
                           input ? "input" : "output", counted(size, "chunk")));
    }
    Chunks found{input && !in_place_ ? Buffer::input : Buffer::work, {}};
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t chunk = region.first + i;
      if (is_part) {
        found.blocks.push_back(at.gpu * part + chunk);
      } else if (read_.collective == Collective::alltoall) {
        // Blocks are numbered by the distance from the sender to the receiver.
        const std::uint32_t other = chunk / part;
        const std::uint32_t distance =
            input ? (other + ranks - at.gpu) % ranks : (at.gpu + ranks - other) % ranks;
        found.blocks.push_back(distance * part + chunk % part);
      } else {
        found.blocks.push_back(chunk);
      }
    }
    return found;
  }

  OpId add(OpKind kind, Rank src, Rank dst, const StepOf& at, const Chunks& from,
           const Chunks& into) {
    if (kind != OpKind::comm && from.buffer == into.buffer && from != into &&
        std::ranges::find_first_of(from.blocks, into.blocks) != from.blocks.end()) {
      fail(at,
           "its source and its destination overlap, so the result depends on the order in which "
           "the threads of the GPU copy");
    }
    const auto is_run = [](const std::vector<std::uint32_t>& blocks) {
      return blocks.back() - blocks.front() + 1 == blocks.size() && std::ranges::is_sorted(blocks);
    };
    const auto count = static_cast<std::uint32_t>(from.blocks.size());
    Payload payload;
    const bool pooled = !is_run(from.blocks) || !is_run(into.blocks);
    if (pooled) {
      payload.from = {static_cast<std::uint32_t>(parts_.pool.size()), count};
      for (std::uint32_t i = 0; i < count; ++i) {
        parts_.pool.push_back({from.blocks[i], into.blocks[i]});
      }
    } else {
      payload = {{from.blocks.front(), count}, into.blocks.front()};
    }
    parts_.ops.emplace_back(kind, src, dst, count * chunk_bytes_, Label{}, from.buffer, into.buffer,
                            Operand::left, pooled);
    parts_.payloads.push_back(payload);
    step_of_op_.push_back(at);
    return static_cast<OpId>(parts_.ops.size() - 1);
  }

  void make_operations(std::uint32_t gpu) {
    const MscclGpu& own = read_.gpus[gpu];
    gpus_[gpu].made.resize(own.blocks.size());
    for (std::uint32_t block = 0; block < own.blocks.size(); ++block) {
      gpus_[gpu].made[block].resize(own.blocks[block].steps.size());
      for (std::uint32_t i = 0; i < own.blocks[block].steps.size(); ++i) {
        make_step({gpu, block, i});
      }
    }
  }

  // Adds the local operations of a step, and records its messages.
  void make_step(const StepOf& at) {
    const MscclStep& own = step(at);
    const MscclBlock& block = read_.gpus[at.gpu].blocks[at.block];
    Made& now = made(at);
    if (own.type == MscclType::copy) {
      const Chunks source = chunks_of(at, own.source, false);
      now.local = add(OpKind::copy, at.gpu, at.gpu, at, source,
                      copied_to(at, source, chunks_of(at, own.destination, true)));
    } else if (own.type == MscclType::reduce) {
      now.local = add(OpKind::reduce, at.gpu, at.gpu, at, chunks_of(at, own.source, false),
                      chunks_of(at, own.destination, true));
    }
    Chunks received;
    if (receives(own.type)) {
      const auto peer = static_cast<std::uint32_t>(block.receive_peer);
      std::vector<StepOf>& others = connections_[{peer, at.gpu, block.channel}].receives;
      received = chunks_of_slot(slot_of(at.gpu, peer, block.channel, others.size()), own.count);
      others.push_back(at);
    }
    switch (own.type) {
      case MscclType::receive:
      case MscclType::receive_copy_send:
        now.local =
            add(OpKind::copy, at.gpu, at.gpu, at, received, chunks_of(at, own.destination, true));
        break;
      case MscclType::receive_reduce_copy:
      case MscclType::receive_reduce_copy_send: {
        const Chunks source = chunks_of(at, own.source, false);
        const Chunks destination = chunks_of(at, own.destination, true);
        if (source != destination) {
          now.copy_before = add(OpKind::copy, at.gpu, at.gpu, at, source, destination);
        }
        now.local = add(OpKind::reduce, at.gpu, at.gpu, at, received, destination);
        break;
      }
      case MscclType::receive_reduce_send:
        now.local =
            add(OpKind::reduce, at.gpu, at.gpu, at, chunks_of(at, own.source, false), received);
        break;
      default:
        break;
    }
    if (sends(own.type)) {
      const auto peer = static_cast<std::uint32_t>(block.send_peer);
      std::vector<StepOf>& others = connections_[{at.gpu, peer, block.channel}].sends;
      const Chunks sent = own.type == MscclType::send ? chunks_of(at, own.source, false)
                          : own.type == MscclType::receive_reduce_send
                              ? received
                              : chunks_of(at, own.destination, false);
      now.send =
          add(OpKind::comm, at.gpu, peer, at, sent,
              chunks_of_slot(slot_of(peer, at.gpu, block.channel, others.size()), own.count));
      others.push_back(at);
    }
  }

  // Lets each receive wait for its message, and each message for room in the connection.
  void pair_messages() {
    for (auto& [ends, connection] : connections_) {
      const auto& [sends, receives] = connection;
      for (std::size_t i = 0; i < std::max(sends.size(), receives.size()); ++i) {
        if (i >= receives.size()) {
          fail(sends[i], fmt::format("sends, but gpu {} has no receive for it on channel {}",
                                     std::get<1>(ends), std::get<2>(ends)));
        }
        if (i >= sends.size()) {
          fail(receives[i], fmt::format("receives, but gpu {} does not send it on channel {}",
                                        std::get<0>(ends), std::get<2>(ends)));
        }
        if (step(sends[i]).count != step(receives[i]).count) {
          fail(
              receives[i],
              fmt::format("receives {}, but {} sends {}", counted(step(receives[i]).count, "chunk"),
                          name_of_step(sends[i].gpu, sends[i].block, step(sends[i]).number),
                          step(sends[i]).count));
        }
        edges_.push_back({made(receives[i]).local, made(sends[i]).send});
      }
      wait_for_room(sends, receives);
    }
  }

  // A transfer needs room in the buffer of the connection, which the receiver makes by taking out
  // the transfer that came as many transfers before as there is room for.
  void wait_for_room(const std::vector<StepOf>& sends, const std::vector<StepOf>& receives) {
    std::vector<std::size_t> last;  // of the messages of each transfer
    std::uint64_t chunks = 0;       // of the present transfer
    for (std::size_t i = 0; i < sends.size(); ++i) {
      const bool same_step = i > 0 && step(sends[i]).number == step(sends[i - 1]).number &&
                             sends[i].block == sends[i - 1].block;
      if (!same_step || chunks + step(sends[i]).count > room_.chunks) {
        last.push_back(i);
        chunks = 0;
      }
      chunks += step(sends[i]).count;
      last.back() = i;
      if (last.size() > room_.transfers) {
        const std::size_t earlier = last[last.size() - 1 - room_.transfers];
        edges_.push_back({made(sends[i]).send, made(receives[earlier]).last()});
      }
    }
  }

  // Returns the operations after which the step begins, apart from the arrival of data: the last
  // one of the step before, and those of other thread blocks that it waits for.
  std::vector<OpId> begins_after(const StepOf& at) {
    std::vector<OpId> found;
    // A nop waits on behalf of the steps that follow.
    for (StepOf from = at;; --from.step) {
      if (const OpId other = waits_for(from); other != kNoOp) {
        found.push_back(other);
      }
      if (from.step == 0) {
        break;
      }
      const OpId last = made({at.gpu, at.block, from.step - 1}).last();
      if (last != kNoOp) {
        found.push_back(last);
        break;
      }
    }
    return found;
  }

  // Returns the last operation of the first step that signals, from the one on for which `at`
  // waits.
  OpId waits_for(const StepOf& at) {
    const MscclStep& own = step(at);
    if (own.waits_for_block < 0) {
      return kNoOp;
    }
    const auto block = static_cast<std::uint32_t>(own.waits_for_block);
    const auto& blocks = read_.gpus[at.gpu].blocks;
    if (block >= blocks.size()) {
      fail(at, fmt::format("waits for thread block {}, but gpu {} has {}", block, at.gpu,
                           counted(blocks.size(), "thread block")));
    }
    const auto& steps = blocks[block].steps;
    for (std::size_t i = static_cast<std::size_t>(std::max(own.waits_for_step, 0));
         i < steps.size(); ++i) {
      const OpId last = gpus_[at.gpu].made[block][i].last();
      if (steps[i].signals && last != kNoOp) {
        return last;
      }
    }
    fail(at, fmt::format("waits forever for step {} of thread block {}: neither it nor a later one "
                         "there has hasdep=\"1\"",
                         own.waits_for_step, block));
  }

  void connect_steps(std::uint32_t gpu) {
    const auto& blocks = read_.gpus[gpu].blocks;
    for (std::uint32_t block = 0; block < blocks.size(); ++block) {
      for (std::uint32_t i = 0; i < blocks[block].steps.size(); ++i) {
        const StepOf at{gpu, block, i};
        const Made& now = made(at);
        if (now.last() == kNoOp) {
          continue;
        }
        for (const OpId before : begins_after(at)) {
          edges_.push_back({now.first(), before});
        }
        if (now.copy_before != kNoOp) {
          edges_.push_back({now.local, now.copy_before});
        }
        if (now.local != kNoOp && now.send != kNoOp) {
          edges_.push_back({now.send, now.local});
        }
      }
    }
  }

  void write_rows() {
    sort_into_rows(parts_.ops.size(), parts_.rows, parts_.dependencies, [&](const auto& add) {
      for (const Edge& edge : edges_) {
        add(edge.after, edge.before);
      }
    });
  }

  [[noreturn]] void fail_with_cycle(const std::vector<OpId>& cycle) const {
    constexpr std::size_t kShown = 6;
    std::vector<std::string> names;
    for (const OpId op : cycle) {
      const StepOf& at = step_of_op_[op];
      std::string name = name_of_step(at.gpu, at.block, step(at).number);
      if (names.empty() || names.back() != name) {
        names.push_back(std::move(name));
      }
    }
    const std::size_t all = names.size();
    names.resize(std::min(all, kShown));
    throw UserError(fmt::format(
        "'{}': a deadlock at n = {}: {} waits for {}", printable(file_),
        human_bytes(parts_.problem.bytes), fmt::join(names, " waits for "),
        all > kShown ? fmt::format("{} more, the last of which waits for the first", all - kShown)
                     : names.front()));
  }

  const MscclFile& read_;
  std::string_view file_;
  bool in_place_;
  std::uint64_t chunk_bytes_ = 0;
  ConnectionRoom room_{};
  std::uint32_t slots_ = 0;  // of scratch, for the buffer of each connection
  std::vector<Gpu> gpus_;
  // By sender, receiver and channel.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Connection> connections_;
  std::vector<Edge> edges_;
  std::vector<StepOf> step_of_op_;
  ScheduleParts parts_;
};

}  // namespace

bool is_msccl(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
    const std::string_view end = text.starts_with("<!--") ? "-->"
                                 : text.starts_with("<?") ? "?>"
                                                          : "";
    if (end.empty()) {
      break;
    }
    const std::size_t at = text.find(end);
    if (at == text.npos) {
      return false;
    }
    text.remove_prefix(at + end.size());
  }
  constexpr std::string_view kElement = "<algo";
  return text.starts_with(kElement) && text.size() > kElement.size() &&
         (kBlank.find(text[kElement.size()]) != kBlank.npos || text[kElement.size()] == '>');
}

MscclAlgorithm read_msccl(std::string_view text, std::string_view file, const MscclCall& call) {
  MscclFile read = parse_msccl(text, file, call.collective);
  const std::uint64_t unit = std::uint64_t{read.chunks} * call.element_bytes;
  const std::uint64_t bytes = call.bytes.value_or(unit);
  if (bytes % unit != 0) {
    throw UserError(fmt::format("$bytes '{}': '{}' is for multiples of {} ({} of {} each)", bytes,
                                printable(file), human_bytes(unit), counted(read.chunks, "chunk"),
                                human_bytes(call.element_bytes)));
  }
  if (has_root(read.collective) && call.root >= read.gpus.size()) {
    throw UserError(fmt::format("$root '{}': '{}' is for {}", call.root, printable(file),
                                counted(read.gpus.size(), "rank")));
  }
  MscclAlgorithm made;
  made.name = read.name;
  made.notes = read.notes;
  if (call.bytes &&
      (bytes < read.least_bytes || (read.most_bytes > 0 && bytes > read.most_bytes))) {
    made.notes.push_back(fmt::format(
        "the executor would not use the file for {}: it is for {} {}", human_bytes(bytes),
        human_bytes(read.least_bytes),
        read.most_bytes == 0 ? std::string("or more") : "to " + human_bytes(read.most_bytes)));
  }
  const bool overfilled = overfills_slots(read);
  const auto of_transfer = static_cast<std::uint32_t>(room_of(read, bytes / read.chunks).chunks);
  split_steps(read, overfilled ? 1 : of_transfer);
  const std::uint32_t pieces = overfilled ? of_transfer : 1;
  if (overfilled) {
    made.notes.emplace_back(
        "each chunk is a message of its own here, because steps use more chunks "
        "of scratch together than a vector has");
  }
  if (read.out_of_place) {
    made.out_of_place = MscclMaker(read, file, call, pieces, false).make();
  }
  if (read.in_place && read.collective == Collective::alltoall) {
    if (!read.out_of_place) {
      throw UserError(fmt::format(
          "'{}': an alltoall in place, in which each block that arrives replaces one that leaves, "
          "has no counterpart here",
          printable(file)));
    }
    made.notes.emplace_back("of an alltoall, only the form with separate buffers is checked");
  } else if (read.in_place) {
    made.in_place = MscclMaker(read, file, call, pieces, true).make();
  }
  return made;
}

}}  // namespace tutti::interchange

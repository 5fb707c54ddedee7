#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <ostream>
#include <utility>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/printable.hpp"
#include "schedules/bytes_only.hpp"
#include "schedules/verify/contract_of.hpp"
#include "src/interchange/msccl.hpp"
#include "src/interchange/msccl_file.hpp"

namespace tutti { inline namespace interchange {

namespace {

constexpr std::string_view kBufferLetters = "ios";

// True if a rank has no output, or only a part of the vector as output. `work`, which is always the
// whole vector, is then the first part of scratch, and the output is copied from it at the end.
bool has_work_in_scratch(Collective collective) {
  return collective == Collective::reduce || collective == Collective::reduce_scatter ||
         collective == Collective::reduce_scatter_block || collective == Collective::gather ||
         collective == Collective::scatter;
}

struct WrittenRegion {
  MscclBuffer buffer = MscclBuffer::output;
  std::uint32_t first = 0;
};

// The part of an operation that one step does: a run of chunks at both sides.
struct Piece {
  WrittenRegion from;
  WrittenRegion into;
  std::uint32_t count = 0;
};

// Place of the last step of an operation.
struct StepPlace {
  std::uint32_t block = 0;
  std::uint32_t step = 0;
};

struct WrittenStep {
  MscclType type = MscclType::nothing;
  Piece piece;
  std::optional<StepPlace> after;  // step of another thread block that this one waits for
  bool signals = false;
};

struct WrittenBlock {
  std::int32_t send_peer = -1;
  std::int32_t receive_peer = -1;
  std::uint32_t channel = 0;
  std::vector<WrittenStep> steps;
  // By thread block: one more than the last step there that this block has waited for.
  std::vector<std::uint32_t> waited;
};

class GpuWriter {
 public:
  GpuWriter(const Schedule& schedule, Rank gpu, std::vector<StepPlace>& last_step)
      : schedule_(schedule), gpu_(gpu), last_step_(last_step) {}

  // Adds the steps of an operation at this GPU.
  void add(OpId id) {
    const Op& op = schedule_.op(id);
    const bool sends = op.is_comm() && op.src() == gpu_;
    const MscclType type = sends                         ? MscclType::send
                           : op.is_comm()                ? MscclType::receive
                           : op.kind() == OpKind::reduce ? MscclType::reduce
                                                         : MscclType::copy;
    const std::uint32_t at =
        !op.is_comm() ? local_block() : peer_block(sends, sends ? op.dst() : op.src());
    wait(at, id);
    for (const Piece& piece : pieces(id)) {
      push(at, {type, piece, {}, false});
    }
    last_step_[id] = {at, static_cast<std::uint32_t>(blocks_[at].steps.size() - 1)};
  }

  // Adds the copy of the input to `work`.
  void copy_input(const std::vector<std::uint32_t>& blocks) {
    for (const Piece& piece : runs(blocks, Buffer::input, blocks, Buffer::work, gpu_, gpu_)) {
      const std::uint32_t at = local_block();
      push(at, {MscclType::copy, piece, {}, false});
      input_copied_ = last_step_of(at);
    }
  }
  // Adds the copy of `work` to the output, after everything else.
  void copy_output(const std::vector<std::uint32_t>& blocks) {
    std::vector<StepPlace> all;
    for (std::uint32_t at = 0; at < blocks_.size(); ++at) {
      all.push_back(last_step_of(at));
    }
    std::vector<Piece> copied;
    for (const std::uint32_t block : blocks) {
      append(copied, {MscclBuffer::scratch, block}, region_of_caller(gpu_, false, block));
    }
    for (const Piece& piece : copied) {
      const std::uint32_t at = local_block();
      wait(at, all);
      push(at, {MscclType::copy, piece, {}, false});
    }
  }

  [[nodiscard]] const std::vector<WrittenBlock>& blocks() const { return blocks_; }
  [[nodiscard]] std::uint32_t scratch_chunks() const { return scratch_chunks_; }
  [[nodiscard]] std::uint32_t channels() const {
    std::uint32_t most = 0;
    for (const WrittenBlock& block : blocks_) {
      most = std::max(most, block.channel + 1);
    }
    return most;
  }

 private:
  [[nodiscard]] const Problem& problem() const { return schedule_.problem(); }

  std::uint32_t add_block(std::int32_t send_peer, std::int32_t receive_peer,
                          std::uint32_t channel) {
    blocks_.push_back({send_peer, receive_peer, channel, {}, {}});
    return static_cast<std::uint32_t>(blocks_.size() - 1);
  }
  // A channel has room for a number of peers.
  std::uint32_t peer_block(bool sends, Rank peer) {
    auto& blocks = sends ? send_blocks_ : receive_blocks_;
    const auto found = blocks.find(peer);
    if (found != blocks.end()) {
      return found->second;
    }
    // Both ends of a connection must be on the same channel.
    const Rank distance = sends ? (peer + problem().ranks - gpu_) % problem().ranks
                                : (gpu_ + problem().ranks - peer) % problem().ranks;
    const std::uint32_t channel = (distance - 1) / (kMostMscclBlocksPerChannel - 1);
    const auto other = static_cast<std::int32_t>(peer);
    return blocks[peer] = add_block(sends ? other : -1, sends ? -1 : other, channel);
  }
  // The last block for local operations; a new one if it is nearly full.
  std::uint32_t local_block() {
    constexpr std::size_t kSpare = 64;  // for steps that only wait
    if (!local_block_ || blocks_[*local_block_].steps.size() + kSpare > kMostMscclSteps) {
      local_block_ = add_block(-1, -1, 0);
    }
    return *local_block_;
  }

  void push(std::uint32_t at, WrittenStep step) {
    if (waits_) {
      step.after = std::exchange(waits_, std::nullopt);
    }
    if (blocks_[at].steps.size() >= kMostMscclSteps) {
      throw UserError(
          fmt::format("GPU {} needs more than {} steps in a thread block, which is the "
                      "maximum of MSCCL",
                      gpu_, kMostMscclSteps));
    }
    blocks_[at].steps.push_back(step);
  }

  // Lets the next step of block `at` wait for what operation `id` waits for. A step waits for one
  // other step, so that steps which do nothing precede it if there are several.
  void wait(std::uint32_t at, OpId id) {
    std::vector<StepPlace> places;
    if (input_copied_) {
      places.push_back(*input_copied_);
    }
    for (const OpId before : schedule_.predecessors(id)) {
      if (schedule_.op(before).touches(gpu_)) {
        places.push_back(last_step_[before]);
      }
    }
    wait(at, places);
  }
  void wait(std::uint32_t at, const std::vector<StepPlace>& places) {
    for (const StepPlace& place : places) {
      auto& waited = blocks_[at].waited;
      waited.resize(std::max<std::size_t>(waited.size(), place.block + std::size_t{1}));
      if (place.block == at || waited[place.block] > place.step) {
        continue;
      }
      // Only the last of several steps of one block counts.
      const auto last = std::ranges::max_element(places, {}, [&](const StepPlace& each) {
        return each.block == place.block ? std::int64_t{each.step} : -1;
      });
      waited[place.block] = last->step + 1;
      if (place.block > kMostMscclWaited) {
        throw UserError(
            fmt::format("GPU {} needs more than {} thread blocks that others wait for, "
                        "which is the maximum of MSCCL",
                        gpu_, kMostMscclWaited + 1));
      }
      blocks_[place.block].steps[last->step].signals = true;
      if (waits_) {
        push(at, {});
      }
      waits_ = *last;
    }
  }

  [[nodiscard]] StepPlace last_step_of(std::uint32_t at) const {
    return {at, static_cast<std::uint32_t>(blocks_[at].steps.size() - 1)};
  }

  WrittenRegion region(Rank gpu, Buffer buffer, std::uint32_t index) {
    const bool moved = has_work_in_scratch(problem().collective);
    if (buffer == Buffer::input || (buffer == Buffer::work && !moved)) {
      return region_of_caller(gpu, buffer == Buffer::input, index);
    }
    const std::uint32_t chunk =
        buffer == Buffer::scratch && moved ? index + schedule_.blocks() : index;
    if (gpu == gpu_) {
      scratch_chunks_ = std::max(scratch_chunks_, chunk + 1);
    }
    return {MscclBuffer::scratch, chunk};
  }

  // Returns the chunk of the input or output buffer that contains a block. This is the inverse of
  // what msccl_reader.cpp does.
  [[nodiscard]] WrittenRegion region_of_caller(Rank gpu, bool input, std::uint32_t index) const {
    const std::uint32_t ranks = problem().ranks;
    const std::uint32_t part = schedule_.blocks() / ranks;
    const Collective collective = problem().collective;
    const MscclBuffer named = input ? MscclBuffer::input : MscclBuffer::output;
    if (collective == Collective::alltoall) {
      const std::uint32_t distance = index / part;
      const std::uint32_t other =
          input ? (gpu + distance) % ranks : (gpu + ranks - distance) % ranks;
      return {named, other * part + index % part};
    }
    if (owns_parts(collective)) {
      // The side that has only a part of the vector.
      const bool part_is_input =
          collective == Collective::allgather || collective == Collective::gather;
      if (input == part_is_input) {
        if (index / part != gpu) {  // the schedule is not proved
          throw UserError(
              fmt::format("rank {} uses block {} of its {}, which belongs to rank {}; "
                          "MSCCL cannot express this",
                          gpu, index, input ? "input" : "output", index / part));
        }
        return {named, index % part};
      }
    }
    return {named, index};
  }

  std::vector<Piece> pieces(OpId id) {
    const Op& op = schedule_.op(id);
    std::vector<std::uint32_t> from;
    std::vector<std::uint32_t> into;
    for_each_block_pair(schedule_, id, [&](std::uint32_t read, std::uint32_t written) {
      from.push_back(read);
      into.push_back(written);
    });
    return runs(from, op.from(), into, op.into(), op.src(), op.dst());
  }

  std::vector<Piece> runs(const std::vector<std::uint32_t>& from, Buffer from_buffer,
                          const std::vector<std::uint32_t>& into, Buffer into_buffer, Rank src,
                          Rank dst) {
    std::vector<Piece> found;
    for (std::size_t i = 0; i < from.size(); ++i) {
      append(found, region(src, from_buffer, from[i]), region(dst, into_buffer, into[i]));
    }
    return found;
  }

  // Adds a chunk to the last piece if it continues it, and otherwise as a new piece.
  static void append(std::vector<Piece>& pieces, const WrittenRegion& from,
                     const WrittenRegion& into) {
    if (!pieces.empty()) {
      Piece& last = pieces.back();
      if (last.count < kMostMscclCount && last.from.buffer == from.buffer &&
          last.into.buffer == into.buffer && last.from.first + last.count == from.first &&
          last.into.first + last.count == into.first) {
        ++last.count;
        return;
      }
    }
    pieces.push_back({from, into, 1});
  }

  const Schedule& schedule_;
  Rank gpu_;
  std::vector<StepPlace>& last_step_;  // of each operation, at this GPU
  std::vector<WrittenBlock> blocks_;
  std::map<Rank, std::uint32_t> send_blocks_;
  std::map<Rank, std::uint32_t> receive_blocks_;
  std::optional<std::uint32_t> local_block_;
  std::optional<StepPlace> input_copied_;
  std::optional<StepPlace> waits_;  // for the next step
  std::uint32_t scratch_chunks_ = 0;
};

// Throws UserError if the format cannot carry the schedule.
void check(const Schedule& schedule, std::string_view name) {
  refuse_bytes_only(schedule, name, "MSCCL needs the blocks of each message");
  const Collective collective = schedule.problem().collective;
  const auto refuse = [&](const std::string& why) {
    throw UserError(fmt::format("{}: {}", printable(name), why));
  };
  if (msccl_name(collective).empty()) {
    refuse(fmt::format("MSCCL has no {}", tutti::name(collective)));
  }
  if (schedule.switches() > 0) {
    refuse("MSCCL has no switches");
  }
  if (!schedule.layout().uniform()) {
    refuse(fmt::format(
        "the blocks differ in size, but the chunks of MSCCL do not; choose a multiple "
        "of {} ({})",
        human_bytes(std::uint64_t{schedule.blocks()} * schedule.problem().element_bytes),
        counted(schedule.blocks(), "block")));
  }
}

void write_region(std::string_view prefix, const WrittenRegion& region, std::ostream& out) {
  out << fmt::format(R"( {0}buf="{1}" {0}off="{2}")", prefix,
                     kBufferLetters[static_cast<std::size_t>(region.buffer)], region.first);
}

void write_gpu(Rank gpu, const GpuWriter& written, const std::array<std::uint32_t, 2>& chunks,
               std::ostream& out) {
  out << fmt::format("  <gpu id=\"{}\" i_chunks=\"{}\" o_chunks=\"{}\" s_chunks=\"{}\">\n", gpu,
                     chunks[0], chunks[1], written.scratch_chunks());
  for (std::size_t id = 0; id < written.blocks().size(); ++id) {
    const WrittenBlock& block = written.blocks()[id];
    out << fmt::format("    <tb id=\"{}\" send=\"{}\" recv=\"{}\" chan=\"{}\">\n", id,
                       block.send_peer, block.receive_peer, block.channel);
    for (std::size_t i = 0; i < block.steps.size(); ++i) {
      const WrittenStep& step = block.steps[i];
      out << fmt::format("      <step s=\"{}\" type=\"{}\"", i,
                         kMscclTypes[static_cast<std::size_t>(step.type)]);
      write_region("src", step.piece.from, out);
      write_region("dst", step.piece.into, out);
      out << fmt::format(R"( cnt="{}" depid="{}" deps="{}" hasdep="{}"/>)", step.piece.count,
                         step.after ? std::int64_t{step.after->block} : -1,
                         step.after ? std::int64_t{step.after->step} : -1, step.signals ? 1 : 0)
          << '\n';
    }
    out << "    </tb>\n";
  }
  out << "  </gpu>\n";
}

}  // namespace

void write_msccl(const Schedule& schedule, std::string_view name, std::ostream& out) {
  check(schedule, name);
  const Problem& problem = schedule.problem();
  const Contract contract = contract_of(schedule);
  const std::uint32_t blocks = schedule.blocks();
  bool reads_input = false;
  for (const Op& op : schedule.ops()) {
    reads_input = reads_input || op.from() == Buffer::input;
  }
  std::vector<GpuWriter> gpus;
  std::vector<StepPlace> last_step(schedule.size());
  std::uint32_t channels = 1;
  for (Rank gpu = 0; gpu < problem.ranks; ++gpu) {
    GpuWriter& own = gpus.emplace_back(schedule, gpu, last_step);
    std::vector<std::uint32_t> given;
    std::vector<std::uint32_t> demanded;
    for (std::uint32_t block = 0; block < blocks; ++block) {
      if (contract.in_place() && contract.has_input(gpu, block)) {
        given.push_back(block);
      }
      if (contract.demand(gpu, block).kind != Demand::Kind::nothing) {
        demanded.push_back(block);
      }
    }
    own.copy_input(given);
    for (OpId id = 0; id < schedule.size(); ++id) {
      if (schedule.op(id).touches(gpu)) {
        own.add(id);
      }
    }
    if (has_work_in_scratch(problem.collective)) {
      own.copy_output(demanded);
    }
    channels = std::max(channels, own.channels());
  }
  if (channels > kMostMscclChannels) {
    throw UserError(fmt::format("{} needs {} channels; the maximum of MSCCL is {}", printable(name),
                                channels, kMostMscclChannels));
  }
  std::array<std::uint32_t, 2> chunks{blocks, blocks};
  if (owns_parts(problem.collective) && problem.collective != Collective::alltoall) {
    const bool part_is_input =
        problem.collective == Collective::allgather || problem.collective == Collective::gather;
    chunks[part_is_input ? 0 : 1] = blocks / problem.ranks;
  }
  const bool in_place = contract.in_place() && !reads_input;
  out << fmt::format(
      "<algo name=\"{}\" proto=\"Simple\" nchannels=\"{}\" nchunksperloop=\"{}\" "
      "ngpus=\"{}\" coll=\"{}\" inplace=\"{}\" outofplace=\"1\" minBytes=\"0\" "
      "maxBytes=\"0\">\n",
      name, channels, blocks, problem.ranks, msccl_name(problem.collective), in_place ? 1 : 0);
  for (Rank gpu = 0; gpu < problem.ranks; ++gpu) {
    write_gpu(gpu, gpus[gpu], chunks, out);
  }
  out << "</algo>\n";
}

}}  // namespace tutti::interchange

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
#include "src/interchange/msccl_places.hpp"
#include "src/interchange/msccl_transfers.hpp"

namespace tutti { inline namespace interchange {

namespace {

// Makes the schedule of one form: in place, or out of place.
class MscclMaker {
 public:
  // No step of `read` has more chunks than one transfer moves. `pieces` is the largest number of
  // steps that belong to one transfer.
  MscclMaker(const MscclFile& read, std::string_view file, const MscclCall& call,
             std::uint32_t pieces, bool in_place)
      : read_(read),
        file_(file),
        chunk_bytes_(bytes_of(read, call) / read.chunks),
        room_(room_of(read, chunk_bytes_)),
        places_(read, file, has_root(read.collective) ? call.root : 0, room_.transfers * pieces,
                in_place),
        made_(read.gpus.size()) {
    Problem& problem = parts_.problem;
    problem.collective = read.collective;
    problem.ranks = static_cast<std::uint32_t>(read.gpus.size());
    problem.element_bytes = call.element_bytes;
    problem.bytes = bytes_of(read, call);
    problem.root = has_root(read.collective) ? call.root : 0;
    parts_.layout = BlockLayout::even(problem.elements(), read.chunks, call.element_bytes);
  }

  Schedule make() {
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
  static std::uint64_t bytes_of(const MscclFile& read, const MscclCall& call) {
    return call.bytes.value_or(std::uint64_t{read.chunks} * call.element_bytes);
  }

  // The operations of a step, in order; kNoOp for those that it does not have.
  struct StepOps {
    OpId copy_before = kNoOp;  // of rrc and rrcs, if source and destination differ
    OpId local = kNoOp;        // takes the data from the connection, or is a copy or reduction
    OpId send = kNoOp;

    [[nodiscard]] OpId first() const {
      return copy_before != kNoOp ? copy_before : local != kNoOp ? local : send;
    }
    [[nodiscard]] OpId last() const { return send != kNoOp ? send : local; }
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
    places_.fail(at, what);
  }
  [[nodiscard]] const MscclStep& step(const StepOf& at) const { return places_.step(at); }
  [[nodiscard]] StepOps& made(const StepOf& at) { return made_[at.gpu][at.block][at.step]; }

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
    made_[gpu].resize(own.blocks.size());
    for (std::uint32_t block = 0; block < own.blocks.size(); ++block) {
      made_[gpu][block].resize(own.blocks[block].steps.size());
      for (std::uint32_t i = 0; i < own.blocks[block].steps.size(); ++i) {
        make_step({gpu, block, i});
      }
    }
  }

  // Adds the local operations of a step, and records its messages.
  void make_step(const StepOf& at) {
    const MscclStep& own = step(at);
    const MscclBlock& block = read_.gpus[at.gpu].blocks[at.block];
    StepOps& now = made(at);
    if (own.type == MscclType::copy) {
      const Chunks source = places_.chunks_of(at, own.source, false);
      now.local = add(OpKind::copy, at.gpu, at.gpu, at, source,
                      places_.copied_to(at, source, places_.chunks_of(at, own.destination, true)));
    } else if (own.type == MscclType::reduce) {
      now.local = add(OpKind::reduce, at.gpu, at.gpu, at, places_.chunks_of(at, own.source, false),
                      places_.chunks_of(at, own.destination, true));
    }
    Chunks received;
    if (receives(own.type)) {
      const auto peer = static_cast<std::uint32_t>(block.receive_peer);
      std::vector<StepOf>& others = connections_[{peer, at.gpu, block.channel}].receives;
      received = places_.chunks_of_slot(places_.slot_of(at.gpu, peer, block.channel, others.size()),
                                        own.count);
      others.push_back(at);
    }
    switch (own.type) {
      case MscclType::receive:
      case MscclType::receive_copy_send:
        now.local = add(OpKind::copy, at.gpu, at.gpu, at, received,
                        places_.chunks_of(at, own.destination, true));
        break;
      case MscclType::receive_reduce_copy:
      case MscclType::receive_reduce_copy_send: {
        const Chunks source = places_.chunks_of(at, own.source, false);
        const Chunks destination = places_.chunks_of(at, own.destination, true);
        if (source != destination) {
          now.copy_before = add(OpKind::copy, at.gpu, at.gpu, at, source, destination);
        }
        now.local = add(OpKind::reduce, at.gpu, at.gpu, at, received, destination);
        break;
      }
      case MscclType::receive_reduce_send:
        now.local = add(OpKind::reduce, at.gpu, at.gpu, at,
                        places_.chunks_of(at, own.source, false), received);
        break;
      default:
        break;
    }
    if (sends(own.type)) {
      const auto peer = static_cast<std::uint32_t>(block.send_peer);
      std::vector<StepOf>& others = connections_[{at.gpu, peer, block.channel}].sends;
      const Chunks sent = own.type == MscclType::send ? places_.chunks_of(at, own.source, false)
                          : own.type == MscclType::receive_reduce_send
                              ? received
                              : places_.chunks_of(at, own.destination, false);
      now.send = add(OpKind::comm, at.gpu, peer, at, sent,
                     places_.chunks_of_slot(
                         places_.slot_of(peer, at.gpu, block.channel, others.size()), own.count));
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
      const OpId last = made_[at.gpu][block][i].last();
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
        const StepOps& now = made(at);
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
  std::uint64_t chunk_bytes_;
  ConnectionRoom room_;
  MscclPlaces places_;
  std::vector<std::vector<std::vector<StepOps>>> made_;  // by GPU, thread block and step
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

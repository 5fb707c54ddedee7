#include "sim/mpi/plan/serial_replay.hpp"

#include <cstring>
#include <new>

#include "schedules/collective.hpp"
#include "sim/mpi/plan/byte_runs.hpp"

namespace tutti::mpi {

namespace {

constexpr int kUnfilled = 0xc5;

}  // namespace

LazyBytes::LazyBytes(std::uint64_t bytes)
    // NOLINTNEXTLINE: calloc() clears memory lazily.
    : data_(static_cast<std::byte*>(std::calloc(bytes == 0 ? 1 : bytes, 1))) {
  if (data_ == nullptr) {
    throw std::bad_alloc();
  }
}

RankBuffers::RankBuffers(const Schedule& schedule)
    : input(schedule.layout().bytes()),
      work(schedule.layout().bytes()),
      scratch(schedule.layout().bytes() * schedule.scratch_slots()) {}

std::byte* RankBuffers::at(Buffer buffer) const {
  switch (buffer) {
    case Buffer::input:
      return input.data();
    case Buffer::work:
      return work.data();
    case Buffer::scratch:
      break;
  }
  return scratch.data();
}

void start_contents(const Schedule& schedule, const Element& element, Rank rank, std::byte* input,
                    std::byte* work) {
  const Problem& problem = schedule.problem();
  const BlockLayout& layout = schedule.layout();
  const Contract contract(problem.collective, problem.ranks, layout.blocks(), problem.root);
  for (std::uint32_t block = 0; block < layout.blocks(); ++block) {
    const std::uint64_t at = layout.offset_bytes(block);
    const std::uint64_t bytes = layout.size_bytes(block);
    const bool has_input = contract.has_input(rank, block);
    for (std::byte* buffer : {input, work}) {
      if (buffer == nullptr || bytes == 0) {
        continue;
      }
      if (has_input && (buffer == input || contract.in_place())) {
        fill(element, rank, at / element.bytes(), bytes / element.bytes(), buffer + at);
      } else {
        std::memset(buffer + at, kUnfilled, bytes);
      }
    }
  }
}

std::vector<std::byte> serial_replay(const Schedule& schedule, const Element& element) {
  const std::uint64_t vector_bytes = schedule.layout().bytes();
  std::vector<RankBuffers> ranks;
  for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
    const RankBuffers& own = ranks.emplace_back(schedule);
    start_contents(schedule, element, rank, own.input.data(), own.work.data());
  }
  std::vector<std::byte> moved;
  for (OpId id = 0; id < schedule.size(); ++id) {
    const Op& op = schedule.op(id);
    const std::byte* from = ranks[op.src()].at(op.from());
    std::byte* into = ranks[op.dst()].at(op.into());
    moved.clear();
    for (const ByteRun& run : runs_read(schedule, id)) {
      moved.insert(moved.end(), from + run.offset, from + run.offset + run.bytes);
    }
    const std::byte* next = moved.data();
    for (const ByteRun& run : runs_written(schedule, id)) {
      std::byte* const to = into + run.offset;
      if (op.kind() == OpKind::reduce) {
        const bool left = op.from_is() == Operand::left;
        combine(element, left ? next : to, left ? to : next, to, run.bytes / element.bytes());
      } else {
        std::memcpy(to, next, run.bytes);
      }
      next += run.bytes;
    }
  }
  std::vector<std::byte> results;
  results.reserve(vector_bytes * schedule.ranks());
  for (const RankBuffers& buffers : ranks) {
    results.insert(results.end(), buffers.work.data(), buffers.work.data() + vector_bytes);
  }
  return results;
}

std::uint64_t serial_replay_bytes(const Schedule& schedule) {
  return schedule.layout().bytes() * schedule.ranks() * (3 + schedule.scratch_slots());
}

}  // namespace tutti::mpi

#include "src/interchange/msccl_transfers.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace tutti { inline namespace interchange {

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

}}  // namespace tutti::interchange

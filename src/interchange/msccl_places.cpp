#include "src/interchange/msccl_places.hpp"

#include <fmt/format.h>

#include <numeric>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/printable.hpp"
#include "src/interchange/msccl_transfers.hpp"

namespace tutti { inline namespace interchange {

MscclPlaces::MscclPlaces(const MscclFile& read, std::string_view file, Rank root,
                         std::uint32_t slots, bool in_place)
    : read_(read),
      file_(file),
      root_(root),
      slots_(slots),
      in_place_(in_place),
      gpus_(read.gpus.size()) {
  for (std::uint32_t gpu = 0; gpu < read.gpus.size(); ++gpu) {
    place_scratch(gpu);
  }
}

void MscclPlaces::fail(const StepOf& at, const std::string& text) const {
  throw UserError(fmt::format("'{}', {}: {}", printable(file_),
                              name_of_step(at.gpu, at.block, step(at).number), text));
}

void MscclPlaces::place_scratch(std::uint32_t gpu) {
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

std::uint32_t MscclPlaces::slot_of(std::uint32_t gpu, std::uint32_t from, std::uint32_t channel,
                                   std::size_t message) {
  Gpu& own = gpus_[gpu];
  const auto [at, added] = own.slot_of_connection.try_emplace({from, channel}, own.slots);
  if (added) {
    own.slots += slots_;
  }
  return at->second + static_cast<std::uint32_t>(message % slots_);
}

Chunks MscclPlaces::chunks_of_slot(std::uint32_t slot, std::uint32_t count) const {
  if ((std::uint64_t{slot} + 1) * read_.chunks >= 0xffffffffU) {
    throw UserError(
        fmt::format("'{}': it needs more scratch than a schedule can hold", printable(file_)));
  }
  Chunks found{Buffer::scratch, std::vector<std::uint32_t>(count)};
  std::iota(found.blocks.begin(), found.blocks.end(), slot * read_.chunks);
  return found;
}

Chunks MscclPlaces::copied_to(const StepOf& at, const Chunks& source, Chunks destination) {
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

Chunks MscclPlaces::chunks_of(const StepOf& at, const MscclRegion& region, bool written) const {
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
  if (!input && only_root_has_output && at.gpu != root_) {
    fail(at, fmt::format("uses the output, which only the root has ($root '{}')", root_));
  }
  const std::uint32_t ranks = static_cast<std::uint32_t>(read_.gpus.size());
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

}}  // namespace tutti::interchange

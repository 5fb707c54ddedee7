// The transfers of an MSCCL file: what the buffer of a connection holds, and steps of that size.
#pragma once

#include <cstdint>
#include <vector>

#include "src/interchange/msccl_file.hpp"

namespace tutti { inline namespace interchange {

// The size of the buffer of a connection.
struct ConnectionRoom {
  // Number of transfers that fit.
  std::uint32_t transfers;
  // Number of chunks that one transfer moves.
  std::uint64_t chunks;
};

// Returns the room for chunks of this size, with NCCL's default buffers (NCCL_BUFFSIZE and its
// counterparts for LL and LL128).
[[nodiscard]] ConnectionRoom room_of(const MscclFile& read, std::uint64_t chunk_bytes);

// Returns, for each chunk of the GPU's scratch, whether a step uses it together with the next one.
[[nodiscard]] std::vector<bool> joined_scratch(const MscclGpu& gpu);

// True if steps use more chunks of scratch together than a slot of scratch holds.
[[nodiscard]] bool overfills_slots(const MscclFile& read);

// Replaces each step by steps of at most `chunks` chunks.
void split_steps(MscclFile& read, std::uint32_t chunks);

}}  // namespace tutti::interchange

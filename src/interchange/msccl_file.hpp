// The contents of an MSCCL file, as its executor reads them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/collective.hpp"
#include "schedules/op.hpp"

namespace tutti { inline namespace interchange {

enum class MscclBuffer : std::uint8_t { input, output, scratch };

struct MscclRegion {
  MscclBuffer buffer = MscclBuffer::input;
  std::uint32_t first = 0;  // chunk
};

// In the order of their names in the file: s, r, rcs, rrs, rrc, rrcs, cpy, re, nop.
enum class MscclType : std::uint8_t {
  send,
  receive,
  receive_copy_send,
  receive_reduce_send,
  receive_reduce_copy,
  receive_reduce_copy_send,
  copy,
  reduce,
  nothing
};
inline constexpr std::array<std::string_view, 9> kMscclTypes{"s",    "r",   "rcs", "rrs", "rrc",
                                                             "rrcs", "cpy", "re",  "nop"};

[[nodiscard]] constexpr bool receives(MscclType type) {
  return type >= MscclType::receive && type <= MscclType::receive_reduce_copy_send;
}
[[nodiscard]] constexpr bool sends(MscclType type) {
  return type == MscclType::send || type == MscclType::receive_copy_send ||
         type == MscclType::receive_reduce_send || type == MscclType::receive_reduce_copy_send;
}

struct MscclStep {
  MscclType type = MscclType::nothing;
  MscclRegion source;                 // of s, rrs, rrc, rrcs, cpy and re
  MscclRegion destination;            // of r, rcs, rrc, rrcs, cpy and re
  std::uint32_t count = 0;            // of chunks
  std::int32_t waits_for_block = -1;  // thread block of the same GPU; -1: none
  std::int32_t waits_for_step = -1;
  bool signals = false;      // other thread blocks can wait for this step
  std::uint32_t number = 0;  // in its thread block, from 0 on
};

struct MscclBlock {
  std::uint32_t id = 0;
  std::int32_t send_peer = -1;
  std::int32_t receive_peer = -1;
  std::uint32_t channel = 0;
  std::vector<MscclStep> steps;
};

struct MscclGpu {
  std::uint32_t input_chunks = 0;
  std::uint32_t output_chunks = 0;
  std::uint32_t scratch_chunks = 0;
  std::vector<MscclBlock> blocks;  // block i has id i
};

enum class MscclProtocol : std::uint8_t { simple, ll, ll128 };
inline constexpr std::array<std::string_view, 3> kMscclProtocols{"Simple", "LL", "LL128"};

struct MscclFile {
  std::string name;
  MscclProtocol protocol = MscclProtocol::simple;
  Collective collective = Collective::allreduce;
  std::uint32_t channels = 0;
  std::uint32_t chunks = 0;  // nchunksperloop
  std::vector<MscclGpu> gpus;
  bool in_place = false;
  bool out_of_place = false;
  std::uint64_t least_bytes = 0;
  std::uint64_t most_bytes = 0;  // 0: no limit
  // Why the executor would not load the file; the first few reasons, without a full stop.
  std::vector<std::string> notes;
};

// Limits of the executor.
inline constexpr std::uint32_t kMostMscclSteps = 256;
inline constexpr std::uint32_t kMostMscclCount = 71;
inline constexpr std::uint32_t kMostMscclChannels = 32;
inline constexpr std::uint32_t kMostMscclBlocksPerChannel = 32;
inline constexpr std::size_t kMostMscclElements = 4096;  // of XML that a GPU reads
inline constexpr std::uint32_t kMostMscclWaited = 127;   // thread block that others wait for

// True if every rank owns a part of the vector, so that the buffer of one side is a part of the
// other's.
[[nodiscard]] inline bool has_parts(const MscclFile& file) { return owns_parts(file.collective); }

// Returns the name of a collective in a file; "" if the format does not have it.
[[nodiscard]] std::string_view msccl_name(Collective collective);

// Throws UserError, which names the line. `collective` is that of a file that does not name it.
[[nodiscard]] MscclFile parse_msccl(std::string_view text, std::string_view file,
                                    std::optional<Collective> collective = {});

// Returns the name of a step for messages: "gpu 0, thread block 1, step 2".
[[nodiscard]] std::string name_of_step(std::uint32_t gpu, std::uint32_t block, std::size_t step);

}}  // namespace tutti::interchange

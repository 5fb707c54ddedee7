// Where the chunks of an MSCCL file are in the buffers of its schedule.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schedules/op.hpp"
#include "src/interchange/msccl_file.hpp"

namespace tutti { inline namespace interchange {

// Where the chunks of a region are.
struct Chunks {
  Buffer buffer = Buffer::work;
  std::vector<std::uint32_t> blocks;

  friend bool operator==(const Chunks&, const Chunks&) = default;
};

// Indices of a GPU, of one of its thread blocks, and of a step of that block.
struct StepOf {
  std::uint32_t gpu;
  std::uint32_t block;
  std::uint32_t step;
};

class MscclPlaces {
 public:
  // `slots`: number of slots of scratch for the buffer of each connection.
  MscclPlaces(const MscclFile& read, std::string_view file, Rank root, std::uint32_t slots,
              bool in_place);

  // Throws UserError with `text` after the file and the step.
  [[noreturn]] void fail(const StepOf& at, const std::string& text) const;
  [[nodiscard]] const MscclStep& step(const StepOf& at) const {
    return read_.gpus[at.gpu].blocks[at.block].steps[at.step];
  }

  // Returns the chunks of a region that the step reads or writes. Throws UserError if the GPU does
  // not have them.
  [[nodiscard]] Chunks chunks_of(const StepOf& at, const MscclRegion& region, bool written) const;
  // Returns the slot of a message in the buffer of a connection at the receiving GPU.
  std::uint32_t slot_of(std::uint32_t gpu, std::uint32_t from, std::uint32_t channel,
                        std::size_t message);
  // Returns the first chunks of a slot of scratch.
  [[nodiscard]] Chunks chunks_of_slot(std::uint32_t slot, std::uint32_t count) const;
  // Returns where a copy goes. A copy of chunks onto themselves writes what is there, so that other
  // steps may read the chunks meanwhile, but not write them. It becomes a copy to chunks of scratch
  // that no other step uses.
  Chunks copied_to(const StepOf& at, const Chunks& source, Chunks destination);

 private:
  struct Gpu {
    std::vector<std::uint32_t> scratch;  // place of each chunk of scratch
    std::uint32_t slots = 0;             // of scratch
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> slot_of_connection;
    // The part of scratch for copies onto themselves: its last slot, and the free chunks there.
    std::uint32_t aside_slot = 0;
    std::uint32_t aside_free = 0;
  };
  // Puts chunks of scratch that a step uses together into one slot of scratch, side by side.
  void place_scratch(std::uint32_t gpu);

  const MscclFile& read_;
  std::string_view file_;
  Rank root_;
  std::uint32_t slots_;
  bool in_place_;
  std::vector<Gpu> gpus_;
};

}}  // namespace tutti::interchange

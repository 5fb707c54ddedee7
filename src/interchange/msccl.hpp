// Algorithms of MSCCL: XML files that msccl-tools, TACCL, ForestColl and others write, and that
// Azure's executor (github.com/Azure/msccl-executor-nccl) and RCCL up to 2.27 run.
//
// A file is a program of one loop over chunks, so it serves any multiple of one element for each
// chunk. Each GPU has thread blocks, whose steps run one after another. A send puts chunks into the
// buffer of a connection, which is the pair of GPUs and a channel; the k-th send of a connection
// belongs to the k-th receive. A step may wait for a step of another thread block.
//
// Sources: msccl_parser.cc, msccl_setup.cc and msccl_kernel.cu of the executor.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/collective.hpp"
#include "schedules/schedule.hpp"

namespace tutti { inline namespace interchange {

// The call that runs the algorithm.
struct MscclCall {
  std::optional<std::uint64_t> bytes;  // n; unset: one element for each chunk
  std::uint32_t element_bytes = 8;
  Rank root = 0;  // of a broadcast, reduce, gather or scatter
  // The collective of a file that does not name it.
  std::optional<Collective> collective = {};
};

struct MscclAlgorithm {
  std::string name;
  // Each form that the file allows: one has separate buffers for input and output, and the other
  // has the same. In a schedule with separate buffers `work` starts undefined.
  std::optional<Schedule> out_of_place;
  std::optional<Schedule> in_place;
  // Why the executor would not load the file, or not use it for this call; without a full stop.
  std::vector<std::string> notes;
};

// True if `text` is XML with the element "algo".
[[nodiscard]] bool is_msccl(std::string_view text);

// Reads a file. `file` is its name in error messages. The buffer of a connection becomes
// slots of scratch at the receiver. A message goes to such a slot, and a copy or a reduction reads
// it there. A sender waits until the buffer has room for its chunks.
//
// Throws UserError if the file names no collective and the call has none. Throws UserError, which
// names the GPU, the thread block and the step: if an attribute is missing
// or wrong, a send has no receive or another number of chunks, a step waits for one that never
// signals, steps wait for each other in a cycle, or a step writes to the input of the caller.
[[nodiscard]] MscclAlgorithm read_msccl(std::string_view text, std::string_view file,
                                        const MscclCall& call);

// Writes a file for the executor. `name` is the name of the algorithm. Each GPU gets a thread block
// for the sends to each peer, one for the receives from each peer, and one for its copies and
// reductions; each runs its operations in the order of their ids. The file begins with a copy of
// the input to the output, which does nothing in calls in place. It serves any size that the number
// of blocks divides.
//
// Throws UserError, which names the reason, for a schedule that the format or the executor cannot
// carry: a collective that it does not have, switches, no blocks, blocks of different sizes, or
// more steps, thread blocks or channels than the executor takes.
void write_msccl(const Schedule& schedule, std::string_view name, std::ostream& out);

}}  // namespace tutti::interchange

// Workloads of SimAI in its text form: a header, the number of lines, and a line for each layer, in
// order of execution.
//
// Source: Workload.cc (initialize_workload) of github.com/aliyun/SimAI, commit cef83f9d. That
// reader takes the header's words by name and the columns of a layer by position; only the names of
// its policies for transformers are read here.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/collective.hpp"

namespace tutti { inline namespace steps {

enum class SimaiGroup : std::uint8_t { tp, dp, ep, dp_ep };

// One pass of a layer: computing, and then communication.
struct SimaiPass {
  std::uint64_t compute_ns = 0;
  // The collective; nothing for NONE, and for a word that is not understood.
  std::optional<Collective> collective;
  SimaiGroup group = SimaiGroup::tp;
  std::uint64_t bytes = 0;  // of the full vector

  [[nodiscard]] bool communicates() const { return collective && bytes > 0; }
  // True if the communication is the same.
  [[nodiscard]] bool is_like(const SimaiPass& other) const {
    return collective == other.collective && group == other.group && bytes == other.bytes;
  }
};

struct SimaiLayer {
  std::string name;
  SimaiPass forward;
  SimaiPass input;    // backward: gradients of the layer's input
  SimaiPass weights;  // backward: gradients of its weights
  // With recomputing: backward passes of layer `initiates` begin with the forward passes from the
  // last layer before it that is a `checkpoint`.
  bool checkpoint = false;
  bool initiates = false;
  std::uint32_t line = 0;  // in the file

  // True if all but the times of computing is the same.
  [[nodiscard]] bool is_like(const SimaiLayer& other) const;
};

struct SimaiWorkload {
  std::string file;
  std::uint32_t tp = 1;
  std::uint32_t ep = 1;
  std::uint32_t pp = 1;
  std::uint32_t vpp = 1;            // chunks of the model at each stage
  std::uint32_t micro_batches = 1;  // `ga`
  std::uint32_t gpus = 0;           // `all_gpus`
  std::uint64_t pp_bytes = 0;       // of a message between two stages
  std::vector<SimaiLayer> layers;
  std::vector<std::string> notes;  // sentences on what was not understood, without a full stop

  [[nodiscard]] std::uint32_t dp() const { return gpus / (tp * pp); }
};

// True if `text` begins with the name of one of SimAI's policies.
[[nodiscard]] bool is_simai_workload(std::string_view text);

// Reads a workload. `gpus` replaces the number in the file, if it is set. Throws UserError, which
// names the line: for another policy than those for transformers, a missing or invalid number, or
// GPUs that the groups do not divide.
[[nodiscard]] SimaiWorkload parse_simai_workload(std::string_view text, std::string_view file,
                                                 std::optional<std::uint32_t> gpus);

[[nodiscard]] std::string_view name(SimaiGroup group);

}}  // namespace tutti::steps

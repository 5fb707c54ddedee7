// Reads and writes files that contain how NCCL's protocols use the network of a machine, as one
// JSON object. The schema of these files is src/formats/schemas/tutti-fabric-1.schema.json.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cost_models/nccl/fabric.hpp"
#include "src/formats/document.hpp"
#include "src/requests/model_fit.hpp"
#include "src/simulation/fit_uncertainty.hpp"
#include "src/simulation/time_range.hpp"

namespace tutti { inline namespace requests {

struct FabricUncertainty : FitUncertainty<NcclFabricParameter> {
  // Descriptions for documents.
  static constexpr std::string_view kJob = "Common to all times on the same number of nodes.";
  static constexpr std::string_view kJobs =
      "How many numbers of nodes `job` was estimated from. 0 if `job` is the default.";

  friend bool operator==(const FabricUncertainty&, const FabricUncertainty&) = default;
};
using FabricFit = ModelFit<FabricUncertainty>;

// The sizes for which a way was measured.
struct MeasuredWay {
  Collective collective = Collective::allreduce;
  NcclAlgorithm algorithm = NcclAlgorithm::ring;
  NcclProtocol protocol = NcclProtocol::simple;
  std::uint64_t from_bytes = 0;
  std::uint64_t to_bytes = 0;
};

struct FabricFile {
  std::string machine;  // "nodes of 4 gh200"
  std::string gpu;      // "gh200"
  std::uint32_t gpus_per_node = 0;
  std::string library;               // "NCCL 2.23.4"
  std::vector<std::uint32_t> nodes;  // numbers of nodes of the measured times, ascending
  std::vector<MeasuredWay> measured;
  NcclFabric model;
  std::map<std::string, std::string> sources;  // source of each parameter's value
  std::optional<FabricFit> fit;

  // Returns the range in which the time of a call lies with the probability `level`, if its
  // predicted time with a model is `time(model)`, in microseconds, and finite. Throws UserError if
  // the file does not state its uncertainty.
  template <typename Time>
  [[nodiscard]] TimeRange range(double level, Time&& time) const;

  // True if the way was measured for about this size: at least a quarter of the smallest and at
  // most four times the largest one.
  [[nodiscard]] bool was_measured(Collective collective, NcclAlgorithm algorithm,
                                  NcclProtocol protocol, std::uint64_t bytes) const;
};

extern const DocumentOf<FabricFile> kFabricDocument;

// True if the file is a JSON object with this schema. Throws UserError for invalid JSON.
[[nodiscard]] bool is_fabric_file(const std::string& path);
// Throws UserError for an invalid file, as read_message_file() does.
[[nodiscard]] FabricFile read_fabric_file(const std::string& path);
void write_fabric_file(const FabricFile& file, std::ostream& out);

// Returns the range that FabricFile::range() describes; `changes` are those of the logarithm of the
// time when the logarithm of each parameter of the uncertainty changes by 1.
[[nodiscard]] TimeRange fabric_range(const FabricFile& file, double level, double seconds,
                                     const std::vector<double>& changes);

template <typename Time>
TimeRange FabricFile::range(double level, Time&& time) const {
  constexpr double kChange = 1e-3;
  const double us = time(model);
  std::vector<double> changes;
  if (fit && fit->uncertainty) {
    for (const NcclFabricParameter* const each : fit->uncertainty->parameters) {
      NcclFabric changed = model;
      changed.*each->value *= 1 + kChange;
      changes.push_back((time(changed) / us - 1) / kChange);
    }
  }
  return fabric_range(*this, level, us / 1e6, changes);
}

}}  // namespace tutti::requests

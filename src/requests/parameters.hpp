// Parameters of a machine as `tutti-mpi calibrate` measures them, and their file: one JSON object,
// src/formats/schemas/tutti-parameters-1.schema.json. The file may instead hold a message model
// (message_file.hpp).
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/cost_curves.hpp"
#include "schedules/prices.hpp"
#include "sim/messages/message_model.hpp"
#include "src/simulation/machine_spec.hpp"

namespace tutti::inline requests {

// One measured point.
struct MeasuredPoint {
  std::string what;  // "within_node.one_way", "reduce", ...
  std::uint64_t bytes = 0;
  double working_set_bytes = 0;  // 0: the data fits in the nearest caches
  double seconds = 0;
  double spread = 0;  // noise: range of times over the fastest rounds, relative to `seconds`
};

// 95 % confidence interval of a figure.
struct FigureBounds {
  std::string name;  // "within_node.alpha_s"
  double low = 0;
  double high = 0;
};

// Effort of a calibration.
struct CalibrationEffort {
  double seconds = 0;
  std::uint32_t rounds = 0;     // repetitions of the whole series of measurements
  std::uint64_t runs = 0;       // runs of schedules
  std::uint64_t disturbed = 0;  // runs in which a rank was late, or lost its core
  double settled = 0;           // share of the measured times on which several rounds agree
};

struct MessageFile;

struct Parameters {
  std::string library;    // name and version of the MPI library
  std::string placement;  // placement of the measured ranks
  std::string type;       // type of the elements that were reduced
  std::string op;         // operator of the reductions
  // Prices from one straight line (start-up and time per byte) for all sizes. A price that could
  // not be measured is NaN. Parameters read from a file have no NaN.
  Prices within;
  std::optional<Prices> between;
  std::optional<std::uint64_t> eager_bytes;  // size of the largest eager message
  CostCurves curves;
  std::vector<MeasuredPoint> points;
  std::vector<FigureBounds> bounds;
  CalibrationEffort effort;
  // Reasons why the fit is not good; empty if it is good.
  std::vector<std::string> doubts;
  // Message model, if the file holds one. All other fields but `library` are then unset.
  std::optional<MessageModel> messages;

  // Prices of messages between nodes, or within the node if only one node was measured.
  [[nodiscard]] const Prices& prices() const { return between ? *between : within; }
  // Stores the curves or the message model in `files`.
  void put_into(MachineFiles& files) const;
};

// The functions that read parameters throw UserError for invalid JSON, an unknown schema, a
// violation of the schema, and pieces of a curve that are out of order. The message of
// read_parameters() names the file.
[[nodiscard]] Parameters parse_parameters(std::string_view text);
[[nodiscard]] Parameters parameters_of(const MessageFile& file);
[[nodiscard]] Parameters read_parameters(const std::string& path);
void write_parameters(const Parameters& parameters, std::ostream& out);

// Returns the curve to which a point with this MeasuredPoint::what belongs. Throws InvariantError
// for an unknown `what`.
[[nodiscard]] const CostCurve& curve_of(const CostCurves& curves, const std::string& what);

}  // namespace tutti::inline requests

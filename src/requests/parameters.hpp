// What `tutti-mpi calibrate` found out about a machine, and how it is kept: one JSON object,
// src/formats/schemas/tutti-parameters-1.schema.json. Or a model of messages (message_file.hpp).
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

// One measured point, and what the pieces say there.
struct MeasuredPoint {
  std::string what;  // "within_node.one_way", "reduce", ...
  std::uint64_t bytes = 0;
  double working_set_bytes = 0;  // 0: no more than the nearest caches hold
  double seconds = 0;
  double spread = 0;  // noise: how far the fastest rounds were apart, relative to the point
};

// Between which bounds a figure lies, with 95 % confidence.
struct FigureBounds {
  std::string name;  // "within_node.alpha_s"
  double low = 0;
  double high = 0;
};

// How it was measured.
struct CalibrationEffort {
  double seconds = 0;
  std::uint32_t rounds = 0;     // over everything
  std::uint64_t runs = 0;       // of schedules
  std::uint64_t disturbed = 0;  // of those: a rank came late, or lost its core
  double settled = 0;           // the part of the times of which several rounds came out alike
};

struct MessageFile;

struct Parameters {
  std::string library;    // the MPI library
  std::string placement;  // of the ranks that were measured
  std::string type;       // of the elements reduced
  std::string op;
  // One line for all sizes. A price that was not found is NaN, which is never what a file that was
  // read has.
  Prices within;
  std::optional<Prices> between;
  std::optional<std::uint64_t> eager_bytes;  // the largest message that needs no receiver
  CostCurves curves;
  std::vector<MeasuredPoint> points;
  std::vector<FigureBounds> bounds;
  CalibrationEffort effort;
  // Why the fit is not good, in words; empty where it is.
  std::vector<std::string> doubts;
  // Of a file of the other kind: how messages are sent. Nothing else of it holds then.
  std::optional<MessageModel> messages;

  // The line of messages between neighbours in the machine that are farthest apart.
  [[nodiscard]] const Prices& prices() const { return between ? *between : within; }
  // Curves, or how messages are sent.
  void put_into(MachineFiles& files) const;
};

// Throws UserError that names what is wrong, and in the file of what name: no JSON, another schema,
// what the schema does not take, pieces out of order.
[[nodiscard]] Parameters parse_parameters(std::string_view text);
[[nodiscard]] Parameters parameters_of(const MessageFile& file);
[[nodiscard]] Parameters read_parameters(const std::string& path);
void write_parameters(const Parameters& parameters, std::ostream& out);

// The curve that holds for a measured point's kind. Throws InvariantError for an unknown one.
[[nodiscard]] const CostCurve& curve_of(const CostCurves& curves, const std::string& what);

}  // namespace tutti::inline requests

// The file of --parameters. It contains either parameters that `tutti-mpi calibrate` measured on a
// machine, or a message model (see message_file.hpp). Measured parameters are one JSON object,
// whose schema is src/formats/schemas/tutti-parameters-1.schema.json.
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
#include "src/requests/message_file.hpp"
#include "src/simulation/machine_spec.hpp"

namespace tutti { inline namespace requests {

// A measured time.
struct MeasuredPoint {
  std::string what;  // what was timed: "within_node.one_way", "reduce", ...
  std::uint64_t bytes = 0;
  double working_set_bytes = 0;  // 0: the data fit into the nearest caches
  double seconds = 0;
  // Noise: the range of the times in the fastest rounds, divided by `seconds`.
  double spread = 0;
};

// The time and the number of runs that a calibration took.
struct CalibrationEffort {
  double seconds = 0;
  std::uint32_t rounds = 0;     // repetitions of the whole series of measurements
  std::uint64_t runs = 0;       // number of times that a schedule was run
  std::uint64_t disturbed = 0;  // number of runs in which a rank was late or lost its core
  double settled = 0;           // share of the measured times on which several rounds agree
};

struct Parameters {
  std::string library;    // name and version of the MPI library
  std::string placement;  // placement of the measured ranks
  std::string type;       // type of the elements that were reduced
  std::string op;         // operator of the reductions
  // Prices within a node, and between nodes: a start-up time, and times per byte that are the same
  // for all sizes. `between` is empty if only one node was measured. A price that could not be
  // measured is NaN. Parameters that were read from a file contain no NaN.
  Prices within;
  std::optional<Prices> between;
  std::optional<std::uint64_t> eager_bytes;  // size of the largest eager message
  CostCurves curves;
  std::vector<MeasuredPoint> points;
  std::vector<FigureBounds> bounds;
  CalibrationEffort effort;
  // Reasons why the fit is not good; empty if it is good.
  std::vector<std::string> doubts;
  // Message model, if the file contains one. In this case, all other members except `library`
  // and those below are unset.
  std::optional<MessageModel> messages;
  std::optional<ModelUncertainty> uncertainty;  // of the message model, if its file states it
  std::vector<JobKind> job_kinds;               // of the message model
  std::string barrier;                          // likewise; "" if the file names none

  // Prices of messages between nodes, or within the node if only one node was measured.
  [[nodiscard]] const Prices& prices() const { return between ? *between : within; }
  // Stores the curves in `files`, or the message model and its library if there is a model.
  void put_into(MachineFiles& files) const;
};

extern const DocumentOf<Parameters> kParametersDocument;

// parse_parameters() and read_parameters() throw UserError for invalid JSON, an unknown schema, a
// violation of the schema, and pieces of a curve that are out of order. The message of
// read_parameters() names the file.
[[nodiscard]] Parameters parse_parameters(std::string_view text);
[[nodiscard]] Parameters parameters_of(const MessageFile& file);
[[nodiscard]] Parameters read_parameters(const std::string& path);
void write_parameters(const Parameters& parameters, std::ostream& out);

// Returns the curve to which a point with this MeasuredPoint::what belongs. Throws InvariantError
// for an unknown `what`.
[[nodiscard]] const CostCurve& curve_of(const CostCurves& curves, const std::string& what);

}}  // namespace tutti::requests

// What `tutti-mpi calibrate` found out about a machine, and how it is kept: one JSON object,
// schemas/tutti-parameters-1.schema.json.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "schedules/cost_curves.hpp"
#include "schedules/prices.hpp"

namespace tutti {

// One measured point, and what the pieces say there.
struct MeasuredPoint {
  std::string what;  // "within_node.one_way", "reduce", ...
  std::uint64_t bytes = 0;
  double working_set_bytes = 0;  // 0: no more than the nearest caches hold
  double seconds = 0;
  double spread = 0;  // noise: how far the passes were apart, relative to the point
};

struct Parameters {
  std::string library;    // the MPI library
  std::string placement;  // of the ranks that were measured
  std::string type;       // of the elements reduced
  std::string op;
  Prices within;  // one line for all sizes
  std::optional<Prices> between;
  std::optional<std::uint64_t> eager_bytes;  // the largest message that needs no receiver
  CostCurves curves;
  std::vector<MeasuredPoint> points;

  // The line of messages between neighbours in the machine that are farthest apart.
  [[nodiscard]] const Prices& prices() const { return between ? *between : within; }
};

// Throws UserError that names the file and what is wrong in it: no JSON, another schema, a price
// that is negative or no number, pieces out of order.
[[nodiscard]] Parameters read_parameters(const std::string& path);
void write_parameters(const Parameters& parameters, std::ostream& out);

// The curve that holds for a measured point's kind. Throws InvariantError for an unknown one.
[[nodiscard]] const CostCurve& curve_of(const CostCurves& curves, const std::string& what);

}  // namespace tutti

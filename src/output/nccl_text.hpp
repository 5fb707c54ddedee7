// The algorithms that NCCL would choose, as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "src/experiments/decisions/nccl_answer.hpp"
#include "src/experiments/points/nccl_bandwidths.hpp"
#include "src/formats/document.hpp"
#include "src/formats/text_table.hpp"

namespace tutti { inline namespace output {

// Returns the release of NCCL whose cost model was used: "NCCL 2.29.7".
[[nodiscard]] std::string nccl_modelled(const NcclAnswer& answer);
// Returns the name of the call: "allreduce", "sendrecv".
[[nodiscard]] std::string_view nccl_call_of(const NcclAnswer& answer);
// Returns the bandwidths of a run of the call that takes `time_s`.
[[nodiscard]] NcclBandwidths bandwidths_of(const NcclAnswer& answer, double time_s);
[[nodiscard]] double nccl_seconds(float us);
// Returns a bandwidth with the digits that nccl-tests prints.
[[nodiscard]] std::string nccl_bandwidth(double gb_per_s);
// Returns the command that simulates NCCL's choice: "tutti simulate allreduce/ring -p 64 -n 1MiB
// --ranks-per-host 8". Returns "" if tutti has no schedule for the choice, if the schedule needs
// switches that reduce, or if the user gave a platform, on which the command would differ.
[[nodiscard]] std::string nccl_command(const NcclAnswer& answer);

// Prints the answer for one number of ranks and one size while its schedules are simulated: the
// choice, all other algorithms and protocols, and the result of NCCL's graph search. The answer
// must outlive the object, and must not be one for grouped calls.
class NcclAnswerText {
 public:
  NcclAnswerText(const NcclAnswer& answer, std::ostream& out);
  // To be called when the choice has been simulated, or if it will not be.
  void print_choice();
  // Prints the rows of the ways before `end` that were not printed yet.
  void print_ways(std::size_t end);
  // Prints the remaining rows, and the remarks.
  void print_end();

 private:
  const NcclAnswer& answer_;
  std::ostream& out_;
  std::optional<Table> table_;
  std::size_t next_ = 0;  // the next row
};

// Prints the answer for a grouped call.
void print_grouped_answer(const NcclAnswer& answer, std::ostream& out);

// A table with a row for each answer, which is printed when its schedule has been simulated. The
// answers must outlive the object.
class NcclRows {
 public:
  // Prints the headings.
  NcclRows(const std::vector<NcclAnswer>& answers, std::ostream& out);
  void print(const NcclAnswer& answer);
  void print_end();

 private:
  const std::vector<NcclAnswer>& answers_;
  std::ostream& out_;
  Table table_;
};

// Prints the answers of several releases of NCCL side by side: their choices, and what the choices
// of the first release cost with the others. `answers` has those of all releases for the first
// number of ranks and size, then those for the second, and so on.
void print_nccl_releases(const std::vector<NcclAnswer>& answers, std::size_t releases,
                         std::ostream& out);

extern const DocumentOf<std::vector<NcclAnswer>> kNcclDocument;

}}  // namespace tutti::output

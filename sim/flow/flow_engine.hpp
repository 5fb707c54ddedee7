// Simulates messages as flows. After its latency, a message takes a share of every link on its way.
// Flows share a link max-min fair, with the weights of SimGrid's CM02 (1/latency; the model behind
// "hockney" and "lv08"). Times equal SimGrid's up to rounding, where SimGrid keeps to its model
// (sim/simgrid/README.md), for a fraction of the work. If few flows have changed, rates are
// repaired link by link (rate_repair.hpp). If many have, rates are solved anew (fair_share.hpp). A
// message that is alone on its links costs constant time.
//
// Ties. The order of two events may decide who gets a port next, and a schedule may amplify the
// sixteenth digit of a time, round by round, into the fourth. So neither rounding, nor the way in
// which rates are found, may separate what is equal:
// - Events up to instant_end_s() after the first are one instant. Operations that start in it do
//   so in the order of their ids (sim/engine.hpp).
// - All flows that begin and end in an instant make one change of rates.
// - Rates depend only on which flows are on which links, to the last bit. They do not depend on
//   the order in which flows came, were added up or were looked at (exact_sum.hpp). If levels of
//   links are equal up to rounding, a rule decides which link holds a flow back
//   (link_filling.hpp).
// - If several links hold a flow back at one level, it stays with the link that held it before, or
//   else goes to the first on its way (level_changes.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "platforms/network.hpp"
#include "sim/engine.hpp"
#include "sim/flow_record.hpp"

namespace tutti::inline sim {

// How rates are found after flows have come and gone. All ways give the same results, to the last
// bit.
enum class Solving : std::uint8_t {
  fastest,
  repair,  // link by link from the touched links on, whatever it costs
  anew,
};

// Hosts of ranks, and the costs of local work.
struct FlowSetup {
  // Host of each rank, followed by the vertex of the network for each switch of the schedule.
  std::vector<std::uint32_t> host_of_rank;
  double flops_per_byte = 0.125;  // of a reduction
  double copy_s_per_byte = 0;
  double switch_s_per_byte = 0;  // of a reduction at a switch
  bool free_transfers = false;   // true: messages take only their latency
  Solving solving = Solving::fastest;
};

struct LinkStatistics {
  std::uint32_t link = 0;  // number of the link in the network
  std::uint64_t bytes = 0;
  double busy_s = 0;  // time with at least one message on it, after latencies
  std::uint32_t most_at_once = 0;
  double capacity_bytes_per_s = 0;
  // Sum of the additional time that messages took, compared to each alone, while this link held
  // them back.
  double lost_s = 0;
};

class FlowEngine final : public Engine {
 public:
  // Both arguments must outlive the engine.
  FlowEngine(Network& network, const FlowSetup& flow_setup)
      : network_(network), flow_setup_(flow_setup) {}

  [[nodiscard]] std::string_view name() const override { return "flow"; }
  [[nodiscard]] Timeline run(const Schedule& schedule, const RunSetup& setup) override;

  // Writes the times of each operation into the given arrays. Returns the last end.
  double run_into(const Schedule& schedule, const RunSetup& setup, std::span<double> start_s,
                  std::span<double> end_s);

  // Returns the range that setup.ties asks for, after a run of this schedule that took `total_s`.
  [[nodiscard]] TieRange ties(const Schedule& schedule, const RunSetup& setup, double total_s);

  // Runs the schedule as often as the setup asks for, as in repeat_runs().
  [[nodiscard]] Repeats repeat(const Schedule& schedule, RunSetup& setup);

  // Timeline::waited of the last run.
  [[nodiscard]] bool waited() const { return waited_; }

  // Must be called before the run; has a small cost. Statistics leave out links that were never
  // used.
  void keep_statistics() { keep_statistics_ = true; }
  [[nodiscard]] const std::vector<LinkStatistics>& statistics() const { return statistics_; }

  // Timeline::arrival_s of the last call of run_into().
  [[nodiscard]] std::vector<double>& arrival_s() { return arrival_s_; }

  // Record of what RunSetup::watched names, in the last run.
  [[nodiscard]] FlowRecord& record() { return record_; }

 private:
  Network& network_;
  const FlowSetup& flow_setup_;
  bool waited_ = false;
  bool keep_statistics_ = false;
  std::vector<LinkStatistics> statistics_;
  FlowRecord record_;
  std::vector<double> arrival_s_;
  std::vector<double> at_ends_s_;
};

}  // namespace tutti::inline sim

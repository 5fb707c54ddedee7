// Simulates messages as flows. After its latency, a message uses a share of every link on its
// route. Bandwidth is shared max-min fairly, with the weights of SimGrid's model CM02 (1/latency),
// on which "hockney" and "lv08" are based. Times equal SimGrid's up to rounding wherever SimGrid
// follows its own model (sim/simgrid/README.md), but cost a fraction of SimGrid's work. If few
// flows have changed, rates are repaired link by link (rate_repair.hpp). If many flows have
// changed, rates are computed anew (fair_share.hpp). A message that is alone on its links costs
// constant time.
//
// Ties: The order of two events may decide which operation gets a port next, and a schedule may
// amplify, round by round, a difference in the sixteenth digit of a time into one in the fourth
// digit. So neither rounding nor the way in which rates are computed may separate events that are
// simultaneous:
// - All events up to instant_end_s() of the first one are one instant. Operations that start in the
//   same instant start in the order of their ids (sim/engine.hpp).
// - Rates change once per instant, for all flows that begin or end in it.
// - Rates depend, to the last bit, only on which flows are on which links. They do not depend on
//   the order in which flows came, were summed or were visited (exact_sum.hpp). If the levels of
//   several links are equal up to rounding, a rule decides which link holds a flow back
//   (link_filling.hpp).
// - If several links hold a flow back at the same level, the flow stays with the link that held it
//   back before; otherwise, the first of them on its route holds it back (level_changes.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "platforms/network.hpp"
#include "sim/engine.hpp"
#include "sim/flow_record.hpp"

namespace tutti { inline namespace sim {

// The way in which rates are computed after flows have come and gone. All ways have the same
// results, to the last bit.
enum class Solving : std::uint8_t {
  fastest,
  repair,  // always link by link, beginning with the touched links
  anew,
};

// Hosts of ranks, and the costs of local work.
struct FlowSetup {
  // Host of each rank, followed by the vertex of the network for each switch of the schedule.
  std::vector<std::uint32_t> host_of_rank;
  double flops_per_byte = 0.125;  // work of a reduction per byte
  double copy_s_per_byte = 0;
  double switch_s_per_byte = 0;  // time of a reduction at a switch
  bool free_transfers = false;   // true: the time of a message is only its latency
  // True: the data of the messages from one rank to another follow each other, as on a connection.
  // A message whose latency is over waits until the data of the previous message have arrived.
  // False: such messages share the bandwidth. Runs in which messages follow each other cannot be
  // watched.
  bool in_order = false;
  Solving solving = Solving::fastest;
};

struct LinkStatistics {
  std::uint32_t link = 0;  // number of the link in the network
  std::uint64_t bytes = 0;
  // Time during which at least one message used the link; latencies do not count.
  double busy_s = 0;
  std::uint32_t most_at_once = 0;
  double capacity_bytes_per_s = 0;
  // Sum of the time that messages lost while this link held them back, compared with the time that
  // each message would need alone.
  double lost_s = 0;
};

class FlowEngine final : public Engine {
 public:
  // Both arguments must outlive the engine.
  FlowEngine(Network& network, const FlowSetup& flow_setup)
      : network_(network), flow_setup_(flow_setup) {}

  [[nodiscard]] std::string_view name() const override { return "flow"; }
  [[nodiscard]] Timeline run(const Schedule& schedule, const RunSetup& setup) override;

  // Writes the start and the end of each operation into the given arrays. Returns the latest end.
  double run_into(const Schedule& schedule, const RunSetup& setup, std::span<double> start_s,
                  std::span<double> end_s);

  // Searches for ties as setup.ties asks, after a run of this schedule that took `total_s`.
  [[nodiscard]] TieRange ties(const Schedule& schedule, const RunSetup& setup, double total_s);

  // Runs the schedule as often as the setup asks for, as in repeat_runs().
  [[nodiscard]] Repeats repeat(const Schedule& schedule, RunSetup& setup);

  // Timeline::waited of the last run.
  [[nodiscard]] bool waited() const { return waited_; }

  // Keeps statistics of links during later runs, at a small cost. Links that are never used have no
  // statistics.
  void keep_statistics() { keep_statistics_ = true; }
  [[nodiscard]] const std::vector<LinkStatistics>& statistics() const { return statistics_; }

  // Leaves Timeline::arrival_s and Timeline::at_ends_s of later runs empty, to save memory.
  void leave_out_message_ends() { keep_message_ends_ = false; }

  // Timeline::arrival_s of the last call of run_into().
  [[nodiscard]] std::vector<double>& arrival_s() { return arrival_s_; }

  // Record of the operations and links in RunSetup::watched during the last run.
  [[nodiscard]] FlowRecord& record() { return record_; }

 private:
  Network& network_;
  const FlowSetup& flow_setup_;
  bool waited_ = false;
  bool keep_statistics_ = false;
  bool keep_message_ends_ = true;
  std::vector<LinkStatistics> statistics_;
  FlowRecord record_;
  std::vector<double> arrival_s_;
  std::vector<double> at_ends_s_;
};

}}  // namespace tutti::sim

// Messages as flows: after its latency a message takes a share of every link on its way, and what
// shares a link shares it max-min fair, weighted as SimGrid's CM02 does (by 1/latency; the model
// behind "hockney" and "lv08"). Equal to SimGrid's times up to rounding, where SimGrid keeps to its
// model (sim/simgrid/README.md), at a fraction of the work: where little has changed rates are
// repaired link by link (rate_repair.hpp), where much has they are solved anew (fair_share.hpp),
// and a message that is alone on its links costs constant time.
//
// Ties. Who gets a port next may hang on which of two events comes first, and a schedule may
// multiply the sixteenth digit of a time round by round into its fourth. So what is equal must not
// be told apart by rounding, nor by the way in which rates were found:
// - events up to instant_end_s() after the first are one instant, and what starts in it does so in
//   the order of operation ids (sim/engine.hpp);
// - all that begins and ends to flow in an instant is one change of rates;
// - rates hang only on who flows where, to the bit: on no order in which flows came, were added up
//   or looked at (exact_sum.hpp), and where levels of links are equal but for rounding, one rule
//   says which holds a flow back (link_filling.hpp);
// - a flow that several links hold back at one level stays with the one that held it before, or
//   goes to the first on its way (level_changes.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "platforms/network.hpp"
#include "sim/engine.hpp"
#include "sim/flow_record.hpp"

namespace tutti::inline sim {

// How rates are found after flows have come and gone. The results are the same, to the bit.
enum class Solving : std::uint8_t {
  fastest,
  repair,  // link by link from those that were touched, however many that takes
  anew,
};

// Where ranks run, and what local work costs.
struct FlowSetup {
  // Of each rank, and behind them the vertex of the network that each switch of the schedule is.
  std::vector<std::uint32_t> host_of_rank;
  double flops_per_byte = 0.125;  // of a reduction
  double copy_s_per_byte = 0;
  double switch_s_per_byte = 0;  // of a reduction at a switch
  bool free_transfers = false;   // messages take their latency only
  Solving solving = Solving::fastest;
};

struct LinkStatistics {
  std::uint32_t link = 0;  // of the network
  std::uint64_t bytes = 0;
  double busy_s = 0;  // with at least one message on it, after latencies
  std::uint32_t most_at_once = 0;
  double capacity_bytes_per_s = 0;
  // What the messages that it held back took longer than each would alone, taken together.
  double lost_s = 0;
};

class FlowEngine final : public Engine {
 public:
  // Both must outlive the engine.
  FlowEngine(Network& network, const FlowSetup& flow_setup)
      : network_(network), flow_setup_(flow_setup) {}

  [[nodiscard]] std::string_view name() const override { return "flow"; }
  [[nodiscard]] Timeline run(const Schedule& schedule, const RunSetup& setup) override;

  // Leaves the times in place, one of each per operation. Returns the last end.
  double run_into(const Schedule& schedule, const RunSetup& setup, std::span<double> start_s,
                  std::span<double> end_s);

  // What setup.ties asks for beside the last run, which was of this schedule and took `total_s`.
  [[nodiscard]] TieRange ties(const Schedule& schedule, const RunSetup& setup, double total_s);

  // Runs it as often as the setup asks for, as repeat_runs().
  [[nodiscard]] Repeats repeat(const Schedule& schedule, RunSetup& setup);

  // Whether in the last run something waited, as Timeline::waited.
  [[nodiscard]] bool waited() const { return waited_; }

  // Asked for before the run, at a small cost; links that were never used are left out.
  void keep_statistics() { keep_statistics_ = true; }
  [[nodiscard]] const std::vector<LinkStatistics>& statistics() const { return statistics_; }

  // Timeline::arrival_s of the last run, after run_into().
  [[nodiscard]] std::vector<double>& arrival_s() { return arrival_s_; }

  // Of what RunSetup::watched names, in the last run.
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

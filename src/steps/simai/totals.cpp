#include "src/steps/simai/totals.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "src/steps/simai/micro_batches.hpp"
#include "src/steps/simai/rate_shares.hpp"

namespace tutti { inline namespace steps {

namespace {

constexpr double kBytesPerGb = 1024.0 * 1024 * 1024;

// Rate of a ring or of an alltoall on `nodes` nodes with `gpus` GPUs and `nics` cards each, in
// GB/s.
struct BusRate {
  double gb_per_s = 0;
  bool of_nvlink = false;
};

class SimaiFormulas {
 public:
  SimaiFormulas(const SimaiWorkload& workload, const SimaiMachine& machine)
      : workload_(workload), machine_(machine) {}

  // Returns the time of a collective in seconds. SimAI computes with `ranks`, which need not be
  // those of the collective's group.
  [[nodiscard]] double time_s(const SimaiPass& pass, std::uint32_t ranks) const {
    if (!pass.collective) {
      return 0;
    }
    if (pass.bytes > 1 && pass.bytes < 1048576) {
      return small_s(ranks);
    }
    if (ranks == 1 || pass.bytes == 0) {
      return 0;
    }
    const BusRate rate = bus_rate(pass, ranks);
    if (!(rate.gb_per_s > 0)) {
      throw UserError("a node has too few network cards for the groups");
    }
    const std::optional<double> share = rate_share(pass, ranks, rate.of_nvlink);
    if (!share) {
      throw UserError(
          fmt::format("a collective has {} bytes, and its table ends at 16 GiB", pass.bytes));
    }
    const double passes = pass.collective == Collective::allreduce ? 2 : 1;
    const double seconds = static_cast<double>(pass.bytes) / kBytesPerGb /
                           (*share * rate.gb_per_s) * passes * (ranks - 1) / ranks;
    return std::floor(seconds * 1e9) * 1e-9;
  }

 private:
  // Times of small collectives, which SimAI gives for these numbers of ranks only.
  static double small_s(std::uint32_t ranks) {
    switch (ranks) {
      case 2:
        return 10e-6;
      case 4:
        return 12e-6;
      case 8:
        return 15e-6;
      case 16:
        return 66e-6;
      case 32:
        return 135e-6;
      case 64:
        return 200e-6;
      case 128:
        return 320e-6;
      default:
        return 0;
    }
  }

  [[nodiscard]] BusRate bus_rate(const SimaiPass& pass, std::uint32_t ranks) const {
    const std::uint32_t gpus = machine_.gpus_per_node;
    const std::uint32_t nics = machine_.nics_per_node;
    const std::uint32_t tp = workload_.tp;
    const std::uint32_t replica = tp * (pass.group == SimaiGroup::dp_ep ? workload_.ep : 1);
    switch (pass.group) {
      case SimaiGroup::tp:
        return tp <= gpus ? rate(pass, 1, tp, nics) : rate(pass, tp / gpus, gpus, nics);
      case SimaiGroup::ep:
        if (tp * ranks <= gpus) {
          return rate(pass, 1, gpus / tp, nics);
        }
        return rate(pass, tp * ranks / gpus, std::max(gpus / tp, 1U),
                    tp > gpus ? nics / gpus : nics / tp);
      case SimaiGroup::dp:
      case SimaiGroup::dp_ep:
        break;
    }
    return replica <= gpus ? rate(pass, ranks, gpus / replica, nics / replica)
                           : rate(pass, ranks, 1, nics / gpus);
  }

  [[nodiscard]] BusRate rate(const SimaiPass& pass, std::uint32_t nodes, std::uint32_t gpus,
                             std::uint32_t nics) const {
    const double nvlink = machine_.nvlink_gb_per_s;
    const double cards = machine_.nic_gb_per_s * nics;
    if (nics == 0) {
      return {};
    }
    if (pass.collective == Collective::alltoall) {
      return nodes == 1 ? BusRate{nvlink, true}
                        : BusRate{cards / gpus * (nodes * gpus - 1) / ((nodes - 1.0) * gpus)};
    }
    if (nodes == 1 || gpus == 1) {
      return {nodes == 1 ? nvlink : cards};
    }
    // A ring that enters each node over several GPUs uses NVLink less.
    const double inner = cards > nvlink ? nvlink * gpus / (gpus - 1) : nvlink;
    return inner < cards ? BusRate{inner, true} : BusRate{cards};
  }

  [[nodiscard]] std::optional<double> rate_share(const SimaiPass& pass, std::uint32_t ranks,
                                                 bool of_nvlink) const {
    const std::uint32_t gpus = machine_.gpus_per_node;
    const std::uint32_t tp = workload_.tp;
    if (pass.collective == Collective::alltoall &&
        (pass.group == SimaiGroup::tp || pass.group == SimaiGroup::ep)) {
      const std::uint32_t all = pass.group == SimaiGroup::tp ? tp : tp * ranks;
      const std::uint32_t nodes = all <= gpus                                  ? 1
                                  : pass.group == SimaiGroup::ep && tp >= gpus ? kSimaiManyNodes
                                                                               : all / gpus;
      return simai_rate_share(SimaiRateTable::alltoall, pass.bytes, nodes);
    }
    if (pass.collective != Collective::allreduce && pass.group == SimaiGroup::tp) {
      return simai_rate_share(of_nvlink ? SimaiRateTable::nvlink : SimaiRateTable::nic, pass.bytes,
                              tp < gpus ? 1 : tp / gpus);
    }
    return 1;
  }

  const SimaiWorkload& workload_;
  const SimaiMachine& machine_;
};

}  // namespace

SimaiTotals simai_totals(const SimaiWorkload& workload, const SimaiMachine& machine) {
  const SimaiFormulas formulas(workload, machine);
  SimaiTotals totals;
  double stage_s = 0;  // of all layers but the embedding
  for (const SimaiLayer& layer : workload.layers) {
    const auto ranks = [&](const SimaiPass& pass) {
      return pass.collective && pass.group == SimaiGroup::ep ? workload.ep : workload.tp;
    };
    const bool copies = layer.weights.collective && layer.weights.group == SimaiGroup::dp_ep;
    const double inner_s = formulas.time_s(layer.forward, ranks(layer.forward)) +
                           formulas.time_s(layer.input, ranks(layer.input));
    const double weights_s =
        formulas.time_s(layer.weights, copies ? workload.dp() / workload.ep : workload.dp());
    const double computing_s =
        1e-9 * static_cast<double>(layer.forward.compute_ns + layer.input.compute_ns +
                                   layer.weights.compute_ns);
    const bool experts = layer.forward.collective && layer.forward.group == SimaiGroup::ep;
    (experts ? totals.ep_s : totals.tp_s) += inner_s;
    (copies ? totals.dp_ep_s : totals.dp_s) += weights_s;
    totals.computing_s += computing_s;
    stage_s += is_embedding(layer) ? 0 : inner_s + computing_s;
  }
  totals.bubble_s = stage_s * (workload.pp - 1) / workload.micro_batches / workload.vpp;
  return totals;
}

}}  // namespace tutti::steps

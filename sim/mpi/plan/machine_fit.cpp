#include "sim/mpi/plan/machine_fit.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "sim/mpi/plan/statistics.hpp"

namespace tutti::mpi {

namespace {

// True if an exchange with a simultaneous copy takes as long as an exchange followed by a copy.
// Compares the time that the copy adds with the time of a copy alone. Uses only sizes at which a
// copy takes long enough to be measured in this way.
bool is_by_core(const std::vector<std::uint64_t>& sizes_bytes, const MessageSeries& messages,
                const Series& copies) {
  constexpr std::uint64_t kLeastBytes = std::uint64_t{8} << 10U;
  std::vector<double> parts;
  for (std::size_t size = 0; size < sizes_bytes.size(); ++size) {
    const RoundTimes& both = messages.exchange_and_copy.once_s[size];
    const RoundTimes& exchange = messages.exchange.once_s[size];
    const RoundTimes& copy = copies.repeated_s[size];
    if (sizes_bytes[size] >= kLeastBytes && !both.empty() && !exchange.empty() && !copy.empty()) {
      parts.push_back((fastest_s(both) - fastest_s(exchange)) * kRepeats / fastest_s(copy));
    }
  }
  constexpr double kNeitherNor = 0.5;
  return !parts.empty() && median(parts) > kNeitherNor;
}

}  // namespace

const FoundSamples& MachineFit::of(const std::string& what) const {
  const auto at = std::find_if(found.begin(), found.end(),
                               [&](const FoundSamples& each) { return each.what == what; });
  TUTTI_INVARIANT(at != found.end());
  return *at;
}

MachineFit fit_machine(const std::vector<std::uint64_t>& sizes_bytes, const NearSeries& near,
                       const MessageSeries* far, std::optional<std::uint64_t> eager_bytes) {
  MachineFit fit;
  CostCurves& curves = fit.curves;
  curves.start_s = start_s(sizes_bytes, near.messages);
  const auto draw = [&](FoundSamples found, const Series& series,
                        std::optional<std::uint64_t> parted_at) {
    fit.found.push_back(std::move(found));
    return curve_through(fit.found.back(), series.working_set_per_byte, parted_at);
  };
  const auto messages = [&](const MessageSeries& series, const std::string& where) {
    const auto curve = [&](const char* kind, const Series& one) {
      return draw(message_samples(where + kind, sizes_bytes, one, curves.start_s), one,
                  eager_bytes);
    };
    MessageCurves found;
    found.one_way = curve(".one_way", series.one_way);
    found.exchange = curve(".exchange", series.exchange);
    found.by_core = is_by_core(sizes_bytes, series, near.local.copy);
    return found;
  };
  curves.within_node = messages(near.messages, "within_node");
  if (far != nullptr) {
    curves.between_nodes = messages(*far, "between_nodes");
  }
  const auto reduction = [&](const char* what, const Series& series) {
    return draw(reduction_samples(what, sizes_bytes, series, near.messages.exchange,
                                  curves.within_node.exchange, curves.start_s),
                series, std::nullopt);
  };
  curves.reduce = reduction("reduce", near.local.reduce);
  curves.reduce_sent = reduction("reduce_sent", near.local.reduce_sent);
  curves.copy = draw(copy_samples(sizes_bytes, near.local.copy), near.local.copy, std::nullopt);
  return fit;
}

}  // namespace tutti::mpi

#include "src/steps/simai/rate_shares.hpp"

#include <algorithm>
#include <array>

namespace tutti { inline namespace steps {

namespace {

constexpr std::size_t kSizes = 11;  // 16 MiB, 32 MiB, ..., 16 GiB
constexpr std::uint64_t kFirst = std::uint64_t{16} << 20U;
constexpr std::array<std::uint32_t, 9> kNodes{1, 2, 4, 8, 16, 32, 64, 128, kSimaiManyNodes};
constexpr std::size_t kOther = 4;  // the column for other numbers of nodes

using Shares = std::array<std::array<double, kNodes.size()>, kSizes>;

// By table, size and number of nodes. A 1 stands where the table has no value.
constexpr std::array<Shares, 3> kShares{
    {{{// nic
       {0.45, 0.32, 0.24, 0.13, 0.05, 0.044, 0.021, 0.0087, 0.86},
       {0.55, 0.47, 0.38, 0.24, 0.11, 0.052, 0.042, 0.021225, 0.92},
       {0.65, 0.5, 0.53, 0.39, 0.21, 0.106, 0.051, 0.04405, 0.94},
       {0.69, 0.67, 0.67, 0.54, 0.38, 0.205, 0.107, 0.0533, 0.94},
       {0.73, 0.85, 0.77, 0.69, 0.57, 0.387, 0.209, 0.1027, 0.94},
       {0.76, 0.89, 0.85, 0.78, 0.73, 0.562, 0.384, 0.1902, 0.95},
       {0.77, 0.92, 0.93, 0.9, 0.76, 0.74, 0.563, 0.314575, 0.96},
       {0.78, 0.94, 0.94, 0.94, 0.92, 0.758, 0.745, 0.553525, 0.96},
       {0.79, 0.95, 0.95, 0.95, 0.95, 0.923, 0.755, 0.740175, 0.96},
       {0.8, 0.95, 0.96, 0.96, 0.96, 0.953, 0.914, 0.7648, 0.96},
       {0.81, 0.96, 0.96, 0.96, 0.96, 0.957, 0.958, 0.919175, 0.96}}},
     {{// nvlink
       {0.45, 0.55, 0.34, 0.16, 0.08, 1, 1, 1, 0.86},
       {0.55, 0.68, 0.6, 0.34, 0.16, 1, 1, 1, 0.92},
       {0.65, 0.74, 0.71, 0.62, 0.33, 1, 1, 1, 0.94},
       {0.69, 0.8, 0.74, 0.7, 0.65, 1, 1, 1, 0.94},
       {0.73, 0.84, 0.79, 0.78, 0.72, 1, 1, 1, 0.94},
       {0.76, 0.86, 0.86, 0.82, 0.75, 1, 1, 1, 0.95},
       {0.77, 0.87, 0.87, 0.86, 0.83, 1, 1, 1, 0.96},
       {0.78, 0.87, 0.87, 0.87, 0.86, 1, 1, 1, 0.96},
       {0.79, 0.88, 0.88, 0.88, 0.87, 1, 1, 1, 0.96},
       {0.8, 0.88, 0.88, 0.88, 0.88, 1, 1, 1, 0.96},
       {0.81, 0.88, 0.88, 0.88, 0.88, 1, 1, 1, 0.96}}},
     {{// alltoall
       {0.44, 0.52, 0.67, 0.64, 0.62, 1, 1, 1, 0.86},
       {0.51, 0.63, 0.68, 0.67, 0.66, 1, 1, 1, 0.92},
       {0.6, 0.72, 0.83, 0.82, 0.66, 1, 1, 1, 0.94},
       {0.65, 0.76, 0.9, 0.85, 0.72, 1, 1, 1, 0.94},
       {0.7, 0.79, 0.92, 0.87, 0.75, 1, 1, 1, 0.94},
       {0.71, 0.8, 0.94, 0.89, 0.81, 1, 1, 1, 0.95},
       {0.74, 0.81, 0.94, 0.92, 0.85, 1, 1, 1, 0.96},
       {0.76, 0.81, 0.95, 0.93, 0.88, 1, 1, 1, 0.96},
       {0.77, 0.8, 0.95, 0.94, 0.89, 1, 1, 1, 0.96},
       {0.78, 0.8, 0.95, 0.94, 0.9, 1, 1, 1, 0.96},
       {0.78, 0.8, 0.95, 0.94, 0.9, 1, 1, 1, 0.96}}}}};

}  // namespace

std::optional<double> simai_rate_share(SimaiRateTable table, std::uint64_t bytes,
                                       std::uint32_t nodes) {
  const Shares& shares = kShares[static_cast<std::size_t>(table)];
  const auto* const found = std::ranges::find(kNodes, nodes);
  const std::size_t column =
      found == kNodes.end() ? kOther : static_cast<std::size_t>(found - kNodes.begin());
  const double best = shares.back()[column];
  if (bytes <= kFirst) {
    return shares.front()[column] / best;
  }
  for (std::size_t i = 1; i < kSizes; ++i) {
    const std::uint64_t from = kFirst << (i - 1);
    if (bytes <= 2 * from) {
      const double part = static_cast<double>(bytes - from) / static_cast<double>(from);
      return (shares[i - 1][column] + (shares[i][column] - shares[i - 1][column]) * part) / best;
    }
  }
  return std::nullopt;
}

}}  // namespace tutti::steps

// Measured shares of the rate that collectives reach in SimAI's analytical mode.
//
// Source: the tables in astra-sim-alibabacloud/inputs/ratio of github.com/aliyun/SimAI, commit
// cef83f9d, under the Apache License 2.0, and getValue() in calbusbw.cc, which reads them.
#pragma once

#include <cstdint>
#include <optional>

namespace tutti { inline namespace steps {

enum class SimaiRateTable : std::uint8_t { nic, nvlink, alltoall };

// Number of nodes that stands for "each rank on a node of its own" in the table.
inline constexpr std::uint32_t kSimaiManyNodes = 9;

// Returns the share for a collective of `bytes`; nothing above 16 GiB, where SimAI ends with an
// error. Between two sizes of the table, the share is interpolated. It is relative to the share of
// the largest size, so that it may be above 1. Numbers of nodes without a column count as 16.
[[nodiscard]] std::optional<double> simai_rate_share(SimaiRateTable table, std::uint64_t bytes,
                                                     std::uint32_t nodes);

}}  // namespace tutti::steps

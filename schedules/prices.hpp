// alpha, beta, gamma: the costs of a message, a byte and a reduction.
#pragma once

#include "schedules/op.hpp"

namespace tutti { inline namespace schedules {

// The linear model of Hockney (alpha, beta), with Thakur's gamma for reductions.
struct Prices {
  // Start-up, seconds per message.
  double alpha_s = 0;
  // Transfer, seconds per byte sent.
  double beta_s_per_byte = 0;
  // Reduction, seconds per byte reduced.
  double gamma_s_per_byte = 0;
  // Local copy, seconds per byte copied; 0 unless the user sets it.
  double copy_s_per_byte = 0;

  friend constexpr bool operator==(const Prices&, const Prices&) = default;
};

// Duration of an operation between two ranks or at one rank, in seconds, once it has started.
[[nodiscard]] constexpr double op_s(const Op& op, const Prices& prices) {
  const auto bytes = static_cast<double>(op.bytes());
  switch (op.kind()) {
    case OpKind::comm:
      return prices.alpha_s + bytes * prices.beta_s_per_byte;
    case OpKind::reduce:
      return bytes * prices.gamma_s_per_byte;
    case OpKind::copy:
      return bytes * prices.copy_s_per_byte;
  }
  return 0;
}

// Like op_s() above, but an src or dst of at least `ranks` is a switch. A message between two ranks
// crosses two links, through a switch. A message that begins or ends at a switch crosses one link,
// so it pays half of alpha. A reduce or copy at a switch takes no time.
[[nodiscard]] constexpr double op_s(const Op& op, const Prices& prices, Rank ranks) {
  if (op.src() < ranks && op.dst() < ranks) {
    return op_s(op, prices);
  }
  return op.is_comm()
             ? prices.alpha_s / 2 + static_cast<double>(op.bytes()) * prices.beta_s_per_byte
             : 0;
}

}}  // namespace tutti::schedules

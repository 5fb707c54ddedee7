// alpha, beta, gamma: the costs of a message, a byte and a reduction.
#pragma once

#include "schedules/op.hpp"

namespace tutti::inline schedules {

// The linear model of Hockney (alpha, beta), with Thakur's gamma for reductions.
struct Prices {
  double alpha_s = 0;           // start-up, seconds per message
  double beta_s_per_byte = 0;   // transfer, seconds per byte sent
  double gamma_s_per_byte = 0;  // reduction, seconds per byte reduced
  double copy_s_per_byte = 0;   // local copy; free unless the user prices it

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

// Same, but ends numbered `ranks` and higher are switches. A message between two ranks crosses two
// links, through a switch. A message that begins or ends at a switch crosses one link and takes
// half of alpha. Work at a switch takes no time.
[[nodiscard]] constexpr double op_s(const Op& op, const Prices& prices, Rank ranks) {
  if (op.src() < ranks && op.dst() < ranks) {
    return op_s(op, prices);
  }
  return op.is_comm()
             ? prices.alpha_s / 2 + static_cast<double>(op.bytes()) * prices.beta_s_per_byte
             : 0;
}

}  // namespace tutti::inline schedules

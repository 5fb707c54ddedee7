// alpha, beta, gamma: what a message, a byte and a reduction cost.
#pragma once

namespace tutti {

// The linear model of Hockney (alpha, beta), with Thakur's gamma for reductions.
struct Prices {
  double alpha_s = 0;           // start-up, seconds per message
  double beta_s_per_byte = 0;   // transfer, seconds per byte sent
  double gamma_s_per_byte = 0;  // reduction, seconds per byte reduced
  double copy_s_per_byte = 0;   // local copy; free unless the user prices it

  friend constexpr bool operator==(const Prices&, const Prices&) = default;
};

}  // namespace tutti

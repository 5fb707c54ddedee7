// Work of an MPI library besides its messages and reductions: it copies its input, and allocates
// buffers.
#pragma once

#include <cstdint>

#include "sim/messages/message_model.hpp"

namespace tutti::inline sim {

// In multiples of the vector's n bytes, on the rank with the most of this work.
struct LibraryWork {
  double copied = 0;        // copied into existing buffers
  double fresh_copied = 0;  // copied into new buffers
  double fresh = 0;         // new buffers that messages arrive in
  // Number of messages with a handshake that are under way at a time, if the algorithm has fewer
  // than the model: 1 if the library waits for each before it sends the next. 0: the model's
  // number.
  std::uint32_t under_way = 0;

  [[nodiscard]] double seconds(const MessageModel& model, const LocalPrices& prices,
                               double bytes) const {
    return copied * bytes * prices.copy_s_per_byte +
           fresh_copied * bytes *
               (prices.copy_s_per_byte + fresh_s_per_byte(model, fresh_copied * bytes)) +
           fresh * bytes * fresh_s_per_byte(model, fresh * bytes);
  }
};

}  // namespace tutti::inline sim

// The work of an MPI library in addition to messages and reductions: copies of the input, and
// allocations of buffers.
#pragma once

#include <cstdint>

#include "sim/messages/message_model.hpp"

namespace tutti::inline sim {

// Amounts of data that are copied or for which memory is allocated, as multiples of the vector's
// size, on the rank that has the most work.
struct LibraryWork {
  double copied = 0;        // data copied into existing buffers
  double fresh_copied = 0;  // data copied into new buffers
  double fresh = 0;         // new buffers for arriving messages
  // Number of messages with a handshake that a rank has under way at a time, if the algorithm
  // allows fewer than MessageModel::under_way. 1: the library waits for each message before it
  // sends another. 0: the model's number applies.
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

// What an MPI library does beside its messages and reductions: it copies what it was given, and
// asks for buffers.
#pragma once

#include <cstdint>

#include "sim/messages/message_model.hpp"

namespace tutti::inline sim {

// In vectors of n bytes, on the rank that has most of it to do.
struct LibraryWork {
  double copied = 0;        // into buffers that are there
  double fresh_copied = 0;  // into new ones
  double fresh = 0;         // of new ones that messages arrive in
  // Messages that ask first and are under way at a time, where they are fewer than the model's: 1
  // where the library waits for each before it goes on to the next. 0: as many as that.
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

// The work of an MPI library in addition to messages and reductions: copies of the input, and
// allocations of buffers.
//
// A buffer has new pages after each allocation if the C library takes the buffer from the system
// and gives it back: because the buffer has at least fresh_bytes, or because all buffers of a call
// together have at least heap_bytes and at least twice the size of the largest one. The latter
// follows from malloc's dynamic thresholds: the largest block that was freed sets the size up to
// which blocks are kept in the heap, and twice this size is how much the heap keeps.
//
// A new page must be cleared. If messages between hosts are read from it or written to it without
// buffers in between, it must also be registered with the network card. The ranks of a host
// register their memory one after the other, because they share the card. Messages within a host
// that are copied from the sender's pages by the receiver need these pages mapped for the receiver.
#pragma once

#include <cstdint>

#include "sim/messages/message_model.hpp"

namespace tutti { inline namespace sim {

// Sizes are multiples of the vector's size, on the rank that has the most work.
struct LibraryWork {
  double copied = 0;          // data that is copied
  double largest_buffer = 0;  // size of the largest buffer that is allocated
  double all_buffers = 0;     // size of all buffers that are allocated
  double touched = 0;         // part of the buffers that is written
  double registered = 0;      // part of the buffers that messages between hosts use
  double regions = 0;         // number of parts in which messages between hosts use the buffers
  double direct_bytes = 0;    // the smallest part that messages use without buffers in between
  // True if each rank receives only from the rank before it and sends only to the rank after it.
  bool in_ring = false;
  // True if a rank has all its messages under way at once. MessageModel::long_bytes then does not
  // apply, which is for one message in each direction.
  bool all_at_once = false;
  // Number of messages with a handshake that a rank has under way at a time, if the algorithm
  // allows fewer than MessageModel::under_way. 1: the library waits for each message before it
  // sends another. 0: the model's number applies.
  std::uint32_t under_way = 0;

  // The time of each kind of work, in seconds.
  struct Times {
    double copies_s = 0;
    double new_pages_s = 0;
    double registration_s = 0;
    double mapping_s = 0;

    [[nodiscard]] double sum_s() const {
      return copies_s + new_pages_s + registration_s + mapping_s;
    }
  };

  // Returns the time of the work for a vector of `bytes` bytes on a host of which
  // `registering_ranks` ranks receive messages from other hosts. `next_on_host`: true if
  // at least one rank and the rank after it are on the same host.
  [[nodiscard]] Times times(const MessageModel& model, const LocalPrices& prices, double bytes,
                            double registering_ranks, bool next_on_host) const;
};

}}  // namespace tutti::sim

#include "sim/messages/library_work.hpp"

#include <algorithm>

namespace tutti { inline namespace sim {

LibraryWork::Times LibraryWork::times(const MessageModel& model, const LocalPrices& prices,
                                      double bytes, double registering_ranks,
                                      bool next_on_host) const {
  Times times{.copies_s = copied * bytes * prices.copy_s_per_byte};
  const bool fresh = largest_buffer * bytes >= model.fresh_bytes ||
                     all_buffers * bytes >= std::max(model.heap_bytes, 2 * largest_buffer * bytes);
  if (!fresh) {
    return times;
  }
  times.new_pages_s = touched * bytes * model.fresh_s_per_byte;
  if (registered * bytes > regions * model.eager_bytes &&
      registered * bytes >= regions * direct_bytes) {
    times.registration_s = registering_ranks * (registered * bytes * model.register_s_per_byte +
                                                regions * model.register_s);
    // In a ring, messages within hosts use all parts. Other algorithms send few of them there.
    if (in_ring && next_on_host) {
      times.mapping_s = registered * bytes * model.node_map_s_per_byte;
    }
  }
  return times;
}

}}  // namespace tutti::sim

// What SimGrid can be asked for, for those who have no SimGrid.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tutti::inline platforms {

// "hockney": pure alpha-beta; a message takes the sum of its links' latencies plus its size over
// the narrowest bandwidth, exactly. "lv08", "smpi", "ib": SimGrid's models of these names, with
// SimGrid's own settings.
[[nodiscard]] std::span<const std::string_view> network_models();
[[nodiscard]] bool is_network_model(const std::string& name);

// How SimGrid finds what an event changes.
enum class Updates : std::uint8_t {
  // Only what the event touches: SimGrid's default. SimGrid 3.32 misses something there: where two
  // messages begin to flow in one instant over one first link, and the second meets an older one
  // further on, the older one keeps its rate, and their link carries more than it can.
  lazy,
  // Every link of a message that begins to flow is pointed out to SimGrid. That is right, but
  // only for the model "hockney", and for platforms whose links do not change.
  pointed_out,
  // All messages at each event. Right and slow, and it has no precision: events that belong to one
  // instant may come apart by rounding.
  full,
};

}  // namespace tutti::inline platforms

// SimGrid's settings, for code that is built without SimGrid.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tutti { inline namespace platforms {

// Names of the network models. "hockney" is the exact alpha-beta model: the time of a message is
// the sum of the latencies of its links, plus its size divided by the lowest bandwidth. "lv08",
// "smpi" and "ib" are SimGrid's models of these names, with SimGrid's defaults.
[[nodiscard]] std::span<const std::string_view> network_models();

// How SimGrid finds the messages whose rates an event changes.
enum class Updates : std::uint8_t {
  // SimGrid's default: updates only the messages that the event affects. SimGrid 3.32 has a bug in
  // this mode. If two messages start to flow at the same instant over the same first link, and the
  // second of them shares a later link with an older message, the older message keeps its rate. The
  // later link then carries more than its capacity.
  lazy,
  // Marks all links of a message as changed when the message starts to flow. Correct, but only for
  // the model "hockney", and for platforms whose links do not change.
  pointed_out,
  // Updates all messages at each event. Correct but slow. Times have no tolerance in this mode, so
  // rounding may separate events that belong to the same instant.
  full,
};

}}  // namespace tutti::platforms

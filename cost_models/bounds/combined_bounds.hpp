// Bounds that contain more than one latency and bytes. They hold because a message holds a port of
// its sender and a port of its receiver from its start to its end: during its latency, too.
#pragma once

#include <cstdint>

#include "cost_models/bounds/needs.hpp"
#include "cost_models/bounds/network_bound.hpp"

namespace tutti { inline namespace cost_models {

// Ranks, or hosts with several ranks, that send each other messages through ports.
struct PortUnits {
  std::uint32_t units = 0;
  std::uint64_t ports = 1;  // of each unit, to send, and as many to receive
  double all_ports = 1;     // of all units
  double latency_s = 0;     // least of any message between units
  double bytes_per_s = 0;   // rate of the fastest message between units
};

// Smallest number of rounds after which `reached` units can have the data of one unit, if in each
// round each of them can send to `times` - 1 more.
[[nodiscard]] std::uint32_t rounds_to_reach(std::uint64_t reached, std::uint64_t times);

// Postal model (Bar-Noy and Kipnis): least time after which `units` units can have the data of one
// of them. A unit begins a message every `gap_s` at most on each of its `streams`, as soon as it
// has the data, and a message takes at least `latency_s`. Both times are in seconds. The same holds
// backwards in time for data that one unit needs from all others.
[[nodiscard]] double postal_time_s(std::uint64_t units, std::uint64_t streams, double latency_s,
                                   double gap_s);

// Data of one unit that all others need: the unit sends `bytes` at the given rate, and the last of
// them must then spread to all units. The same holds backwards in time if one unit needs data to
// which all others contribute. Returns a part of the given form.
[[nodiscard]] BoundPart spread_bound(Certificate form, const PortUnits& units, double bytes,
                                     double bytes_per_s, bool sends);

// Blocks of different ranks that one rank must collect, or that it must distribute, if ranks have
// one port.
[[nodiscard]] BoundPart doubling_bound(const Needs& needs, const PortUnits& ranks);

// Messages and bytes of all units together. `piece`: least bytes that any unit has for any other
// one, in an all-to-all.
[[nodiscard]] BoundPart exchange_bound(const PortUnits& units, double piece);
[[nodiscard]] BoundPart allreduce_bound(const PortUnits& units, double bytes);

}}  // namespace tutti::cost_models

#include "cost_models/bounds/combined_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <vector>

namespace tutti { inline namespace cost_models {

namespace {

BoundPart combined_part(Certificate form, double messages, double startup_s, double amount,
                        double rate) {
  BoundPart part;
  const double seconds = startup_s + amount / rate;
  if (amount > 0 && rate > 0 && std::isfinite(seconds)) {
    part.form = form;
    part.messages = static_cast<std::uint64_t>(messages);
    part.startup_s = startup_s;
    part.amount = amount;
    part.rate = rate;
    part.seconds = seconds;
  }
  return part;
}

// Messages and bytes that a unit sends on average in an all-to-all.
struct SendRate {
  double seconds = std::numeric_limits<double>::infinity();
  double messages = 0;
  double bytes = 0;
};

// Returns the least time for which a unit uses its ports if each unit takes part in at most `slots`
// messages one after another; see exchange_bound(). `piece` is the number of bytes for each of the
// other units.
SendRate least_sent(const PortUnits& units, double piece, double slots) {
  const double others = units.units - 1.0;
  const auto ports = static_cast<double>(units.ports);
  // Number of units that can be reached over at most `hops` messages, but not with 1, if 1 is free.
  std::vector<double> within{0};
  double reached = slots * ports;
  for (double hops = 2; hops <= slots && within.back() < others; ++hops) {
    reached *= (slots - hops + 1) / hops * ports;
    within.push_back(within.back() + reached);
  }
  SendRate best;
  const double most_direct = std::min(slots * ports, others);
  const auto offer = [&](double direct) {
    if (direct < 0 || direct > most_direct || others - direct > within.back()) {
      return;
    }
    double hops = direct;
    double rest = others - direct;
    for (std::size_t i = 1; i < within.size() && rest > 0; ++i) {
      const double here = std::min(rest, within[i] - within[i - 1]);
      hops += here * static_cast<double>(i + 1);
      rest -= here;
    }
    const double seconds = direct * units.latency_s + hops * piece / units.bytes_per_s;
    if (seconds < best.seconds) {
      best = {seconds, direct, hops * piece};
    }
  };
  // Between these numbers of direct messages, the time is linear, so that one of them is the best.
  // At each of them, the other data begin to need one more hop.
  offer(0);
  offer(most_direct);
  for (const double each : within) {
    offer(std::max(others - each, 0.0));
  }
  return best;
}

}  // namespace

std::uint32_t rounds_to_reach(std::uint64_t reached, std::uint64_t times) {
  std::uint32_t rounds = 0;
  for (std::uint64_t have = 1; have < reached; have *= times) {
    ++rounds;
  }
  return rounds;
}

// The greedy order is optimal: a unit that has the data always sends to one that does not have
// them. Messages that begin earlier also arrive earlier, so the ends of first messages, and those
// of further messages, are two ascending lists.
double postal_time_s(std::uint64_t units, std::uint64_t streams, double latency_s, double gap_s) {
  std::queue<double> firsts;
  std::queue<double> nexts;
  for (std::uint64_t i = 0; i < streams; ++i) {
    firsts.push(latency_s);
  }
  double now_s = 0;
  for (std::uint64_t reached = 1; reached < units; ++reached) {
    std::queue<double>& next =
        nexts.empty() || (!firsts.empty() && firsts.front() <= nexts.front()) ? firsts : nexts;
    now_s = next.front();
    next.pop();
    nexts.push(now_s + gap_s);
    for (std::uint64_t i = 0; i < streams; ++i) {
      firsts.push(now_s + latency_s);
    }
  }
  return now_s;
}

// Let L be the least latency. Each byte leaves the unit in some message. The last of the first
// messages with each byte ends at t >= L + bytes / rate. Before t, no other unit has its byte. If c
// units have the byte before some time u, each message with it that ends in [u, u + L) is from one
// of them and under way just before u. So at most (1 + ports) c units have the byte before u + L.
// If r rounds are needed to reach all units, not all of them have it before t + (r - 1) L.
BoundPart spread_bound(Certificate form, const PortUnits& units, double bytes, double bytes_per_s,
                       bool sends) {
  const std::uint32_t rounds = rounds_to_reach(units.units, units.ports + 1);
  BoundPart part = combined_part(form, rounds, rounds * units.latency_s, bytes, bytes_per_s);
  part.hosts_send = sends;
  return part;
}

// Let m be the largest block, L the least latency and R the highest rate. No rank has h > m bytes
// of the blocks before t(h) = ceil(lg(h / m)) L + (h - m) / R. To see this by induction over the
// messages, let x be the bytes of the last message to the rank. When this message began, the sender
// had at least x bytes, and the rank at least h - x, because its port receives one message after
// the other. So at least t(max(x, h - x)) had passed, and the message takes L + x / R. Both sum to
// at least t(h), whichever of x and h - x is larger.
//
// For a rank that distributes blocks, or that contributes to the sums of all blocks, the same holds
// backwards in time, for the blocks that a rank still has to send on.
BoundPart doubling_bound(const Needs& needs, const PortUnits& ranks) {
  const auto blocks = needs.blocks();
  if (!blocks || ranks.ports != 1) {
    return {};
  }
  double rounds = 0;
  for (double held = blocks->largest; held < blocks->all; held *= 2) {
    ++rounds;
  }
  return combined_part(Certificate::doubling, rounds, rounds * ranks.latency_s,
                       blocks->all - blocks->largest, ranks.bytes_per_s);
}

// Number the time slots of length L, the least latency, from 0. A message ends in slot 1 or later.
// At most as many messages of a unit end in one slot as it has ports, because all of them were
// under way when the slot began. If one message is sent on after another has come, it ends in a
// later slot. Therefore at most binomial(T / L, d) ports^d units can be reached from a unit over d
// messages in the time T. A unit that is not reached by a direct message gets its piece over at
// least two, and so on. The ports are busy for the latencies of all messages and all bytes in them,
// so for at least least_sent() on average. This gets less with a longer time T, so the bound is the
// first time that is long enough for what it requires.
BoundPart exchange_bound(const PortUnits& units, double piece) {
  if (!(piece > 0) || !(units.latency_s > 0) || units.units < 2) {
    return {};
  }
  const double share = units.all_ports / units.units;
  const auto long_enough = [&](double slots) {
    return least_sent(units, piece, slots).seconds / share < (slots + 1) * units.latency_s;
  };
  double most = 1;
  while (!long_enough(most)) {
    most *= 2;
  }
  double least = std::floor(most / 2);  // not long enough, or 0
  while (most - least > 1) {
    const double middle = std::floor((least + most) / 2);
    (long_enough(middle) ? most : least) = middle;
  }
  const SendRate sent = least_sent(units, piece, most);
  return combined_part(Certificate::messages, std::ceil(sent.messages * units.units),
                       sent.messages * units.latency_s / share, sent.bytes * units.units,
                       units.all_ports * units.bytes_per_s);
}

// Each byte of the vector needs 2 (p - 1) messages between p units; see Needs::between(). So at
// least as many messages hold ports for their latencies.
BoundPart allreduce_bound(const PortUnits& units, double bytes) {
  const double messages = 2.0 * (units.units - 1);
  return combined_part(Certificate::messages, messages,
                       messages * units.latency_s / units.all_ports, messages * bytes,
                       units.all_ports * units.bytes_per_s);
}

}}  // namespace tutti::cost_models

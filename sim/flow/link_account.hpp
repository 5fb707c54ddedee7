// Counts the traffic of each link of the network, if statistics are kept.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/flow/flow_engine.hpp"

namespace tutti { inline namespace sim {

class LinkAccount {
 public:
  // Reports a new flow. `flows` is the number of flows on the link, including the new one.
  void comes(std::uint32_t link, std::uint32_t flows, double now_s) {
    if (link >= entries_.size()) {
      entries_.resize(link + 1);
    }
    Entry& entry = entries_[link];
    if (flows == 1) {
      entry.busy_since_s = now_s;
    }
    entry.statistics.most_at_once = std::max(entry.statistics.most_at_once, flows);
  }

  // Reports that a flow has left. `flows` is the number of flows that remain on the link.
  void goes(std::uint32_t link, std::uint32_t flows, double now_s, std::uint64_t bytes) {
    Entry& entry = entries_[link];
    entry.statistics.bytes += bytes;
    if (flows == 0) {
      entry.statistics.busy_s += now_s - entry.busy_since_s;
    }
  }

  // Returns the statistics of the links that were used.
  [[nodiscard]] std::vector<LinkStatistics> statistics() const {
    std::vector<LinkStatistics> used;
    for (std::size_t link = 0; link < entries_.size(); ++link) {
      if (entries_[link].statistics.most_at_once > 0) {
        used.push_back(entries_[link].statistics);
        used.back().link = static_cast<std::uint32_t>(link);
      }
    }
    return used;
  }

 private:
  struct Entry {
    LinkStatistics statistics;
    double busy_since_s = 0;
  };

  std::vector<Entry> entries_;
};

}}  // namespace tutti::sim

#include "schedules/patterns/locality_bruck.hpp"

namespace tutti { inline namespace schedules {

LocalityBruck::LocalityBruck(const NodeShape& shape) : nodes_(shape.nodes) {
  add_rounds_within({0, 0}, shape.within);
  for (const HopPhase& between :
       hop_phases(nodes_.count(), radices_for(nodes_.count(), shape.between))) {
    most_messages_ = std::max(most_messages_, nodes_.per_core(between.hops));
    phases_.push_back({between, {0, 0}});
    add_rounds_within(between, shape.within);
  }
}

void LocalityBruck::add_rounds_within(const HopPhase& between,
                                      const std::vector<std::uint32_t>& radices) {
  for (const HopPhase& within :
       hop_phases(nodes_.largest(), radices_for(nodes_.largest(), radices))) {
    most_messages_ = std::max(most_messages_, within.hops);
    phases_.push_back({between, within});
  }
}

std::size_t LocalityBruck::messages() const {
  std::size_t all = 0;
  for (const Phase& phase : phases_) {
    if (phase.within.hops == 0) {
      all += std::size_t{phase.between.hops} * nodes_.count();
      continue;
    }
    for (std::uint32_t node = 0; node < nodes_.count(); ++node) {
      const std::uint32_t size = nodes_.size(node);
      // Core j has something if j is less than this; cores that would send nothing are left out.
      const std::uint32_t some =
          phase.between.hops == 0 ? size : std::min(size, phase.between.hops);
      for (std::uint32_t hop = 1; hop <= phase.within.hops; ++hop) {
        if (const std::uint32_t distance = hop * phase.within.distance; distance < size) {
          all += std::min(size, some + sent_over(phase.within, distance, size) - 1);
        }
      }
    }
  }
  return all;
}

void LocalityBruck::add_nodes(std::uint64_t first, std::uint32_t count,
                              std::vector<BlockPair>& blocks) const {
  for (std::uint32_t i = 0; i < count; ++i) {
    for (const Rank rank : nodes_.cores(static_cast<std::uint32_t>((first + i) % nodes_.count()))) {
      blocks.push_back({rank, rank});
    }
  }
}

// Adds what a core has received in a phase between nodes; before the first one, its own block.
void LocalityBruck::add_received(std::uint32_t node, std::uint32_t core, const HopPhase& between,
                                 std::vector<BlockPair>& blocks) const {
  if (between.hops == 0) {
    const Rank own = nodes_.core_for(node, core);
    blocks.push_back({own, own});
  }
  for (std::uint32_t message = core; message < between.hops; message += nodes_.size(node)) {
    const std::uint32_t distance = (message + 1) * between.distance;
    add_nodes(std::uint64_t{node} + distance, sent_over(between, distance, nodes_.count()), blocks);
  }
}

void LocalityBruck::for_each_message(const Phase& phase,
                                     const std::function<void(const Message&)>& visit) const {
  std::vector<BlockPair> blocks;
  for (std::uint32_t node = 0; node < nodes_.count() && phase.within.hops == 0; ++node) {
    for (std::uint32_t i = 0; i < phase.between.hops; ++i) {
      const std::uint32_t distance = (i + 1) * phase.between.distance;
      const std::uint64_t from = std::uint64_t{node} + distance;
      blocks.clear();
      add_nodes(from, sent_over(phase.between, distance, nodes_.count()), blocks);
      visit({nodes_.core_for(static_cast<std::uint32_t>(from % nodes_.count()), i),
             nodes_.core_for(node, i), i, blocks});
    }
  }
  for (std::uint32_t node = 0; node < nodes_.count() && phase.within.hops > 0; ++node) {
    const std::uint32_t size = nodes_.size(node);
    for (std::uint32_t hop = 1; hop <= phase.within.hops; ++hop) {
      const std::uint32_t distance = hop * phase.within.distance;
      for (std::uint32_t core = 0; core < size && distance < size; ++core) {
        blocks.clear();
        for (std::uint32_t i = 0; i < sent_over(phase.within, distance, size); ++i) {
          add_received(node, (core + i) % size, phase.between, blocks);
        }
        if (!blocks.empty()) {
          visit({nodes_.core_for(node, core), nodes_.core_for(node, core + size - distance),
                 hop - 1, blocks});
        }
      }
    }
  }
}

}}  // namespace tutti::schedules

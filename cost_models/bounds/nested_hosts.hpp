// The hosts in use as nested groups (Network::exchangeable_groups()). Two groups have the same
// shape if they can be exchanged, with ranks on the same of their hosts. Therefore the routes of
// some groups of each shape show those of all.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "platforms/network.hpp"

namespace tutti { inline namespace cost_models {

class NestedHosts {
 public:
  NestedHosts() = default;
  // `numbers`: of the hosts in use, ascending; `ranks`: by number of the host.
  NestedHosts(const std::vector<ExchangeableGroups>& partitions,
              std::span<const std::uint32_t> numbers, std::span<const std::uint32_t> ranks);

  // Number of partitions. The last one has all hosts in one group.
  [[nodiscard]] std::uint32_t levels() const { return static_cast<std::uint32_t>(levels_.size()); }
  [[nodiscard]] std::uint32_t group(std::uint32_t level, std::uint32_t host) const {
    return group_of_host_[level][host];
  }
  // Returns the indices of the first host of the group, and of the first one after it.
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> hosts_of(std::uint32_t level,
                                                                 std::uint32_t group) const {
    return {levels_[level][group].first_host, levels_[level][group].end_host};
  }
  // Returns the first partition that has both hosts in one group.
  [[nodiscard]] std::uint32_t level(std::uint32_t one, std::uint32_t other) const {
    std::uint32_t level = 0;
    while (group(level, one) != group(level, other)) {
      ++level;
    }
    return level;
  }
  // Returns, by host, a number that is the same only for hosts that exchanges of groups can bring
  // to each other's place.
  [[nodiscard]] std::vector<std::uint32_t> orbits() const;

  // Calls use(other) for some other hosts, the partners of the host. In each group around the host,
  // the partners are in at most two parts of each shape (kPartnersOfShape). The routes between all
  // hosts and their partners, in both directions, tell the following about all routes:
  // - First links, last links and figures. The host's routes to two parts of one shape have equal
  //   figures, and the same links of the host's own groups: the two parts can be exchanged, and
  //   that leaves the links of the host's own groups in place.
  // - Junctions, each of which is the end of some links and the start of the links that follow
  //   them. Let S and T be the first two parts of a shape, and A and B other parts. The routes from
  //   A and B to S and T show that the links out of A and B end where the links into S and T start.
  //   The routes from S and T to A and B show that the links into A and B start where the links out
  //   of S and T end. The routes from S to T show that both places are the same junction.
  //   Therefore the route from A to B, which is not looked at, has no other junction. With S alone,
  //   no route would show this, so one part is not enough.
  template <typename Use>
  void for_each_partner(std::uint32_t host, const Use& use) const {
    for (std::uint32_t level = 0; level < levels(); ++level) {
      const Group& around = levels_[level][group(level, host)];
      if (level == 0) {
        for (std::uint32_t other = around.first_host; other < around.end_host; ++other) {
          if (other != host) {
            use(other);
          }
        }
        continue;
      }
      const std::uint32_t own = group(level - 1, host);
      std::uint32_t taken = 0;  // of a shape
      for (const Sample& sample : around.samples) {
        taken = sample.is_first ? 0 : taken;
        if (sample.group != own && taken < kPartnersOfShape) {
          ++taken;
          for_each_sample(level - 1, sample.group, use);
        }
      }
    }
  }

 private:
  static constexpr std::uint32_t kPartnersOfShape = 2;

  // A group of the partition before. The first groups of each shape are samples.
  struct Sample {
    std::uint32_t group = 0;
    bool is_first = false;  // of its shape
  };
  struct Group {
    std::uint32_t first_host = 0;
    std::uint32_t end_host = 0;
    std::uint32_t shape = 0;
    std::vector<Sample> samples = {};
  };

  void add_level(const ExchangeableGroups& partition, std::span<const std::uint32_t> numbers,
                 std::span<const std::uint32_t> ranks);
  void add_samples(Group& group);

  template <typename Use>
  void for_each_sample(std::uint32_t level, std::uint32_t group, const Use& use) const {
    const Group& of = levels_[level][group];
    for (std::uint32_t host = of.first_host; level == 0 && host < of.end_host; ++host) {
      use(host);
    }
    for (const Sample& sample : of.samples) {
      if (sample.is_first) {
        for_each_sample(level - 1, sample.group, use);
      }
    }
  }

  std::vector<std::uint32_t> places_;                      // by host: its place in its first group
  std::vector<std::vector<std::uint32_t>> group_of_host_;  // by level and index of the host
  std::vector<std::vector<Group>> levels_;
};

}}  // namespace tutti::cost_models

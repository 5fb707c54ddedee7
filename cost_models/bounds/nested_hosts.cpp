#include "cost_models/bounds/nested_hosts.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace tutti { inline namespace cost_models {

NestedHosts::NestedHosts(const std::vector<ExchangeableGroups>& partitions,
                         std::span<const std::uint32_t> numbers,
                         std::span<const std::uint32_t> ranks) {
  for (const ExchangeableGroups& partition : partitions) {
    add_level(partition, numbers, ranks);
  }
  ExchangeableGroups all;
  all.group_of_host.assign(numbers.empty() ? 0 : numbers.back() + 1, 0);
  all.kind_of_group = {0};
  add_level(all, numbers, ranks);
}

void NestedHosts::add_level(const ExchangeableGroups& partition,
                            std::span<const std::uint32_t> numbers,
                            std::span<const std::uint32_t> ranks) {
  const auto hosts = static_cast<std::uint32_t>(numbers.size());
  std::vector<Group> groups;
  std::vector<std::uint32_t>& group_of_host = group_of_host_.emplace_back();
  std::vector<std::uint32_t> first_number(partition.kind_of_group.size());
  for (std::size_t number = partition.group_of_host.size(); number > 0; --number) {
    first_number[partition.group_of_host[number - 1]] = static_cast<std::uint32_t>(number - 1);
  }
  for (std::uint32_t host = 0; host < hosts; ++host) {
    const std::uint32_t group = partition.group_of_host[numbers[host]];
    if (host == 0 || group != partition.group_of_host[numbers[host - 1]]) {
      groups.push_back({host, host});
    }
    groups.back().end_host = host + 1;
    group_of_host.push_back(static_cast<std::uint32_t>(groups.size()) - 1);
    if (levels_.empty()) {
      places_.push_back(numbers[host] - first_number[group]);
    }
  }
  std::map<std::vector<std::uint32_t>, std::uint32_t> shapes;
  for (Group& group : groups) {
    std::vector<std::uint32_t> shape;
    if (groups.size() == 1 && levels_.empty()) {
      continue;
    }
    if (levels_.empty()) {
      for (std::uint32_t host = group.first_host; host < group.end_host; ++host) {
        shape.insert(shape.end(), {places_[host], ranks[numbers[host]]});
      }
    } else {
      add_samples(group);
      const std::vector<Group>& parts = levels_.back();
      for (std::uint32_t part = group_of_host_[levels() - 1][group.first_host];
           part < parts.size() && parts[part].first_host < group.end_host; ++part) {
        shape.push_back(parts[part].shape);
      }
      std::sort(shape.begin(), shape.end());
    }
    shape.push_back(partition.kind_of_group[partition.group_of_host[numbers[group.first_host]]]);
    const auto next = static_cast<std::uint32_t>(shapes.size());
    group.shape = shapes.try_emplace(std::move(shape), next).first->second;
  }
  levels_.push_back(std::move(groups));
}

// A group keeps one more sample of each shape than kPartnersOfShape, because a host skips the
// sample that contains the host itself.
void NestedHosts::add_samples(Group& group) {
  const std::vector<Group>& parts = levels_.back();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> by_shape;
  for (std::uint32_t part = group_of_host_[levels() - 1][group.first_host];
       part < parts.size() && parts[part].first_host < group.end_host; ++part) {
    by_shape.emplace_back(parts[part].shape, part);
  }
  std::sort(by_shape.begin(), by_shape.end());
  std::uint32_t taken = 0;
  for (std::size_t i = 0; i < by_shape.size(); ++i) {
    const bool is_first = i == 0 || by_shape[i].first != by_shape[i - 1].first;
    taken = is_first ? 0 : taken;
    if (taken++ <= kPartnersOfShape) {
      group.samples.push_back({by_shape[i].second, is_first});
    }
  }
}

std::vector<std::uint32_t> NestedHosts::orbits() const {
  std::map<std::vector<std::uint32_t>, std::uint32_t> known;
  std::vector<std::uint32_t> orbits;
  for (std::uint32_t host = 0; host < places_.size(); ++host) {
    std::vector<std::uint32_t> key{places_[host]};
    for (std::uint32_t level = 0; level < levels(); ++level) {
      key.push_back(levels_[level][group(level, host)].shape);
    }
    orbits.push_back(known.try_emplace(std::move(key), host).first->second);
  }
  return orbits;
}

}}  // namespace tutti::cost_models

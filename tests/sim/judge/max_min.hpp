// Computes max-min fair shares by their definition: all rates grow together, in proportion to the
// weights of the messages, until a link is full or a message reaches its cap. Then the messages on
// this link, or this message, keep their rates, and the other rates continue to grow.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace tutti {

template <typename Number>
struct Claim {
  Number weight;
  std::optional<Number> cap;                                   // largest possible rate
  std::vector<std::pair<std::uint32_t, std::uint32_t>> links;  // shared links: (link, crossings)
};

// Returns a rate for each claim; each claim must have a link or a cap. If less than the share
// `overlooked` of a link's capacity is left, the link no longer limits messages (in the definition,
// `overlooked` is 0). A message that neither a link nor a cap limits any more gets a rate of 0.
template <typename Number>
std::vector<Number> max_min_rates(const std::vector<const Claim<Number>*>& claims,
                                  const std::vector<Number>& capacities, double overlooked = 0) {
  constexpr auto kNone = static_cast<std::uint32_t>(-1);
  // Index of each link in the vectors below, which contain only links that a claim crosses.
  std::vector<std::uint32_t> place(capacities.size(), kNone);
  // For each of these links: its capacity minus the rates of the messages whose rates no longer
  // grow.
  std::vector<Number> left;
  std::vector<Number> overlooked_below;
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> crossed(claims.size());
  for (std::size_t i = 0; i < claims.size(); ++i) {
    for (const auto& [link, times] : claims[i]->links) {
      if (place[link] == kNone) {
        place[link] = static_cast<std::uint32_t>(left.size());
        left.push_back(capacities[link]);
        overlooked_below.push_back(Number(overlooked) * capacities[link]);
      }
      crossed[i].emplace_back(place[link], times);
    }
  }
  std::vector<Number> rates(claims.size(), Number(0));
  std::vector<bool> growing(claims.size(), true);
  std::size_t still_growing = claims.size();
  // For each of these links: the sum of the weights of the messages whose rates still grow.
  std::vector<Number> request(left.size());
  while (still_growing > 0) {
    std::fill(request.begin(), request.end(), Number(0));
    for (std::size_t i = 0; i < claims.size(); ++i) {
      if (growing[i]) {
        for (const auto& [link, times] : crossed[i]) {
          request[link] += Number(times) * claims[i]->weight;
        }
      }
    }
    // The level (rate per unit of weight) at which the first message stops.
    std::optional<Number> level;
    const auto meets = [&level](const Number& at) {
      if (!level || at < *level) {
        level = at;
      }
    };
    std::vector<Number> full_at(left.size(), Number(0));
    std::vector<bool> limits(left.size(), false);
    for (std::size_t link = 0; link < left.size(); ++link) {
      limits[link] = request[link] > 0 && (overlooked == 0 || left[link] >= overlooked_below[link]);
      if (limits[link]) {
        full_at[link] = left[link] / request[link];
        meets(full_at[link]);
      }
    }
    for (std::size_t i = 0; i < claims.size(); ++i) {
      if (growing[i] && claims[i]->cap) {
        meets(*claims[i]->cap / claims[i]->weight);
      }
    }
    if (!level) {
      break;
    }
    for (std::size_t i = 0; i < claims.size(); ++i) {
      if (!growing[i]) {
        continue;
      }
      const bool capped = claims[i]->cap && *claims[i]->cap / claims[i]->weight == *level;
      bool full = false;
      for (const auto& [link, times] : crossed[i]) {
        full = full || (limits[link] && full_at[link] == *level);
      }
      if (!capped && !full) {
        continue;
      }
      rates[i] = capped ? *claims[i]->cap : *level * claims[i]->weight;
      growing[i] = false;
      --still_growing;
      for (const auto& [link, times] : crossed[i]) {
        left[link] -= Number(times) * rates[i];
      }
    }
  }
  return rates;
}

}  // namespace tutti

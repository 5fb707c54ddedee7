// All routes between some hosts, as values that can be sent to another process. Hosts with
// equivalent routes share them, so that clusters need no memory for each pair of hosts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/rows.hpp"
#include "platforms/network.hpp"

namespace tutti { inline namespace platforms {

// Lists of hops, one after the other.
struct HopLists {
  std::vector<std::uint32_t> starts{0};
  std::vector<Hop> hops;

  [[nodiscard]] std::span<const Hop> operator[](std::size_t at) const {
    return std::span(hops).subspan(starts[at], starts[at + 1] - starts[at]);
  }
  [[nodiscard]] std::size_t size() const { return starts.size() - 1; }
  void add(std::span<const Hop> list) {
    hops.insert(hops.end(), list.begin(), list.end());
    starts.push_back(static_cast<std::uint32_t>(hops.size()));
  }
};

// A route consists of the first hops of its source, the hops of its form, and the last hops of its
// destination. Hosts are numbered from 0 on; `numbers` has their numbers in the platform.
struct RouteSet {
  struct Form {
    std::uint32_t figures = 0;
    std::uint32_t hops = 0;       // number of the list in hops_of_forms
    std::uint32_t last_hops = 0;  // how many of the last hops of the destination
  };
  static constexpr std::uint32_t kNoForm = 0xffffffffU;

  std::vector<std::uint32_t> numbers;
  std::vector<NetworkHost> hosts;
  std::vector<NetworkLink> links;
  std::vector<std::string> link_names;
  std::vector<RouteFigures> figures;
  HopLists first_hops;  // by host: the hops with which all its routes to other hosts begin
  HopLists last_hops;   // by host
  std::vector<Form> forms;
  HopLists hops_of_forms;
  // Form of the route between two different hosts: forms_of_rows[row_of_host[from] * hosts + to].
  std::vector<std::uint32_t> row_of_host;
  std::vector<std::uint32_t> forms_of_rows;
  // Route of each host to itself, which consists of the hops of its form only. kNoForm: unknown.
  std::vector<std::uint32_t> own_forms;

  [[nodiscard]] std::uint32_t form_between(std::uint32_t from, std::uint32_t to) const {
    return from == to ? own_forms[from]
                      : forms_of_rows[std::size_t{row_of_host[from]} * hosts.size() + to];
  }
  [[nodiscard]] std::size_t bytes() const;
  // True if the set has all routes between ranks on these hosts, given by their numbers.
  [[nodiscard]] bool has_routes(const std::vector<std::uint32_t>& host_of_rank) const;
};

// Asks `network` once for each route between its hosts, and for the route of a host to itself if
// `own_route` has true for the host. `route` returns the routes of the network. Returns nothing if
// the routes need more than `most_bytes`. Leaves RouteSet::numbers empty. Throws what `route`
// throws.
[[nodiscard]] std::optional<RouteSet> route_set_of(
    const Network& network,
    const std::function<NetworkRoute(std::uint32_t from, std::uint32_t to)>& route,
    const std::vector<bool>& own_route, std::size_t most_bytes);

// The network of these routes. Hosts have the numbers of the platform, so that some numbers may
// have no routes.
class RouteSetNetwork final : public Network {
 public:
  explicit RouteSetNetwork(std::shared_ptr<const RouteSet> set);

  [[nodiscard]] NetworkHost host(std::uint32_t number) const override;
  [[nodiscard]] std::uint32_t hosts() const override {
    return static_cast<std::uint32_t>(index_of_number_.size());
  }
  [[nodiscard]] std::vector<std::uint32_t> alike_hosts() const override;
  [[nodiscard]] std::string link_name(std::uint32_t link) const override {
    return set_->link_names[link];
  }
  [[nodiscard]] LinkPlace link_place(std::uint32_t link) override;

 private:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;

  [[nodiscard]] NetworkRoute find_route(std::uint32_t from, std::uint32_t to) override;

  std::shared_ptr<const RouteSet> set_;
  std::vector<std::uint32_t> index_of_number_;
  std::vector<Hop> hops_of_route_;
  // By link: pairs of hosts whose routes cross it. Filled by the first call of link_place().
  std::optional<Rows<Pair>> pairs_;
};

}}  // namespace tutti::platforms

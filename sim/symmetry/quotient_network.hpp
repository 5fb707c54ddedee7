// A network whose links are classes of links of another network. On the network of classes, one
// rank of each class of ranks sends on behalf of its whole class.
//
// The following shows that the simulated times are exact. Let G be the group of moves that map
// schedule and platform onto themselves (sim/symmetry/platform_symmetry.hpp), and |G| its size.
// Only the identity leaves a rank in place, so each operation represents |G| different operations,
// its images.
//
// 1. Suppose that up to some moment all images of each operation have started and ended together.
//    Then every move maps the flows under way at that moment onto themselves, with their remaining
//    bytes, and links onto links of equal capacity. Max-min fair rates are unique, so images have
//    equal rates, and links that are images of each other have equal levels. So the operation that
//    ends first after that moment ends together with its images. Its end releases operations
//    through dependencies, which moves preserve. Ports and cores could break the symmetry, because
//    ids decide which operation gets one first, and the order of ids is not symmetric. So a run in
//    which any operation has waited for a port or a core is discarded (Timeline::waited). Without
//    such waits, nothing depends on the order of events of one instant.
// 2. Let a link l of capacity c have L images, including itself. A flow whose route crosses m of
//    these images (with multiplicity) has |G| images, which together cross each of the L links m
//    |G| / L times. Let r be the rate of a flow that represents its images. Then l is full if the
//    sum of (m |G| / L) r over these flows is c. So the class of l is a link of capacity (c L) /
//    |G|, which each of these flows crosses m times. Rates that are max-min fair on the classes are
//    also max-min fair on the links, if all images get them: a flow is held back by the class of
//    the link that holds it back, at the same level.
// 3. A fat pipe gives each message its whole capacity, whatever else is on it. It is left
//    unchanged.
// 4. A flow that is alone on the classes of its links may still meet its own images. Its rate is
//    then limited by the number of times that it crosses each class, and may be lower than the
//    links of its route would allow.
// 5. A host with more ranks than cores shares the cores among its ranks. It has as many images as
//    there are moves (this is checked), so its class has the same number of ranks and cores as the
//    host. On all other hosts, the time of local work does not depend on other ranks.
//
// The route of a message does not follow from the classes of its sender and receiver: rank 0 may
// send to rank 1 and to rank 257 over different routes, although both receivers are in the same
// class. So routes are stored by operation.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "platforms/network.hpp"
#include "schedules/rank_part.hpp"
#include "sim/symmetry/platform_symmetry.hpp"

namespace tutti { inline namespace sim {

// Vertices of the network.
struct PlacesOfRanks {
  std::span<const std::uint32_t> host;
  std::span<const std::uint32_t> above;  // switch of each rank; empty if no switches take part
};

class QuotientNetwork final : public Network {
 public:
  // `part` is the schedule of the classes. The constructor copies what it needs of `classes` and
  // `part`. `network` must outlive this object.
  QuotientNetwork(Network& network, const PlacesOfRanks& places, PlatformClasses& classes,
                  const RankPart& part);

  // Returns the route of the message that is operation `id` of the part.
  [[nodiscard]] NetworkRoute route_of(OpId id) const { return known(route_of_op_[id]); }
  // Returns the figures of a message's real route, on which it may be alone. On the classes of
  // links, a message is never without its images.
  [[nodiscard]] const RouteFigures& alone_figures(OpId id) const {
    return *alone_figures_[route_of_op_[id]];
  }
  // Hosts of the part's ranks: first those of the ranks that send and compute, then those of the
  // ranks that receive, and of the switches.
  [[nodiscard]] const std::vector<std::uint32_t>& host_of_rank() const { return host_of_rank_; }

  [[nodiscard]] NetworkHost host(std::uint32_t index) const override { return host_info_[index]; }
  [[nodiscard]] std::uint32_t hosts() const override {
    return static_cast<std::uint32_t>(host_info_.size());
  }
  [[nodiscard]] std::string link_name(std::uint32_t link) const override;
  [[nodiscard]] LinkPlace link_place(std::uint32_t link) override;

 private:
  // Throws InvariantError, because a pair of hosts does not determine a route.
  [[nodiscard]] NetworkRoute find_route(std::uint32_t src_host, std::uint32_t dst_host) override;

  void place_ranks(PlatformClasses& classes, std::uint32_t switches);
  void add_routes(PlatformClasses& classes, const RankPart& part);
  [[nodiscard]] std::uint32_t add_route(PlatformClasses& classes, std::uint32_t from_host,
                                        std::uint32_t to_host);
  [[nodiscard]] std::uint32_t link_of(PlatformClasses& classes, std::uint32_t link);
  [[nodiscard]] const RouteFigures* kept(const RouteFigures& figures);

  Network& network_;
  PlacesOfRanks real_;
  std::vector<std::uint32_t> route_of_op_;
  std::vector<std::uint32_t> host_of_rank_;
  std::vector<NetworkHost> host_info_;
  // Class of each link of the network; kUnknown: no class yet.
  std::vector<std::uint32_t> class_of_link_;
  std::vector<std::uint32_t> real_link_;            // by class: one link of the class
  std::deque<RouteFigures> figures_;                // without duplicates
  std::vector<const RouteFigures*> alone_figures_;  // by route
};

}}  // namespace tutti::sim

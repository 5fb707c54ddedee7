// A network of classes of links, on which one rank of each class sends for all.
//
// Why that is exact. Let G be the group of moves that turn schedule and platform into themselves
// (sim/symmetry/platform_symmetry.hpp), |G| its size. None of them but the one that moves nothing
// leaves a rank in place, so each operation stands for |G| different ones, its images.
//
// 1. Suppose that up to some moment all images of each operation have started and ended together.
//    Then the flows under way at that moment are mapped onto themselves by every move, with their
//    remaining bytes, and links onto links of equal capacity. Max-min fair rates are unique, so
//    those of images are equal, and so are the levels of links that are images of each other; what
//    ends next ends together with its images. What may start when something ends follows from
//    dependencies, which moves keep. Ports and cores could break this, because who waits for them
//    is decided by ids, and those are not images of each other: so a run in which anything has
//    waited for a port or a core does not count (Timeline::waited). Until then nothing depends on
//    the order of events of one instant.
// 2. Let a link l of capacity c have L images, itself among them. A flow whose route crosses m of
//    these images (counting how often) has |G| images, which together cross each of the L links
//    m |G| / L times. So l is full, with all flows at rates r, where the sum over the flows that
//    stand for their images of m |G| / L r is c. That is a link of capacity c L / |G| that each of
//    these flows crosses m times: the class of l. Rates that are max-min fair on the classes are so
//    on the links, given to all images: a flow is held back by the class of the link that holds it
//    back, at the same level.
// 3. A fat pipe gives each message its whole capacity, whatever else is on it: it stays as it is.
// 4. A flow that is alone on the classes of its links may still meet its own images: it is then as
//    fast as a class with all of its crossings lets it be, and not as on its route alone.
// 5. A host that has more ranks than cores shares them among its ranks. It has as many images as
//    there are moves (checked), so its class has as many ranks as itself, and its cores. Elsewhere
//    local work takes its time, whoever else is on the host.
//
// The classes' messages are not told apart by the classes of their ends: rank 0 sends to rank 1 and
// to rank 257 over different ways, though both are of one class. So routes go by operation.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "platforms/network.hpp"
#include "schedules/rank_part.hpp"
#include "sim/symmetry/platform_symmetry.hpp"

namespace tutti::inline sim {

class QuotientNetwork final : public Network {
 public:
  // `part`: of the classes. What it needs of them, it keeps; `network` must outlive it.
  QuotientNetwork(Network& network, std::span<const std::uint32_t> host_of_rank,
                  PlatformClasses& classes, const RankPart& part);

  // The route of a message of the part.
  [[nodiscard]] NetworkRoute route_of(OpId id) const { return known(route_of_op_[id]); }
  // Of the route that it stands for: a message there may be alone, but not beside its own images.
  [[nodiscard]] const RouteFigures& alone_figures(OpId id) const {
    return *alone_figures_[route_of_op_[id]];
  }
  // The hosts of the part's ranks: first those that send and compute, then those that receive.
  [[nodiscard]] const std::vector<std::uint32_t>& host_of_rank() const { return host_of_rank_; }

  [[nodiscard]] NetworkHost host(std::uint32_t index) const override { return host_info_[index]; }
  [[nodiscard]] std::uint32_t hosts() const override {
    return static_cast<std::uint32_t>(host_info_.size());
  }
  [[nodiscard]] std::string link_name(std::uint32_t link) const override;
  [[nodiscard]] LinkPlace link_place(std::uint32_t link) override;

 private:
  // Between hosts there is no one route.
  [[nodiscard]] NetworkRoute find_route(std::uint32_t src_host, std::uint32_t dst_host) override;

  void place_ranks(PlatformClasses& classes);
  void add_routes(PlatformClasses& classes, const RankPart& part);
  [[nodiscard]] std::uint32_t add_route(PlatformClasses& classes, std::uint32_t from_host,
                                        std::uint32_t to_host);
  [[nodiscard]] std::uint32_t link_of(PlatformClasses& classes, std::uint32_t link);
  [[nodiscard]] const RouteFigures* kept(const RouteFigures& figures);

  Network& network_;
  std::span<const std::uint32_t> host_of_real_rank_;
  std::vector<std::uint32_t> route_of_op_;
  std::vector<std::uint32_t> host_of_rank_;
  std::vector<NetworkHost> host_info_;
  std::vector<std::uint32_t> class_of_link_;        // by link of the network; kUnknown
  std::vector<std::uint32_t> real_link_;            // by class, one of it
  std::deque<RouteFigures> figures_;                // each once
  std::vector<const RouteFigures*> alone_figures_;  // by route
};

}  // namespace tutti::inline sim

#include "platforms/simgrid/gpu_netzone.hpp"

#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>

#include <cstdint>
#include <ranges>
#include <utility>
#include <vector>

namespace tutti { inline namespace platforms {

namespace {

namespace s4u = simgrid::s4u;
namespace routing = simgrid::kernel::routing;

class GpuNetzone final : public routing::NetZoneImpl {
 public:
  explicit GpuNetzone(std::shared_ptr<const ClusterPlatform> gpus)
      : NetZoneImpl("gpus"), gpus_(std::move(gpus)) {}

  void create() {
    for (std::uint32_t host = 0; host < gpus_->host_count(); ++host) {
      create_host(gpus_->host_name(host), {gpus_->speed_flops_per_s(host)})
          ->set_core_count(static_cast<int>(gpus_->cores(host)))
          ->seal();
    }
    links_.reserve(gpus_->link_count());
    for (std::uint32_t link = 0; link < gpus_->link_count(); ++link) {
      const ClusterLinkFigures& figures = gpus_->link_figures(link);
      links_.push_back(create_link(gpus_->link_name(link), {figures.bandwidth_bytes_per_s}));
      links_.back()->set_latency(figures.latency_s);
      if (figures.fatpipe) {
        links_.back()->set_sharing_policy(s4u::Link::SharingPolicy::FATPIPE);
      }
      links_.back()->seal();
    }
  }

 private:
  // The hosts are the only vertices of the zone, so that their ids are their numbers. Latencies are
  // summed in the order in which a zone with listed routes sums them (GpuRoutes::latencies()).
  void get_local_route(const routing::NetPoint* src, const routing::NetPoint* dst,
                       routing::Route* into, double* latency) override {
    const std::vector<std::uint32_t> links = gpus_->links_between(
        static_cast<std::uint32_t>(src->id()), static_cast<std::uint32_t>(dst->id()));
    for (const std::uint32_t link : links) {
      into->link_list_.push_back(links_[link]->get_impl());
    }
    for (const std::uint32_t link : std::views::reverse(links)) {
      *latency += links_[link]->get_latency();
    }
  }

  std::shared_ptr<const ClusterPlatform> gpus_;
  std::vector<s4u::Link*> links_;  // by number
};

}  // namespace

void create_gpu_netzone(std::shared_ptr<const ClusterPlatform> gpus) {
  auto* const zone = new GpuNetzone(std::move(gpus));  // SimGrid's engine owns its first zone
  zone->create();
}

}}  // namespace tutti::platforms

#include "platforms/simgrid/simgrid_platform.hpp"

#include <fmt/format.h>
#include <simgrid/s4u.hpp>
#include <sys/mman.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <limits>
#include <unistd.h>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "platforms/cluster_file.hpp"
#include "platforms/crossbar.hpp"
#include "platforms/gpu_file.hpp"
#include "platforms/platform_size.hpp"
#include "platforms/platform_text.hpp"
#include "platforms/simgrid/gpu_netzone.hpp"
#include "platforms/simgrid/link_use.hpp"
#include "platforms/xml_check.hpp"

namespace tutti { inline namespace platforms {

namespace {

namespace s4u = simgrid::s4u;

std::vector<std::string> engine_arguments(const std::string& network_model, Updates updates) {
  // The precision defines which events SimGrid treats as simultaneous; by default, it merges events
  // that are less than 1 ns apart. The log format marks SimGrid's messages, to distinguish them
  // from other output on stderr.
  std::vector<std::string> arguments{"tutti", "--log=root.thresh:critical",
                                     "--log=root.fmt:SimGrid:%m%n", "--cfg=surf/precision:1e-12"};
  if (updates == Updates::full) {
    arguments.emplace_back("--cfg=network/optim:Full");
  }
  if (network_model == "hockney") {
    // CM02 itself sets the latency and bandwidth factors to 1 and weight-S to 0. Two more effects
    // must be disabled: the limit by TCP window and round trip, and the load of 5 % of each flow on
    // the reverse route.
    for (const char* setting :
         {"network/model:CM02", "network/TCP-gamma:0", "network/crosstraffic:0"}) {
      arguments.push_back(std::string("--cfg=") + setting);
    }
  } else if (network_model == "lv08") {
    arguments.emplace_back("--cfg=network/model:LV08");
  } else if (network_model == "smpi") {
    arguments.emplace_back("--cfg=network/model:SMPI");
  } else if (network_model == "ib") {
    arguments.emplace_back("--cfg=network/model:IB");
  } else {
    throw UserError(fmt::format("unknown network model '{}'; expected {}", network_model,
                                fmt::join(network_models(), ", ")));
  }
  return arguments;
}

s4u::Engine* make_engine(const std::string& network_model, Updates updates) {
  std::vector<std::string> arguments = engine_arguments(network_model, updates);
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) {
    argv.push_back(argument.data());
  }
  int argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  auto* engine = new s4u::Engine(&argc, argv.data());
  // Removes SimGrid's handler for Ctrl-C, which would print a report and run exit handlers that
  // this child process inherited by fork.
  std::signal(SIGINT, SIG_DFL);
  return engine;
}

// An anonymous file that exists only while it is open, so that nothing remains after a crash.
class TextAsFile {
 public:
  explicit TextAsFile(const std::string& text) : fd_(memfd_create("tutti-platform", MFD_CLOEXEC)) {
    std::size_t written = 0;
    while (fd_ >= 0 && written < text.size()) {
      const ssize_t count = write(fd_, text.data() + written, text.size() - written);
      if (count <= 0) {
        break;
      }
      written += static_cast<std::size_t>(count);
    }
    if (fd_ < 0 || written < text.size()) {
      throw InvariantError(
          "cannot pass a platform to SimGrid: not enough memory for a temporary file");
    }
  }
  ~TextAsFile() { close(fd_); }
  TextAsFile(const TextAsFile&) = delete;
  TextAsFile& operator=(const TextAsFile&) = delete;

  [[nodiscard]] std::string path() const { return fmt::format("{}{}", kOpenFilesFolder, fd_); }

 private:
  int fd_;
};

// Returns the first line, because SimGrid's error messages are long.
std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

}  // namespace

SimGridPlatform::SimGridPlatform(const PlatformSource& source, const std::string& network_model,
                                 std::function<void(std::string_view)> doing, Updates updates)
    : name_(source.file.empty() ? fmt::format("crossbar:{}", source.crossbar.hosts)
                                : std::filesystem::path(source.file).filename().string()),
      what_(source.file.empty() ? name_ : source.file),
      doing_(doing ? std::move(doing) : [](std::string_view) {}) {
  std::string xml;
  std::shared_ptr<const ClusterPlatform> gpus;  // if the file only describes them
  if (source.file.empty()) {
    xml = crossbar_xml(source.crossbar);
  } else {
    CheckedPlatform checked = check_platform_file(source.file, network_model);
    check_size(checked.xml, source.file);
    if (is_only_description(checked.xml)) {
      gpus = read_cluster_text(checked.xml, source.file);
      check_size(gpus->host_count(), gpus->link_count(), source.file);
    }
    xml = std::move(checked.xml);
    notes_ = std::move(checked.notes);
    unmodelled_ = std::move(checked.unmodelled);
  }
  engine_ = make_engine(network_model, updates);
  // SimGrid does not store the order of the hosts in the file. But while it creates the hosts, it
  // calls this function for each host in that order. When the platform is sealed, SimGrid calls the
  // function again for all hosts, sorted by name.
  s4u::Host::on_creation_cb([this](s4u::Host& host) {
    if (reading_) {
      hosts_.push_back(&host);
    }
  });
  doing_("loading it");
  try {
    if (!source.file.empty()) {
      // SimGrid searches for profiles in the folder of the file.
      const std::filesystem::path folder = std::filesystem::absolute(source.file).parent_path();
      s4u::Engine::set_config("path", folder.string());
    }
    if (gpus != nullptr) {
      create_gpu_netzone(std::move(gpus));
    } else {
      engine_->load_platform(TextAsFile(xml).path());
    }
    reading_ = false;
    engine_->seal_platform();  // some routes exist only after this
  } catch (const UserError&) {
    throw;
  } catch (const std::exception& error) {
    throw UserError(fmt::format("{}: SimGrid cannot load this platform: {}", user_text(what_),
                                with_platform_named(first_line(error.what()), what_)));
  }
  doing_("");
  if (hosts_.size() != engine_->get_host_count()) {
    throw InvariantError(fmt::format("{}: SimGrid reported {} hosts, but has {}", what_,
                                     hosts_.size(), engine_->get_host_count()));
  }
  if (hosts_.empty()) {
    throw UserError(fmt::format("{}: the platform has no hosts", user_text(what_)));
  }
}

// The platform as a PlatformView. The number of a host is its index in hosts_.
class SimGridPlatform::View final : public PlatformView {
 public:
  explicit View(SimGridPlatform& platform, const ClusterPlatform* known_as = nullptr)
      : platform_(platform), known_as_(known_as) {}

  [[nodiscard]] std::string_view name() const override { return platform_.name_; }
  [[nodiscard]] std::string_view path() const override { return platform_.what_; }
  [[nodiscard]] std::uint32_t host_count() const override {
    return static_cast<std::uint32_t>(platform_.hosts_.size());
  }
  [[nodiscard]] std::span<const std::string> notes() const override { return platform_.notes_; }
  [[nodiscard]] std::string host_name(std::uint32_t host) const override {
    return platform_.hosts_[host]->get_name();
  }
  [[nodiscard]] double speed_flops_per_s(std::uint32_t host) const override {
    const double factor = platform_.speed_factors_.empty() ? 1 : platform_.speed_factors_[host];
    return platform_.hosts_[host]->get_speed() * factor;
  }
  [[nodiscard]] std::uint32_t cores(std::uint32_t host) const override {
    return static_cast<std::uint32_t>(platform_.hosts_[host]->get_core_count());
  }

  [[nodiscard]] Route route(std::uint32_t from, std::uint32_t to) const override {
    const Links found = platform_.links_between(platform_.hosts_[from], platform_.hosts_[to]);
    Route result{found.latency_s, std::numeric_limits<double>::infinity()};
    for (const s4u::Link* link : found.links) {
      result.bandwidth_bytes_per_s = std::min(result.bandwidth_bytes_per_s, link->get_bandwidth());
    }
    return result;
  }

  [[nodiscard]] LoopbackRoute own_route(std::uint32_t host) const override {
    const Links found = platform_.links_between(platform_.hosts_[host], platform_.hosts_[host]);
    LoopbackRoute result;
    result.latency_s = found.latency_s;
    for (const s4u::Link* link : found.links) {
      result.links.push_back(link->get_name());
    }
    if (!found.links.empty()) {
      result.first_bandwidth_bytes_per_s = found.links[0]->get_bandwidth();
    }
    return result;
  }

  void scale_links(double slower, double narrower) override {
    for (s4u::Link* link : platform_.engine_->get_all_links()) {
      if (slower != 1) {
        link->set_latency(link->get_latency() * slower);
      }
      if (narrower != 1) {
        link->set_bandwidth(link->get_bandwidth() / narrower);
      }
    }
  }

  void change(const PlatformChanges& changes, std::span<const std::uint32_t> hosts) override {
    std::vector<s4u::Link*> links = platform_.engine_->get_all_links();
    // SimGrid adds a link "__loopback__" from each host to itself, which is not in the XML.
    std::erase_if(links, [](const s4u::Link* link) { return link->get_name() == "__loopback__"; });
    if (known_as_ != nullptr) {
      links.clear();
      for (std::uint32_t link = 0; link < known_as_->changeable_links(); ++link) {
        links.push_back(s4u::Link::by_name(known_as_->link_name_in_simgrid(link)));
      }
    }
    if (!changes.links.empty() || !changes.hosts.empty()) {
      ChangeFactors factors = known_as_ != nullptr ? known_as_->factors_of(changes)
                                                   : factors_by_use(changes, links, hosts);
      for (std::size_t i = 0; i < links.size(); ++i) {
        if (const double factor = factors.of_link[i].latency; factor != 1) {
          links[i]->set_latency(links[i]->get_latency() * factor);
        }
        if (const double factor = factors.of_link[i].bandwidth; factor != 1) {
          links[i]->set_bandwidth(links[i]->get_bandwidth() * factor);
        }
      }
      platform_.speed_factors_ = std::move(factors.of_host);
    }
    if (changes.unshared) {
      for (s4u::Link* link : links) {
        link->set_sharing_policy(s4u::Link::SharingPolicy::FATPIPE);
      }
    }
  }

 private:
  // Returns the factors for a platform of which only the routes between hosts in use are known.
  [[nodiscard]] ChangeFactors factors_by_use(const PlatformChanges& changes,
                                             const std::vector<s4u::Link*>& links,
                                             std::span<const std::uint32_t> hosts) const {
    const LinkUse use(platform_, hosts);
    return factors_of(
        changes,
        {.path = platform_.what_,
         .links = static_cast<std::uint32_t>(links.size()),
         .hosts = hosts.back() + 1,
         .link_name = [&](std::uint32_t link) { return links[link]->get_name(); },
         .link_place = [&](std::uint32_t link) { return use.place_of(links[link]); },
         .host_name = [&](std::uint32_t host) { return platform_.hosts_[host]->get_name(); },
         .links_of_host =
             [&](std::uint32_t host) {
               std::vector<std::uint32_t> own;
               for (std::uint32_t link = 0; link < links.size(); ++link) {
                 if (use.is_of_host(links[link], host)) {
                   own.push_back(link);
                 }
               }
               return own;
             }});
  }

  SimGridPlatform& platform_;
  const ClusterPlatform* known_as_;
};

std::vector<std::string> SimGridPlatform::host_names() const {
  std::vector<std::string> names;
  names.reserve(hosts_.size());
  for (const s4u::Host* host : hosts_) {
    names.push_back(host->get_name());
  }
  return names;
}

RankHosts SimGridPlatform::place(const Mapping& mapping, const PriceOverrides& overrides,
                                 std::uint32_t element_bytes, const PlatformChanges& changes,
                                 const ClusterPlatform* known_as) {
  View view(*this, known_as);
  RankPlaces places = place_ranks(view, mapping, overrides, element_bytes, changes);
  RankHosts result;
  result.host_of_rank.reserve(places.host_of_rank.size());
  for (const std::uint32_t host : places.host_of_rank) {
    result.host_of_rank.push_back(hosts_[host]);
    if (!speed_factors_.empty()) {
      result.speed_factors.push_back(speed_factors_[host]);
    }
  }
  result.number_of_rank_host = std::move(places.host_of_rank);
  result.hosts_in_use = hosts_in_use(mapping);
  result.may_change = !unmodelled_.empty();
  result.facts = std::move(places.facts);
  result.flops_per_byte = places.flops_per_byte;
  result.free_transfers = places.free_transfers;
  return result;
}

SimGridPlatform::Links SimGridPlatform::links_between(const s4u::Host* from,
                                                      const s4u::Host* to) const {
  // SimGrid may end the process in the following calls if there is no such route.
  doing_(
      fmt::format("looking for a route from host {} to host {}", from->get_name(), to->get_name()));
  Links result;
  try {
    from->route_to(to, result.links, &result.latency_s);
  } catch (const std::exception& error) {
    throw UserError(fmt::format("{}: there is no route from host {} to host {} ({})",
                                user_text(what_), from->get_name(), to->get_name(),
                                first_line(error.what())));
  }
  doing_("");
  if (result.links.empty() && result.latency_s == 0) {
    refuse_missing_route(what_, from->get_name(), to->get_name());
  }
  return result;
}

void SimGridPlatform::check_routes(
    const RankHosts& hosts,
    std::span<const std::pair<std::uint32_t, std::uint32_t>> rank_pairs) const {
  for (const auto& [src, dst] : rank_pairs) {
    (void)links_between(hosts.host_of_rank[src], hosts.host_of_rank[dst]);
  }
}

}}  // namespace tutti::platforms

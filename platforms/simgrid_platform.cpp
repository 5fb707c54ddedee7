#include "platforms/simgrid_platform.hpp"

#include <fmt/format.h>
#include <simgrid/s4u.hpp>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <limits>
#include <unistd.h>

#include "platforms/crossbar.hpp"
#include "platforms/xml_check.hpp"
#include "schedules/error.hpp"

namespace tutti {

namespace {

namespace s4u = simgrid::s4u;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::uint32_t kAllPairsUpToHosts = 64;
constexpr std::string_view kOpenFiles = "/proc/self/fd/";

constexpr std::array<std::string_view, 4> kNetworkModels{"hockney", "lv08", "smpi", "ib"};

std::vector<std::string> engine_arguments(const std::string& network_model, Updates updates) {
  // The precision is SimGrid's idea of one instant; by default it merges events closer than 1 ns.
  // Messages are marked, so that they can be told from what else may be on stderr.
  std::vector<std::string> arguments{"tutti", "--log=root.thresh:critical",
                                     "--log=root.fmt:SimGrid:%m%n", "--cfg=surf/precision:1e-12"};
  if (updates == Updates::full) {
    arguments.emplace_back("--cfg=network/optim:Full");
  }
  if (network_model == "hockney") {
    // CM02 sets its latency and bandwidth factors to 1 and its weight-S to 0 itself. What remains
    // are the limit by TCP window and round trip, and 5 % of each flow against its direction.
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
    throw UserError(fmt::format("unknown network model '{}'; there are {}", network_model,
                                fmt::join(kNetworkModels, ", ")));
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
  // SimGrid's own handler for Ctrl-C prints a report and runs the exit handlers of a fork.
  std::signal(SIGINT, SIG_DFL);
  return engine;
}

// A file that exists only while it is open: nothing to clean up, whatever happens.
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
      throw InvariantError("cannot hand a platform to SimGrid: no memory for a temporary file");
    }
  }
  ~TextAsFile() { close(fd_); }
  TextAsFile(const TextAsFile&) = delete;
  TextAsFile& operator=(const TextAsFile&) = delete;

  [[nodiscard]] std::string path() const { return fmt::format("{}{}", kOpenFiles, fd_); }

 private:
  int fd_;
};

// SimGrid likes to explain at length.
std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

void check_price(const char* option, const std::optional<double>& price) {
  if (price && !(std::isfinite(*price) && *price >= 0)) {
    throw UserError(
        fmt::format("{} {}: a finite number that is not negative is needed", option, *price));
  }
}

}  // namespace

std::span<const std::string_view> network_models() { return kNetworkModels; }

std::string with_platform_named(std::string text, const std::string& platform) {
  for (std::size_t at = text.find(kOpenFiles); at != std::string::npos;
       at = text.find(kOpenFiles, at + platform.size())) {
    const std::size_t end = text.find_first_not_of("0123456789", at + kOpenFiles.size());
    text.replace(at, std::min(end, text.size()) - at, platform);
  }
  return text;
}

SimGridPlatform::SimGridPlatform(const PlatformSource& source, const std::string& network_model,
                                 std::function<void(std::string_view)> doing, Updates updates)
    : name_(source.file.empty() ? fmt::format("crossbar:{}", source.crossbar.hosts)
                                : std::filesystem::path(source.file).filename().string()),
      what_(source.file.empty() ? name_ : source.file),
      doing_(doing ? std::move(doing) : [](std::string_view) {}) {
  const std::string xml =
      source.file.empty() ? crossbar_xml(source.crossbar) : check_platform_file(source.file);
  engine_ = make_engine(network_model, updates);
  // While SimGrid reads the XML it tells of each host in turn; it keeps them by name only. Sealing
  // the platform tells of them all again, sorted by name.
  s4u::Host::on_creation_cb([this](s4u::Host& host) {
    if (reading_) {
      hosts_.push_back(&host);
    }
  });
  doing_("loading it");
  try {
    if (!source.file.empty()) {
      // Where the profiles are that it may name.
      const std::filesystem::path folder = std::filesystem::absolute(source.file).parent_path();
      s4u::Engine::set_config("path", folder.string());
    }
    engine_->load_platform(TextAsFile(xml).path());
    reading_ = false;
    engine_->seal_platform();  // some routes exist only from here on
  } catch (const UserError&) {
    throw;
  } catch (const std::exception& error) {
    throw UserError(fmt::format("{}: SimGrid cannot load it: {}", what_,
                                with_platform_named(first_line(error.what()), what_)));
  }
  doing_("");
  if (hosts_.size() != engine_->get_host_count()) {
    throw InvariantError(fmt::format("{}: SimGrid told of {} hosts and has {}", what_,
                                     hosts_.size(), engine_->get_host_count()));
  }
  if (hosts_.empty()) {
    throw UserError(fmt::format("{}: the platform has no hosts", what_));
  }
}

RankHosts SimGridPlatform::place(const Mapping& mapping, const PriceOverrides& overrides,
                                 std::uint32_t element_bytes) {
  check_price("--alpha", overrides.alpha_s);
  check_price("--beta", overrides.beta_s_per_byte);
  check_price("--gamma", overrides.gamma_s_per_byte);
  const std::uint32_t per_host = std::max<std::uint32_t>(mapping.ranks_per_host, 1);
  const std::uint64_t capacity = std::uint64_t{per_host} * hosts_.size();
  if (mapping.ranks > capacity) {
    throw UserError(fmt::format(
        "{} ranks do not fit on the {} host{} of {} with {} rank{} per host; --ranks-per-host {} "
        "would do",
        mapping.ranks, hosts_.size(), hosts_.size() == 1 ? "" : "s", what_, per_host,
        per_host == 1 ? "" : "s", (mapping.ranks + hosts_.size() - 1) / hosts_.size()));
  }

  RankHosts result;
  const std::uint32_t used = mapping.ranks / per_host + (mapping.ranks % per_host != 0 ? 1 : 0);
  for (std::uint32_t rank = 0; rank < mapping.ranks; ++rank) {
    result.host_of_rank.push_back(
        hosts_[mapping.placement == Placement::block ? rank / per_host : rank % used]);
  }
  const std::span<s4u::Host* const> hosts(hosts_.data(), used);

  PlatformFacts& facts = result.facts;
  facts.name = name_;
  facts.hosts = static_cast<std::uint32_t>(hosts_.size());
  facts.hosts_used = used;
  if (mapping.ranks > used) {
    describe_shared_hosts(hosts, facts);
  }
  describe_routes(hosts, mapping.ranks, facts);
  if (overrides.alpha_s || overrides.beta_s_per_byte) {
    scale_links(overrides, facts);
  }
  result.free_transfers = overrides.beta_s_per_byte && *overrides.beta_s_per_byte == 0;

  facts.speed_flops_per_s = kInfinity;
  for (const s4u::Host* host : hosts) {
    facts.speed_flops_per_s = std::min(facts.speed_flops_per_s, host->get_speed());
    facts.fastest_speed_flops_per_s = std::max(facts.fastest_speed_flops_per_s, host->get_speed());
  }
  result.flops_per_byte = 1.0 / element_bytes;
  if (overrides.gamma_s_per_byte) {
    // The host that was the slowest now takes gamma per byte, the others keep their ratio to it.
    const double slower =
        *overrides.gamma_s_per_byte * facts.speed_flops_per_s / result.flops_per_byte;
    result.flops_per_byte = *overrides.gamma_s_per_byte * facts.speed_flops_per_s;
    facts.speed_flops_per_s = slower == 0 ? kInfinity : facts.speed_flops_per_s / slower;
    facts.fastest_speed_flops_per_s =
        slower == 0 ? kInfinity : facts.fastest_speed_flops_per_s / slower;
  }
  return result;
}

SimGridPlatform::Links SimGridPlatform::links_between(const s4u::Host* from,
                                                      const s4u::Host* to) const {
  // A platform without such a route may end the process right here.
  doing_(
      fmt::format("looking for a route from host {} to host {}", from->get_name(), to->get_name()));
  Links result;
  try {
    from->route_to(to, result.links, &result.latency_s);
  } catch (const std::exception& error) {
    throw UserError(fmt::format("{}: there is no route from host {} to host {} ({})", what_,
                                from->get_name(), to->get_name(), first_line(error.what())));
  }
  doing_("");
  if (result.links.empty() && result.latency_s == 0) {
    if (from == to) {
      throw UserError(fmt::format(
          "{}: host {} has no way to itself, which two ranks on one host need: give its cluster "
          "loopback_bw and loopback_lat, or one host to each rank",
          what_, from->get_name()));
    }
    throw UserError(fmt::format("{}: there is no route from host {} to host {}", what_,
                                from->get_name(), to->get_name()));
  }
  return result;
}

SimGridPlatform::Route SimGridPlatform::route(const s4u::Host* from, const s4u::Host* to) const {
  const Links found = links_between(from, to);
  Route result{found.latency_s, kInfinity};
  for (const s4u::Link* link : found.links) {
    result.bandwidth_bytes_per_s = std::min(result.bandwidth_bytes_per_s, link->get_bandwidth());
  }
  return result;
}

void SimGridPlatform::describe_routes(std::span<s4u::Host* const> used, std::uint32_t ranks,
                                      PlatformFacts& facts) const {
  facts.routes_looked_at = 0;
  facts.fastest_latency_s = facts.bandwidth_bytes_per_s = kInfinity;
  facts.latency_s = facts.widest_bandwidth_bytes_per_s = 0;
  const auto look = [&](const s4u::Host* from, const s4u::Host* to) {
    const Route found = route(from, to);
    ++facts.routes_looked_at;
    facts.latency_s = std::max(facts.latency_s, found.latency_s);
    facts.fastest_latency_s = std::min(facts.fastest_latency_s, found.latency_s);
    facts.bandwidth_bytes_per_s =
        std::min(facts.bandwidth_bytes_per_s, found.bandwidth_bytes_per_s);
    facts.widest_bandwidth_bytes_per_s =
        std::max(facts.widest_bandwidth_bytes_per_s, found.bandwidth_bytes_per_s);
  };
  const std::size_t count = used.size();
  if (count <= kAllPairsUpToHosts) {
    for (const s4u::Host* from : used) {
      for (const s4u::Host* to : used) {
        if (from != to) {
          look(from, to);
        }
      }
    }
  } else {
    // From the first, to the neighbour, and half way round: what lies near and what lies far.
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) {
        look(used[0], used[i]);
      }
      look(used[i], used[(i + 1) % count]);
      look(used[i], used[(i + count / 2) % count]);
    }
  }
  if (count == 1 && ranks > 1) {
    look(used[0], used[0]);
  } else if (count == 1 && hosts_.size() > 1) {
    look(hosts_[0], hosts_[1]);  // no message will be sent; this is what one would take
  } else if (facts.routes_looked_at == 0) {
    facts.fastest_latency_s = 0;
    facts.widest_bandwidth_bytes_per_s = kInfinity;
  }
}

void SimGridPlatform::describe_shared_hosts(std::span<s4u::Host* const> used,
                                            PlatformFacts& facts) const {
  for (const s4u::Host* host : used) {
    (void)route(host, host);
  }
  double latency_s = 0;
  std::vector<s4u::Link*> links;
  used[0]->route_to(used[0], links, &latency_s);
  const auto named = [&](std::string_view part) {
    return std::any_of(links.begin(), links.end(), [&](const s4u::Link* link) {
      return link->get_name().find(part) != std::string::npos;
    });
  };
  if (named("__loopback__")) {
    facts.notes.push_back(fmt::format(
        "two ranks on one host talk through SimGrid's own loopback of {:g} GB/s and {:g} us, since "
        "the platform gives none",
        links[0]->get_bandwidth() / 1e9, latency_s * 1e6));
  } else if (!named("loopback")) {
    facts.notes.emplace_back(
        "two ranks on one host talk through its network link and back, since the platform gives "
        "no loopback");
  }
}

void SimGridPlatform::scale_links(const PriceOverrides& overrides, PlatformFacts& facts) {
  const auto ratio = [&](const std::optional<double>& wanted, double present, const char* what) {
    if (!wanted || *wanted == present || facts.routes_looked_at == 0) {
      return 1.0;
    }
    if (present == 0) {
      throw UserError(
          fmt::format("{}: {} cannot be scaled, because its routes have none", what_, what));
    }
    return *wanted / present;
  };
  const double slower = ratio(overrides.alpha_s, facts.latency_s, "the latency (--alpha)");
  const bool narrow = overrides.beta_s_per_byte && *overrides.beta_s_per_byte > 0;
  const double narrower = narrow && facts.routes_looked_at > 0
                              ? *overrides.beta_s_per_byte * facts.bandwidth_bytes_per_s
                              : 1.0;
  if (!std::isfinite(narrower)) {
    throw UserError(
        fmt::format("{}: the bandwidth (--beta) cannot be scaled, because its routes "
                    "have no links",
                    what_));
  }
  for (s4u::Link* link : engine_->get_all_links()) {
    if (slower != 1) {
      link->set_latency(link->get_latency() * slower);
    }
    if (narrower != 1) {
      link->set_bandwidth(link->get_bandwidth() / narrower);
    }
  }
  facts.latency_s = overrides.alpha_s.value_or(facts.latency_s);
  facts.fastest_latency_s *= slower;
  if (overrides.beta_s_per_byte) {
    facts.bandwidth_bytes_per_s = narrow ? 1 / *overrides.beta_s_per_byte : kInfinity;
    facts.widest_bandwidth_bytes_per_s =
        narrow ? facts.widest_bandwidth_bytes_per_s / narrower : kInfinity;
  }
}

void SimGridPlatform::check_routes(
    const RankHosts& hosts,
    std::span<const std::pair<std::uint32_t, std::uint32_t>> rank_pairs) const {
  for (const auto& [src, dst] : rank_pairs) {
    (void)route(hosts.host_of_rank[src], hosts.host_of_rank[dst]);
  }
}

}  // namespace tutti

#include "platforms/route_set.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "base/error.hpp"

namespace tutti { inline namespace platforms {

namespace {

constexpr std::uint32_t kNoHost = 0xffffffffU;
constexpr std::uint32_t kSeveralHosts = 0xfffffffeU;

// The routes from one host, by destination. The route of the host to itself may be missing.
struct RoutesOfHost {
  HopLists hops;
  std::vector<std::uint32_t> figures;
};

std::size_t common_beginning(std::span<const Hop> a, std::span<const Hop> b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

std::size_t common_end(std::span<const Hop> a, std::span<const Hop> b) {
  const auto at = std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend()).first;
  return static_cast<std::size_t>(at - a.rbegin());
}

class RouteSetMaker {
 public:
  RouteSetMaker(const Network& network,
                const std::function<NetworkRoute(std::uint32_t, std::uint32_t)>& route,
                const std::vector<bool>& own_route)
      : network_(network), route_(route), own_route_(own_route), hosts_(network.hosts()) {}

  std::optional<RouteSet> make(std::size_t most_bytes) {
    constexpr std::uint32_t kFirstRows = 3;  // two sources for the last hops of each host
    std::vector<RoutesOfHost> first_rows;
    while (first_rows.size() < std::min(hosts_, kFirstRows)) {
      first_rows.push_back(routes_from(static_cast<std::uint32_t>(first_rows.size())));
    }
    find_last_hops(first_rows);
    most_used_.resize(hosts_);
    for (std::uint32_t from = 0; from < hosts_; ++from) {
      add(from, from < first_rows.size() ? first_rows[from] : routes_from(from));
      if (set_.bytes() > most_bytes) {
        return std::nullopt;
      }
    }
    cut_last_hops();
    for (std::uint32_t host = 0; host < hosts_; ++host) {
      set_.hosts.push_back(network_.host(host));
    }
    set_.links = network_.links();
    for (std::uint32_t link = 0; link < set_.links.size(); ++link) {
      set_.link_names.push_back(network_.link_name(link));
    }
    return std::move(set_);
  }

 private:
  RoutesOfHost routes_from(std::uint32_t from) {
    RoutesOfHost routes;
    for (std::uint32_t to = 0; to < hosts_; ++to) {
      if (from == to && !own_route_[from]) {
        routes.hops.add({});
        routes.figures.push_back(RouteSet::kNoForm);
        continue;
      }
      const NetworkRoute route = route_(from, to);
      routes.hops.add(route.hops);
      const auto [at, is_new] = number_of_figures_.try_emplace(
          route.figures, static_cast<std::uint32_t>(set_.figures.size()));
      if (is_new) {
        set_.figures.push_back(*route.figures);
      }
      routes.figures.push_back(at->second);
    }
    return routes;
  }

  // The last hops of a host are those that its routes from two other hosts have in common.
  void find_last_hops(const std::vector<RoutesOfHost>& first_rows) {
    for (std::uint32_t to = 0; to < hosts_; ++to) {
      std::optional<std::span<const Hop>> last;
      for (std::uint32_t from = 0; from < first_rows.size(); ++from) {
        if (from == to) {
          continue;
        }
        const std::span<const Hop> hops = first_rows[from].hops[to];
        last = last ? last->last(common_end(*last, hops)) : hops;
      }
      set_.last_hops.add(last.value_or(std::span<const Hop>()));
    }
  }

  // Adds the routes of a host, as a row of forms.
  void add(std::uint32_t from, const RoutesOfHost& routes) {
    std::optional<std::span<const Hop>> first;
    for (std::uint32_t to = 0; to < hosts_; ++to) {
      if (to != from) {
        first = first ? first->first(common_beginning(*first, routes.hops[to])) : routes.hops[to];
      }
    }
    const std::span<const Hop> beginning = first.value_or(std::span<const Hop>());
    set_.first_hops.add(beginning);
    row_.clear();
    for (std::uint32_t to = 0; to < hosts_; ++to) {
      row_.push_back(to == from ? RouteSet::kNoForm : form_of(routes, to, beginning.size()));
    }
    set_.own_forms.push_back(own_route_[from]
                                 ? form_of({routes.figures[from], 0, 0}, routes.hops[from])
                                 : RouteSet::kNoForm);
    set_.row_of_host.push_back(row_number(from));
  }

  std::uint32_t form_of(const RoutesOfHost& routes, std::uint32_t to, std::size_t begun) {
    const std::span<const Hop> hops = routes.hops[to].subspan(begun);
    const auto last = static_cast<std::uint32_t>(common_end(hops, set_.last_hops[to]));
    most_used_[to] = std::max(most_used_[to], last);
    return form_of({routes.figures[to], 0, last}, hops.first(hops.size() - last));
  }

  // Returns the number of a form. Each form is kept once.
  std::uint32_t form_of(RouteSet::Form form, std::span<const Hop> hops) {
    std::size_t key = form.figures * std::size_t{31} + form.last_hops;
    for (const Hop hop : hops) {
      key = (key ^ hop.link()) * 0x9e3779b97f4a7c15U + hop.forward() * std::size_t{64} +
            hop.backward();
      key ^= key >> 29U;
    }
    for (auto [at, end] = forms_by_key_.equal_range(key); at != end; ++at) {
      const RouteSet::Form& known = set_.forms[at->second];
      if (known.figures == form.figures && known.last_hops == form.last_hops &&
          std::ranges::equal(set_.hops_of_forms[known.hops], hops)) {
        return at->second;
      }
    }
    form.hops = static_cast<std::uint32_t>(set_.hops_of_forms.size());
    set_.hops_of_forms.add(hops);
    const auto number = static_cast<std::uint32_t>(set_.forms.size());
    set_.forms.push_back(form);
    forms_by_key_.emplace(key, number);
    return number;
  }

  // Returns the number of a row that equals row_. A row has no form at its own host until a second
  // host uses it.
  std::uint32_t row_number(std::uint32_t from) {
    for (std::uint32_t row = 0; row < first_of_row_.size(); ++row) {
      std::uint32_t* const known = &set_.forms_of_rows[std::size_t{row} * hosts_];
      const std::uint32_t first = first_of_row_[row];
      const auto equals = [&](std::uint32_t to) {
        return to == from || known[to] == row_[to] ||
               (to == first && known[to] == RouteSet::kNoForm);
      };
      std::uint32_t to = 0;
      while (to < hosts_ && equals(to)) {
        ++to;
      }
      if (to == hosts_) {
        known[first] = row_[first];
        return row;
      }
    }
    first_of_row_.push_back(from);
    set_.forms_of_rows.insert(set_.forms_of_rows.end(), row_.begin(), row_.end());
    return static_cast<std::uint32_t>(first_of_row_.size() - 1);
  }

  // Removes what no route uses from the last hops.
  void cut_last_hops() {
    HopLists used;
    for (std::uint32_t host = 0; host < hosts_; ++host) {
      used.add(set_.last_hops[host].last(most_used_[host]));
    }
    set_.last_hops = std::move(used);
  }

  const Network& network_;
  const std::function<NetworkRoute(std::uint32_t, std::uint32_t)>& route_;
  const std::vector<bool>& own_route_;
  std::uint32_t hosts_;
  RouteSet set_;
  std::unordered_map<const RouteFigures*, std::uint32_t> number_of_figures_;
  std::unordered_multimap<std::size_t, std::uint32_t> forms_by_key_;
  std::vector<std::uint32_t> first_of_row_;  // first host that uses the row
  std::vector<std::uint32_t> most_used_;     // by host: most of its last hops in any route
  std::vector<std::uint32_t> row_;           // scratch
};

// Compares the hosts of a set of routes as Network::alike_hosts() defines.
class HostComparison {
 public:
  explicit HostComparison(const RouteSet& set)
      : set_(set), hosts_(static_cast<std::uint32_t>(set.hosts.size())), owner_(set.links.size()) {
    std::ranges::fill(owner_, kNoHost);
    for (std::uint32_t host = 0; host < hosts_; ++host) {
      own(set.first_hops[host], host);
      own(set.last_hops[host], host);
      if (set.own_forms[host] != RouteSet::kNoForm) {
        own(set.hops_of_forms[set.forms[set.own_forms[host]].hops], host);
      }
    }
    for (const std::uint32_t form : set.forms_of_rows) {
      if (form != RouteSet::kNoForm) {
        own(set.hops_of_forms[set.forms[form].hops], kSeveralHosts);
      }
    }
  }

  // True if the first and the last link of the host's routes are its own.
  [[nodiscard]] bool has_own_links(std::uint32_t host) const {
    const auto first = set_.first_hops[host];
    const auto last = set_.last_hops[host];
    return !first.empty() && !last.empty() && owner_[first.front().link()] == host &&
           owner_[last.back().link()] == host && all_rows([&](const std::uint32_t* row) {
             return row[host] == RouteSet::kNoForm || set_.forms[row[host]].last_hops > 0;
           });
  }

  // Both hosts must have links of their own.
  [[nodiscard]] bool alike(std::uint32_t a, std::uint32_t b) const {
    const auto first_a = set_.first_hops[a];
    const auto first_b = set_.first_hops[b];
    const auto last_a = set_.last_hops[a];
    const auto last_b = set_.last_hops[b];
    return set_.row_of_host[a] == set_.row_of_host[b] && alike_own_routes(a, b) &&
           like(first_a.front(), first_b.front()) && like(last_a.back(), last_b.back()) &&
           std::ranges::equal(first_a.subspan(1), first_b.subspan(1)) &&
           std::ranges::equal(last_a.first(last_a.size() - 1), last_b.first(last_b.size() - 1)) &&
           all_rows([&](const std::uint32_t* row) { return row[a] == row[b]; });
  }

 private:
  void own(std::span<const Hop> hops, std::uint32_t host) {
    for (const Hop hop : hops) {
      std::uint32_t& owner = owner_[hop.link()];
      owner = owner == kNoHost || owner == host ? host : kSeveralHosts;
    }
  }
  // Equal figures do not suffice: of two links of a route with the same rate, one may be a fat
  // pipe.
  [[nodiscard]] bool alike_own_routes(std::uint32_t a, std::uint32_t b) const {
    const std::uint32_t form_a = set_.own_forms[a];
    const std::uint32_t form_b = set_.own_forms[b];
    if (form_a == RouteSet::kNoForm || form_b == RouteSet::kNoForm) {
      return form_a == form_b;
    }
    const auto hops_of = [this](std::uint32_t form) -> std::span<const Hop> {
      return set_.hops_of_forms[set_.forms[form].hops];
    };
    return set_.forms[form_a].figures == set_.forms[form_b].figures &&
           std::ranges::equal(hops_of(form_a), hops_of(form_b),
                              [this](Hop one, Hop other) { return like(one, other); });
  }
  [[nodiscard]] bool like(Hop a, Hop b) const {
    const NetworkLink& one = set_.links[a.link()];
    const NetworkLink& other = set_.links[b.link()];
    return a.forward() == b.forward() && a.backward() == b.backward() &&
           one.capacity_bytes_per_s == other.capacity_bytes_per_s && one.fatpipe == other.fatpipe;
  }
  template <typename Test>
  [[nodiscard]] bool all_rows(const Test& test) const {
    for (std::size_t at = 0; at < set_.forms_of_rows.size(); at += hosts_) {
      if (!test(&set_.forms_of_rows[at])) {
        return false;
      }
    }
    return true;
  }

  const RouteSet& set_;
  std::uint32_t hosts_;
  std::vector<std::uint32_t> owner_;  // by link
};

}  // namespace

std::size_t RouteSet::bytes() const {
  return (forms_of_rows.size() + hops_of_forms.size()) * sizeof(std::uint32_t) +
         forms.size() * sizeof(Form) +
         (first_hops.hops.size() + last_hops.hops.size() + hops_of_forms.hops.size()) * sizeof(Hop);
}

bool RouteSet::has_routes(const std::vector<std::uint32_t>& host_of_rank) const {
  std::unordered_map<std::uint32_t, std::uint32_t> ranks_of_number;
  for (const std::uint32_t number : host_of_rank) {
    ++ranks_of_number[number];
  }
  std::size_t found = 0;
  for (std::uint32_t host = 0; host < numbers.size(); ++host) {
    const auto at = ranks_of_number.find(numbers[host]);
    found += at != ranks_of_number.end() && (at->second == 1 || own_forms[host] != kNoForm) ? 1 : 0;
  }
  return found == ranks_of_number.size();
}

std::optional<RouteSet> route_set_of(
    const Network& network,
    const std::function<NetworkRoute(std::uint32_t from, std::uint32_t to)>& route,
    const std::vector<bool>& own_route, std::size_t most_bytes) {
  return RouteSetMaker(network, route, own_route).make(most_bytes);
}

RouteSetNetwork::RouteSetNetwork(std::shared_ptr<const RouteSet> set) : set_(std::move(set)) {
  links_ = set_->links;
  index_of_number_.assign(*std::ranges::max_element(set_->numbers) + 1, kNoHost);
  for (std::uint32_t host = 0; host < set_->numbers.size(); ++host) {
    index_of_number_[set_->numbers[host]] = host;
  }
}

NetworkHost RouteSetNetwork::host(std::uint32_t number) const {
  TUTTI_INVARIANT(index_of_number_[number] != kNoHost);
  return set_->hosts[index_of_number_[number]];
}

std::vector<std::uint32_t> RouteSetNetwork::alike_hosts() const {
  std::vector<std::uint32_t> alike = Network::alike_hosts();
  const HostComparison compared(*set_);
  std::vector<std::vector<std::uint32_t>> firsts(set_->hosts.size());  // by row
  for (std::uint32_t host = 0; host < set_->hosts.size(); ++host) {
    if (!compared.has_own_links(host)) {
      continue;
    }
    std::vector<std::uint32_t>& known = firsts[set_->row_of_host[host]];
    const auto first = std::ranges::find_if(
        known, [&](std::uint32_t other) { return compared.alike(other, host); });
    if (first == known.end()) {
      known.push_back(host);
    } else {
      alike[set_->numbers[host]] = set_->numbers[*first];
    }
  }
  return alike;
}

LinkPlace RouteSetNetwork::link_place(std::uint32_t link) {
  std::vector<std::uint32_t> numbers = set_->numbers;
  std::ranges::sort(numbers);
  if (!pairs_ && numbers.size() <= kMostHostsOfPlaces) {
    pairs_.emplace(links_.size(), [&](const auto& add) {
      for (const std::uint32_t from : numbers) {
        for (const std::uint32_t to : numbers) {
          if (from == to && set_->own_forms[index_of_number_[from]] == RouteSet::kNoForm) {
            continue;
          }
          for (const Hop hop : find_route(from, to).hops) {
            add(hop.link(), Pair(from, to));
          }
        }
      }
    });
  }
  std::vector<Pair> pairs;
  if (pairs_) {
    const auto found = (*pairs_)[link];
    pairs.assign(found.begin(), found.end());
  }
  return place_by_name(set_->link_names[link], std::move(pairs), numbers);
}

NetworkRoute RouteSetNetwork::find_route(std::uint32_t from, std::uint32_t to) {
  const std::uint32_t source = index_of_number_[from];
  const std::uint32_t target = index_of_number_[to];
  TUTTI_INVARIANT(source != kNoHost && target != kNoHost);
  const std::uint32_t number = set_->form_between(source, target);
  TUTTI_INVARIANT(number != RouteSet::kNoForm);
  const RouteSet::Form& form = set_->forms[number];
  hops_of_route_.clear();
  const auto append = [this](std::span<const Hop> hops) {
    hops_of_route_.insert(hops_of_route_.end(), hops.begin(), hops.end());
  };
  if (source != target) {
    append(set_->first_hops[source]);
  }
  append(set_->hops_of_forms[form.hops]);
  append(set_->last_hops[target].last(form.last_hops));
  return {&set_->figures[form.figures], hops_of_route_};
}

}}  // namespace tutti::platforms

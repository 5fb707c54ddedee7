#include "platforms/cards.hpp"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "platforms/cluster_file.hpp"
#include "platforms/cluster_platform.hpp"

namespace tutti { inline namespace platforms {

namespace {

class CardsWriter {
 public:
  CardsWriter(const ClusterPlatform& network, const Cards& cards)
      : network_(network), cards_(cards), hosts_(network.host_count() / cards.of_host) {
    for (std::uint32_t link = 0; link < network.link_count(); ++link) {
      names_.push_back(fmt::format("l{}", link));
    }
    for (std::uint32_t end = 0; end < network.host_count(); ++end) {
      const std::uint32_t other = end == 0 ? 1 : 0;
      name_own(network.links_between(end, other).front(), end, "up");
      name_own(network.links_between(other, end).back(), end, "down");
    }
  }

  std::string write() {
    for_each_part([this](std::uint32_t host, std::uint32_t card) {
      const NetworkHost figures = network_.host(end_of(host, card));
      text_ += fmt::format("    <host id=\"{}\" speed=\"{}\" core=\"{}\"/>\n", part(host, card),
                           speed_text(figures.speed_flops_per_s), figures.cores);
    });
    for (std::uint32_t link = 0; link < network_.link_count(); ++link) {
      const ClusterLinkFigures& figures = network_.link_figures(link);
      add_link(names_[link], figures.bandwidth_bytes_per_s, figures.latency_s, figures.fatpipe);
    }
    for (std::uint32_t host = 0; host < hosts_; ++host) {
      add_link(memory(host), cards_.memory.bandwidth_bytes_per_s, cards_.memory.latency_s, true);
    }
    for_each_part([this](std::uint32_t host, std::uint32_t card) {
      for_each_part([&](std::uint32_t to_host, std::uint32_t to_card) {
        add_route(host, card, to_host, to_card);
      });
    });
    return std::move(text_);
  }

 private:
  static std::string part(std::uint32_t host, std::uint32_t card) {
    return fmt::format("node-{}-{}", host, card);
  }
  static std::string memory(std::uint32_t host) {
    return fmt::format("node-{}_memory_loopback", host);
  }

  // Returns the host of the network that is this card.
  [[nodiscard]] std::uint32_t end_of(std::uint32_t host, std::uint32_t card) const {
    return cards_.rails ? card * hosts_ + host : host * cards_.of_host + card;
  }

  // Names the cable between a card and its switch after the card.
  void name_own(std::uint32_t link, std::uint32_t end, std::string_view direction) {
    if (network_.link_place(link).group == kHostLinks) {
      const std::uint32_t host = cards_.rails ? end % hosts_ : end / cards_.of_host;
      const std::uint32_t card = cards_.rails ? end / hosts_ : end % cards_.of_host;
      names_[link] = fmt::format("{}_{}", part(host, card), direction);
    }
  }

  template <typename Look>
  void for_each_part(Look&& look) const {
    for (std::uint32_t host = 0; host < hosts_; ++host) {
      for (std::uint32_t card = 0; card < cards_.of_host; ++card) {
        look(host, card);
      }
    }
  }

  void add_link(const std::string& id, double bytes_per_s, double latency_s, bool fatpipe) {
    text_ += fmt::format("    <link id=\"{}\" bandwidth=\"{}\" latency=\"{}\"{}/>\n", id,
                         bandwidth_text(bytes_per_s), latency_text(latency_s),
                         fatpipe ? " sharing_policy=\"FATPIPE\"" : "");
  }

  void add_route(std::uint32_t host, std::uint32_t card, std::uint32_t to_host,
                 std::uint32_t to_card) {
    text_ += fmt::format("    <route src=\"{}\" dst=\"{}\" symmetrical=\"NO\">", part(host, card),
                         part(to_host, to_card));
    if (host == to_host) {
      text_ += fmt::format("<link_ctn id=\"{}\"/>", memory(host));
    } else {
      for (const std::uint32_t link :
           network_.links_between(end_of(host, card), end_of(to_host, to_card))) {
        text_ += fmt::format("<link_ctn id=\"{}\"/>", names_[link]);
      }
    }
    text_ += "</route>\n";
  }

  const ClusterPlatform& network_;
  const Cards& cards_;
  std::uint32_t hosts_;
  std::vector<std::string> names_;  // of the network's links
  std::string text_;
};

// Returns the comment at the head of a platform file, without its marks.
std::string_view comment_of(std::string_view xml) {
  constexpr std::string_view kBegin = "<!--\n";
  const std::size_t begin = xml.find(kBegin);
  const std::size_t end = xml.find("-->");
  TUTTI_INVARIANT(begin != std::string_view::npos && end != std::string_view::npos);
  return xml.substr(begin + kBegin.size(), end - begin - kBegin.size());
}

}  // namespace

std::string with_cards(const std::string& network, const Cards& cards) {
  const auto platform = read_cluster_text(network, "the network of the cards");
  TUTTI_INVARIANT(platform != nullptr);
  const std::uint32_t ends = platform->host_count();
  if (ends > kMostCards) {
    throw UserError(fmt::format(
        "$cards {}: {} cards are too many: the file lists the routes between all of them, so it "
        "can have at most {}; use at most {} hosts",
        cards.of_host, ends, kMostCards, kMostCards / cards.of_host));
  }
  if (ends % cards.of_host != 0 || ends == cards.of_host) {
    throw UserError(fmt::format(
        "$cards {}: the network has {} ports for cards; their number must be a multiple of the "
        "cards of a host, for 2 hosts or more",
        cards.of_host, ends));
  }
  return fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<!--\n"
      "  {} hosts with {} network cards each. Host node-I-J of this file is the part of host I\n"
      "  beside its card J: everything that its cores send to other hosts uses that card.\n"
      "  {}\n"
      "  Between two ranks of a host: {} and {}, each pair for itself.\n"
      "  The network, whose hosts are the cards:\n"
      "{}"
      "-->\n"
      "<platform version=\"4.1\">\n"
      "  <zone id=\"cards\" routing=\"Full\">\n"
      "{}"
      "  </zone>\n"
      "</platform>\n",
      ends / cards.of_host, cards.of_host,
      cards.rails ? "The cards J of all hosts are at leaf switches of their own: a rail."
                  : "The cards of a host are at the same leaf switch.",
      bandwidth_text(cards.memory.bandwidth_bytes_per_s), latency_text(cards.memory.latency_s),
      comment_of(network), CardsWriter(*platform, cards).write());
}

}}  // namespace tutti::platforms

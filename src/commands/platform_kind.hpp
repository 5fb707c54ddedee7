// Base class of the kinds of platforms that 'tutti platform' can write.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/cluster_xml.hpp"
#include "src/requests/common_options.hpp"
#include "src/requests/problem_options.hpp"

namespace tutti { inline namespace requests {
class Command;
}}  // namespace tutti::requests

namespace tutti { inline namespace commands {

// A subcommand of 'tutti platform' that writes one kind of platform. It stores the values of its
// options as text, which xml() parses.
class PlatformKind {
 public:
  virtual ~PlatformKind() = default;
  virtual void add_to(Command& command) = 0;
  [[nodiscard]] virtual std::string xml() const = 0;
  // Returns a warning about the platform, in one line; "" if there is nothing to warn about.
  [[nodiscard]] virtual std::string warning() const { return {}; }

  [[nodiscard]] bool chosen() const;
  [[nodiscard]] std::string output() const { return output_.value_or("-"); }

 protected:
  Command& subcommand(Command& command, const char* name, const char* about);
  // Adds the options that all kinds of platforms have in common. `of` and `links` complete two help
  // texts: "Latency of {of}" and "Bandwidth of {links}". These help texts also show the default
  // latency and bandwidth.
  void add_common(const char* latency_default, const char* of,
                  const char* bandwidth_default = "10Gbps", const char* links = "each link");
  void option(const char* name, OptionText& text, const char* type, const std::string& help,
              const char* group = "Shape");

  [[nodiscard]] LinkFigures link(
      double latency_s, double bandwidth_bytes_per_s = LinkFigures().bandwidth_bytes_per_s) const;
  [[nodiscard]] NodeFigures node(std::uint32_t cores = 1) const;
  [[nodiscard]] std::string note() const { return note_.value_or(""); }
  // Adds the options for several network cards. `rails`: whether cards can be at different
  // switches.
  void add_cards(bool rails);
  // Returns the number of cards of a host.
  [[nodiscard]] std::uint32_t cards() const;
  // True if --card-wiring is "rail".
  [[nodiscard]] bool rails() const { return card_wiring_ && *card_wiring_ == "rail"; }
  // Returns the file for `network`, whose hosts are cards; `network` itself if a host has one card.
  [[nodiscard]] std::string with_cards_of(const std::string& network) const;
  void add_in_network();
  [[nodiscard]] std::string in_network() const;
  // Throws UserError if the user gave --hosts with a number different from `hosts`, the product of
  // the values of other options. `kind` (the kind of platform) and `product` (a description of
  // these options) appear in the error message. Does nothing if `hosts` is above kMaxPlatformHosts,
  // because another function reports that there are too many hosts.
  void check_product(std::string_view kind, const std::string& product, std::uint64_t hosts) const;
  // Returns the number of hosts, times the cards of a host.
  [[nodiscard]] std::uint64_t hosts_or_refuse(std::string_view instead) const;

  OptionText hosts_;

 private:
  Command* command_ = nullptr;
  OptionText bandwidth_;
  OptionText latency_;
  OptionText speed_;
  OptionText cores_;
  OptionText loopback_bandwidth_;
  OptionText loopback_latency_;
  OptionText note_;
  OptionText output_;
  OptionText in_network_;
  OptionText cards_;
  OptionText card_wiring_;
};

// Parses a number without a unit, such as 2 or 1.5. If `text` is not such a number, throws a
// UserError that names the option `what`.
[[nodiscard]] double parse_plain_number(std::string_view what, std::string_view text);
[[nodiscard]] std::uint32_t count_or(std::string_view what, const OptionText& text,
                                     std::uint32_t otherwise);

// Returns the kinds of platforms whose leaf switches are in groups.
[[nodiscard]] std::vector<std::unique_ptr<PlatformKind>> grouped_kinds();

}}  // namespace tutti::commands

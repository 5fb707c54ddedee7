// Base class of the kinds of platforms that 'tutti platform' can write.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/cluster_xml.hpp"
#include "src/requests/command_table.hpp"
#include "src/requests/common_options.hpp"

namespace tutti { inline namespace commands {

// A subcommand of 'tutti platform' that writes one kind of platform.
class PlatformKind {
 public:
  virtual ~PlatformKind() = default;
  virtual void add_to(Command& command) = 0;
  [[nodiscard]] virtual std::string xml() const = 0;
  // Returns a warning about the platform, in one line; "" if there is nothing to warn about.
  [[nodiscard]] virtual std::string warning() const { return {}; }

  [[nodiscard]] bool chosen() const;
  [[nodiscard]] const std::string& output() const { return output_; }

 protected:
  Command& subcommand(Command& command, const char* name, const char* about);
  // Adds the options that all kinds of platforms have in common. `of` and `links` complete two help
  // texts: "Latency of {of}" and "Bandwidth of {links}". These help texts also show the default
  // latency and bandwidth.
  void add_common(const char* latency_default, const char* of,
                  const char* bandwidth_default = "10Gbps", const char* links = "each link");
  // Adds only --speed, the speed of `of`, with the default in words; or only the options for the
  // output.
  void add_speed(const char* of, const char* speed_default);
  void add_output();
  template <typename Variable, typename Parser = AsText>
  void option(const char* names, Variable& variable, const char* type, const std::string& help,
              Parser parser = {}) {
    shape().add(names, variable, type, help, parser);
  }
  [[nodiscard]] OptionGroup shape() const { return {*command_, "Shape"}; }
  [[nodiscard]] OptionGroup numbers() const { return {*command_, "Numbers"}; }

  [[nodiscard]] LinkFigures link(
      double latency_s, double bandwidth_bytes_per_s = LinkFigures().bandwidth_bytes_per_s) const;
  [[nodiscard]] NodeFigures node(std::uint32_t cores = 1) const;
  [[nodiscard]] double speed(double otherwise) const {
    return speed_flops_per_s_.value_or(otherwise);
  }
  [[nodiscard]] const std::string& note() const { return note_; }
  // Adds the options for several network cards. `rails`: whether cards can be at different
  // switches.
  void add_cards(bool rails);
  // Returns the number of cards of a host.
  [[nodiscard]] std::uint32_t cards() const { return cards_; }
  // True if --card-wiring is "rail".
  [[nodiscard]] bool rails() const { return rails_ && rails_->value; }
  // Returns the text of the platform file for `network`, each host of which stands for one card.
  // With one card per host, this is `network` itself.
  [[nodiscard]] std::string with_cards_of(const std::string& network) const;
  void add_in_network();
  // The rate at which a switch reduces, or "yes"; "" if switches do not reduce.
  [[nodiscard]] const std::string& in_network() const { return in_network_; }
  // Throws UserError if the user gave --hosts with a number different from `hosts`, the product of
  // the values of other options. `kind` (the kind of platform) and `product` (a description of
  // these options) appear in the error message. Does nothing if `hosts` is above kMaxPlatformHosts,
  // because another function reports that there are too many hosts.
  void check_product(std::string_view kind, const std::string& product, std::uint64_t hosts) const;
  // Returns the number of hosts, times the cards of a host.
  [[nodiscard]] std::uint64_t hosts_or_refuse(std::string_view instead) const;

  std::optional<std::uint32_t> hosts_;

 private:
  Command* command_ = nullptr;
  // Sets the figures of messages within a host that the user gave.
  void put_loopback(LinkFigures& loopback) const;

  std::optional<double> bandwidth_bytes_per_s_;
  std::optional<double> latency_s_;
  std::optional<double> speed_flops_per_s_;
  std::optional<std::uint32_t> cores_;
  std::optional<double> loopback_bytes_per_s_;
  std::optional<double> loopback_latency_s_;
  std::string note_;
  std::string output_ = "-";
  std::string in_network_;
  std::uint32_t cards_ = 1;
  std::optional<ValueWithText<bool>> rails_;  // --card-wiring
};

// Parses a number without a unit, such as 2 or 1.5. Returns nothing if `text` is not such a number.
[[nodiscard]] std::optional<double> plain_number(std::string_view text);
// Parses a number without a unit, such as 2 or 1.5. If `text` is not such a number, throws a
// UserError that names the option `what`.
[[nodiscard]] double parse_plain_number(std::string_view what, const std::string& text);

// Returns the kinds of platforms whose leaf switches are in groups.
[[nodiscard]] std::vector<std::unique_ptr<PlatformKind>> grouped_kinds();
[[nodiscard]] std::unique_ptr<PlatformKind> gpu_kind();

}}  // namespace tutti::commands

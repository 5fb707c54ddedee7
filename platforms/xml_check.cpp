#include "platforms/xml_check.hpp"

#include <fmt/format.h>
#include <pugixml.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "schedules/error.hpp"

namespace tutti {

namespace {

// A number of the platform, wherever it may stand: link bandwidths, host speeds, ...
struct Quantity {
  std::string_view attribute;
  std::string_view in_words;
  bool may_be_zero;
};

constexpr std::array kQuantities{
    Quantity{"speed", "speed", false},
    Quantity{"bw", "bandwidth", false},
    Quantity{"bandwidth", "bandwidth", false},
    Quantity{"bw_in", "bandwidth", false},
    Quantity{"bw_out", "bandwidth", false},
    Quantity{"bb_bw", "bandwidth", false},
    Quantity{"loopback_bw", "bandwidth", false},
    Quantity{"limiter_link", "bandwidth", false},
    Quantity{"lat", "latency", true},
    Quantity{"latency", "latency", true},
    Quantity{"bb_lat", "latency", true},
    Quantity{"loopback_lat", "latency", true},
};

class Checker : public pugi::xml_tree_walker {
 public:
  Checker(const std::string& file, std::string_view text) : file_(file), text_(text) {}

  bool for_each(pugi::xml_node& node) override {
    const std::string_view tag = node.name();
    // <peer> and <cabinet> make hosts, too.
    has_hosts_ |= tag == "host" || tag == "cluster" || tag == "cabinet" || tag == "peer";
    for (const Quantity& quantity : kQuantities) {
      if (const pugi::xml_attribute attribute = node.attribute(quantity.attribute.data())) {
        check(node, quantity, attribute.value());
      }
    }
    if (tag == "cluster") {
      check_cluster(node);
    }
    return true;
  }

  [[nodiscard]] bool has_hosts() const { return has_hosts_; }

 private:
  // One value, or several with commas between: one speed per power state.
  void check(const pugi::xml_node& node, const Quantity& quantity,
             const std::string& values) const {
    std::istringstream stream(values);
    for (std::string value; std::getline(stream, value, ',');) {
      char* end = nullptr;
      const double number = std::strtod(value.c_str(), &end);
      if (end == value.c_str()) {
        continue;  // not a number: SimGrid says so itself
      }
      if (!(quantity.may_be_zero ? number >= 0 : number > 0)) {
        fail(node, fmt::format("<{}> has {}=\"{}\": a {} must be {}", node.name(),
                               quantity.attribute, values, quantity.in_words,
                               quantity.may_be_zero ? "0 or more" : "above 0"));
      }
    }
  }

  void check_cluster(const pugi::xml_node& node) const {
    if (std::string_view(node.attribute("sharing_policy").value()) == "FATPIPE") {
      fail(node,
           "<cluster> has sharing_policy=\"FATPIPE\", which SimGrid takes for SHARED without a "
           "word: SPLITDUPLEX or SHARED is needed");
    }
    // SimGrid makes such a link, with no bandwidth at all.
    for (const auto& [latency, bandwidth] :
         {std::pair{"bb_lat", "bb_bw"}, std::pair{"loopback_lat", "loopback_bw"}}) {
      if (node.attribute(latency) && !node.attribute(bandwidth)) {
        fail(node, fmt::format("<cluster> has {} without {}", latency, bandwidth));
      }
    }
  }

  [[noreturn]] void fail(const pugi::xml_node& node, std::string_view what) const {
    throw UserError(fmt::format("{}:{}: {}", file_, line_of(node.offset_debug()), what));
  }

  [[nodiscard]] std::ptrdiff_t line_of(std::ptrdiff_t offset) const {
    return 1 + std::count(text_.begin(), text_.begin() + offset, '\n');
  }

  const std::string& file_;
  std::string_view text_;
  bool has_hosts_ = false;
};

std::string read(const std::string& file) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(file, error);
  if (status.type() == std::filesystem::file_type::not_found) {
    throw UserError(fmt::format("{}: no such platform file", file));
  }
  if (status.type() == std::filesystem::file_type::directory) {
    throw UserError(fmt::format("{}: is a directory; a SimGrid platform file is needed", file));
  }
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream.is_open() || stream.bad()) {
    throw UserError(fmt::format("{}: cannot read the platform file: {}", file,
                                errno != 0 ? std::strerror(errno) : "read error"));
  }
  return text;
}

}  // namespace

void check_platform_file(const std::string& file) {
  const std::string text = read(file);
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    throw UserError(fmt::format("{}: the platform file is empty", file));
  }
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_buffer(text.data(), text.size());
  if (!parsed) {
    const auto end = text.begin() + std::min<std::ptrdiff_t>(parsed.offset, std::ssize(text));
    throw UserError(fmt::format("{}:{}: not well-formed XML: {}", file,
                                1 + std::count(text.begin(), end, '\n'), parsed.description()));
  }
  const pugi::xml_node root = document.document_element();
  if (std::string_view(root.name()) != "platform") {
    throw UserError(fmt::format(
        "{}: not a SimGrid platform: the root element is <{}>, not <platform>", file, root.name()));
  }
  Checker checker(file, text);
  document.traverse(checker);
  if (!checker.has_hosts()) {
    throw UserError(fmt::format("{}: the platform has no hosts: no <host> and no <cluster>", file));
  }
}

}  // namespace tutti

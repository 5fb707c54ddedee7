#include "platforms/platform_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "platforms/xml_text.hpp"

namespace tutti::inline platforms {

namespace {

enum class Kind : std::uint8_t {
  above_zero,
  zero_or_more,
  limit,  // a whole number above 0, or -1 for no limit
  yes_or_no,
  // Factors by message size: "0:0.8;257:0.3" means factor 0.8 from 0 bytes on, and 0.3 from 257
  // bytes on.
  above_zeroes,
  zeroes_or_more,
  three_factors,  // such as "0.965;0.925;1.35"
  optimisation,
  network_model,
  host_model,
};

struct Setting {
  std::string_view name;
  Kind kind;
};

// Settings of SimGrid 3.32. --network-model overrides the settings that belong to the chosen model.
constexpr std::array kSettings{
    Setting{"network/model", Kind::network_model},
    Setting{"network/latency-factor", Kind::zero_or_more},
    Setting{"network/bandwidth-factor", Kind::above_zero},
    Setting{"network/weight-S", Kind::zero_or_more},
    Setting{"network/TCP-gamma", Kind::zero_or_more},
    Setting{"network/crosstraffic", Kind::yes_or_no},
    Setting{"network/loopback-bw", Kind::above_zero},
    Setting{"network/loopback-lat", Kind::zero_or_more},
    Setting{"network/optim", Kind::optimisation},
    Setting{"network/maxmin-selective-update", Kind::yes_or_no},
    Setting{"cpu/optim", Kind::optimisation},
    Setting{"cpu/maxmin-selective-update", Kind::yes_or_no},
    Setting{"host/model", Kind::host_model},
    Setting{"surf/precision", Kind::above_zero},
    Setting{"maxmin/precision", Kind::above_zero},
    Setting{"maxmin/concurrency-limit", Kind::limit},
    Setting{"smpi/bw-factor", Kind::above_zeroes},
    Setting{"smpi/lat-factor", Kind::zeroes_or_more},
    Setting{"smpi/IB-penalty-factors", Kind::three_factors},
    Setting{"smpi/async-small-thresh", Kind::zero_or_more},
    Setting{"smpi/send-is-detached-thresh", Kind::zero_or_more},
    Setting{"smpi/simulate-computation", Kind::yes_or_no},
};

struct Danger {
  std::string_view beginning;
  std::string_view in_words;
};

constexpr std::array kDangers{
    Danger{"tracing", "writes trace files"},
    Danger{"plugin", "loads a plugin"},
    Danger{"path", "names a folder"},
    Danger{"debug/", "is for debugging a program"},
    Danger{"model-check", "is for checking a program"},
    Danger{"contexts/", "configures a program's threads"},
    Danger{"smpi/comp-adjustment-file", "names a file"},
    Danger{"smpi/hostfile", "names a file"},
    Danger{"smpi/replay", "names a file"},
};

constexpr double kMost = 1e100;  // still finite after multiplication by any unit

std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(std::abs(value) <= kMost)) {
    return std::nullopt;
  }
  return value;
}

bool is_above_zero(std::string_view text) {
  const std::optional<double> number = number_in(text);
  return number && *number > 0;
}

bool is_zero_or_more(std::string_view text) {
  const std::optional<double> number = number_in(text);
  return number && *number >= 0;
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

// True if `text` consists of pairs "BYTES:NUMBER", separated by ';'.
bool is_table(std::string_view text, bool (*fits)(std::string_view)) {
  const std::vector<std::string_view> entries = parts_of(text, ';');
  return std::all_of(entries.begin(), entries.end(), [&](std::string_view entry) {
    const std::vector<std::string_view> numbers = parts_of(entry, ':');
    return numbers.size() == 2 && is_zero_or_more(numbers[0]) && fits(numbers[1]);
  });
}

// Returns nothing if `value` is valid; otherwise a description of the accepted values.
std::optional<std::string_view> wanted(Kind kind, std::string_view value) {
  const auto unless = [](bool fine, std::string_view what) {
    return fine ? std::nullopt : std::optional(what);
  };
  switch (kind) {
    case Kind::above_zero:
      return unless(is_above_zero(value), "a number above 0, at most 1e100");
    case Kind::zero_or_more:
      return unless(is_zero_or_more(value), "a number from 0 to 1e100");
    case Kind::limit: {
      const std::optional<double> number = number_in(value);
      constexpr double kMostAtOnce = 1e9;
      return unless(number && (*number == -1 || (*number >= 1 && *number <= kMostAtOnce &&
                                                 *number == std::floor(*number))),
                    "a whole number above 0, or -1 for no limit");
    }
    case Kind::yes_or_no:
      return unless(is_one_of(value, {"yes", "no", "on", "off", "true", "false", "0", "1"}),
                    "yes or no");
    case Kind::above_zeroes:
      return unless(is_table(value, is_above_zero),
                    "pairs BYTES:FACTOR with factors above 0, such as '0:0.8;1024:0.9'");
    case Kind::zeroes_or_more:
      return unless(is_table(value, is_zero_or_more),
                    "pairs BYTES:FACTOR with factors of 0 or more, such as '0:2;1024:1.5'");
    case Kind::three_factors: {
      const std::vector<std::string_view> factors = parts_of(value, ';');
      return unless(
          factors.size() == 3 && std::all_of(factors.begin(), factors.end(), is_above_zero),
          "three numbers above 0, such as '0.965;0.925;1.35'");
    }
    case Kind::optimisation:
      return unless(is_one_of(value, {"Lazy", "Full"}), "Lazy or Full");
    case Kind::network_model:
      return unless(is_one_of(value, {"CM02", "LV08", "SMPI", "IB"}), "CM02, LV08, SMPI or IB");
    case Kind::host_model:
      return unless(is_one_of(value, {"default", "compound"}), "default or compound");
  }
  return "nothing";
}

}  // namespace

std::optional<std::string> setting_refusal(std::string_view name, std::string_view value) {
  const auto* const setting = std::find_if(
      kSettings.begin(), kSettings.end(), [&](const Setting& known) { return known.name == name; });
  if (setting != kSettings.end()) {
    const auto what = wanted(setting->kind, value);
    return what ? std::optional(fmt::format(" to '{}'; expected {}", value, *what)) : std::nullopt;
  }
  const auto* const danger =
      std::find_if(kDangers.begin(), kDangers.end(),
                   [&](const Danger& known) { return name.starts_with(known.beginning); });
  return fmt::format(
      ", which {}: a platform may set only the models of the network, hosts and SMPI; "
      "platforms/README.md lists the settings",
      danger != kDangers.end() ? danger->in_words : "is not allowed");
}

}  // namespace tutti::inline platforms

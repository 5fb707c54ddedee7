#include "platforms/platform_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include "base/nearest.hpp"
#include "base/text_lines.hpp"
#include "platforms/xml_text.hpp"

namespace tutti { inline namespace platforms {

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
  cpu_model,
  solver,
  plugin,
  any,
};

// When a setting can change the time of a message or of a reduction.
enum class Effect : std::uint8_t {
  never,
  always,
  beyond_hockney,  // hockney has neither a window nor cross traffic, and tutti sets both
  smpi,            // only under the network models smpi and ib
  // As `smpi`, but only SimGrid versions before 3.32 have the setting.
  smpi_of_old,
};

struct Setting {
  std::string_view name;  // with '-' for '_'
  Kind kind;
  Effect effect;
};

// Settings of SimGrid 3.32 with values that tutti checks. --network-model overrides network/model.
constexpr std::array kSettings{
    Setting{"network/model", Kind::network_model, Effect::never},
    Setting{"network/latency-factor", Kind::zero_or_more, Effect::always},
    Setting{"network/bandwidth-factor", Kind::above_zero, Effect::always},
    Setting{"network/weight-S", Kind::zero_or_more, Effect::always},
    Setting{"network/TCP-gamma", Kind::zero_or_more, Effect::beyond_hockney},
    Setting{"network/crosstraffic", Kind::yes_or_no, Effect::beyond_hockney},
    Setting{"network/loopback-bw", Kind::above_zero, Effect::always},
    Setting{"network/loopback-lat", Kind::zero_or_more, Effect::always},
    Setting{"network/sender-gap", Kind::any, Effect::smpi_of_old},
    Setting{"network/optim", Kind::optimisation, Effect::never},
    Setting{"network/maxmin-selective-update", Kind::yes_or_no, Effect::never},
    Setting{"network/solver", Kind::solver, Effect::never},
    Setting{"network/coordinates", Kind::any, Effect::never},
    Setting{"network/asynchronous-small-messages", Kind::any, Effect::never},
    Setting{"cpu/model", Kind::cpu_model, Effect::never},
    Setting{"cpu/optim", Kind::optimisation, Effect::never},
    Setting{"cpu/maxmin-selective-update", Kind::yes_or_no, Effect::never},
    Setting{"cpu/solver", Kind::solver, Effect::never},
    Setting{"host/model", Kind::host_model, Effect::never},
    Setting{"host/solver", Kind::any, Effect::never},  // only for the host model ptask_L07
    Setting{"maxmin/precision", Kind::above_zero, Effect::never},
    Setting{"maxmin/concurrency-limit", Kind::limit, Effect::always},
    Setting{"surf/precision", Kind::above_zero, Effect::never},
    Setting{"smpi/bw-factor", Kind::above_zeroes, Effect::smpi},
    Setting{"smpi/lat-factor", Kind::zeroes_or_more, Effect::smpi},
    Setting{"smpi/IB-penalty-factors", Kind::three_factors, Effect::smpi},
    Setting{"plugin", Kind::plugin, Effect::never},
    Setting{"tracing", Kind::any, Effect::never},
    Setting{"model-check", Kind::any, Effect::never},
    Setting{"path", Kind::any, Effect::never},
    Setting{"verbose-exit", Kind::any, Effect::never},
    Setting{"clean-atexit", Kind::any, Effect::never},
    Setting{"help-nostop", Kind::any, Effect::never},
};

// Settings of programs that run on SimGrid, of SMPI and of models that tutti does not use.
constexpr std::array<std::string_view, 20> kUnusedFamilies{
    "bmf/",  "cmonkey/",     "contexts/", "debug/",   "disk/",   "exception/", "gtnets/",
    "lua/",  "model-check/", "msg/",      "ns3/",     "plugin/", "ptask/",     "simix/",
    "smpi/", "storage/",     "surf/",     "tracing/", "vm/",     "viva/"};

struct RenamedSetting {
  std::string_view old_name;  // with '-' for '_'
  std::string_view name;
};

// Names that older or newer versions of SimGrid use.
constexpr std::array kRenamed{
    RenamedSetting{"precision/timing", "surf/precision"},
    RenamedSetting{"precision/work-amount", "maxmin/precision"},
    RenamedSetting{"workstation/model", "host/model"},
    RenamedSetting{"workstation-model", "host/model"},
    RenamedSetting{"surf-network-model", "network/model"},
    RenamedSetting{"network-model", "network/model"},
    RenamedSetting{"cpu-model", "cpu/model"},
    RenamedSetting{"TCP-gamma", "network/TCP-gamma"},
    RenamedSetting{"latency-factor", "network/latency-factor"},
    RenamedSetting{"bandwidth-factor", "network/bandwidth-factor"},
    RenamedSetting{"weight-S", "network/weight-S"},
    RenamedSetting{"sender-gap", "network/sender-gap"},
    RenamedSetting{"smpi/sender-gap", "network/sender-gap"},
    RenamedSetting{"fullduplex", "network/crosstraffic"},
    RenamedSetting{"network/fullduplex", "network/crosstraffic"},
    RenamedSetting{"maxmin-selective-update", "network/maxmin-selective-update"},
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
  const std::vector<std::string_view> entries = split(text, ';');
  return std::all_of(entries.begin(), entries.end(), [&](std::string_view entry) {
    const std::vector<std::string_view> numbers = split(entry, ':');
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
      const std::vector<std::string_view> factors = split(value, ';');
      return unless(
          factors.size() == 3 && std::all_of(factors.begin(), factors.end(), is_above_zero),
          "three numbers above 0, such as '0.965;0.925;1.35'");
    }
    case Kind::optimisation:
      return unless(is_one_of(value, {"Lazy", "Full", "TI"}), "Lazy, Full or TI");
    case Kind::network_model:
      return unless(is_one_of(value, {"CM02", "LV08", "SMPI", "IB"}), "CM02, LV08, SMPI or IB");
    case Kind::host_model:
      return unless(is_one_of(value, {"default", "compound"}), "default or compound");
    case Kind::cpu_model:
      return unless(is_one_of(value, {"Cas01", "Cas01_lazy", "Cas01_fullupdate"}), "Cas01");
    case Kind::solver:
      return unless(is_one_of(value, {"maxmin"}), "maxmin");
    case Kind::plugin:
      return unless(
          is_one_of(value, {"host_energy", "host_load", "link_energy", "link_energy_wifi",
                            "link_load", "vm_live_migration"}),
          "a plugin that only observes: host_energy, host_load, link_energy or link_load");
    case Kind::any:
      return std::nullopt;
  }
  return "nothing";
}

// Returns the name that SimGrid 3.32 has for a setting. Older versions write _ for -.
std::string canonical(std::string_view name) {
  std::string hyphens(name);
  std::replace(hyphens.begin(), hyphens.end(), '_', '-');
  const auto* const renamed =
      std::find_if(kRenamed.begin(), kRenamed.end(),
                   [&](const RenamedSetting& known) { return known.old_name == hyphens; });
  return renamed != kRenamed.end() ? std::string(renamed->name) : hyphens;
}

}  // namespace

SettingUse use_of_setting(std::string_view name, std::string_view value,
                          std::string_view network_model) {
  SettingUse use{.name = canonical(name)};
  const bool smpi = network_model == "smpi" || network_model == "ib";
  const bool by_size = value.find(':') != std::string_view::npos;
  if (by_size && (use.name == "network/bandwidth-factor" || use.name == "network/latency-factor")) {
    // SimGrid 3.32 has factors by size only in the models of SMPI, under these names.
    if (!smpi) {
      use.refusal = fmt::format(
          " to '{}', a factor for each size, which only the network models smpi and ib take; use "
          "$network_model smpi",
          value);
      return use;
    }
    use.name = use.name == "network/bandwidth-factor" ? "smpi/bw-factor" : "smpi/lat-factor";
  }
  const auto* const setting =
      std::find_if(kSettings.begin(), kSettings.end(),
                   [&](const Setting& known) { return known.name == use.name; });
  if (setting == kSettings.end()) {
    use.ignored =
        std::any_of(kUnusedFamilies.begin(), kUnusedFamilies.end(),
                    [&](std::string_view family) { return use.name.starts_with(family); });
    if (!use.ignored) {
      std::vector<std::string> names;
      for (const Setting& known : kSettings) {
        names.emplace_back(known.name);
      }
      const std::string near = did_you_mean(use.name, names);
      use.refusal = ", which is not a setting of SimGrid" +
                    (near.empty() ? "; remove it, or see platforms/README.md" : near);
    }
    return use;
  }
  if (const auto what = wanted(setting->kind, value)) {
    use.refusal = fmt::format(" to '{}'; expected {}", value, *what);
  } else if (setting->effect == Effect::smpi_of_old && smpi) {
    use.refusal = fmt::format(
        ", which SimGrid 3.32 no longer has; remove it, or use another network model than {}",
        network_model);
  }
  use.ignored = setting->effect == Effect::never || setting->effect == Effect::smpi_of_old ||
                (setting->effect == Effect::beyond_hockney && network_model == "hockney") ||
                (setting->effect == Effect::smpi && !smpi) ||
                (setting->kind == Kind::limit && value == "-1");
  return use;
}

}}  // namespace tutti::platforms

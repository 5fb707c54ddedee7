#include "src/steps/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/error.hpp"

namespace tutti { inline namespace steps {

namespace {

struct UnitWord {
  std::string_view word;
  double factor;
  Unit unit;
};

constexpr std::array kUnits{
    UnitWord{"", 1, Unit::none},
    UnitWord{"B", 1, Unit::bytes},
    UnitWord{"kB", 1e3, Unit::bytes},
    UnitWord{"KB", 1e3, Unit::bytes},
    UnitWord{"MB", 1e6, Unit::bytes},
    UnitWord{"GB", 1e9, Unit::bytes},
    UnitWord{"TB", 1e12, Unit::bytes},
    UnitWord{"KiB", 1024, Unit::bytes},
    UnitWord{"MiB", 1048576, Unit::bytes},
    UnitWord{"GiB", 1073741824, Unit::bytes},
    UnitWord{"TiB", 1099511627776, Unit::bytes},
    UnitWord{"ns", 1e-9, Unit::seconds},
    UnitWord{"us", 1e-6, Unit::seconds},
    UnitWord{"ms", 1e-3, Unit::seconds},
    UnitWord{"s", 1, Unit::seconds},
    UnitWord{"min", 60, Unit::seconds},
    UnitWord{"GFLOP", 1e9, Unit::flops},
    UnitWord{"TFLOP", 1e12, Unit::flops},
    UnitWord{"PFLOP", 1e15, Unit::flops},
    UnitWord{"GFLOPS", 1e9, Unit::flops_per_s},
    UnitWord{"TFLOPS", 1e12, Unit::flops_per_s},
    UnitWord{"PFLOPS", 1e15, Unit::flops_per_s},
    UnitWord{"MBps", 1e6, Unit::bytes_per_s},
    UnitWord{"GBps", 1e9, Unit::bytes_per_s},
    UnitWord{"TBps", 1e12, Unit::bytes_per_s},
};

}  // namespace

Quantity parse_quantity(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view word = text.substr(static_cast<std::size_t>(end - text.data()));
  const auto found = std::ranges::find(kUnits, word, &UnitWord::word);
  if (error != std::errc() || !std::isfinite(value)) {
    throw UserError(fmt::format("'{}' is not a number", text));
  }
  if (found == kUnits.end()) {
    if (word == "k" || word == "K" || word == "M" || word == "G" || word == "T") {
      throw UserError(
          fmt::format("'{0}': {1} could mean a power of 1000 or of 1024; write {1}B or {2}iB", text,
                      word, word == "k" ? "K" : word));
    }
    throw UserError(fmt::format(
        "'{}': unknown unit '{}'; sizes have B, KB, MB, GB or TB (powers of 1000) or KiB, MiB, GiB "
        "or TiB (powers of 1024), times ns, us, ms, s or min, work GFLOP, TFLOP or PFLOP, and "
        "rates "
        "TFLOPS or GBps",
        text, word));
  }
  return {value * found->factor, found->unit, 0};
}

std::optional<Quantity> sum_of(Quantity a, Quantity b) {
  return a.unit == b.unit ? std::optional(Quantity{a.value + b.value, a.unit, a.axes | b.axes})
                          : std::nullopt;
}

std::optional<Quantity> difference_of(Quantity a, Quantity b) {
  return sum_of(a, {-b.value, b.unit, b.axes});
}

std::optional<Quantity> product_of(Quantity a, Quantity b) {
  if (a.unit != Unit::none && b.unit != Unit::none) {
    return std::nullopt;
  }
  return Quantity{a.value * b.value, a.unit != Unit::none ? a.unit : b.unit, a.axes | b.axes};
}

std::optional<Quantity> quotient_of(Quantity a, Quantity b) {
  if ((a.unit == Unit::flops && b.unit == Unit::flops_per_s) ||
      (a.unit == Unit::bytes && b.unit == Unit::bytes_per_s)) {
    return Quantity{a.value / b.value, Unit::seconds, a.axes | b.axes};
  }
  if (b.unit != Unit::none && a.unit != b.unit) {
    return std::nullopt;
  }
  return Quantity{a.value / b.value, b.unit == Unit::none ? a.unit : Unit::none, a.axes | b.axes};
}

std::string_view in_words(Unit unit) {
  switch (unit) {
    case Unit::bytes:
      return "a size";
    case Unit::seconds:
      return "a time";
    case Unit::flops:
      return "a number of operations";
    case Unit::flops_per_s:
    case Unit::bytes_per_s:
      return "a rate";
    case Unit::none:
      break;
  }
  return "a number";
}

std::optional<std::uint64_t> whole_number(double value, std::uint64_t most) {
  constexpr double kRounding = 1e-9;
  const double whole = std::round(value);
  if (!(whole >= 0) || !(whole <= static_cast<double>(most)) ||
      std::abs(value - whole) > kRounding * std::max(1.0, whole)) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(whole);
}

}}  // namespace tutti::steps

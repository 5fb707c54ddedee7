#include "src/pictures/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace tutti { inline namespace pictures {

namespace {

// Returns 1, 2 or 5 times a power of ten, so that there are about `about` steps of this size
// between `least` and `most`.
double round_step(double least, double most, unsigned about) {
  const double raw = (most - least) / std::max(1U, about);
  const double decade = std::pow(10, std::floor(std::log10(raw)));
  const double in_decade = raw / decade;
  return decade * (in_decade <= 1.0001   ? 1
                   : in_decade <= 2.0001 ? 2
                   : in_decade <= 5.0001 ? 5
                                         : 10);
}

std::vector<Tick> linear_ticks(const Scale& scale, unsigned about) {
  std::vector<Tick> ticks;
  const double step = round_step(scale.least(), scale.most(), about);
  const auto first = static_cast<long>(std::ceil(scale.least() / step - 1e-9));
  const auto last = static_cast<long>(std::floor(scale.most() / step + 1e-9));
  for (long i = first; i <= last; ++i) {
    const double value = static_cast<double>(i) * step;
    ticks.push_back({value, short_time(value)});
  }
  return ticks;
}

}  // namespace

Scale::Scale(bool logarithmic, double least, double most, double from, double to)
    : logarithmic_(logarithmic), least_(least), most_(most), from_(from), to_(to) {
  if (most_ <= least_) {  // centres a single value
    most_ = logarithmic_ ? least_ * 2 : least_ + 1;
    least_ = logarithmic_ ? least_ / 2 : least_ - 1;
  }
}

Scale Scale::linear(double least, double most, double from, double to) {
  return {false, least, most, from, to};
}

Scale Scale::logarithmic(double least, double most, double from, double to) {
  return {true, least, most, from, to};
}

double Scale::operator()(double value) const {
  if (logarithmic_) {
    return value <= 0 ? from_
                      : from_ + (to_ - from_) * std::log(value / least_) / std::log(most_ / least_);
  }
  return from_ + (to_ - from_) * (value - least_) / (most_ - least_);
}

// Uses at most four digits, which are enough in a picture.
std::string short_time(double seconds) {
  constexpr std::array<std::pair<double, const char*>, 4> kUnits{
      {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}};
  if (seconds == 0) {
    return "0";
  }
  for (const auto& [size, unit] : kUnits) {
    if (std::abs(seconds) >= size * 0.9995) {
      return fmt::format("{:.4g} {}", seconds / size, unit);
    }
  }
  return fmt::format("{:.4g} ns", seconds * 1e9);
}

std::string short_bytes(double bytes) {
  constexpr std::array<std::pair<double, const char*>, 4> kUnits{
      {{1099511627776.0, "TiB"}, {1073741824.0, "GiB"}, {1048576.0, "MiB"}, {1024.0, "KiB"}}};
  for (const auto& [size, unit] : kUnits) {
    if (bytes >= size) {
      return fmt::format("{:.3g} {}", bytes / size, unit);
    }
  }
  return fmt::format("{:.3g} B", bytes);
}

std::vector<Tick> time_ticks(const Scale& scale, unsigned about) {
  if (!scale.is_logarithmic()) {
    return linear_ticks(scale, about);
  }
  std::vector<Tick> ticks;
  const double decades = std::log10(scale.most() / scale.least());
  // A few decades need ticks in between; many decades do not.
  const bool between = decades < about;
  const bool words_between = decades < 2;
  const int first = static_cast<int>(std::floor(std::log10(scale.least())));
  const int last = static_cast<int>(std::ceil(std::log10(scale.most())));
  const int every = std::max(1, static_cast<int>(std::ceil(decades / about)));
  for (int decade = first; decade <= last; ++decade) {
    for (const int times : {1, 2, 5}) {
      const double value = times * std::pow(10, decade);
      const bool fits = value >= scale.least() * 0.9999 && value <= scale.most() * 1.0001;
      if (fits && (times == 1 || between)) {
        const bool worded = times == 1 ? (decade - first) % every == 0 : words_between;
        ticks.push_back({value, worded ? short_time(value) : ""});
      }
    }
  }
  // If the range is so short that fewer than two of these ticks have labels, linear ticks are used.
  const auto words = std::count_if(ticks.begin(), ticks.end(),
                                   [](const Tick& tick) { return !tick.label.empty(); });
  return words < 2 ? linear_ticks(scale, about) : ticks;
}

std::vector<Tick> byte_ticks(const Scale& scale, unsigned about) {
  std::vector<Tick> ticks;
  const int first = static_cast<int>(std::ceil(std::log2(scale.least()) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log2(scale.most()) + 1e-9));
  const int every = std::max(1, (last - first + static_cast<int>(about)) / static_cast<int>(about));
  for (int power = first; power <= last; ++power) {
    if ((power - first) % every == 0) {
      const double value = std::exp2(power);
      ticks.push_back({value, short_bytes(value)});
    }
  }
  if (ticks.size() < 2) {  // at most one power of two is in the range
    ticks = {{scale.least(), short_bytes(scale.least())},
             {scale.most(), short_bytes(scale.most())}};
  }
  return ticks;
}

void draw_horizontal_axis(Svg& svg, const Frame& frame, const Scale& scale,
                          const std::vector<Tick>& ticks, std::string_view title) {
  double until = -1e9;  // right end of the previous label
  for (const Tick& tick : ticks) {
    const double x = scale(tick.value);
    svg.line({x, frame.top}, {x, frame.bottom}, "grid");
    const double half = text_width(tick.label) / 2;
    if (!tick.label.empty() && x - half > until + 6) {
      svg.text({x, frame.bottom + 17}, tick.label, Anchor::middle, "muted");
      until = x + half;
    }
  }
  svg.line({frame.left, frame.bottom}, {frame.right, frame.bottom}, "muted");
  svg.text({(frame.left + frame.right) / 2, frame.bottom + 36}, title, Anchor::middle, "ink");
}

void draw_vertical_axis(Svg& svg, const Frame& frame, const Scale& scale,
                        const std::vector<Tick>& ticks, std::string_view title) {
  double widest = 0;
  for (const Tick& tick : ticks) {
    const double y = scale(tick.value);
    svg.line({frame.left, y}, {frame.right, y}, "grid");
    svg.text({frame.left - 7, y + 4}, tick.label, Anchor::end, "muted");
    widest = std::max(widest, text_width(tick.label));
  }
  svg.text({frame.left - widest - 16, (frame.top + frame.bottom) / 2}, title, Anchor::middle, "ink",
           kTextSize, true);
}

std::vector<double> places_apart(const std::vector<double>& wanted, double apart, double least,
                                 double most) {
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
  // Labels that are too close to each other form a block, which is centred on the mean of their
  // wanted positions. Blocks that would overlap are merged in the same way.
  struct Block {
    double first = 0;  // position of the first label in the block
    // Sum, over all labels in the block, of the wanted position minus the offset in the block.
    double sum = 0;
    std::size_t count = 0;
  };
  std::vector<Block> blocks;
  for (const std::size_t one : order) {
    blocks.push_back({wanted[one], wanted[one], 1});
    while (blocks.size() > 1) {
      const Block& last = blocks.back();
      Block& before = blocks[blocks.size() - 2];
      const double length = static_cast<double>(before.count) * apart;
      if (before.first + length <= last.first) {
        break;
      }
      before.sum += last.sum - static_cast<double>(last.count) * length;
      before.count += last.count;
      before.first = before.sum / static_cast<double>(before.count);
      blocks.pop_back();
    }
  }
  std::vector<double> places(wanted.size());
  std::size_t at = 0;
  double next = least;
  for (const Block& block : blocks) {
    for (std::size_t i = 0; i < block.count; ++i) {
      next = std::max(next, block.first + static_cast<double>(i) * apart);
      places[order[at++]] = next;
      next += apart;
    }
  }
  // Moves labels that are beyond `most` back, as far as there is room.
  double limit = most;
  for (std::size_t i = order.size(); i-- > 0;) {
    double& place = places[order[i]];
    place = std::max(std::min(place, limit), least);
    limit = place - apart;
  }
  return places;
}

}}  // namespace tutti::pictures

#include "src/mpi/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <limits>
#include <memory>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/printable.hpp"
#include "base/quantities.hpp"
#include "platforms/single_switch.hpp"
#include "sim/mpi/calibration.hpp"
#include "sim/mpi/clock.hpp"
#include "sim/mpi/plan/statistics.hpp"
#include "src/mpi/job.hpp"
#include "src/mpi/run.hpp"
#include "src/requests/command_table.hpp"
#include "src/requests/common_options.hpp"
#include "src/requests/exit_codes.hpp"
#include "src/requests/parameters.hpp"

namespace tutti::mpi {

namespace {

constexpr const char* kDefaultSizes = "8..16MiB*2";

CalibrationOptions calibration_options(const CalibrateOptions& options, const Element& element) {
  CalibrationOptions how;
  how.sizes_bytes = options.sizes.value;
  std::sort(how.sizes_bytes.begin(), how.sizes_bytes.end());
  how.sizes_bytes.erase(std::unique(how.sizes_bytes.begin(), how.sizes_bytes.end()),
                        how.sizes_bytes.end());
  constexpr std::size_t kFewestSizes = 4;
  constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20U;
  if (how.sizes_bytes.size() < kFewestSizes) {
    throw UserError(fmt::format("$bytes '{}': {}; a fit needs at least {}", options.sizes.text,
                                counted(how.sizes_bytes.size(), "size"), kFewestSizes));
  }
  for (const std::uint64_t bytes : how.sizes_bytes) {
    if (bytes == 0 || bytes % element.bytes() != 0 || bytes > kMostBytes) {
      throw UserError(
          fmt::format("$bytes '{}': {} bytes; sizes must be multiples of {} bytes (one "
                      "element), from 1 element to 256 MiB",
                      options.sizes.text, bytes, element.bytes()));
    }
  }
  how.most_rounds = options.passes.value_or(how.most_rounds);
  return how;
}

// Adds to `sizes_bytes` the size of the largest eager message, and the size that is one element
// larger, so that the piecewise fit can change from one piece to the next between them.
void add_switch(std::vector<std::uint64_t>& sizes_bytes, std::uint64_t eager_bytes,
                std::uint64_t element_bytes) {
  const std::uint64_t last = eager_bytes / element_bytes * element_bytes;
  for (const std::uint64_t bytes : {last, last + element_bytes}) {
    if (bytes > sizes_bytes.front() && bytes < sizes_bytes.back()) {
      sizes_bytes.push_back(bytes);
    }
  }
  std::sort(sizes_bytes.begin(), sizes_bytes.end());
  sizes_bytes.erase(std::unique(sizes_bytes.begin(), sizes_bytes.end()), sizes_bytes.end());
}

double parse_budget(std::string_view from, const std::string& text) {
  constexpr double kLeast = 1;
  const double seconds = parse_time_s(from, text);
  if (seconds < kLeast) {
    throw UserError(
        fmt::format("{} '{}': must be at least {:g} s; it is the time for all measurements", from,
                    text, kLeast));
  }
  return seconds;
}

std::uint32_t parse_passes(std::string_view from, const std::string& text) {
  const std::uint32_t passes = parse_count(from, text, 1000);
  if (passes < kAlikeRounds) {
    throw UserError(
        fmt::format("{} '{}': must be at least {}, to estimate the uncertainty of the figures",
                    from, text, kAlikeRounds));
  }
  return passes;
}

Prices prices_of(const Figures& figures, const std::string& where) {
  const auto value = [&](const std::string& name) {
    return figures.of(name).value.value_or(std::numeric_limits<double>::quiet_NaN());
  };
  Prices prices;
  prices.alpha_s = value(where + ".alpha_s");
  prices.beta_s_per_byte = value(where + ".beta_s_per_byte");
  prices.gamma_s_per_byte = value("gamma_s_per_byte");
  prices.copy_s_per_byte = value("copy_s_per_byte");
  return prices;
}

void take(const MachineFit& fit, const Figures& figures, bool far, Parameters& parameters) {
  parameters.curves = fit.curves;
  for (const FoundSamples& found : fit.found) {
    for (std::size_t i = 0; i < found.samples.size(); ++i) {
      parameters.points.push_back({found.what, found.samples[i].bytes, found.working_set_bytes[i],
                                   found.samples[i].seconds, found.spread[i]});
    }
  }
  parameters.within = prices_of(figures, "within_node");
  if (far) {
    parameters.between = prices_of(figures, "between_nodes");
  }
  for (const Figure& figure : figures.all) {
    if (figure.value) {
      parameters.bounds.push_back({figure.name, figure.low, figure.high});
    }
  }
}

CalibrationEffort take(const Effort& effort, double seconds) {
  const auto times = static_cast<double>(std::max<std::size_t>(1, effort.coverage.times));
  return {seconds, effort.rounds, effort.runs, effort.disturbed,
          static_cast<double>(effort.coverage.settled) / times};
}

std::string effort_in_words(const CalibrationEffort& effort) {
  constexpr double kPercent = 100;
  return fmt::format(
      "{} in {}, {} of {} disturbed; for {:.0f} % of the times, the {} fastest rounds agree",
      counted(effort.rounds, "round"), human_time(effort.seconds), effort.disturbed,
      counted(effort.runs, "run"), kPercent * effort.settled, kAlikeRounds);
}

// Describes a figure and its confidence interval: "1.2 us (1.1 us to 1.3 us)".
std::string figure_in_words(const Figure& figure) {
  const bool per_byte = figure.name.ends_with("_s_per_byte");
  const auto words = [&](double value) {
    constexpr double kNanoseconds = 1e9;
    return per_byte ? fmt::format("{:.4f}", value * kNanoseconds) : human_time(value);
  };
  return figure.value
             ? fmt::format("{}{} ({} to {})", words(*figure.value), per_byte ? " ns per byte" : "",
                           words(figure.low), words(figure.high))
             : "not found";
}

void print_figures(const Parameters& parameters, const Figures& figures, bool within, bool far,
                   std::ostream& out) {
  const auto line = [&](const char* where, const std::string& name, const Prices& prices) {
    out << fmt::format(
        "  {:<10}alpha {}, beta {}{}\n", where, figure_in_words(figures.of(name + ".alpha_s")),
        figure_in_words(figures.of(name + ".beta_s_per_byte")),
        prices.beta_s_per_byte > 0 ? fmt::format(": {}", human_rate(1 / prices.beta_s_per_byte))
                                   : "");
  };
  out << fmt::format("{}\n  placement {}\n", parameters.library, parameters.placement);
  line(within ? "node" : "network", "within_node", parameters.within);
  if (far) {
    line("network", "between_nodes", *parameters.between);
  }
  out << fmt::format(
      "  reduce    gamma {}, {} of {}\n  copy      {}\n"
      "  start     {} before the first operation\n  core      {}\n  eager     {}\n"
      "  effort    {}\n  fit       {}\n",
      figure_in_words(figures.of("gamma_s_per_byte")), parameters.op, parameters.type,
      figure_in_words(figures.of("copy_s_per_byte")), figure_in_words(figures.of("start_s")),
      parameters.curves.within_node.by_core
          ? "busy with messages within a node: no reductions or copies meanwhile"
          : "free for reductions and copies while messages arrive",
      parameters.eager_bytes ? fmt::format("messages of at most {} do not wait for their receiver",
                                           human_bytes(*parameters.eager_bytes))
                             : "every message waits for its receiver",
      effort_in_words(parameters.effort),
      parameters.doubts.empty() ? "good: brackets are 95 % confidence intervals"
                                : fmt::format("POOR, do not rely on these figures: {}",
                                              fmt::join(parameters.doubts, "; ")));
}

void print_curves(const MachineFit& fit, std::ostream& out) {
  out << fmt::format("# {:<24} {:>10} {:>12} {:>14} {:>9} {:>9} {:>9}\n", "pieces, from", "bytes",
                     "start-up us", "ns per byte", "residual", "worst", "noise");
  for (const FoundSamples& found : fit.found) {
    const CostCurve& curve = curve_of(fit.curves, found.what);
    for (const CostPiece& piece : curve.pieces) {
      out << fmt::format("{:<26} {:>10} {:>12.3f} {:>14.5f}", found.what, piece.from_bytes,
                         piece.fixed_s * 1e6, piece.s_per_byte * 1e9);
      if (&piece == &curve.pieces.front()) {
        const Residuals apart = residuals(found.samples, found.working_set_bytes, curve);
        out << fmt::format(" {:>8.1f}% {:>8.1f}% {:>8.1f}%", apart.median * 100, apart.worst * 100,
                           median(found.spread) * 100);
      }
      out << '\n';
    }
    for (const MemoryPoint& point : curve.memory) {
      out << fmt::format("{:<26} {:>10} {:>12} {:>14.5f}\n", found.what + ", data of",
                         human_bytes(static_cast<std::uint64_t>(point.working_set_bytes)), "",
                         point.s_per_byte * 1e9);
    }
  }
  out << "# residual, worst: relative errors of the pieces; noise: spread of the fastest rounds\n# "
         "data of: least cost of a byte if each rank touches that much data\n";
}

// Returns a platform in XML whose nodes have as many cores as this job has ranks per node, or a
// crossbar if the job has one node or one rank per node.
std::string platform_xml(const Parameters& parameters, const World& world,
                         std::uint32_t element_bytes) {
  SingleSwitch platform;
  const Prices& outer = parameters.prices();
  platform.route = {outer.alpha_s, 1 / outer.beta_s_per_byte};
  platform.node.speed_flops_per_s = 1 / (outer.gamma_s_per_byte * element_bytes);
  platform.note = fmt::format(
      "Measured by tutti-mpi calibrate: one alpha and beta for all sizes.\n{}; {}; {} of {}.{}",
      parameters.library, parameters.placement, parameters.op, parameters.type,
      parameters.doubts.empty()
          ? std::string()
          : fmt::format("\nPOOR FIT: {}.", fmt::join(parameters.doubts, "; ")));
  const std::uint32_t nodes = world.nodes();
  platform.hosts = nodes == 1 ? world.ranks() : nodes;
  const std::uint32_t per_node = (world.ranks() + nodes - 1) / nodes;
  if (nodes == 1 || per_node == 1) {
    return crossbar_to_xml(platform);
  }
  platform.node.cores = per_node;
  platform.node.loopback =
      LinkFigures{parameters.within.alpha_s, 1 / parameters.within.beta_s_per_byte};
  return smp_to_xml(platform);
}

}  // namespace

CalibrateOptions::CalibrateOptions()
    : sizes{parse_byte_list("$bytes", kDefaultSizes), kDefaultSizes} {}

void CalibrateOptions::add_to(Command& command) {
  const OptionGroup what(command, "Measurement");
  what.add("-n,--bytes", sizes, "BYTES",
           fmt::format("Sizes of messages, reductions and copies [{}]", kDefaultSizes),
           parse_sizes);
  what.add("--type", type, "NAME",
           "Type of reduced elements: int32, int64 [default], float or double");
  what.add("--op", op, "NAME",
           "Reduction operator: sum [default], prod, max, min, band, bor or bxor");
  what.add("--passes", passes, "COUNT",
           "Maximum number of times to repeat each measurement; the fastest times count, and a "
           "measurement ends when they agree [until all agree, or --budget is spent]",
           parse_passes);
  what.add("--budget", budget_s, "TIME",
           "Time for all measurements; if the fastest times of a measurement do not agree by then, "
           "the fit is marked as poor [30s]",
           parse_budget);
  what.add("--timeout", timeout_s, "TIME",
           "End the job if it makes no progress for this long [60s]", parse_timeout);
  const OptionGroup output(command, "Output");
  output.add("--json", json, kWrittenFile,
             "Write the parameters as JSON, for tutti's option --parameters; - is standard output");
  output.add("--platform", platform, kWrittenFile,
             "Write a SimGrid platform in XML, with one alpha and beta for all sizes");
}

namespace {

// False if a price is missing, so that no platform can be written.
bool platform_is_known(const Prices& prices) {
  return prices.alpha_s > 0 && prices.beta_s_per_byte > 0 && prices.gamma_s_per_byte > 0;
}

// Must be called on rank 0 only. Writes the requested files and prints the figures. Returns the
// reason why the fit is bad, or "" if it is good.
std::string write_outputs(const CalibrateOptions& options, const Parameters& parameters,
                          const Figures& figures, const MachineFit& fit, const World& world,
                          bool within, const JobFiles& files) {
  std::string kept;
  if (options.json) {
    write_parameters(parameters, files[0]);
    files.commit(0);
    kept = *options.json == "-"
               ? "; the figures are on standard output, marked as poor"
               : fmt::format("; the figures are in '{}', marked as poor", *options.json);
  }
  const bool far = parameters.between.has_value();
  const bool platform =
      platform_is_known(parameters.prices()) && (!far || platform_is_known(parameters.within));
  if (options.platform && platform) {
    files[1] << platform_xml(parameters, world,
                             element_named(parameters.type, parameters.op).bytes());
    files.commit(1);
  } else if (options.platform) {
    kept += fmt::format("; '{}' is not written, because alpha, beta or gamma is missing",
                        *options.platform);
  }
  if (options.json != "-" && options.platform != "-") {
    print_figures(parameters, figures, within, far, std::cout);
    print_curves(fit, std::cout);
  }
  const std::vector<std::string>& doubts = parameters.doubts;
  if (doubts.empty()) {
    return "";
  }
  return fmt::format(
      "calibrate: poor fit, because the machine is too busy or --budget is too short: {}{}{}",
      doubts.front(), doubts.size() == 1 ? "" : fmt::format(" (and {} more)", doubts.size() - 1),
      kept);
}

}  // namespace

int calibrate(const CalibrateOptions& options, const World& world) {
  const double begin_s = now_s();
  const Element element = element_named(options.type, options.op);
  CalibrationOptions how = calibration_options(options, element);
  const double budget = options.budget_s;
  if (world.ranks() < 2) {
    throw UserError(
        "calibrate on 1 rank: needs at least 2 ranks; start 2 on one node (mpirun -np 2), or more "
        "on several nodes");
  }
  if (world.oversubscribed()) {
    throw UserError(
        fmt::format("calibrate on {}: ranks share cores, so times would measure the system's "
                    "scheduler; start at most one rank per core",
                    world.description()));
  }
  const JobFiles files(world, {&options.json, &options.platform});
  const ElementHandles handles(element);
  const auto within = pair_within_node(world);
  const auto between = pair_between_nodes(world);
  const Pair nearest = within ? *within : *between;
  const auto eager_bytes = largest_eager_bytes(world, nearest, how.sizes_bytes.back());
  if (eager_bytes) {
    add_switch(how.sizes_bytes, *eager_bytes, element.bytes());
  }
  // Share of the budget for measurements. The rest is left for the fit, which rank 0 does alone.
  constexpr double kMeasuring = 0.9;
  const double end_s = begin_s + kMeasuring * budget;  // only the value on rank 0 counts
  const bool both = within && between;
  // share of the measuring time for measurements within a node, which are about two thirds of all
  // measurements
  constexpr double kNearShare = 0.65;
  Effort effort;
  const double near_end_s = both ? begin_s + kNearShare * kMeasuring * budget : end_s;
  const NearSeries near = measure_near(world, handles, nearest, how, near_end_s, effort);
  MessageSeries far;
  if (both) {
    far = measure_far(world, handles, *between, how, end_s, effort);
  }
  // All ranks must learn the outcome of the fit, which only rank 0 knows.
  std::string doubt;
  on_first_rank(world, [&] {
    Parameters parameters;
    const JobFacts job = job_facts(world, element);
    parameters.library = job.library;
    parameters.placement = job.placement;
    parameters.type = name(element.type);
    parameters.op = name(element.op);
    parameters.eager_bytes = eager_bytes;
    const MessageSeries* far_series = both ? &far : nullptr;
    const MachineFit fit = fit_machine(how.sizes_bytes, near, far_series, eager_bytes);
    const Figures figures = figures_of(how.sizes_bytes, near, far_series, eager_bytes);
    take(fit, figures, both, parameters);
    parameters.doubts = doubts(fit, figures, effort.coverage);
    parameters.effort = take(effort, now_s() - begin_s);
    doubt = write_outputs(options, parameters, figures, fit, world, within.has_value(), files);
  });
  if (world.first() && !doubt.empty()) {
    std::cerr << "tutti-mpi: " << printable(doubt) << '\n';
  }
  return world.broadcast(doubt).empty() ? kExitOk : kExitCheckFailed;
}

}  // namespace tutti::mpi

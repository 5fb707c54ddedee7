#include "src/mpi/calibrate.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>

#include "platforms/single_switch.hpp"
#include "schedules/error.hpp"
#include "sim/mpi/calibration.hpp"
#include "sim/mpi/plan/statistics.hpp"
#include "src/cli.hpp"
#include "src/human.hpp"
#include "src/mpi/job.hpp"
#include "src/mpi/run.hpp"
#include "src/parameters.hpp"
#include "src/quantities.hpp"

namespace tutti::mpi {

namespace {

constexpr const char* kDefaultSizes = "8..16MiB*2";

CalibrationOptions calibration_options(const CalibrateOptions& options, const Element& element) {
  CalibrationOptions how;
  how.sizes_bytes = parse_byte_list("-n/--bytes", options.sizes.value_or(kDefaultSizes));
  std::sort(how.sizes_bytes.begin(), how.sizes_bytes.end());
  how.sizes_bytes.erase(std::unique(how.sizes_bytes.begin(), how.sizes_bytes.end()),
                        how.sizes_bytes.end());
  constexpr std::size_t kFewestSizes = 4;
  constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20U;
  if (how.sizes_bytes.size() < kFewestSizes) {
    throw UserError(fmt::format(
        "-n/--bytes '{}': {}; a line with something left to judge it by takes {} or more",
        options.sizes.value_or(""), counted(how.sizes_bytes.size(), "size"), kFewestSizes));
  }
  for (const std::uint64_t bytes : how.sizes_bytes) {
    if (bytes == 0 || bytes % element.bytes() != 0 || bytes > kMostBytes) {
      throw UserError(fmt::format(
          "-n/--bytes '{}': {} bytes; accepted are multiples of the {} bytes of an element, up to "
          "256 MiB",
          options.sizes.value_or(""), bytes, element.bytes()));
    }
  }
  if (options.passes) {
    how.passes = parse_count("--passes", *options.passes, 1000);
    if (how.passes == 0) {
      throw UserError("--passes '0': at least 1 is needed");
    }
  }
  if (options.budget) {
    how.budget_s = parse_time_s("--budget", *options.budget);
  }
  return how;
}

// The sizes on both sides of the switch of protocols, so that pieces can part there.
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

// One line for all sizes. Throws UserError where it makes no sense.
CostPiece sensible_line(const FoundSamples& found) {
  const CostPiece line = fit_line(found.samples);
  if (line.fixed_s < 0 || line.s_per_byte <= 0) {
    throw UserError(fmt::format(
        "{}: the line through {} to {} has {:.3g} us of start-up and {:.3g} ns per byte, which no "
        "machine has; take a wider range of sizes (-n), or a quieter machine",
        found.what, human_bytes(found.samples.front().bytes),
        human_bytes(found.samples.back().bytes), line.fixed_s * 1e6, line.s_per_byte * 1e9));
  }
  return line;
}

Prices message_prices(const FoundSamples& one_way) {
  const CostPiece line = sensible_line(one_way);
  Prices prices;
  prices.alpha_s = line.fixed_s;
  prices.beta_s_per_byte = line.s_per_byte;
  return prices;
}

// Seconds per byte of the line through all sizes; its start-up is the pieces' affair.
double local_price(const FoundSamples& found) {
  return std::max(0.0, fit_line(found.samples).s_per_byte);
}

void take(const MachineFit& fit, Parameters& parameters) {
  parameters.curves = fit.curves;
  for (const FoundSamples& found : fit.found) {
    for (std::size_t i = 0; i < found.samples.size(); ++i) {
      parameters.points.push_back({found.what, found.samples[i].bytes, found.working_set_bytes[i],
                                   found.samples[i].seconds, found.spread[i]});
    }
  }
  parameters.within = message_prices(fit.of("within_node.one_way"));
  if (!fit.curves.between_nodes.one_way.empty()) {
    parameters.between = message_prices(fit.of("between_nodes.one_way"));
  }
  const double gamma = local_price(fit.of("reduce"));
  const double copy = local_price(fit.of("copy"));
  for (Prices* prices :
       {&parameters.within, parameters.between ? &*parameters.between : &parameters.within}) {
    prices->gamma_s_per_byte = gamma;
    prices->copy_s_per_byte = copy;
  }
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
  out << "# residual, worst: of the pieces, relative; noise: how far passes are apart\n"
         "# data of: what a byte costs at least where each rank touches so much\n";
}

// Nodes of as many cores as this job has ranks on each, or a crossbar of ranks on one node.
std::string platform_xml(const Parameters& parameters, const World& world,
                         std::uint32_t element_bytes) {
  SingleSwitch platform;
  const Prices& outer = parameters.prices();
  platform.route = {outer.alpha_s, 1 / outer.beta_s_per_byte};
  platform.node.speed_flops_per_s = 1 / (outer.gamma_s_per_byte * element_bytes);
  platform.note =
      fmt::format("Measured by tutti-mpi calibrate: one line for all sizes.\n{}; {}; {} of {}.",
                  parameters.library, parameters.placement, parameters.op, parameters.type);
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

void CalibrateOptions::add_to(CLI::App& command) {
  constexpr const char* kWhat = "What to measure";
  command
      .add_option("-n,--bytes", sizes,
                  fmt::format("Sizes of messages, reductions and copies [{}]", kDefaultSizes))
      ->type_name("BYTES")
      ->group(kWhat);
  command.add_option("--type", type, "Of what is reduced: int32, int64 [default], float or double")
      ->type_name("NAME")
      ->group(kWhat);
  command.add_option("--op", op, "How: sum [default], prod, max, min, band, bor or bxor")
      ->type_name("NAME")
      ->group(kWhat);
  command
      .add_option("--passes", passes, "Times over everything; of each point the median counts [5]")
      ->type_name("COUNT")
      ->group(kWhat);
  command.add_option("--budget", budget, "Time for each point of each pass [0.005s]")
      ->type_name("TIME")
      ->group(kWhat);
  command.add_option("--timeout", timeout, "End the job when nothing happens for so long [60s]")
      ->type_name("TIME")
      ->group(kWhat);
  constexpr const char* kOutput = "Output";
  command
      .add_option("--json", json,
                  "Write the parameters, which tutti takes with --parameters; - is standard output")
      ->type_name("FILE|-")
      ->group(kOutput);
  command
      .add_option("--platform", platform,
                  "Write a SimGrid platform with one line for all sizes, in XML")
      ->type_name("FILE|-")
      ->group(kOutput);
}

int calibrate(const CalibrateOptions& options, const World& world) {
  const Element element = element_named(options.type, options.op);
  CalibrationOptions how = calibration_options(options, element);
  if (world.ranks() < 2) {
    throw UserError(
        "calibrate on 1 rank: a message has two ends; start 2 ranks on one node, or more on "
        "several (mpirun -np 2)");
  }
  if (world.oversubscribed()) {
    throw UserError(fmt::format(
        "calibrate on {}: ranks share cores, so times would be those of the system's scheduler; "
        "start as many ranks as there are cores",
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
  const NearSeries near = measure_near(world, handles, nearest, how);
  MessageSeries far;
  const bool both = within && between;
  if (both) {
    far = measure_far(world, handles, *between, how);
  }
  // What rank 0 finds out about the fit, all must hear.
  std::string complaint;
  if (world.first()) {
    try {
      Parameters parameters;
      const JobFacts job = job_facts(world, element);
      parameters.library = job.library;
      parameters.placement = job.placement;
      parameters.type = name(element.type);
      parameters.op = name(element.op);
      parameters.eager_bytes = eager_bytes;
      const MachineFit fit = fit_machine(how.sizes_bytes, near, both ? &far : nullptr, eager_bytes);
      take(fit, parameters);
      if (options.json) {
        write_parameters(parameters, files[0]);
      }
      if (options.platform) {
        files[1] << platform_xml(parameters, world, element.bytes());
      }
      files.commit();
      if (options.json != "-" && options.platform != "-") {
        const auto line = [](const char* where, const Prices& prices) {
          return fmt::format("  {:<10}alpha {}, beta {:.4f} ns per byte ({})\n", where,
                             human_time(prices.alpha_s), prices.beta_s_per_byte * 1e9,
                             human_rate(1 / prices.beta_s_per_byte));
        };
        std::cout << fmt::format("{}\n  placement {}\n", job.library, job.placement)
                  << line(within ? "node" : "network", parameters.within);
        if (parameters.between) {
          std::cout << line("network", *parameters.between);
        }
        std::cout << fmt::format(
            "  reduce    gamma {:.4f} ns per byte ({} of {})\n  copy      {:.4f} ns per byte\n"
            "  start     {} before the first operation\n"
            "  core      {}\n  eager     {}\n",
            parameters.within.gamma_s_per_byte * 1e9, parameters.op, parameters.type,
            parameters.within.copy_s_per_byte * 1e9, human_time(fit.curves.start_s),
            fit.curves.within_node.by_core
                ? "messages within a node keep the receiver's busy: no reductions or copies then"
                : "free for reductions and copies while messages arrive",
            eager_bytes ? fmt::format("messages of at most {} need no receiver to be sent",
                                      human_bytes(*eager_bytes))
                        : "no message is sent before there is a receiver");
        print_curves(fit, std::cout);
      }
    } catch (const UserError& error) {
      complaint = error.what();
    }
  }
  complaint = world.broadcast(complaint);
  if (!complaint.empty()) {
    throw UserError(complaint);
  }
  return kExitOk;
}

}  // namespace tutti::mpi

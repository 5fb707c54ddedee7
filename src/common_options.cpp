#include "src/common_options.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "schedules/error.hpp"
#include "src/human.hpp"
#include "src/quantities.hpp"

namespace tutti {

namespace {

void refuse_unless_taken(const Algorithm& algorithm, const OptionText& given, Option option,
                         std::string_view name) {
  if (given && (algorithm.options & static_cast<unsigned>(option)) == 0) {
    throw UserError(fmt::format("{} takes no {}; 'tutti list {}' shows what it takes",
                                algorithm.full_name(), name, tutti::name(algorithm.collective)));
  }
}

}  // namespace

void ProblemOptions::add_to(CLI::App& app) {
  constexpr const char* kGroup = "What to run";
  app.add_option("-p,--ranks", ranks, "Number of ranks")->type_name("COUNT")->group(kGroup);
  app.add_option("-n,--bytes", bytes,
                 "Bytes in the largest buffer that any rank holds: 1000, 64K = 64KiB, 1MiB")
      ->type_name("SIZE")
      ->group(kGroup);
  app.add_option("--elem-bytes", element_bytes, "Bytes of an element [8]")
      ->type_name("SIZE")
      ->group(kGroup);
  app.add_option("--root", root, "Root of a collective that has one [0]")
      ->type_name("RANK")
      ->group(kGroup);
  app.add_option("--fold", fold,
                 "How ranks beyond a power of two are taken in: neighbours [default] or far")
      ->type_name("HOW")
      ->group(kGroup);
  app.add_option("--segment", segment, "Bytes of a segment, for algorithms that pipeline")
      ->type_name("SIZE")
      ->group(kGroup);
  app.add_option("--skips", skips,
                 "Skips of a circulant algorithm: halving [default], doubling, linear, sqrt, or a "
                 "list such as 5,3,2,1")
      ->type_name("SKIPS")
      ->group(kGroup);
  app.add_option("--tree", tree, "Of pipelined algorithms: chain [default], binary or binomial")
      ->type_name("NAME")
      ->group(kGroup);
  app.add_option("--block-bytes", block_bytes,
                 "Bytes of each rank's block, where they may differ: 64,8,128 for 3 ranks [equal]")
      ->type_name("SIZES")
      ->group(kGroup);
  app.add_option("--ranks-per-host", ranks_per_host,
                 "Ranks on each host, and on each node of algorithms that know of nodes [1]")
      ->type_name("COUNT")
      ->group(kGroup);
}

void ProblemOptions::read_sizes(const Algorithm& algorithm, Problem& problem) const {
  if (bytes) {
    problem.bytes = parse_bytes("-n/--bytes", *bytes);
    if (algorithm.collective == Collective::barrier && problem.bytes != 0) {
      throw UserError(
          fmt::format("-n/--bytes '{}': a barrier moves no data; leave it out", *bytes));
    }
  }
  refuse_unless_taken(algorithm, block_bytes, Option::block_sizes, "--block-bytes");
  if (block_bytes) {
    problem.block_bytes = parse_byte_list("--block-bytes", *block_bytes);
    if (problem.block_bytes.size() != problem.ranks) {
      throw UserError(fmt::format("--block-bytes '{}': {} for {}; each rank needs one",
                                  *block_bytes, counted(problem.block_bytes.size(), "size"),
                                  counted(problem.ranks, "rank")));
    }
    std::uint64_t sum = 0;
    for (const std::uint64_t block : problem.block_bytes) {
      sum += block;  // at most a million sizes of less than 2^44
      if (block % problem.element_bytes != 0) {
        throw UserError(
            fmt::format("--block-bytes '{}': {} bytes are not a whole number of {}-byte elements",
                        *block_bytes, block, problem.element_bytes));
      }
    }
    if (bytes && sum != problem.bytes) {
      throw UserError(
          fmt::format("-n/--bytes '{}': the sizes of --block-bytes add up to {}", *bytes, sum));
    }
    if (sum > kMaxMessageBytes) {
      throw UserError(fmt::format("--block-bytes '{}': adds up to more than 16 TiB", *block_bytes));
    }
    problem.bytes = sum;
  } else if (!bytes && algorithm.collective != Collective::barrier) {
    throw UserError("how many bytes? Give -n/--bytes, such as -n 1MiB");
  }
}

Problem ProblemOptions::problem(const Algorithm& algorithm) const {
  Problem problem;
  problem.collective = algorithm.collective;
  if (!ranks) {
    throw UserError("how many ranks? Give -p/--ranks, such as -p 64");
  }
  problem.ranks = parse_count("-p/--ranks", *ranks);
  if (problem.ranks == 0) {
    throw UserError("-p/--ranks '0': a collective needs at least 1 rank");
  }
  if (element_bytes) {
    const std::uint64_t size = parse_bytes("--elem-bytes", *element_bytes);
    constexpr std::uint64_t kLargest = 1U << 20U;
    if (size == 0 || size > kLargest) {
      throw UserError(fmt::format("--elem-bytes '{}': accepted is a size from 1 byte to 1 MiB",
                                  *element_bytes));
    }
    problem.element_bytes = static_cast<std::uint32_t>(size);
  }
  read_sizes(algorithm, problem);
  if (root) {
    if (!has_root(algorithm.collective)) {
      throw UserError(fmt::format("{} has no root; leave out --root", name(algorithm.collective)));
    }
    problem.root = parse_count("--root", *root);
  }
  refuse_unless_taken(algorithm, fold, Option::fold, "--fold");
  if (fold) {
    if (*fold != "neighbours" && *fold != "far") {
      throw UserError(fmt::format("--fold '{}': accepted is neighbours or far", *fold));
    }
    problem.fold = *fold == "far" ? Fold::far : Fold::neighbours;
  }
  refuse_unless_taken(algorithm, segment, Option::segment, "--segment");
  if (segment) {
    problem.segment_bytes = parse_bytes("--segment", *segment);
    if (problem.segment_bytes == 0) {
      throw UserError(fmt::format("--segment '{}': a segment has at least one element", *segment));
    }
  }
  refuse_unless_taken(algorithm, skips, Option::skips, "--skips");
  if (skips) {
    problem.skips = *skips;
  }
  refuse_unless_taken(algorithm, tree, Option::tree, "--tree");
  if (tree) {
    problem.tree = *tree;
  }
  if (ranks_per_host) {
    problem.ranks_per_node = parse_count("--ranks-per-host", *ranks_per_host);
    if (problem.ranks_per_node == 0) {
      throw UserError("--ranks-per-host '0': a host holds at least 1 rank");
    }
  }
  return problem;
}

ProblemOptions ProblemOptions::applicable_to(const Algorithm& algorithm) const {
  ProblemOptions options = *this;
  const auto drop_unless_taken = [&](OptionText& text, Option option) {
    if ((algorithm.options & static_cast<unsigned>(option)) == 0) {
      text.reset();
    }
  };
  drop_unless_taken(options.fold, Option::fold);
  drop_unless_taken(options.segment, Option::segment);
  drop_unless_taken(options.skips, Option::skips);
  drop_unless_taken(options.tree, Option::tree);
  return options;
}

void ResultOptions::add_to(CLI::App& app) {
  constexpr const char* kGroup = "Output";
  app.add_option("--json", json, "Write the result as JSON; - is standard output")
      ->type_name("FILE|-")
      ->group(kGroup);
  app.add_option("--csv", csv, "Write the result as comma-separated values; - is standard output")
      ->type_name("FILE|-")
      ->group(kGroup);
}

void check_one_standard_output(std::initializer_list<const OptionText*> paths) {
  int standard = 0;
  for (const OptionText* path : paths) {
    standard += *path == "-" ? 1 : 0;
  }
  if (standard > 1) {
    throw UserError("two outputs cannot both go to standard output; give one of them a file");
  }
}

}  // namespace tutti

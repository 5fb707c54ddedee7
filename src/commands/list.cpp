// tutti list: every algorithm, with its source, limits and cost.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>

#include "base/error.hpp"
#include "schedules/options/option_type.hpp"
#include "schedules/registry.hpp"
#include "src/commands/cli.hpp"
#include "src/commands/command.hpp"
#include "src/formats/json_text.hpp"
#include "src/formats/output_file.hpp"
#include "src/formats/text_table.hpp"
#include "src/requests/common_options.hpp"
#include "src/requests/file_roles.hpp"

namespace tutti {

namespace {

std::vector<std::string> options_of(const Algorithm& algorithm) {
  std::vector<std::string> names;
  if (has_root(algorithm.collective)) {
    names.emplace_back("--root");
  }
  for (const OptionType* type : option_types()) {
    if (takes(algorithm, type->option)) {
      names.emplace_back(type->flag);
    }
    if (type->option == Option::block_sizes && takes(algorithm, type->option)) {
      names.emplace_back("--block-skew");
    }
  }
  return names;
}

// What the algorithm cannot serve, found by asking it: its refusals name the numbers asked for, so
// the examples are ones that a reader can follow.
std::vector<std::string> limits_of(const Algorithm& algorithm) {
  struct Case {
    std::uint32_t ranks;
    std::uint64_t elements;
    std::string_view words;
  };
  constexpr std::array kCases{Case{4, 0, "no elements at all"},
                              Case{4, 3, "fewer elements than ranks"},
                              Case{6, 600, "ranks that are no power of two"},
                              Case{7, 700, "odd numbers of ranks"}, Case{1, 8, "a single rank"}};
  std::vector<std::string> limits;
  if (algorithm.refusal == nullptr) {
    return limits;
  }
  for (const Case& asked : kCases) {
    Problem problem;
    problem.collective = algorithm.collective;
    problem.ranks = asked.ranks;
    problem.bytes = asked.elements * problem.element_bytes;
    if (algorithm.refusal(problem)) {
      limits.emplace_back(asked.words);
    }
  }
  return limits;
}

std::string operators_of(const Algorithm& algorithm) {
  if (!reduces(algorithm.collective)) {
    return "";
  }
  return algorithm.keeps_order != nullptr ? "any associative operator: operands stay in rank order"
                                          : "commutative operators only";
}

void print_algorithm(std::ostream& out, const Algorithm& algorithm) {
  constexpr std::size_t kIndent = 2;
  constexpr std::size_t kKey = 11;
  out << algorithm.full_name() << '\n';
  print_field(out, kIndent, kKey, "idea", algorithm.idea);
  print_field(out, kIndent, kKey, "source", algorithm.source);
  print_field(out, kIndent, kKey, "cost",
              algorithm.cost.empty() ? "no closed form is known" : algorithm.cost);
  const auto limits = limits_of(algorithm);
  print_field(out, kIndent, kKey, "limits",
              limits.empty() ? "none" : fmt::format("not for {}", fmt::join(limits, "; ")));
  if (const std::string operators = operators_of(algorithm); !operators.empty()) {
    print_field(out, kIndent, kKey, "operators", operators);
  }
  if (const auto options = options_of(algorithm); !options.empty()) {
    print_field(out, kIndent, kKey, "options", fmt::format("{}", fmt::join(options, ", ")));
  }
}

nlohmann::ordered_json to_json(const Algorithm& algorithm) {
  nlohmann::ordered_json json;
  json["name"] = algorithm.full_name();
  json["collective"] = name(algorithm.collective);
  json["algorithm"] = algorithm.name;
  json["idea"] = algorithm.idea;
  json["source"] = algorithm.source;
  json["cost"] = algorithm.cost.empty() ? nlohmann::ordered_json() : algorithm.cost;
  json["not_for"] = limits_of(algorithm);
  json["options"] = options_of(algorithm);
  if (reduces(algorithm.collective)) {
    json["commutative_only"] = algorithm.keeps_order == nullptr;
  }
  return json;
}

std::vector<const Algorithm*> chosen_algorithms(const OptionText& collective_text) {
  std::vector<const Algorithm*> chosen;
  std::optional<Collective> collective;
  if (collective_text) {
    collective = parse_collective(*collective_text);
  }
  for (const Algorithm* algorithm : algorithms()) {
    if (!collective || algorithm->collective == *collective) {
      chosen.push_back(algorithm);
    }
  }
  return chosen;
}

struct ListOptions {
  OptionText collective;
  OptionText json;
};

int list(const ListOptions& options, Streams streams) {
  const auto chosen = chosen_algorithms(options.collective);
  if (options.json) {
    nlohmann::ordered_json json;
    json["schema"] = "tutti-list/1";
    json["algorithms"] = nlohmann::ordered_json::array();
    for (const Algorithm* algorithm : chosen) {
      json["algorithms"].push_back(to_json(*algorithm));
    }
    OutputFile file(*options.json, streams.out);
    file.stream() << json_text(json, 2) << '\n';
    file.commit();
    if (*options.json == "-") {
      return kExitOk;
    }
  }
  if (chosen.empty()) {
    streams.out << "no algorithm for " << options.collective.value_or("this") << " yet\n";
    return kExitOk;
  }
  for (const Algorithm* algorithm : chosen) {
    print_algorithm(streams.out, *algorithm);
    streams.out << '\n';
  }
  const bool unpublished = std::any_of(chosen.begin(), chosen.end(), [](const Algorithm* each) {
    return each->source.find('[') != std::string_view::npos;
  });
  streams.out
      << "p: ranks; p': the largest power of two not above p; n: bytes in the largest buffer "
         "of a rank;\nlg: logarithm to base 2; alpha: seconds to start a message; beta: seconds "
         "per byte sent;\ngamma: seconds per byte reduced\n"
      << (unpublished
              ? "[...]: not published; REFERENCES.md in the sources of tutti says what it is\n"
              : "");
  return kExitOk;
}

}  // namespace

Action add_list(CLI::App& app, Streams streams) {
  CLI::App* command = app.add_subcommand("list", "Every algorithm: idea, source, cost, limits");
  auto options = std::make_shared<ListOptions>();
  command->add_option("collective", options->collective, "Only those of one collective")
      ->type_name("COLLECTIVE");
  command->add_option("--json", options->json, "Write the list as JSON; - is standard output")
      ->type_name(kWrittenFile);
  return [options, streams] { return list(*options, streams); };
}

}  // namespace tutti

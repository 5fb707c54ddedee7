#include "src/rule_files/write_rules.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "base/error.hpp"
#include "src/formats/json_text.hpp"
#include "src/rule_files/decision_json.hpp"
#include "src/rule_files/library_algorithms.hpp"
#include "src/rule_files/mpich_tree.hpp"
#include "src/rule_files/ompi_collectives.hpp"

namespace tutti {

namespace {

using Json = nlohmann::ordered_json;

const LibraryAlgorithm& library_algorithm(RuleFormat format, Collective collective,
                                          const Choice& choice) {
  const LibraryAlgorithm* found = find_for(format, collective, choice);
  TUTTI_INVARIANT(found != nullptr);
  return *found;
}

}  // namespace

// Open MPI looks up n for every collective that tutti has: count times type size, for allgather,
// alltoall, gather, scatter times the ranks, for reduce_scatter the sum of the counts
// (coll_tuned_decision_dynamic.c, the same in 4.1, 5.0 and main). A barrier looks up 0.
void write_ompi_classic(const RulesToWrite& rules, RuleFormat version, std::ostream& out) {
  const auto id = ompi_collective_id(name(rules.collective));
  TUTTI_INVARIANT(id.has_value());
  if (version == RuleFormat::ompi5) {
    out << "rule-file-version-2\n";
  }
  fmt::print(out, "# {}\n", rules.made_by);
  fmt::print(out, "1 # collective\n{} # {}\n{} # communicator sizes\n", *id, name(rules.collective),
             rules.steps.size());
  for (const RankStep& step : rules.steps) {
    fmt::print(out, "{} # ranks and more\n{} # message sizes\n", step.from_ranks,
               step.sizes.size());
    for (const SizeStep& size : step.sizes) {
      const LibraryAlgorithm& algorithm = library_algorithm(version, rules.collective, size.choice);
      fmt::print(out, "{} {} 0 {} # {}\n", size.from_bytes, algorithm.id, size.choice.segment_bytes,
                 algorithm.name);
    }
  }
}

void write_ompi_json(const RulesToWrite& rules, std::ostream& out) {
  Json comms = Json::array();
  for (std::size_t i = 0; i < rules.steps.size(); ++i) {
    Json comm = Json::object();
    comm["comm_size_min"] = i == 0 ? 0 : rules.steps[i].from_ranks;
    if (i + 1 < rules.steps.size()) {
      comm["comm_size_max"] = rules.steps[i + 1].from_ranks - 1;
    }
    comm["comm_rank_distribution"] = "any";
    comm["rules"] = Json::array();
    const std::vector<SizeStep>& sizes = rules.steps[i].sizes;
    for (std::size_t j = 0; j < sizes.size(); ++j) {
      Json rule = Json::object();
      rule["msg_size_min"] = sizes[j].from_bytes;
      rule["msg_size_max"] = j + 1 < sizes.size() ? Json(sizes[j + 1].from_bytes - 1) : Json("inf");
      const LibraryAlgorithm& algorithm =
          library_algorithm(RuleFormat::ompi6, rules.collective, sizes[j].choice);
      rule["alg"] = algorithm.name;
      rule["faninout"] = algorithm.fan;
      rule["seg_size"] = sizes[j].choice.segment_bytes;
      comm["rules"].push_back(std::move(rule));
    }
    comms.push_back(std::move(comm));
  }
  const Json file{{"rule_file_version", 3},
                  {"module", "tuned"},
                  {"collectives", {{std::string(name(rules.collective)), std::move(comms)}}}};
  out << json_text(file, 2) << '\n';
}

namespace {

// What MPICH would assert, or get wrong, in the cases in which it must not be asked for.
Json guarded(Collective collective, const std::string& algorithm) {
  const Json leaf = mpich_leaf(algorithm);
  const auto when = [](const char* yes, const Json& then, const char* no, const Json& otherwise) {
    Json json = Json::object();
    json[yes] = then;
    json[no] = otherwise;
    return json;
  };
  switch (collective) {
    case Collective::allreduce:
    case Collective::reduce:
      if (algorithm.find("reduce_scatter") != std::string::npos) {
        const Json otherwise = mpich_leaf(collective == Collective::allreduce
                                              ? "MPIR_Allreduce_intra_recursive_doubling"
                                              : "MPIR_Reduce_intra_binomial");
        return when("is_op_built_in=yes", when("count<pow2", otherwise, "count=any", leaf),
                    "is_op_built_in=no", otherwise);
      }
      return leaf;
    case Collective::allgather:
      return algorithm.ends_with("recursive_doubling")
                 ? when("comm_size=pow2", leaf, "comm_size=any",
                        mpich_leaf("MPIR_Allgather_intra_brucks"))
                 : leaf;
    default:
      return leaf;
  }
}

// Conditions on all of the call, around the sizes.
Json in_the_usual_case(Collective collective, Json tree) {
  Json json = Json::object();
  if (collective == Collective::alltoall) {
    json["is_sendbuf_inplace=yes"] = mpich_leaf("MPIR_Alltoall_intra_pairwise_sendrecv_replace");
    json["is_sendbuf_inplace=no"] = std::move(tree);
    return json;
  }
  if (collective == Collective::reduce_scatter) {
    json["is_commutative=yes"] = std::move(tree);
    json["is_commutative=no"] =
        mpich_built_in("reduce_scatter")["comm_type=intra"]["is_commutative=no"];
    return json;
  }
  return tree;
}

}  // namespace

// avg_msg_size of allreduce, bcast and reduce is n; total_msg_size of allgather, alltoall and
// reduce_scatter is n; those of gather and scatter are not in bytes, and a barrier has none
// (csel.c at v4.0.2). Bounds are ints.
void write_mpich_json(const RulesToWrite& rules, std::ostream& out) {
  const bool average = rules.collective == Collective::allreduce ||
                       rules.collective == Collective::bcast ||
                       rules.collective == Collective::reduce;
  const char* size = average ? "avg_msg_size" : "total_msg_size";
  const auto tree_of_sizes = [&](const std::vector<SizeStep>& sizes) {
    Json json = Json::object();
    for (std::size_t j = 0; j < sizes.size(); ++j) {
      const LibraryAlgorithm& algorithm =
          library_algorithm(RuleFormat::mpich, rules.collective, sizes[j].choice);
      Json what = guarded(rules.collective, std::string(algorithm.name));
      const bool last = j + 1 == sizes.size() ||
                        sizes[j + 1].from_bytes - 1 > std::numeric_limits<std::int32_t>::max();
      if (last) {
        if (json.empty()) {
          return what;
        }
        json[fmt::format("{}=any", size)] = std::move(what);
        return json;
      }
      json[fmt::format("{}<={}", size, sizes[j + 1].from_bytes - 1)] = std::move(what);
    }
    return json;
  };
  Json by_ranks = Json::object();
  for (std::size_t i = 0; i < rules.steps.size(); ++i) {
    Json sizes = in_the_usual_case(rules.collective, tree_of_sizes(rules.steps[i].sizes));
    if (rules.steps.size() == 1) {
      by_ranks = std::move(sizes);
    } else {
      by_ranks[i + 1 < rules.steps.size()
                   ? fmt::format("comm_size<={}", rules.steps[i + 1].from_ranks - 1)
                   : "comm_size=any"] = std::move(sizes);
    }
  }
  Json file = Json::object();
  for (const std::string_view collective : mpich_collectives()) {
    Json& tree = file[fmt::format("collective={}", collective)];
    tree = mpich_built_in(collective);
    if (collective == name(rules.collective)) {
      tree["comm_type=intra"] = by_ranks;
    }
  }
  std::string text = json_text(file, 2) + '\n';
  // MPICH maps the file and takes it for a text with an end: a last page that is full has none.
  constexpr std::size_t kPage = 4096;
  if (text.size() % kPage == 0) {
    text += '\n';
  }
  out << text;
}

// NCCL's nBytes is the larger of what a rank sends and what it receives: n.
void write_nccl_csv(const RulesToWrite& rules, std::ostream& out) {
  const char* collective = rules.collective == Collective::bcast            ? "broadcast"
                           : rules.collective == Collective::reduce_scatter ? "reducescatter"
                                                                            : nullptr;
  fmt::print(out,
             "# {}\n# channels 0: as many as NCCL likes; a call that no line matches has one\n"
             "# collective,min_bytes,max_bytes,algorithm,protocol,channels,nodes,ranks\n",
             rules.made_by);
  for (const std::uint32_t ranks : rules.ranks) {
    const RankStep* step = &rules.steps.front();
    for (const RankStep& each : rules.steps) {
      step = each.from_ranks <= ranks ? &each : step;
    }
    for (std::size_t j = 0; j < step->sizes.size(); ++j) {
      const std::string most =
          j + 1 < step->sizes.size() ? std::to_string(step->sizes[j + 1].from_bytes - 1) : "-1";
      fmt::print(out, "{},{},{},{},simple,0,-1,{}\n",
                 collective != nullptr ? collective : name(rules.collective),
                 step->sizes[j].from_bytes, most,
                 library_algorithm(RuleFormat::nccl, rules.collective, step->sizes[j].choice).name,
                 ranks);
    }
  }
}

void write_rules(const RulesToWrite& rules, RuleFormat format, std::ostream& out) {
  switch (format) {
    case RuleFormat::tutti: {
      DecisionTable table;
      table.collective = rules.collective;
      table.name = rules.made_by;
      table.source = "tutti decide";
      table.rules = rules_of(rules.steps);
      out << json_text(table_json(table), 2) << '\n';
      return;
    }
    case RuleFormat::ompi4:
    case RuleFormat::ompi5:
      return write_ompi_classic(rules, format, out);
    case RuleFormat::ompi6:
      return write_ompi_json(rules, out);
    case RuleFormat::mpich:
      return write_mpich_json(rules, out);
    case RuleFormat::nccl:
      return write_nccl_csv(rules, out);
  }
}

}  // namespace tutti

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <string>

#include "src/rule_files/decides_before.hpp"
#include "src/rule_files/forms/rule_form.hpp"

namespace tutti::rule_forms {

namespace {

bool recognises(std::string_view text) { return look_of_text(text) == TextLook::commas; }

// NCCL's nBytes is the larger of what a rank sends and what it receives: n.
void write_collective(const RulesToWrite& rules, std::ostream& out) {
  const char* collective = rules.collective == Collective::bcast            ? "broadcast"
                           : rules.collective == Collective::reduce_scatter ? "reducescatter"
                                                                            : nullptr;
  for (const std::uint32_t ranks : rules.ranks) {
    const RankStep* step = &rules.steps.front();
    for (const RankStep& each : rules.steps) {
      step = each.from_ranks <= ranks ? &each : step;
    }
    for (std::size_t j = 0; j < step->sizes.size(); ++j) {
      if (!step->sizes[j].why.empty()) {
        fmt::print(out, "# {}\n", step->sizes[j].why);
      }
      const std::string most =
          j + 1 < step->sizes.size() ? std::to_string(step->sizes[j + 1].from_bytes - 1) : "-1";
      fmt::print(
          out, "{},{},{},{},simple,0,-1,{}\n",
          collective != nullptr ? collective : name(rules.collective), step->sizes[j].from_bytes,
          most,
          library_algorithm_for(RuleFormat::nccl, rules.collective, step->sizes[j].choice).name,
          ranks);
    }
  }
}

RuleFile read(std::string_view text, int /*release*/) { return read_nccl_csv(text); }

void write(std::span<const RulesToWrite> all, std::ostream& out) {
  write_head(all, RuleFormat::nccl, out);
  out << "# channels 0: as many as NCCL likes; a call that no line matches has one\n"
         "# collective,min_bytes,max_bytes,algorithm,protocol,channels,nodes,ranks\n";
  for (const RulesToWrite& rules : all) {
    write_collective(rules, out);
  }
}

}  // namespace

// CSV of NCCL's example tuner.
extern const RuleForm nccl{
    .name = "nccl",
    .description = "CSV of NCCL's example tuner",
    .family = "NCCL",
    .load = "NCCL_TUNER_CONFIG_FILE={}",
    .algorithms = nccl_algorithms,
    .cuts_as_it_likes = true,
    .decides_the_rest = true,
    .other_ranks =
        "it has none for other numbers of ranks, which get one channel from NCCL's tuner",
    .recognises = recognises,
    .read = read,
    .write = write,
};

}  // namespace tutti::rule_forms

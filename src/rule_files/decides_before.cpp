// Sources: the priorities of coll/han and coll/tuned in ompi/mca/coll (0 and 30 at v4.1.4; 35 and
// 30 at v5.0.6 and main); coll_han_module.c (the collectives that coll/han has); MPICH's
// maint/tuning/coll/ch4/generic.json and src/mpid/ch4/shm/posix/posix_coll.h at v4.0.2 to v4.3.2,
// and coll_impl.c (MPIR_CVAR_DEVICE_COLLECTIVES).
#include "src/rule_files/decides_before.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <vector>

#include "base/error.hpp"
#include "base/shell_word.hpp"
#include "src/rule_files/compositions.hpp"
#include "src/rule_files/open_mpi/han_rules.hpp"
#include "src/rule_files/rule_form.hpp"

namespace tutti { inline namespace rule_files {

namespace {

// Returns the collectives for which `has` returns true, as text: "bcast, reduce and barrier".
template <typename Has>
std::string those(std::span<const Collective> collectives, Has&& has) {
  std::vector<std::string_view> names;
  for (const Collective collective : collectives) {
    if (has(collective)) {
      names.push_back(name(collective));
    }
  }
  if (names.size() < 2) {
    return names.empty() ? "" : std::string(names.front());
  }
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

constexpr const char* kSpread =
    "on communicators over several nodes, at least one of which has several ranks";

std::string before_tuned(RuleFormat format, int release, std::span<const Collective> collectives) {
  constexpr int kHanFirst = 500;
  if (release != 0 && release < kHanFirst) {
    return "";
  }
  const std::string taken = those(collectives, [&](Collective each) {
    return han_has(each, release == 0 ? rule_form(format).release : release);
  });
  if (taken.empty()) {
    return "";
  }
  return fmt::format(
      "{}oll/han decides first for {} {}: there, these rules are used at most for the parts of a "
      "call, never for all ranks. To use them for all ranks, set --mca coll_han_priority 0, or "
      "name tuned in the rules of coll/han.",
      release == 0 && format == RuleFormat::ompi4 ? "From Open MPI 5.0 on c" : "C", taken, kSpread);
}

std::string before_tree(std::span<const Collective> collectives) {
  const std::string taken = those(collectives, composed_by_nodes);
  if (taken.empty()) {
    return "";
  }
  return fmt::format(
      "The compositions of ch4 decide first for {} {}: there, the tree is mostly used for the "
      "ranks of a node and for one rank of each node, and inside a node the rules for shared "
      "memory may decide before the tree. To use the tree for all ranks, set "
      "MPIR_CVAR_DEVICE_COLLECTIVES=none, or write a file of compositions that selects the tree.",
      taken, kSpread);
}

}  // namespace

std::string LoadSetting::shell_value() const {
  return folder.empty() ? shell_path(value) : fmt::format("\"${}\"/{}", folder, shell_word(value));
}

std::string LoadSetting::as_variable() const {
  return fmt::format("{}{}={}", mca ? "OMPI_MCA_" : "", name, shell_value());
}

std::vector<LoadSetting> load_settings(RuleFormat format, std::string_view file,
                                       std::string_view folder) {
  const RuleForm& form = rule_form(format);
  std::vector<LoadSetting> settings;
  for (const FormSetting& each : form.load) {
    const bool is_file = each.value.empty();
    settings.push_back({std::string(each.name), std::string(is_file ? folder : ""),
                        std::string(is_file ? file : each.value), form.family == "Open MPI"});
  }
  return settings;
}

std::string load_command(std::span<const LoadSetting> settings) {
  std::string line;
  for (const LoadSetting& each : settings) {
    line += line.empty() ? (each.mca ? "mpirun " : "") : " ";
    line +=
        each.mca ? fmt::format("--mca {} {}", each.name, each.shell_value()) : each.as_variable();
  }
  return line;
}

std::string load_export(std::span<const LoadSetting> settings) {
  std::string line;
  for (const LoadSetting& each : settings) {
    line += (line.empty() ? "export " : " ") + each.as_variable();
  }
  return line;
}

std::vector<std::string> load_parameters(std::span<const LoadSetting> settings) {
  std::vector<std::string> lines;
  for (const LoadSetting& each : settings) {
    if (each.mca) {
      lines.push_back(fmt::format("{} = {}{}", each.name,
                                  each.folder.empty() ? "" : fmt::format("${}/", each.folder),
                                  each.value));
    }
  }
  return lines;
}

std::string decided_before(RuleFormat format, int release,
                           std::span<const Collective> collectives) {
  switch (format) {
    case RuleFormat::ompi4:
    case RuleFormat::ompi5:
    case RuleFormat::ompi6:
      return before_tuned(format, release, collectives);
    case RuleFormat::mpich:
    case RuleFormat::mpich41:
    case RuleFormat::mpich43:
      return before_tree(collectives);
    case RuleFormat::mpich51:
      return "Each tree replaces, as a whole, MPICH's own tree for the collective, so that its "
             "algorithms for the shared memory of a node (release_gather) are not used.";
    case RuleFormat::mpich_posix:
      return "The compositions of ch4 decide first: these rules are used for the ranks of one "
             "node.";
    case RuleFormat::han:
      return release < 500 ? "Open MPI 4.1 uses coll/han only if --mca coll_han_priority is above "
                             "30, the priority of coll/tuned."
                           : "";
    case RuleFormat::rccl:
      return "A tuner plugin (NCCL_TUNER_PLUGIN, or libnccl-tuner.so) takes precedence over this "
             "file. On one node of 8 ranks, RCCL 2.30 may run a call directly (DDA), without the "
             "tuner; RCCL_DDA_ENABLE=0 disables this.";
    case RuleFormat::tutti:
    case RuleFormat::mpich_ch4:
    case RuleFormat::nccl:
      break;
    case RuleFormat::ucc:
      return "UCC reads a single file: this one replaces $HOME/ucc.conf and UCC's own "
             "share/ucc.conf. The variable UCC_TL_UCP_TUNE takes precedence over the file. Open "
             "MPI "
             "uses UCC only with --mca coll_ucc_enable 1.";
  }
  return "";
}

void write_comment(std::string_view text, std::ostream& out) {
  constexpr std::size_t kMost = 200;
  while (text.size() > kMost) {
    const std::size_t blank = text.rfind(' ', kMost);
    const std::size_t end = blank == text.npos || blank == 0 ? kMost : blank;
    fmt::print(out, "# {}\n", text.substr(0, end));
    text.remove_prefix(end == blank ? end + 1 : end);
  }
  fmt::print(out, "# {}\n", text);
}

void write_head(std::string_view made_by, RuleFormat format, int release,
                std::span<const Collective> collectives, std::ostream& out) {
  const std::vector<LoadSetting> settings = load_settings(format, "FILE");
  std::vector<std::string> lines{std::string(made_by), load_command(settings)};
  if (!settings.empty()) {
    lines.push_back(fmt::format("srun: {}", load_export(settings)));
  }
  for (const std::string& parameter : load_parameters(settings)) {
    lines.push_back(fmt::format("openmpi-mca-params.conf: {}", parameter));
  }
  lines.push_back(decided_before(format, release, collectives));
  for (const std::string& line : lines) {
    if (!line.empty()) {
      write_comment(line, out);
    }
  }
}

void write_head(std::span<const RulesToWrite> rules, RuleFormat format, std::ostream& out) {
  TUTTI_INVARIANT(!rules.empty());
  std::vector<Collective> collectives;
  for (const RulesToWrite& each : rules) {
    collectives.push_back(each.collective);
  }
  write_head(rules.front().made_by, format, rules.front().release, collectives, out);
}

}}  // namespace tutti::rule_files

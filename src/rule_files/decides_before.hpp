// Tells users how to load a rule file, and what takes precedence over its rules. This text appears
// in the output of lint, in the header of exported files, and in the output of the command that
// exports a file.
#pragma once

#include <functional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/rule_files/rule_file.hpp"
#include "src/rule_files/write_rules.hpp"

namespace tutti { inline namespace rule_files {

// A setting that makes a library load a rule file.
struct LoadSetting {
  std::string name;
  std::string folder;  // shell variable with the folder of the file `value`, "RULES"; may be empty
  std::string value;
  bool mca = false;  // true for a parameter of Open MPI's MCA, false for an environment variable

  // Returns the value as a word for a shell: "'my rules.conf'", or "\"$RULES\"/tuned.conf".
  [[nodiscard]] std::string shell_value() const;
  // Returns the setting as an environment variable, as a word for a shell:
  // "OMPI_MCA_coll_tuned_use_dynamic_rules=1".
  [[nodiscard]] std::string as_variable() const;
};
// Returns the settings that load `file`; none if no library reads the format. `folder` is that of
// LoadSetting.
[[nodiscard]] std::vector<LoadSetting> load_settings(RuleFormat format, std::string_view file,
                                                     std::string_view folder = "");
// Returns the command line with these settings: "mpirun --mca coll_tuned_use_dynamic_rules 1 ...",
// or "NCCL_TUNER_CONFIG_FILE=FILE" for environment variables. Empty if there are no settings.
[[nodiscard]] std::string load_command(std::span<const LoadSetting> settings);
// Returns a shell command that sets the settings for srun and other launchers: "export NAME=VALUE
// ...". Empty if there are no settings.
[[nodiscard]] std::string load_export(std::span<const LoadSetting> settings);
// Returns the lines "NAME = VALUE" of Open MPI's parameter file, openmpi-mca-params.conf. Other
// libraries have no such file: the list is empty.
[[nodiscard]] std::vector<std::string> load_parameters(std::span<const LoadSetting> settings);

// Returns a text that says what takes precedence over rules in this format for these collectives;
// empty if nothing does. `release` is encoded as in LibraryVersion; 0 stands for any release that
// reads the format.
[[nodiscard]] std::string decided_before(RuleFormat format, int release,
                                         std::span<const Collective> collectives);

// The communicators on which a decision by nodes precedes others.
inline constexpr std::string_view kOnSpreadCommunicators =
    "on communicators over several nodes, at least one of which has several ranks";
// Returns the collectives for which `has` is true, as text: "bcast, reduce and barrier".
[[nodiscard]] std::string names_where(std::span<const Collective> collectives,
                                      const std::function<bool(Collective)>& has);

// Components of Open MPI that tutti does not model, and that run collectives before the components
// that read rule files.
inline constexpr std::string_view kOtherComponents =
    "where ompi_info lists hcoll or ucc, and they are enabled, they run collectives before "
    "coll/han "
    "and coll/tuned; --mca coll_hcoll_enable 0 --mca coll_ucc_enable 0 switches them off";

// Writes a comment that begins with #. Comments longer than 200 characters become several lines:
// NCCL's and RCCL's tuners read the part after character 255 as another line.
void write_comment(std::string_view text, std::ostream& out);
// Writes comments, each of which begins with #: who made the file, how to load it, and what takes
// precedence over its rules.
void write_head(std::string_view made_by, RuleFormat format, int release,
                std::span<const Collective> collectives, std::ostream& out);
void write_head(std::span<const RulesToWrite> rules, RuleFormat format, std::ostream& out);

}}  // namespace tutti::rule_files

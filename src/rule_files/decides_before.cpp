#include "src/rule_files/decides_before.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <vector>

#include "base/error.hpp"
#include "base/shell_word.hpp"
#include "src/rule_files/rule_form.hpp"

namespace tutti { inline namespace rule_files {

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
  const auto before = rule_form(format).decided_before;
  return before == nullptr ? "" : before(format, release, collectives);
}

std::string names_where(std::span<const Collective> collectives,
                        const std::function<bool(Collective)>& has) {
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

// The forms of rule files that tuners of NCCL and RCCL read.
#include <array>

#include "src/rule_files/nccl/csv.hpp"
#include "src/rule_files/rule_form.hpp"

namespace tutti { inline namespace rule_files {

namespace {

constexpr std::array kLoadNccl{FormSetting{"NCCL_TUNER_PLUGIN", "example"},
                               FormSetting{"NCCL_TUNER_CONFIG_FILE"}};
constexpr std::array kLoadRccl{FormSetting{"NCCL_TUNER_CONFIG_FILE"}};

// Both tuners read the same lines. Files that tutti wrote for RCCL name it in a comment.
bool names_rccl(const RuleText& text) { return text.has("RCCL"); }

RuleFile read_csv(std::string_view text, RuleFormat format, int) {
  return read_nccl_csv(text, format);
}

}  // namespace

// Rules in CSV, which NCCL's example tuner reads.
constexpr RuleForm forms::nccl{
    .name = "nccl",
    .description = "CSV of NCCL's example tuner",
    .family = "NCCL",
    .load = kLoadNccl,
    .names_algorithms = true,
    .cuts_as_it_likes = true,
    .decides_the_rest = true,
    .other_ranks =
        "other numbers of ranks or nodes have no rules, and NCCL's tuner gives them one "
        "channel: decide for all communicators of your programs",
    .recognises =
        [](const RuleText& text) { return text.syntax == TextForm::commas && !names_rccl(text); },
    .read = read_csv,
    .write = write_nccl_csv,
};

// Rules in CSV, which RCCL's built-in tuner reads from 2.28.3 on.
constexpr RuleForm forms::rccl{
    .name = "rccl",
    .description = "CSV of RCCL's built-in tuner",
    .serves = "RCCL 2.28.3 and later",
    .family = "RCCL",
    .load = kLoadRccl,
    .release = 228,
    .first_release = 228,
    .names_algorithms = true,
    .cuts_as_it_likes = true,
    .decides_the_rest = true,
    .other_ranks = "other numbers of ranks have no rules: RCCL decides without AMD's own table",
    .recognises = [](const RuleText& text) { return text.syntax == TextForm::commas; },
    .read = read_csv,
    .write = write_nccl_csv,
    .decided_before =
        [](RuleFormat, int, std::span<const Collective>) {
          return std::string(
              "A tuner plugin (NCCL_TUNER_PLUGIN, or libnccl-tuner.so) takes precedence over this "
              "file. On one node of 8 ranks, RCCL 2.30 may run a call directly (DDA), without the "
              "tuner; RCCL_DDA_ENABLE=0 disables this.");
        },
};

}}  // namespace tutti::rule_files

// The forms of MPICH's rule files. Sources: MPICH's maint/tuning/coll/ch4/generic.json and
// src/mpid/ch4/shm/posix/posix_coll.h at v4.0.2 to v4.3.2, and coll_impl.c
// (MPIR_CVAR_DEVICE_COLLECTIVES).
#include <fmt/format.h>

#include <array>

#include "base/characters.hpp"
#include "src/rule_files/decides_before.hpp"
#include "src/rule_files/mpich/compositions.hpp"
#include "src/rule_files/mpich/json.hpp"
#include "src/rule_files/mpich/names.hpp"
#include "src/rule_files/mpich/write_json.hpp"
#include "src/rule_files/rule_form.hpp"

namespace tutti { inline namespace rule_files {

namespace {

constexpr std::array kLoadColl{FormSetting{"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE"}};
constexpr std::array kLoadNamedTrees{FormSetting{"MPIR_CVAR_COLL_SELECTION_JSON_FILE"}};
constexpr std::array kLoadCh4{FormSetting{"MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE"}};
constexpr std::array kLoadPosix{FormSetting{"MPIR_CVAR_CH4_POSIX_COLL_SELECTION_TUNING_JSON_FILE"}};

bool has_named_trees(const RuleText& text) {
  return text.has("\"name=") || text.has("\"any\"") || text.has("-intra\"");
}

// True for JSON that no form above those of the selection tree has.
bool is_tree(const RuleText& text) {
  return text.syntax == TextForm::json && !has_named_trees(text);
}

// True if the first type of a tree in the text is a number.
bool numbers_trees(const RuleText& text) {
  constexpr std::string_view kTree = "\"tree_type=";
  const std::size_t tree = text.text.find(kTree);
  const std::string_view type = tree == text.text.npos ? "" : text.text.substr(tree + kTree.size());
  return !type.empty() && is_digit(type.front());
}

// Releases after 4.0 know all names of 4.0, so a text without newer names does not show its
// release. A text with newer names, but without types of trees, has the same meaning in mpich41 and
// in mpich43.
bool has_names_after_40(const RuleText& text) { return has_mpich_name_after(text.text, 400); }

RuleFile read_tree(std::string_view text, RuleFormat format, int release) {
  return read_mpich_json(text, {format, release});
}

std::string before_tree(RuleFormat, int, std::span<const Collective> collectives) {
  const std::string taken = names_where(collectives, composed_by_nodes);
  if (taken.empty()) {
    return "";
  }
  return fmt::format(
      "The compositions of ch4 decide first for {} {}: there, the tree is mostly used for the "
      "ranks of a node and for one rank of each node, and inside a node the rules for shared "
      "memory may decide before the tree. To use the tree for all ranks, set "
      "MPIR_CVAR_DEVICE_COLLECTIVES=none, or write a file of compositions that selects the tree.",
      taken, kOnSpreadCommunicators);
}

// The selection tree of releases before 5.1.
constexpr RuleForm selection_tree(std::string_view name, std::string_view description,
                                  std::string_view serves, int first_release, int release,
                                  bool (*recognises)(const RuleText& text)) {
  return {.name = name,
          .description = description,
          .serves = serves,
          .family = "MPICH",
          .load = kLoadColl,
          .release = release,
          .first_release = first_release,
          .names_algorithms = true,
          .cuts = "mpich",
          .counts_ranks_per_node = true,
          .recognises = recognises,
          .read = read_tree,
          .write = write_mpich_json,
          .decided_before = before_tree};
}

}  // namespace

// Rules by which MPICH's device ch4 composes a collective from other collectives. ch4 applies these
// rules before any algorithm is selected.
constexpr RuleForm forms::mpich_ch4{
    .name = "mpich_ch4",
    .description = "JSON compositions of MPICH's ch4",
    .family = "MPICH",
    .load = kLoadCh4,
    .release = kLastPlainTree,
    .last_release = kLastPlainTree,
    .replaces = "the composition",
    .decides_the_rest = true,
    .recognises =
        [](const RuleText& text) {
          return text.syntax == TextForm::json && text.has("\"composition=");
        },
    .read = read_tree,
};

// Rules that choose algorithms in a node's shared memory. For collectives without an entry, the
// selection tree decides.
constexpr RuleForm forms::mpich_posix{
    .name = "mpich_posix",
    .description = "JSON selection of MPICH's ch4 in shared memory",
    .family = "MPICH",
    .load = kLoadPosix,
    .release = kLastPlainTree,
    .last_release = kLastPlainTree,
    .replaces = "the algorithm in shared memory",
    .decides_the_rest = true,
    .recognises = [](const RuleText& text) { return is_tree(text) && text.has("=MPIDI_POSIX_"); },
    .read = read_tree,
    .decided_before =
        [](RuleFormat, int, std::span<const Collective>) {
          return std::string(
              "The compositions of ch4 decide first: these rules are used for the ranks of one "
              "node.");
        },
};

// Types of trees have numbers in 4.1 and 4.2; from 4.3 on, they have names.
constexpr RuleForm forms::mpich41 =
    selection_tree("mpich41", "JSON selection tree of MPICH 4.1 and 4.2", "4.1, 4.2", 401, 402,
                   [](const RuleText& text) {
                     return is_tree(text) && numbers_trees(text) && has_names_after_40(text);
                   });

constexpr RuleForm forms::mpich43 =
    selection_tree("mpich43", "JSON selection tree of MPICH 4.3 and 5.0", "4.3, 5.0", 403,
                   kLastPlainTree, [](const RuleText& text) {
                     return is_tree(text) && text.has("\"collective=") && has_names_after_40(text);
                   });

constexpr RuleForm forms::mpich =
    selection_tree("mpich", "JSON selection tree of MPICH 4.0", "4.0", 400, 400, is_tree);

// Named selection trees, which MPICH reads from 5.1 on. A tree replaces MPICH's own tree, and
// cannot continue with it.
constexpr RuleForm forms::mpich51{
    .name = "mpich51",
    .description = "JSON selection trees of MPICH 5.1",
    .serves = "5.1",
    .family = "MPICH",
    .load = kLoadNamedTrees,
    .release = kNamedTrees,
    .first_release = kNamedTrees,
    .names_algorithms = true,
    .cuts = "mpich",
    .decides_the_rest = true,
    .leaves_calls = false,
    .other_ranks = kAllOtherRanks,
    .recognises = [](const RuleText& text) { return text.syntax == TextForm::json; },
    .read = [](std::string_view text, RuleFormat, int) { return read_mpich_named_trees(text); },
    .write = [](std::span<const RulesToWrite> rules, RuleFormat,
                std::ostream& out) { write_mpich_named_trees(rules, out); },
    .decided_before =
        [](RuleFormat, int, std::span<const Collective>) {
          return std::string(
              "Each tree replaces, as a whole, MPICH's own tree for the collective, so that its "
              "algorithms for the shared memory of a node (release_gather) are not used.");
        },
};

}}  // namespace tutti::rule_files

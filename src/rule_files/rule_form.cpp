#include "src/rule_files/rule_form.hpp"

#include <array>

#include "src/rule_files/mpich/names.hpp"

namespace tutti { inline namespace rule_files {

namespace {

constexpr std::array kLoadTuned{FormSetting{"coll_tuned_use_dynamic_rules", "1"},
                                FormSetting{"coll_tuned_dynamic_rules_filename"}};
constexpr std::array kLoadHan{FormSetting{"coll_han_use_dynamic_file_rules", "1"},
                              FormSetting{"coll_han_dynamic_rules_filename"}};
constexpr std::array kLoadMpichColl{FormSetting{"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE"}};
constexpr std::array kLoadMpich51{FormSetting{"MPIR_CVAR_COLL_SELECTION_JSON_FILE"}};
constexpr std::array kLoadMpichCh4{FormSetting{"MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE"}};
constexpr std::array kLoadMpichPosix{
    FormSetting{"MPIR_CVAR_CH4_POSIX_COLL_SELECTION_TUNING_JSON_FILE"}};
constexpr std::array kLoadNccl{FormSetting{"NCCL_TUNER_PLUGIN", "example"},
                               FormSetting{"NCCL_TUNER_CONFIG_FILE"}};
constexpr std::array kLoadUcc{FormSetting{"UCC_CONFIG_FILE"}};
constexpr std::array kLoadRccl{FormSetting{"NCCL_TUNER_CONFIG_FILE"}};

constexpr std::string_view kAllOtherRanks =
    "all other numbers of ranks, which were not simulated, use the rules of the next lower one, or "
    "of the first";

// In the order of RuleFormat.
constexpr std::array kForms{
    // The schema is src/formats/schemas/tutti-decisions-1.schema.json.
    RuleForm{
        .name = "tutti",
        .description = "decision table of tutti",
        .leaves_calls = false,
        .other_ranks = kAllOtherRanks,
    },
    // Rules by which Open MPI's coll/han chooses the component that runs a collective.
    RuleForm{
        .name = "han",
        .description = "rules of Open MPI's coll/han",
        .family = "Open MPI",
        .load = kLoadHan,
        .release = 500,
        .decides_the_rest = true,
    },
    // Classic rules of Open MPI 4.1, and of 5.0 up to 5.0.6.
    RuleForm{
        .name = "ompi4",
        .description = "rules of Open MPI 4.1 to 5.0.6",
        .serves = "Open MPI 4.1 to 5.0.6",
        .family = "Open MPI",
        .load = kLoadTuned,
        .release = 401,
        .first_release = 401,
        .names_algorithms = true,
        .cuts = "open_mpi",
    },
    // Classic rules of Open MPI from 5.0.7 on. They may have a header, and a fifth number in each
    // rule.
    RuleForm{
        .name = "ompi5",
        .description = "rules of Open MPI 5.0.7 and later",
        .serves = "from 5.0.7",
        .family = "Open MPI",
        .load = kLoadTuned,
        .release = 500,
        .first_release = 500,
        .names_algorithms = true,
        .cuts = "open_mpi",
    },
    // Rules in JSON, which Open MPI reads from 6.0 on.
    RuleForm{
        .name = "ompi6",
        .description = "JSON rules of Open MPI 6",
        .family = "Open MPI",
        .load = kLoadTuned,
        .release = 600,
        .first_release = 600,
        .names_algorithms = true,
        .cuts = "open_mpi",
    },
    // Rules by which MPICH's device ch4 composes a collective from other collectives. ch4 applies
    // these rules before any algorithm is selected.
    RuleForm{
        .name = "mpich_ch4",
        .description = "JSON compositions of MPICH's ch4",
        .family = "MPICH",
        .load = kLoadMpichCh4,
        .release = kLastPlainTree,
        .decides_the_rest = true,
    },
    // Rules that choose algorithms in a node's shared memory. For collectives without an entry, the
    // selection tree decides.
    RuleForm{
        .name = "mpich_posix",
        .description = "JSON selection of MPICH's ch4 in shared memory",
        .family = "MPICH",
        .load = kLoadMpichPosix,
        .release = kLastPlainTree,
        .decides_the_rest = true,
    },
    // Selection tree of MPICH 4.1 and 4.2, in which types of trees have numbers; from 4.3 on, they
    // have names.
    RuleForm{
        .name = "mpich41",
        .description = "JSON selection tree of MPICH 4.1 and 4.2",
        .serves = "4.1, 4.2",
        .family = "MPICH",
        .load = kLoadMpichColl,
        .release = 402,
        .first_release = 401,
        .names_algorithms = true,
        .cuts = "mpich",
    },
    // Selection tree of MPICH 4.3 and 5.0.
    RuleForm{
        .name = "mpich43",
        .description = "JSON selection tree of MPICH 4.3 and 5.0",
        .serves = "4.3, 5.0",
        .family = "MPICH",
        .load = kLoadMpichColl,
        .release = kLastPlainTree,
        .first_release = 403,
        .names_algorithms = true,
        .cuts = "mpich",
    },
    // Selection tree of MPICH 4.0.
    RuleForm{
        .name = "mpich",
        .description = "JSON selection tree of MPICH 4.0",
        .serves = "4.0",
        .family = "MPICH",
        .load = kLoadMpichColl,
        .release = 400,
        .first_release = 400,
        .names_algorithms = true,
        .cuts = "mpich",
    },
    // Named selection trees, which MPICH reads from 5.1 on.
    RuleForm{
        .name = "mpich51",
        .description = "JSON selection trees of MPICH 5.1",
        .serves = "5.1",
        .family = "MPICH",
        .load = kLoadMpich51,
        .release = kNamedTrees,
        .first_release = kNamedTrees,
        .names_algorithms = true,
        .cuts = "mpich",
        .decides_the_rest = true,
        // A tree replaces MPICH's own tree, and cannot continue with it.
        .leaves_calls = false,
        .other_ranks = kAllOtherRanks,
    },
    // Rules in CSV, which NCCL's example tuner reads.
    RuleForm{
        .name = "nccl",
        .description = "CSV of NCCL's example tuner",
        .family = "NCCL",
        .load = kLoadNccl,
        .names_algorithms = true,
        .cuts_as_it_likes = true,
        .decides_the_rest = true,
        .other_ranks =
            "other numbers of ranks have no rules, and get one channel from NCCL's tuner",
    },
    // Rules in CSV, which RCCL's built-in tuner reads from 2.28.3 on.
    RuleForm{
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
    },
    // Configuration file of UCC, whose sections choose the algorithms of TL/UCP.
    RuleForm{
        .name = "ucc",
        .description = "configuration file of UCC",
        .family = "UCC",
        .load = kLoadUcc,
        .release = 108,
        .first_release = 104,
        .names_algorithms = true,
        .decides_the_rest = true,
    },
};
static_assert(kForms.size() == kRuleFormats.size());

}  // namespace

const RuleForm& rule_form(RuleFormat format) { return kForms[static_cast<std::size_t>(format)]; }

}}  // namespace tutti::rule_files

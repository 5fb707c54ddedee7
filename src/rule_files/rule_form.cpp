#include "src/rule_files/rule_form.hpp"

#include <array>

#include "src/rule_files/han_rules.hpp"
#include "src/rule_files/mpich_names.hpp"
#include "src/rule_files/ompi_collectives.hpp"

namespace tutti::inline rule_files {

namespace {

// In the order of RuleFormat.
constexpr std::array kForms{
    // The schema is src/formats/schemas/tutti-decisions-1.schema.json.
    RuleForm{
        .name = "tutti",
        .description = "decision table of tutti",
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
        .release = kLatest,
        .decides_the_rest = true,
    },
    // Rules that choose algorithms in a node's shared memory. For collectives without an entry, the
    // selection tree decides.
    RuleForm{
        .name = "mpich_posix",
        .description = "JSON selection of MPICH's ch4 in shared memory",
        .family = "MPICH",
        .load = kLoadMpichPosix,
        .release = kLatest,
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
        .description = "JSON selection tree of MPICH 4.3 and later",
        .serves = "4.3 and later",
        .family = "MPICH",
        .load = kLoadMpichColl,
        .release = kLatest,
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
    // Rules in CSV, which NCCL's example tuner reads.
    RuleForm{
        .name = "nccl",
        .description = "CSV of NCCL's example tuner",
        .family = "NCCL",
        .load = "NCCL_TUNER_PLUGIN=example NCCL_TUNER_CONFIG_FILE={}",
        .names_algorithms = true,
        .cuts_as_it_likes = true,
        .decides_the_rest = true,
        .other_ranks =
            "other numbers of ranks have no rules, and get one channel from NCCL's tuner",
    },
};
static_assert(kForms.size() == kRuleFormats.size());

}  // namespace

const RuleForm& rule_form(RuleFormat format) { return kForms[static_cast<std::size_t>(format)]; }

}  // namespace tutti::inline rule_files

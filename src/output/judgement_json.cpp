// The object `against` of the document tutti-decide/2.
#include <optional>

#include "base/field_names.hpp"
#include "src/output/common_fields.hpp"
#include "src/output/decision_text.hpp"
#include "src/rule_files/decision_json.hpp"

namespace tutti { inline namespace output {

namespace { namespace judgement_fields_of {

using CellOfTable = PartOf<Decision, TableCell>;

constexpr auto kWorst = fields<CellOfTable>({
    {"ranks", [](const CellOfTable& of) { return of.whole.ranks[of.part.rank_index]; },
     at_least(1)},
    {"bytes", [](const CellOfTable& of) { return of.part.bytes; }},
    {"loss", [](const CellOfTable& of) { return of.part.loss(); }, any_sign},
});

constexpr auto kCellOfTable = fields<CellOfTable>({
    {"ranks", [](const CellOfTable& of) { return of.whole.ranks[of.part.rank_index]; },
     at_least(1)},
    {"bytes", [](const CellOfTable& of) { return of.part.bytes; }},
    {"choice", kChoiceFields, [](const CellOfTable& of) -> const auto& { return of.part.choice; }},
    {"runs", kChoiceFields,
     [](const CellOfTable& of) { return of.part.seconds ? &of.part.runs : nullptr; },
     "The choice, or what the library runs instead if the choice cannot run. null if it is unknown "
     "what runs."},
    {"refused", [](const CellOfTable& of) { return text_if_any(with_fields(of.part.refusal)); },
     "Why the choice cannot run, or why its time is unknown."},
    {"seconds", [](const CellOfTable& of) { return of.part.seconds; }},
    {"ties", kTieRangeFields,
     [](const CellOfTable& of) {
       return of.part.seconds ? ties_of(of.part.time()) : std::nullopt;
     }},
    {"best_s", [](const CellOfTable& of) { return of.part.best.seconds; }},
    {"loss", [](const CellOfTable& of) { return of.part.loss(); }, any_sign,
     "0.1 means that the choice takes 10 % longer than the best candidate. 0 if the two are level "
     "within ties. null if the time of the choice is unknown."},
});

std::optional<CellOfTable> worst_of(const JudgementAnswer& of) {
  const TableCell* const worst = of.part.worst();
  return worst != nullptr ? std::optional<CellOfTable>({of.whole, *worst}) : std::nullopt;
}

constexpr auto kAgainst = fields<JudgementAnswer>({
    {"file", [](const JudgementAnswer& of) -> const auto& { return of.part.rival; }},
    {"name", [](const JudgementAnswer& of) -> const auto& { return of.part.title; }},
    {"mean_loss", [](const JudgementAnswer& of) { return of.part.mean_loss(); }, any_sign,
     "Mean of the known losses of the cells. null if no loss is known."},
    {"judged", [](const JudgementAnswer& of) { return of.part.judged(); },
     "Number of cells with a known loss."},
    {"worst", kWorst, from<worst_of>},
    {"cells", kCellOfTable,
     [](const JudgementAnswer& of) { return parts_of(of.whole, of.part.cells); }},
});

}}  // namespace ::judgement_fields_of

FieldView judgement_fields() { return judgement_fields_of::kAgainst.view(); }

}}  // namespace tutti::output

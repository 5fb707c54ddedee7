// The document tutti-doctor/1.
#include <array>
#include <vector>

#include "base/field_names.hpp"
#include "src/output/common_fields.hpp"
#include "src/output/doctor_output.hpp"

namespace tutti { inline namespace output {

namespace { namespace doctor_fields {

constexpr std::array<std::string_view, 5> kSeverities{"remark", "low", "slow", "invalid", "wrong"};
constexpr std::array<std::string_view, 3> kSurenesses{"possible", "likely", "sure"};

constexpr auto kFinding = fields<Symptom>({
    {"shape", member<&Symptom::shape>, "Name of the shape, such as cards_missing."},
    {"severity", [](const Symptom& of) { return name(of.severity); }, one_of(kSeverities)},
    {"sureness", [](const Symptom& of) { return name(of.sureness); }, one_of(kSurenesses)},
    {"text", [](const Symptom& of) { return with_fields(of.text); },
     "What is seen, and its likely cause."},
    {"look_at", [](const Symptom& of) { return text_if_any(with_fields(of.look_at)); }},
    {"command", [](const Symptom& of) { return text_if_any(of.command); },
     "Command that would confirm the cause."},
    {"from_bytes", member<&Symptom::from_bytes>, "First size that shows it."},
    {"to_bytes", member<&Symptom::to_bytes>,
     "Last size that shows it. null if all larger sizes do."},
});

// A row of a diagnosis.
struct RowOf {
  const Diagnosis* of;
  std::size_t row;

  [[nodiscard]] const CurveRow& measured() const { return of->curve.rows[row]; }
  [[nodiscard]] const std::optional<ExpectedRow>& expected() const {
    return of->expected.rows[row];
  }
  [[nodiscard]] NcclBandwidths rates() const {
    return of->curve.bandwidths(measured().bytes, measured().time_s);
  }
};

template <typename Value>
auto of_expected(const RowOf& of, Value ExpectedRow::*value) {
  return of.expected() ? std::optional((*of.expected()).*value) : std::nullopt;
}

constexpr auto kRow = fields<RowOf>({
    {"bytes", [](const RowOf& of) { return of.measured().bytes; },
     "Bytes of the largest buffer of a rank."},
    {"line", [](const RowOf& of) { return of.measured().line; }},
    {"measured_s", [](const RowOf& of) { return of.measured().time_s; }},
    {"in_place_s", [](const RowOf& of) { return of.measured().in_place_s; },
     "Time of the in-place call. null if there is none."},
    {"algbw_gb_per_s", [](const RowOf& of) { return of.rates().algbw_gb_per_s; },
     "Of messages between pairs of ranks: the bandwidth that the benchmark prints."},
    {"busbw_gb_per_s", [](const RowOf& of) { return of.rates().busbw_gb_per_s; },
     "Of messages between pairs of ranks: the rate of all pairs in one direction."},
    {"expected_low_s", [](const RowOf& of) { return of_expected(of, &ExpectedRow::low_s); },
     "Shortest expected time: that of NCCL's cost model, or the simulated one. null if nothing is "
     "expected."},
    {"expected_high_s", [](const RowOf& of) { return of_expected(of, &ExpectedRow::high_s); },
     "Longest expected time."},
    {"model_s",
     [](const RowOf& of) {
       return of.expected() ? of.expected()->model_s : std::optional<double>();
     },
     "Time of NCCL's cost model. null if it has none."},
    {"also_model_s",
     [](const RowOf& of) {
       return of.expected() ? of.expected()->also_model_s : std::optional<double>();
     },
     "Time by the cost model of also_expected_of. null if that changes the range by less than "
     "2 %."},
    {"simulated_s",
     [](const RowOf& of) {
       return of.expected() ? of.expected()->simulated_s : std::optional<double>();
     },
     "Simulated time. null if the size was not simulated."},
    {"choice", [](const RowOf& of) { return of_expected(of, &ExpectedRow::choice); },
     "What the library would run."},
    {"limit_s",
     [](const RowOf& of) {
       return of.expected() ? of.expected()->limit_s : std::optional<double>();
     },
     "Least time of any schedule, also with switches that reduce. null if it is unknown."},
    {"ratio", [](const RowOf& of) { return of.of->rows[of.row].ratio; },
     "Measured time over the nearest expected time; 1 within the range."},
    {"verdict", [](const RowOf& of) { return name(of.of->rows[of.row].verdict); },
     one_of(kHealthNames)},
});

std::vector<RowOf> rows_of_diagnosis(const Diagnosis& of) {
  std::vector<RowOf> rows;
  for (std::size_t i = 0; i < of.curve.rows.size(); ++i) {
    rows.push_back({&of, i});
  }
  return rows;
}

std::vector<std::string> assumed_in_words(const Diagnosis& of) {
  std::vector<std::string> words;
  for (const std::string& each : of.expected.assumed) {
    words.push_back(with_fields(each));
  }
  return words;
}

constexpr auto kDiagnosis = fields<Diagnosis>({
    {"file", [](const Diagnosis& of) -> const auto& { return of.curve.file; }},
    {"collective", [](const Diagnosis& of) { return of.curve.call(); },
     "Name of a collective, sendrecv, or the benchmark of messages between pairs of ranks, such as "
     "osu_bw."},
    {"is_of_pairs", [](const Diagnosis& of) { return of.curve.pair.has_value(); },
     "True if messages between pairs of ranks were measured."},
    {"ranks", [](const Diagnosis& of) { return of.curve.ranks; }, at_least(1)},
    {"nodes", [](const Diagnosis& of) { return of.curve.nodes; },
     "Number of nodes that the file or the user names."},
    {"algorithm", [](const Diagnosis& of) { return text_if_any(of.curve.algorithm_text); },
     "Algorithm that the file names. null: the library's own choice."},
    {"device", [](const Diagnosis& of) { return text_if_any(of.curve.device); },
     "The GPU as its driver names it."},
    {"verdict", [](const Diagnosis& of) { return name(of.verdict); }, one_of(kHealthNames)},
    {"sureness", [](const Diagnosis& of) { return name(of.sureness); }, one_of(kSurenesses)},
    {"headline", [](const Diagnosis& of) { return with_fields(of.headline); },
     "The answer in a sentence."},
    {"expected_of", [](const Diagnosis& of) { return text_if_any(of.expected.by); },
     "Library that the times are compared with, and its release."},
    {"also_expected_of", [](const Diagnosis& of) { return text_if_any(of.expected.also_by); },
     "Release of NCCL whose cost model has other figures for the same GPUs, and widens the "
     "ranges."},
    {"machine", [](const Diagnosis& of) { return text_if_any(of.expected.machine); }},
    {"assumed", from<assumed_in_words>, "What was not known, and was assumed."},
    {"why_not", [](const Diagnosis& of) { return text_if_any(with_fields(of.expected.why_not)); },
     "Why nothing is expected. null if something is."},
    {"plateau_busbw_gb_per_s",
     [](const Diagnosis& of) {
       return of.plateau ? std::optional(of.plateau->busbw_gb_per_s) : std::nullopt;
     },
     "Median bus bandwidth of the sizes for which the start-up hardly counts. null if there are "
     "none."},
    {"symptoms", kFinding, [](const Diagnosis& of) -> const auto& { return of.symptoms; },
     "What is noticeable, the worst and most likely first."},
    {"rows", kRow, from<rows_of_diagnosis>},
});

constexpr auto kDoctor = fields<DoctorReport>({
    {"outputs", kDiagnosis, member<&DoctorReport::diagnoses>, items_from(1)},
    {"together", kFinding, member<&DoctorReport::comparisons>,
     "What several outputs show together."},
});

}}  // namespace ::doctor_fields

extern const DocumentOf<DoctorReport> kDoctorDocument{
    {"tutti-doctor/1",
     "whether measured times are those of a healthy machine, as written by tutti doctor --json",
     doctor_fields::kDoctor.view()}};

}}  // namespace tutti::output

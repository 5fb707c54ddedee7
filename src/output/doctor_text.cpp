#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/field_names.hpp"
#include "base/human.hpp"
#include "base/printable.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/doctor_output.hpp"
#include "src/output/nccl_text.hpp"

namespace tutti { inline namespace output {

namespace {

constexpr std::size_t kKeyOfDoctor = 10;
constexpr const char* kNone = "-";

// Returns "allreduce, 16 ranks on 2 nodes, NVIDIA H100 80GB HBM3".
std::string what_ran(const MeasuredCurve& curve) {
  std::string text = fmt::format("{}{}{}, {}", curve.call(),
                                 curve.algorithm_text.empty() ? "" : '/' + curve.algorithm_text,
                                 curve.elements.empty() ? "" : " of " + printable(curve.elements),
                                 counted(curve.ranks, "rank"));
  if (curve.nodes) {
    text += fmt::format(" on {}", counted(*curve.nodes, "node"));
  }
  if (!curve.device.empty()) {
    text += ", " + printable(curve.device);
  }
  return text + fmt::format(" ('{}', line {})", shortened(printable(curve.file)), curve.line);
}

std::string time_if(const std::optional<double>& time_s) {
  return time_s ? human_time(*time_s) : kNone;
}

// True if the bandwidth that a benchmark of pairs prints is that of one direction.
bool prints_one_direction(const MeasuredCurve& curve) {
  return curve.pair && curve.pair->counts == curve.pair->sends * curve.pair->pairs();
}

void print_rows(const Diagnosis& of, std::ostream& out) {
  const bool compared =
      std::ranges::any_of(of.expected.rows, [](const auto& row) { return row.has_value(); });
  const bool limited = std::ranges::any_of(
      of.expected.rows, [](const auto& row) { return row.has_value() && row->limit_s; });
  Table table(
      {{"size", true},
       {"measured", true},
       {of.curve.pair ? "printed" : "algbw", true, 2, !prints_one_direction(of.curve), true},
       {of.curve.pair ? "one way" : "busbw", true},
       {"expected", true, 0, compared},
       {"limit", true, 1, limited},
       {"ratio", true, 0, compared},
       {"verdict", false, 0, compared}});
  for (std::size_t i = 0; i < of.curve.rows.size(); ++i) {
    const CurveRow& row = of.curve.rows[i];
    const NcclBandwidths rates = of.curve.bandwidths(row.bytes, row.time_s);
    const JudgedRow& judged = of.rows[i];
    const Style style = judged.verdict == Health::slow ? Style::heading : Style::plain;
    table.add({human_bytes(row.bytes), human_time(row.time_s), nccl_bandwidth(rates.algbw_gb_per_s),
               nccl_bandwidth(rates.busbw_gb_per_s),
               of.expected.rows[i] ? in_words(*of.expected.rows[i]) : kNone,
               time_if(of.expected.rows[i] ? of.expected.rows[i]->limit_s : std::nullopt),
               judged.ratio ? fmt::format("{:.2f}", *judged.ratio) : kNone,
               std::string(name(judged.verdict))},
              style, 7);
  }
  table.print(out, 2);
}

void print_findings(const std::vector<Symptom>& symptoms, std::ostream& out) {
  std::size_t number = 0;
  for (const Symptom& each : symptoms) {
    print_field(out, 2, 2, fmt::format("{}.", ++number),
                fmt::format("{} ({})", with_fields(each.text), name(each.sureness)));
    if (!each.look_at.empty()) {
      print_field(out, 5, 0, "", "look at " + with_fields(each.look_at));
    }
    if (!each.command.empty()) {
      // On one line, so that users can copy it.
      fmt::print(out, "     $ {}\n", each.command);
    }
  }
}

void print_basis(const Diagnosis& of, std::ostream& out) {
  if (!of.expected.machine.empty()) {
    std::set<std::string> choices;
    std::size_t simulated = 0;
    for (const auto& row : of.expected.rows) {
      if (row) {
        choices.insert(row->choice);
        simulated += row->simulated_s ? 1 : 0;
      }
    }
    print_field(
        out, 2, kKeyOfDoctor, "expected",
        fmt::format("{} on {}: {}{}", of.expected.by, of.expected.machine, fmt::join(choices, ", "),
                    simulated == 0 ? ""
                                   : fmt::format("; {} of {} simulated", simulated,
                                                 counted(of.curve.rows.size(), "size"))));
    if (!of.expected.also_by.empty()) {
      print_field(out, 2, kKeyOfDoctor, "",
                  fmt::format("also the times by the model of {}, which has other figures for the "
                              "same GPUs",
                              of.expected.also_by));
    }
  }
  if (!of.expected.assumed.empty()) {
    print_field(out, 2, kKeyOfDoctor, "assumed",
                with_fields(fmt::format("{}", fmt::join(of.expected.assumed, "; "))));
  }
}

void print_diagnosis(const Diagnosis& of, std::ostream& out) {
  print_heading(out, fmt::format("{} ({})", with_fields(of.headline), name(of.sureness)));
  print_field(out, 2, kKeyOfDoctor, "measured", what_ran(of.curve));
  print_basis(of, out);
  out << '\n';
  print_rows(of, out);
  if (!of.symptoms.empty()) {
    out << '\n';
    print_findings(of.symptoms, out);
  }
}

}  // namespace

void print_diagnoses(const DoctorReport& report, std::ostream& out) {
  if (!report.comparisons.empty()) {
    print_heading(out, "Together");
    print_findings(report.comparisons, out);
    out << '\n';
  }
  bool first = true;
  for (const Diagnosis& each : report.diagnoses) {
    if (!first) {
      out << '\n';
    }
    first = false;
    print_diagnosis(each, out);
  }
}

}}  // namespace tutti::output

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/human.hpp"
#include "src/experiments/doctor/shapes.hpp"

namespace tutti { inline namespace experiments {

namespace {

std::optional<Symptom> wrong_results(const Diagnosis& of) {
  std::size_t lines = 0;
  const CurveRow* first = nullptr;
  for (const CurveRow& row : of.curve.rows) {
    lines += row.wrong > 0 ? 1 : 0;
    first = first == nullptr && row.wrong > 0 ? &row : first;
  }
  if (first == nullptr) {
    return std::nullopt;
  }
  return Symptom{"wrong_results",
                 Severity::wrong,
                 Sureness::sure,
                 fmt::format("the results are wrong at {}, first at {} (line {}); the times mean "
                             "nothing until this is solved",
                             counted(lines, "size"), human_bytes(first->bytes), first->line),
                 "memory and links of the GPUs (ECC and Xid errors in 'dmesg', 'nvidia-smi nvlink "
                 "-e'), and whether NCCL_PROTO=LL128 is forced on a path that splits 128-byte "
                 "stores",
                 again_with(of, "NCCL_PROTO=Simple"),
                 first->bytes};
}

std::optional<Symptom> separate_runs(const Diagnosis& of) {
  if (of.curve.fault != CurveFault::separate_runs) {
    return std::nullopt;
  }
  return Symptom{"separate_runs",
                 Severity::invalid,
                 Sureness::sure,
                 of.curve.fault_text,
                 "whether the benchmark was built with MPI=1, and with the MPI library whose "
                 "launcher started it",
                 "make MPI=1 MPI_HOME=/path/of/the/launcher's/library",
                 {}};
}

std::optional<Symptom> one_rank(const Diagnosis& of) {
  if (of.curve.fault != CurveFault::one_rank) {
    return std::nullopt;
  }
  return Symptom{"one_rank",
                 Severity::invalid,
                 Sureness::sure,
                 of.curve.fault_text,
                 "the number of processes and the option -g; a benchmark that was built without "
                 "MPI=1 runs alone in each process",
                 "all_reduce_perf -b 8 -e 8G -f 2 -g 8",
                 {}};
}

std::optional<Symptom> wrong_factor(const Diagnosis& of) {
  if (of.curve.fault != CurveFault::wrong_factor) {
    return std::nullopt;
  }
  return Symptom{
      "wrong_factor",
      Severity::invalid,
      Sureness::sure,
      fmt::format("line {} contradicts itself: {}", of.curve.fault_line, of.curve.fault_text),
      "whether this is the table of the named collective and number of ranks, and "
      "whether it was edited",
      "",
      {}};
}

std::optional<Symptom> below_limit(const Diagnosis& of) {
  // Times vary, and rates in data sheets are rounded.
  constexpr double kTolerance = 0.9;
  std::size_t rows = 0;
  std::size_t first = of.curve.rows.size();
  for (std::size_t i = 0; i < of.curve.rows.size(); ++i) {
    const auto& expected = of.expected.rows[i];
    if (expected && expected->limit_s &&
        of.curve.rows[i].time_s < kTolerance * *expected->limit_s) {
      first = std::min(first, i);
      ++rows;
    }
  }
  // One of many sizes is chance.
  constexpr std::size_t kMany = 4;
  if (rows == 0 || (rows == 1 && of.curve.rows.size() >= kMany)) {
    return std::nullopt;
  }
  const CurveRow& row = of.curve.rows[first];
  return Symptom{
      "below_limit",
      Severity::invalid,
      Sureness::likely,
      fmt::format("{} takes {}, but no schedule on {} can take less than {}",
                  human_bytes(row.bytes), human_time(row.time_s), of.expected.machine,
                  human_time(*of.expected.rows[first]->limit_s)),
      of.curve.is_nccl
          ? "the number of ranks and nodes, the GPU and its cards, and whether the clock was read "
            "before the calls had ended"
          : "the number of nodes ($nodes; ranks that share a node need no network), the links of "
            "the platform, and whether the clock was read before the calls had ended",
      "",
      row.bytes};
}

constexpr std::array<ShapeCheck, 5> kShapes{wrong_results, separate_runs, one_rank, wrong_factor,
                                            below_limit};

}  // namespace

std::span<const ShapeCheck> validity_shapes() { return kShapes; }

}}  // namespace tutti::experiments

// Sources of the names: the documentation of Intel MPI 2021.14 (I_MPI_), HPE Cray MPICH 8.1
// (MPICH_), MVAPICH2 2.3 and MVAPICH 3.0 (MV2_, MVP_), oneCCL 2021.14 (CCL_), aws-ofi-nccl 1.16
// (OFI_NCCL_), and tuner files of Google's and Meta's NCCL plugins.
#include "src/rule_files/other_files.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include "base/characters.hpp"
#include "base/error.hpp"
#include "base/file_marks.hpp"
#include "base/line_reader.hpp"
#include "base/printable.hpp"
#include "base/text_cursor.hpp"
#include "base/text_lines.hpp"
#include "base/text_words.hpp"

namespace tutti { inline namespace rule_files {

namespace {

constexpr const char* kReads =
    "tutti reads the rule files of Open MPI, MPICH, NCCL, RCCL and UCC, and its own tables";

// Names in a text that belong to a library, and to no rule file that tutti reads.
struct NameMark {
  std::string_view begin;
  std::string_view owner;
  // For libraries whose rule files tutti reads: the setting that names the rule file. Otherwise "".
  std::string_view rules = "";
};
// A name has the first of these beginnings that fits.
constexpr std::array kNames{
    NameMark{"I_MPI_", "Intel MPI"},
    NameMark{"MV2_", "MVAPICH2"},
    NameMark{"mv2_", "MVAPICH2"},
    NameMark{"MVP_", "MVAPICH 3"},
    NameMark{"mvp_", "MVAPICH 3"},
    NameMark{"MPIR_CVAR_", "MPICH", "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE"},
    NameMark{"MPICH_", "HPE Cray MPICH"},
    NameMark{"OMPI_MCA_", "Open MPI", "coll_tuned_dynamic_rules_filename"},
    NameMark{"coll_tuned_", "Open MPI", "coll_tuned_dynamic_rules_filename"},
    NameMark{"coll_han_", "Open MPI", "coll_han_dynamic_rules_filename"},
    NameMark{"OFI_NCCL_", "AWS's plugin aws-ofi-nccl"},
    NameMark{"nccl_ofi_", "AWS's plugin aws-ofi-nccl"},
    NameMark{"NCCLX_", "Meta's NCCLX"},
    NameMark{"NCCL_", "NCCL", "NCCL_TUNER_CONFIG_FILE"},
    NameMark{"RCCL_", "RCCL", "NCCL_TUNER_CONFIG_FILE"},
    NameMark{"CCL_", "oneCCL"},
    NameMark{"HCOLL_", "NVIDIA's HCOLL"},
    NameMark{"SHARP_COLL_", "NVIDIA's SHARP"},
};

// Field names of tuner files. Each of them must be a whole word.
struct FieldMark {
  std::string_view field;
  std::string_view owner;
};
constexpr std::array kFields{
    FieldMark{"communicator_configs", "Google's tuner for NCCL"},
    FieldMark{"coll_configs", "Google's tuner for NCCL"},
    FieldMark{"coll_tuning_spec", "Google's tuner for NCCL"},
    FieldMark{"msg_size_tuning_rules", "Google's tuner for NCCL"},
    FieldMark{"nLocalRanks", "Meta's NCCLX"},
};

// Calls `use` with each name in a line, until it returns a text that is not empty, and returns this
// text.
template <typename Use>
std::string first_name(std::string_view line, const Use& use) {
  const auto is_of_name = [](char c) { return is_letter_or_digit(c) || c == '_'; };
  for (TextCursor cursor(line); !cursor.at_end();) {
    cursor.take_while(std::not_fn(is_of_name));
    if (std::string found = use(cursor.take_while(is_of_name)); !found.empty()) {
      return found;
    }
  }
  return "";
}

std::string about_name(std::string_view name, std::size_t line) {
  const auto field = std::ranges::find(kFields, name, &FieldMark::field);
  if (field != kFields.end()) {
    return fmt::format(
        "line {} has '{}', a field of the tuner files of {}, which tutti does not "
        "read; {}",
        line, name, field->owner, kReads);
  }
  const auto mark = std::ranges::find_if(kNames, [&](const NameMark& each) {
    return name.starts_with(each.begin) && name.size() > each.begin.size();
  });
  std::string_view owner = mark == kNames.end() ? "" : mark->owner;
  if (name.ends_with("_MV2") || name.ends_with("_MVP")) {
    owner = "MVAPICH";  // a function in its source code
  }
  if (owner.empty()) {
    return "";
  }
  if (mark != kNames.end() && !mark->rules.empty()) {
    return fmt::format(
        "line {} has '{}', a setting of {}, and no rule; the file of rules is the "
        "value of {}",
        line, shortened(name), owner, mark->rules);
  }
  return fmt::format(
      "line {} has '{}', a setting of {}, whose settings and rules tutti does not "
      "read; {}",
      line, shortened(name), owner, kReads);
}

// Returns what the names in the text show, outside of comments.
std::string about_names(std::string_view text) {
  for (LineReader lines(text); lines.next();) {
    std::string found = first_name(lines.without_comment(), [&](std::string_view name) {
      return about_name(name, lines.number());
    });
    if (!found.empty()) {
      return found;
    }
  }
  return "";
}

std::string about_xml(std::string_view text) {
  const std::string_view root = xml_root(text);
  return fmt::format(
      "it is {}; {}",
      root == "platform" ? "a platform in XML, which --platform reads"
      : root == "algo" ? "an MSCCL schedule in XML, which 'tutti verify' and 'tutti simulate' read"
      : root == "graphs" ? "a graph dump of NCCL, which 'tutti nccl --graph' reads"
                         : "XML",
      kReads);
}

// Returns what a document of tutti is. `schema`: its name, such as "tutti-messages/1".
std::string about_document(std::string_view schema) {
  const bool parameters =
      schema.starts_with("tutti-messages/") || schema.starts_with("tutti-parameters/");
  return fmt::format(
      "it is {}, {}; {}", shortened(printable(schema)),
      parameters ? "which --parameters reads" : "the output of another command of tutti", kReads);
}

// Returns what JSON without rules is; "" if the text is not JSON, or has no keys.
std::string about_json(std::string_view text) {
  const bool keys = text.find("\":") != text.npos && nlohmann::json::accept(text);
  return keys ? fmt::format("it is JSON without rules of any library; {}", kReads) : "";
}

// Returns what the first line that is not empty shows, for texts of tutti and of other simulators.
std::string about_first_line(std::string_view text) {
  std::string_view line;
  for (LineReader lines(text); line.empty() && lines.next();) {
    line = trimmed(lines.without_comment());
  }
  if (line.starts_with("tutti-program") || line.starts_with("tutti-schedule") ||
      line.starts_with("num_ranks")) {
    return fmt::format("it is a schedule, which 'tutti simulate' and 'tutti verify' read; {}",
                       kReads);
  }
  const std::vector<std::string_view> columns = base::split(line, ',');
  const auto has = [&](std::string_view column) {
    return std::ranges::any_of(columns,
                               [&](std::string_view each) { return trimmed(each) == column; });
  };
  if (has("ranks") && (has("bytes") || has("calls"))) {
    return fmt::format("it is a table of times or calls, with the columns {}; {}",
                       shortened(printable(line)), kReads);
  }
  return "";
}

std::string about_benchmark(std::string_view text) {
  const std::string_view mark = benchmark_mark(text);
  return mark.empty() ? ""
                      : fmt::format(
                            "it is the output of a benchmark ('{}'), which 'tutti score' and "
                            "--measured read; {}",
                            trimmed(mark), kReads);
}

// True if many of the first bytes are zero.
bool is_binary(std::string_view text) {
  constexpr std::size_t kLooked = 4096;
  constexpr std::ptrdiff_t kShare = 10;
  const std::string_view begin = text.substr(0, kLooked);
  const auto zeros = std::ranges::count(begin, '\0');
  return zeros * kShare > static_cast<std::ptrdiff_t>(begin.size());
}

}  // namespace

bool has_rules_in_json(std::string_view text) {
  constexpr std::array<std::string_view, 9> kOfRules{
      "tutti-decisions/", "\"collectives\"", "rule_file_version", "collective=", "composition=",
      "algorithm=",       "\"name=",         "-intra\"",          "\"rules\""};
  return std::ranges::any_of(kOfRules,
                             [&](std::string_view part) { return text.find(part) != text.npos; });
}

std::string why_no_rules(std::string_view text) {
  text = without_byte_order_mark(text);
  if (is_binary(text)) {
    return fmt::format(
        "it is binary (Intel MPI's tuning_*.dat files are binary, and only Intel "
        "MPI reads them); {}",
        kReads);
  }
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos) {
    return fmt::format("it is empty; {}", kReads);
  }
  const char begin = text[first];
  if (begin == '<') {
    return about_xml(text);
  }
  if (begin == '{' || begin == '[') {
    const std::string_view schema = json_schema_of(text);
    if (schema.starts_with("tutti-") && !schema.starts_with("tutti-decisions/")) {
      return about_document(schema);
    }
    if (has_rules_in_json(text)) {
      return "";  // the texts of tutti's tables may name settings of libraries
    }
  }
  if (std::string found = about_names(text); !found.empty()) {
    return found;
  }
  if (text.find("# proto-message:") != text.npos) {
    return fmt::format("it is a protocol buffer in text form; {}", kReads);
  }
  if (begin == '{') {
    return about_json(text);
  }
  if (std::string found = about_first_line(text); !found.empty()) {
    return found;
  }
  return about_benchmark(text);
}

void check_for_rules(std::string_view where, std::string_view text) {
  if (const std::string why = why_no_rules(text); !why.empty()) {
    throw UserError(fmt::format("{}: not a rule file: {}", where, why));
  }
}

}}  // namespace tutti::rule_files

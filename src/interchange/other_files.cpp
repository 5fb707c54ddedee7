#include "src/interchange/other_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/file_marks.hpp"
#include "base/printable.hpp"
#include "base/text_lines.hpp"
#include "base/text_words.hpp"

namespace tutti { inline namespace interchange {

namespace {

// Number of bytes of a file in which the keys that show its format are searched for.
constexpr std::size_t kLookedAt = std::size_t{1} << 20U;

struct JsonKind {
  std::array<std::string_view, 3> keys;  // all must be there; "" stands for none
  std::string_view what;
};

// In the order in which they are tried.
constexpr std::array kJsonKinds{
    JsonKind{
        {"gpus", "threadblocks", ""},
        "is an execution plan of MSCCL++ (JSON), whose one-sided operations tutti does not read; "
        "give the algorithm as MSCCL XML, or as a program in tutti's notation"},
    JsonKind{{"workload_graph", "", ""},
             "is a Chakra trace as JSON; tutti reads Chakra's protobuf form: give PREFIX.RANK.et"},
    JsonKind{
        {"type", "attr", "dataDeps"},
        "is a Chakra trace as JSON, as chakra_jsonizer prints it; give the .et files from which "
        "it was made"},
    JsonKind{{"pg_name", "nodes", "schema"},
             "is an execution trace of PyTorch (JSON); chakra_converter makes .et files of it, of "
             "which tutti reads sends, receives and calculations; for its collectives, use "
             "'tutti decide --profile'"},
    JsonKind{{"ctrl_deps", "nodes", "schema"},
             "is an execution trace of PyTorch (JSON); chakra_converter makes .et files of it, of "
             "which tutti reads sends, receives and calculations; for its collectives, use "
             "'tutti decide --profile'"},
    JsonKind{
        {"traceEvents", "", ""},
        "is a trace of events for a timeline viewer (JSON), which has times but no operations; "
        "give the schedule or the program that ran"},
    JsonKind{{"intranode_sketch", "", ""},
             "is a sketch of TACCL (JSON), from which TACCL makes an algorithm; give the MSCCL XML "
             "that TACCL writes"},
    JsonKind{{"internode_sketch", "", ""},
             "is a sketch of TACCL (JSON), from which TACCL makes an algorithm; give the MSCCL XML "
             "that TACCL writes"},
    JsonKind{{"node_betas_list", "", ""},
             "is a topology of TACCL (JSON), not a schedule; 'tutti platform' makes platforms with "
             "such links"},
    JsonKind{{"7-Flows", "", ""},
             "is a result of TE-CCL (JSON), which lists flows by time but no buffers; give the "
             "schedule as MSCCL XML, or as a program in tutti's notation"},
    JsonKind{{"1-Epoch_Duration", "", ""},
             "is a result of TE-CCL (JSON), which lists flows by time but no buffers; give the "
             "schedule as MSCCL XML, or as a program in tutti's notation"},
    JsonKind{
        {"TopologyParams", "InstanceParams", ""},
        "is an input of TE-CCL (JSON), from which TE-CCL makes a schedule; give the schedule as "
        "MSCCL XML, or as a program in tutti's notation"}};

std::string json_in_words(std::string_view text) {
  for (const JsonKind& kind : kJsonKinds) {
    if (std::ranges::all_of(kind.keys, [text](std::string_view key) {
          return key.empty() || has_json_key(text, key);
        })) {
      return std::string(kind.what);
    }
  }
  if (const std::string_view schema = json_schema_of(text); schema.starts_with("tutti-")) {
    return fmt::format(
        "is a result of tutti ({}), not a schedule; 'tutti report' shows results, and "
        "'tutti convert ALG FILE.sched' writes a schedule that commands read",
        printable(schema.substr(0, 60)));
  }
  return "is JSON that tutti does not know as a schedule; it reads its own notation, GOAL, MSCCL "
         "XML "
         "and Chakra's .et files";
}

std::string xml_in_words(std::string_view text) {
  const std::string_view root = xml_root(text);
  if (root == "platform") {
    return "is a platform of SimGrid, not a schedule; give it with $platform";
  }
  if (root == "system") {
    return "is a topology that NCCL wrote (NCCL_TOPO_DUMP_FILE), not a schedule; 'tutti nccl' has "
           "NCCL's times, and 'tutti platform' makes platforms with such links";
  }
  if (root == "graphs") {
    return "has the rings and trees that NCCL found (NCCL_GRAPH_DUMP_FILE), but no operations; "
           "'tutti "
           "nccl' has NCCL's times for such a machine";
  }
  if (root == "topology") {
    return "is a topology of hwloc (lstopo), not a schedule; 'tutti platform smp' makes a platform "
           "with such nodes";
  }
  return root.empty()
             ? ""
             : fmt::format(
                   "is XML with the root <{}>, not a schedule; the XML that tutti reads as a "
                   "schedule is MSCCL's, which begins with <algo>",
                   printable(root.substr(0, 60)));
}

}  // namespace

std::string other_file_in_words(std::string_view text) {
  if (text.starts_with(kDatabaseMark)) {
    return "is a database, not a schedule; 'tutti query' shows the results that tutti keeps in one";
  }
  text = trimmed(without_byte_order_mark(text.substr(0, kLookedAt)), kWhiteSpace);
  return text.starts_with('{') || text.starts_with('[') ? json_in_words(text)
         : text.starts_with('<')                        ? xml_in_words(text)
                                                        : "";
}

}}  // namespace tutti::interchange

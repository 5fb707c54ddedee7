#include "src/interchange/other_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <vector>

#include "base/printable.hpp"

namespace tutti { inline namespace interchange {

namespace {

// Number of bytes of a file in which the keys that show its format are searched for.
constexpr std::size_t kLookedAt = std::size_t{1} << 20U;

constexpr std::string_view kBlank = " \t\r\n";

std::string_view without_blank(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
  return text;
}

// True if the JSON text has this key in any of its objects.
bool has_key(std::string_view text, std::string_view key) {
  const std::string quoted = fmt::format("\"{}\"", key);
  for (std::size_t at = text.find(quoted); at != text.npos; at = text.find(quoted, at + 1)) {
    if (without_blank(text.substr(at + quoted.size())).starts_with(':')) {
      return true;
    }
  }
  return false;
}

// Returns the text that follows the first occurrence of a key of a JSON object; "" if the value is
// not a text.
std::string_view text_of_key(std::string_view text, std::string_view key) {
  const std::string quoted = fmt::format("\"{}\"", key);
  const std::size_t at = text.find(quoted);
  if (at == text.npos) {
    return "";
  }
  text = without_blank(text.substr(at + quoted.size()));
  if (!text.starts_with(':')) {
    return "";
  }
  text = without_blank(text.substr(1));
  return text.starts_with('"') ? text.substr(1, text.find('"', 1) - 1) : "";
}

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
          return key.empty() || has_key(text, key);
        })) {
      return std::string(kind.what);
    }
  }
  if (const std::string_view schema = text_of_key(text, "schema"); schema.starts_with("tutti-")) {
    return fmt::format(
        "is a result of tutti ({}), not a schedule; 'tutti report' shows results, and "
        "'tutti convert ALG FILE.sched' writes a schedule that commands read",
        printable(schema.substr(0, 60)));
  }
  return "is JSON that tutti does not know as a schedule; it reads its own notation, GOAL, MSCCL "
         "XML "
         "and Chakra's .et files";
}

// Returns the name of the root element of XML; "" if there is none.
std::string_view root_element(std::string_view text) {
  while (true) {
    text = without_blank(text);
    const std::string_view end = text.starts_with("<!--") ? "-->"
                                 : text.starts_with("<?") ? "?>"
                                 : text.starts_with("<!") ? ">"
                                                          : "";
    if (end.empty()) {
      break;
    }
    const std::size_t at = text.find(end);
    if (at == text.npos) {
      return "";
    }
    text.remove_prefix(at + end.size());
  }
  if (!text.starts_with('<')) {
    return "";
  }
  text.remove_prefix(1);
  const auto last = std::ranges::find_if_not(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == ':' || c == '.';
  });
  return text.substr(0, static_cast<std::size_t>(last - text.begin()));
}

std::string xml_in_words(std::string_view text) {
  const std::string_view root = root_element(text);
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
  if (text.starts_with("SQLite format 3")) {
    return "is a database, not a schedule; 'tutti query' shows the results that tutti keeps in one";
  }
  text = text.substr(0, kLookedAt);
  if (text.starts_with("\xef\xbb\xbf")) {
    text.remove_prefix(3);
  }
  text = without_blank(text);
  return text.starts_with('{') || text.starts_with('[') ? json_in_words(text)
         : text.starts_with('<')                        ? xml_in_words(text)
                                                        : "";
}

}}  // namespace tutti::interchange

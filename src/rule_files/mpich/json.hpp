// Reads the JSON files of MPICH: the selection tree, compositions, and the algorithms in shared
// memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "src/formats/json_lines.hpp"
#include "src/rule_files/mpich/names.hpp"
#include "src/rule_files/rule_file.hpp"

namespace tutti { inline namespace rule_files {

// The communicators that MPICH distinguishes: one with several ranks on some node (parent), the
// ranks of one node, one rank of each node, and all others (flat). Source:
// MPIR_Comm_create_subcomms of src/mpi/comm/commutil.c at v4.0.2.
enum class MpichHierarchy : std::uint8_t { flat, parent, node, node_roots };

// A call for which MPICH searches a tree.
struct MpichQuery {
  Collective collective = Collective::bcast;
  MpichHierarchy hierarchy = MpichHierarchy::flat;
  std::uint32_t ranks = 1;
  std::uint32_t nodes = 1;
  std::uint64_t count = 0;  // the number that conditions on "count" compare
};

// How to interpret an MPICH rule file: its format, and the MPICH release for which it is meant,
// encoded as in LibraryVersion (403 is 4.3).
struct MpichFile {
  RuleFormat format = RuleFormat::mpich;
  int release = kLastPlainTree;
  // The call whose communicator decides the conditions that a table cannot express, such as
  // comm_hierarchy. Empty: these conditions are read for the usual communicator (see
  // MpichCondition), and only notes say what is assumed.
  std::optional<MpichQuery> query = {};

  // The decision that the file makes.
  [[nodiscard]] MpichLevel level() const;
  // Returns the name of the library: "MPICH 4.3".
  [[nodiscard]] std::string library() const;
};

inline constexpr const char* kMpichAborts = "MPICH then ends the program";

// Reads a rule file of MPICH. `what` says how to interpret the text. If `what.query` is set, reads
// only the tree of its collective.
[[nodiscard]] RuleFile read_mpich_json(std::string_view text, const MpichFile& what);
[[nodiscard]] RuleFile read_mpich_json(const JsonText& json, const MpichFile& what);
// Returns the object that a file is; null, and reports it, if the file is something else.
[[nodiscard]] const JsonLine* mpich_root(const JsonText& json, RuleFile& file);
// Reports keys that occur a second time in an object.
void check_mpich_keys(const JsonLine& json, RuleFile& file);

// Reads the selection file of MPICH 5.1, which has named trees.
[[nodiscard]] RuleFile read_mpich_named_trees(std::string_view text);

// Returns the choice in a leaf of the tree of `collective`. `key` is the key of the leaf without
// blanks, such as "algorithm=NAME". Adds findings to `file`.
[[nodiscard]] Choice read_mpich_leaf(const JsonLine& leaf, std::string_view key,
                                     const MpichFile& what, std::string_view collective,
                                     RuleFile& file);

// A rule file of a site. MPICH searches it for each call.
struct MpichSiteFile {
  std::string path;
  MpichFile what;
  JsonText json;

  // Returns the table that applies to the call; empty if the file has no tree for its collective.
  [[nodiscard]] std::optional<DecisionTable> table_for(const MpichQuery& query) const;
};

}}  // namespace tutti::rule_files

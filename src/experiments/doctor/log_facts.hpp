// Facts about a run of NCCL from its log: what NCCL_DEBUG=INFO prints, variables on command lines,
// and the header of nccl-tests.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tutti { inline namespace experiments {

struct LogFacts {
  std::string release;  // of NCCL: "2.21.5"; "" if unknown
  // Values of variables such as NCCL_ALGO, as the last line that sets them has them.
  std::map<std::string, std::string, std::less<>> variables;
  // Names of network cards that NCCL uses, each once; empty if a name means several ports.
  std::vector<std::string> cards;
  bool sockets = false;        // NCCL sends through sockets
  bool rdma = false;           // NCCL sends through a network plugin other than sockets
  bool gpudirect_off = false;  // NCCL disables GPUDirect RDMA, and no connection uses it
  bool gpudirect = true;       // not gpudirect_off
  // Connections use NET/IB, and no line has "/GDRDMA": GPUDirect RDMA may be off.
  bool ib_without_gpudirect = false;
  bool is_known = false;               // true if the log has lines of NCCL itself
  std::optional<unsigned> warm_ups;    // number of calls before the timed ones
  std::optional<unsigned> iterations;  // number of timed calls

  // Returns the value in lower case; "" if the variable is not set. NCCL_IB_HCA is also "" if it
  // excludes cards ('^'), or if a name means several ports: then it does not tell how many
  // cards are used.
  [[nodiscard]] std::string variable(std::string_view name) const;
};

[[nodiscard]] LogFacts log_facts(std::string_view text);

}}  // namespace tutti::experiments

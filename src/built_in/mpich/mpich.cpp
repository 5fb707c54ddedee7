#include "base/error.hpp"
#include "src/built_in/built_in.hpp"

namespace tutti {

LibraryDecision mpich_decision(const LibraryVersion& version, const LibraryCall& call) {
  static_cast<void>(version);
  static_cast<void>(call);
  throw InvariantError("no decisions yet");
}

}  // namespace tutti

// Turns MPI's return codes into exceptions. check() must be called for every MPI call.
#pragma once

#include <mpi.h>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tutti::mpi {

// Thrown if an MPI call fails. The error's text has the form "MPI_Isend of Req(<0,0>,{0,1}):
// MPI_ERR_TRUNCATE: message truncated".
class MpiError : public std::runtime_error {
 public:
  MpiError(std::string_view call, std::string_view subject, int code);
};

// Thrown if a wait takes too long. The text names what was waited for.
class Timeout : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline void check(int code, std::string_view call, std::string_view subject = "") {
  if (code != MPI_SUCCESS) [[unlikely]] {
    throw MpiError(call, subject, code);
  }
}

}  // namespace tutti::mpi

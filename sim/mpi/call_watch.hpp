// Ends this process when a blocking call of the MPI library does not come back.
#pragma once

namespace tutti::mpi {

// Waiting in steps of our own has a deadline (World::wait); a blocking call has none, and MPI
// cannot be asked to leave it. So the system's alarm clock is set before: when it rings, this rank
// says what it was in and ends, and whoever started the job ends the others. Set and stopped
// outside the time that is measured, which nothing else disturbs: no thread, no call of MPI.
//
// One at a time in a process.
class CallWatch {
 public:
  // `call` must live as long; a plain name.
  CallWatch(double seconds, const char* call);
  ~CallWatch();
  CallWatch(const CallWatch&) = delete;
  CallWatch& operator=(const CallWatch&) = delete;
};

}  // namespace tutti::mpi

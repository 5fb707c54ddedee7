// Ends this process if a blocking call of the MPI library does not return.
#pragma once

namespace tutti::mpi {

// Watches a blocking call. Unlike World::wait(), which polls, a blocking call has no deadline, and
// MPI cannot interrupt it. So a system alarm timer is set before the call. When the timer fires,
// this rank prints the name of the call and ends, and the job's launcher ends the other ranks. The
// timer is set and stopped outside the measured time. It does not disturb the measurement, because
// it uses no thread and no MPI call.
//
// Only one CallWatch may exist in a process at a time.
class CallWatch {
 public:
  // `call` is the name of an MPI function. The string must outlive this object.
  CallWatch(double seconds, const char* call);
  ~CallWatch();
  CallWatch(const CallWatch&) = delete;
  CallWatch& operator=(const CallWatch&) = delete;
};

}  // namespace tutti::mpi

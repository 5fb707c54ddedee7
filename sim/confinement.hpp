// Takes from a process what a simulation has no use for. SimGrid reads the files of strangers: what
// goes wrong there must not reach the user's files, nor the network.
#pragma once

namespace tutti::inline sim {

struct Confinement {
  bool by_landlock = false;  // of both: false where the kernel does not have it
  bool by_seccomp = false;
};

// From now on this thread, and whatever it starts, can change no file, make none, open no socket
// and run no other program. What is open stays open; reading, forking, files in memory and pairs of
// sockets go on to work. For a process of one thread; there is no way back.
Confinement confine_process();

}  // namespace tutti::inline sim

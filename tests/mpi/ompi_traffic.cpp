// Counts the messages of Open MPI's collectives per pair of ranks, at the point where Open MPI's
// monitoring component counts them. One job runs many calls. The argument is the path of a file
// from which rank 0 reads a line for each call:
//   COLLECTIVE ID BYTES SEGMENT ROOT [twice] [VARIABLE=VALUE ...]
// ID is the number of the algorithm to force ("-": the library's own decision), BYTES is tutti's n,
// and SEGMENT is the segment size in bytes. Further variables of the coll/tuned component may be
// set too. With `twice`, the second of two calls is counted: in the first, coll/han creates
// communicators with the forced settings. Rank 0 prints a JSON object for each call. Elements are
// integers of 8 bytes. Start the job with pml_monitoring_enable=1 and
// coll_tuned_use_dynamic_rules=1.
//
// Variables are set through MPI_T. A duplicate of MPI_COMM_WORLD then uses them, since coll/tuned
// reads the forced algorithm when a communicator is created.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <mpi.h>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/mpi/library_calls.hpp"
#include "tests/mpi/traffic_counter.hpp"

namespace {

[[noreturn]] void fail(const std::string& why) {
  std::cerr << "ompi_traffic: " << why << std::endl;
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

class Variables {
 public:
  Variables() {
    int count = 0;
    MPI_T_cvar_get_num(&count);
    for (int index = 0; index < count; ++index) {
      char name[256];
      char description[1];
      int name_length = sizeof name;
      int description_length = sizeof description;
      int verbosity = 0;
      int binding = 0;
      int scope = 0;
      MPI_Datatype type = MPI_DATATYPE_NULL;
      MPI_T_enum values = MPI_T_ENUM_NULL;
      if (MPI_T_cvar_get_info(index, name, &name_length, &verbosity, &type, &values, description,
                              &description_length, &binding, &scope) == MPI_SUCCESS &&
          std::strncmp(name, "coll_tuned_", 11) == 0) {
        index_of_.emplace(name, index);
      }
    }
  }

  void set(const std::string& name, int value) const {
    const auto found = index_of_.find("coll_tuned_" + name);
    if (found == index_of_.end()) {
      fail("no variable coll_tuned_" + name);
    }
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    int count = 0;
    if (MPI_T_cvar_handle_alloc(found->second, nullptr, &handle, &count) != MPI_SUCCESS ||
        MPI_T_cvar_write(handle, &value) != MPI_SUCCESS) {
      fail("coll_tuned_" + name + " cannot be set to " + std::to_string(value));
    }
    MPI_T_cvar_handle_free(&handle);
  }

 private:
  std::map<std::string, int> index_of_;
};

std::vector<tutti::traffic::Traffic> sent;  // index: the destination's rank in MPI_COMM_WORLD

struct Call {
  std::string collective;
  std::string id;
  std::uint64_t bytes = 0;
  int segment = 0;
  int root = 0;
  bool twice = false;
  std::vector<std::pair<std::string, int>> variables;
};

Call parse(const std::string& line) {
  Call call;
  std::istringstream words(line);
  if (!(words >> call.collective >> call.id >> call.bytes >> call.segment >> call.root)) {
    fail("not a call: " + line);
  }
  for (std::string word; words >> word;) {
    if (word == "twice") {
      call.twice = true;
      continue;
    }
    const auto equals = word.find('=');
    call.variables.emplace_back(word.substr(0, equals), std::atoi(word.c_str() + equals + 1));
  }
  return call;
}

// Returns MPI's error code.
int run(const Call& call, MPI_Comm comm) {
  const auto done =
      tutti::traffic::call_library<std::int64_t>(call.collective, call.bytes, call.root, comm);
  if (!done) {
    fail("unknown collective " + call.collective);
  }
  return done->error;
}

}  // namespace

// Open MPI's monitoring component calls this function for every message that it passes on,
// including the messages of collectives. This program exports the function, so that it takes
// precedence over the library's function of the same name. (The component's counters are MPI_T
// variables, but some builds remove them before MPI_Init returns.)
extern "C" void mca_common_monitoring_record_pml(int world_rank, std::size_t data_size,
                                                 int /*tag*/) {
  const auto to = static_cast<std::size_t>(world_rank);
  if (to >= sent.size()) {
    sent.resize(to + 1);
  }
  ++sent[to].messages;
  sent[to].bytes += data_size;
}

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init(&argc, &argv);
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (argc != 2) {
    fail("expected one argument: the file of calls");
  }
  const Variables variables;
  std::ifstream file(argv[1]);
  if (!file) {
    fail(std::string("cannot read ") + argv[1]);
  }
  const auto p = static_cast<std::size_t>(ranks);
  for (std::string line; std::getline(file, line);) {
    const Call call = parse(line);
    const bool forced = call.id != "-";
    if (forced) {
      variables.set(call.collective + "_algorithm", std::atoi(call.id.c_str()));
    }
    if (forced && call.collective != "barrier") {
      variables.set(call.collective + "_algorithm_segmentsize", call.segment);
    }
    for (const auto& [name, value] : call.variables) {
      variables.set(name, value);
    }
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    if (call.twice) {
      run(call, comm);
    }
    if (forced) {
      variables.set(call.collective + "_algorithm", 0);
    }

    sent.assign(p, {});
    const int error = run(call, comm);
    std::vector<std::uint64_t> mine(2 * p);
    for (std::size_t to = 0; to < p; ++to) {
      mine[2 * to] = sent[to].messages;
      mine[2 * to + 1] = sent[to].bytes;
    }
    std::vector<std::uint64_t> all(2 * p * p);
    const int width = 2 * ranks;
    MPI_Gather(mine.data(), width, MPI_UINT64_T, all.data(), width, MPI_UINT64_T, 0,
               MPI_COMM_WORLD);
    if (!call.twice) {
      MPI_Comm_free(&comm);  // if coll/han is in use, this crashes in Open MPI 4.1
    }
    if (rank != 0) {
      continue;
    }
    std::printf(
        "{\"collective\":\"%s\",\"id\":\"%s\",\"p\":%d,\"bytes\":%llu,\"segment\":%d,"
        "\"root\":%d,",
        call.collective.c_str(), call.id == "-" ? "" : call.id.c_str(), ranks,
        static_cast<unsigned long long>(call.bytes), call.segment, call.root);
    if (error != MPI_SUCCESS) {
      std::printf("\"error\":%d,", error);
    }
    std::printf("\"pairs\":[");
    const char* comma = "";
    for (std::size_t pair = 0; pair < p * p; ++pair) {
      if (all[2 * pair] > 0) {
        std::printf("%s[%zu,%zu,%llu,%llu]", comma, pair / p, pair % p,
                    static_cast<unsigned long long>(all[2 * pair]),
                    static_cast<unsigned long long>(all[2 * pair + 1]));
        comma = ",";
      }
    }
    std::printf("]}\n");
    std::fflush(stdout);  // in case the library crashes while it shuts down
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_T_finalize();
  MPI_Finalize();
  return 0;
}

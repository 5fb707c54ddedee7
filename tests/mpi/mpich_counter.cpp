// Counts the messages that MPICH sends, because MPICH does not count them itself. MPICH sends all
// messages between nodes through UCX, and with MPIR_CVAR_NOLOCAL=1 every rank is a node. So this
// program defines the UCX functions that MPICH calls; they count the message and call the real
// functions. One message to each rank shows which endpoint leads to which rank. A rank that finds
// no event yields its core, because MPICH waits in a busy loop: with more ranks than cores, each
// message would wait for the scheduler.
#include <ucp/api/ucp.h>

#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <map>
#include <mpi.h>
#include <optional>
#include <sched.h>
#include <string>
#include <vector>

#include "tests/mpi/traffic_counter.hpp"

namespace tutti::traffic {

namespace {

struct Counter {
  std::map<ucp_ep_h, int> rank_of;
  // MPICH's packing functions, which are the same for all its datatypes.
  std::optional<ucp_generic_dt_ops_t> packing;
  std::uint64_t packed_bytes = 0;  // size of the message that was packed last
  // In learn(): the rank to which the next message goes. Otherwise -1.
  int learnt = -1;
  std::vector<Traffic> sent;
};

Counter& counter() {
  static Counter all;
  return all;
}

[[noreturn]] void give_up(const char* why) {
  std::fprintf(stderr, "mpich_traffic: %s\n", why);
  std::abort();
}

// Calls MPICH's own start_pack() and notes the packed size. UCX calls this function to start
// packing non-contiguous data, before the send call returns. Asking the datatype for a size
// separately would release MPICH's reference to it.
void* start_pack(void* context, const void* buffer, std::size_t count) {
  Counter& all = counter();
  void* state = all.packing->start_pack(context, buffer, count);
  all.packed_bytes = all.packing->packed_size(state);
  return state;
}

// Counts a message that was handed to UCX.
void count_message(ucp_ep_h endpoint, std::size_t count, const ucp_request_param_t* param) {
  Counter& all = counter();
  if (all.learnt >= 0) {
    all.rank_of[endpoint] = all.learnt;
    return;
  }
  if (all.sent.empty()) {
    return;  // learn() has not finished
  }
  const auto found = all.rank_of.find(endpoint);
  if (found == all.rank_of.end()) {
    give_up("a message goes to an endpoint whose rank is unknown");
  }
  const bool packed = (param->op_attr_mask & UCP_OP_ATTR_FIELD_DATATYPE) != 0;
  if (packed && (param->datatype & UCP_DATATYPE_CLASS_MASK) != UCP_DATATYPE_GENERIC) {
    give_up("a message has a kind of datatype that MPICH 4.0 does not create");
  }
  Traffic& sent = all.sent[static_cast<std::size_t>(found->second)];
  ++sent.messages;
  sent.bytes += packed ? all.packed_bytes : count;
}

template <typename Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

const std::vector<Traffic>& sent() { return counter().sent; }

void learn() {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Counter& all = counter();
  std::vector<int> received(static_cast<std::size_t>(ranks));
  std::vector<MPI_Request> requests(received.size());
  for (int other = 0; other < ranks; ++other) {
    const auto at = static_cast<std::size_t>(other);
    MPI_Irecv(&received[at], 1, MPI_INT, other, 0, MPI_COMM_WORLD, &requests[at]);
  }
  for (int other = 0; other < ranks; ++other) {
    // A rank also sends to itself here, because it does so in some collectives.
    all.learnt = other;
    MPI_Send(&rank, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
  }
  all.learnt = -1;
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  if (all.rank_of.size() != static_cast<std::size_t>(ranks)) {
    give_up("not all messages go through UCX; set MPIR_CVAR_NOLOCAL=1");
  }
  all.sent.assign(static_cast<std::size_t>(ranks), {});
}

bool force(const std::string& collective, const std::string& algorithm) {
  std::string variable = "MPIR_CVAR_" + collective + "_INTRA_ALGORITHM";
  for (char& letter : variable) {
    letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  // The algorithm MPIR_Bcast_intra_binomial is the value `binomial` of the variable.
  std::string value = algorithm.empty() ? "auto" : algorithm;
  for (const std::string kind : {"_intra_", "_allcomm_"}) {
    if (const std::size_t at = value.find(kind); at != std::string::npos) {
      value = value.substr(at + kind.size());
    }
  }
  int provided = 0;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  int index = 0;
  if (MPI_T_cvar_get_index(variable.c_str(), &index) != MPI_SUCCESS) {
    return false;
  }
  // MPICH does not tell which number each value has. The values are numbered in the order in which
  // the variable's description lists them. The lines of this description, such as "binomial - Force
  // Binomial Tree", are joined without line breaks.
  std::array<char, 256> name{};
  std::vector<char> description(1 << 14);
  int name_length = static_cast<int>(name.size());
  int length = static_cast<int>(description.size());
  int verbosity = 0;
  int bind = 0;
  int scope = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_T_cvar_get_info(index, name.data(), &name_length, &verbosity, &type, nullptr,
                      description.data(), &length, &bind, &scope);
  const std::string text = description.data();
  int number = 0;
  for (std::size_t dash = text.find(" - "); dash != text.npos; dash = text.find(" - ", dash + 3)) {
    const std::size_t end = text.find_last_not_of(' ', dash) + 1;
    if (text.substr(0, end).ends_with(value)) {
      MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
      int count = 0;
      return MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) == MPI_SUCCESS &&
             MPI_T_cvar_write(handle, &number) == MPI_SUCCESS &&
             MPI_T_cvar_handle_free(&handle) == MPI_SUCCESS;
    }
    ++number;
  }
  return false;
}

}  // namespace tutti::traffic

extern "C" {

ucs_status_ptr_t ucp_tag_send_nbx(ucp_ep_h endpoint, const void* buffer, std::size_t count,
                                  ucp_tag_t tag, const ucp_request_param_t* param) {
  static const auto send = tutti::traffic::real<decltype(&ucp_tag_send_nbx)>("ucp_tag_send_nbx");
  const ucs_status_ptr_t request = send(endpoint, buffer, count, tag, param);
  tutti::traffic::count_message(endpoint, count, param);
  return request;
}

ucs_status_ptr_t ucp_tag_send_sync_nbx(ucp_ep_h endpoint, const void* buffer, std::size_t count,
                                       ucp_tag_t tag, const ucp_request_param_t* param) {
  static const auto send =
      tutti::traffic::real<decltype(&ucp_tag_send_sync_nbx)>("ucp_tag_send_sync_nbx");
  const ucs_status_ptr_t request = send(endpoint, buffer, count, tag, param);
  tutti::traffic::count_message(endpoint, count, param);
  return request;
}

ucs_status_t ucp_dt_create_generic(const ucp_generic_dt_ops_t* ops, void* context,
                                   ucp_datatype_t* type) {
  static const auto create =
      tutti::traffic::real<decltype(&ucp_dt_create_generic)>("ucp_dt_create_generic");
  tutti::traffic::counter().packing = *ops;
  ucp_generic_dt_ops_t counting = *ops;
  counting.start_pack = tutti::traffic::start_pack;
  return create(&counting, context, type);
}

unsigned ucp_worker_progress(ucp_worker_h worker) {
  static const auto progress =
      tutti::traffic::real<decltype(&ucp_worker_progress)>("ucp_worker_progress");
  const unsigned events = progress(worker);
  if (events == 0) {
    sched_yield();
  }
  return events;
}

}  // extern "C"

// tutti._core: the part of the Python module that is written in C++. It gives Python the public C++
// library (include/tutti) and nothing else; the package tutti makes the module's functions from it.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tutti/tutti.hpp"

namespace py = pybind11;

namespace {

// While an object of this class exists, Ctrl-C ends the functions of the library. Python's own
// handler, which is called as well, only notes the signal.
class CtrlC {
 public:
  CtrlC() {
    const std::lock_guard lock(mutex());
    if (count()++ > 0 || sigaction(SIGINT, nullptr, &before()) != 0) {
      return;
    }
    if ((before().sa_flags & SA_SIGINFO) == 0 && before().sa_handler != SIG_DFL &&
        before().sa_handler != SIG_IGN) {
      struct sigaction ours = before();
      ours.sa_handler = on_signal;
      sigaction(SIGINT, &ours, nullptr);
    }
  }
  CtrlC(const CtrlC&) = delete;
  CtrlC& operator=(const CtrlC&) = delete;
  ~CtrlC() {
    const std::lock_guard lock(mutex());
    struct sigaction now {};
    if (--count() == 0 && sigaction(SIGINT, nullptr, &now) == 0 && now.sa_handler == on_signal) {
      sigaction(SIGINT, &before(), nullptr);
    }
  }

 private:
  static void on_signal(int signal) {
    const int error = errno;
    tutti::interrupt();
    before().sa_handler(signal);
    errno = error;
  }

  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
  static int& count() {
    static int uses = 0;
    return uses;
  }
  static struct sigaction& before() {
    static struct sigaction action {};
    return action;
  }
};

// Calls `what` without the interpreter's lock, so that other threads of Python run meanwhile.
template <typename What>
auto unlocked(What&& what) {
  try {
    const CtrlC watch;
    const py::gil_scoped_release released;
    return what();
  } catch (const tutti::Interrupted&) {
    // Only the main thread handles signals. The user's own handler may have returned.
    if (PyErr_CheckSignals() == 0) {
      PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
    throw py::error_already_set();
  }
}

// Returns an array that shows `values` without a copy, is read-only, and keeps `owner` alive.
template <typename Value>
py::array view(const Value* values, std::size_t size, const py::handle& owner) {
  py::array_t<Value> array({size}, {sizeof(Value)}, values, owner);
  array.attr("flags").attr("writeable") = false;
  return array;
}

// Returns a read-only array with the value of each operation.
template <typename Value, typename Get>
py::array column(const tutti::Schedule& schedule, Get&& get) {
  py::array_t<Value> array(static_cast<py::ssize_t>(schedule.size()));
  Value* const into = array.mutable_data();
  for (std::uint32_t id = 0; id < schedule.size(); ++id) {
    into[id] = static_cast<Value>(get(schedule.operation(id)));
  }
  array.attr("flags").attr("writeable") = false;
  return array;
}

py::dict arrays(const py::object& self) {
  const auto& schedule = self.cast<const tutti::Schedule&>();
  using tutti::Operation;
  py::dict all;
  all["kind"] = column<std::uint8_t>(schedule, [](const Operation& op) { return op.kind; });
  all["src"] = column<std::uint32_t>(schedule, [](const Operation& op) { return op.src; });
  all["dst"] = column<std::uint32_t>(schedule, [](const Operation& op) { return op.dst; });
  all["bytes"] = column<std::uint64_t>(schedule, [](const Operation& op) { return op.bytes; });
  all["level"] = column<std::uint32_t>(schedule, [](const Operation& op) { return op.level; });
  all["segment"] = column<std::uint32_t>(schedule, [](const Operation& op) { return op.segment; });
  py::array_t<std::int64_t> first(static_cast<py::ssize_t>(schedule.size()) + 1);
  std::int64_t* const into = first.mutable_data();
  into[0] = 0;
  for (std::uint32_t id = 0; id < schedule.size(); ++id) {
    into[id + 1] = into[id] + static_cast<std::int64_t>(schedule.predecessors(id).size());
  }
  first.attr("flags").attr("writeable") = false;
  all["after_first"] = std::move(first);
  all["after"] = schedule.size() == 0
                     ? view<std::uint32_t>(nullptr, 0, self)
                     : view(schedule.predecessors(0).data(), schedule.dependencies(), self);
  return all;
}

// An executor of Python: an object with the methods expect, room, submit and wait.
class PythonExecutor final : public tutti::CellExecutor {
 public:
  explicit PythonExecutor(py::object object) : object_(std::move(object)) {}

  void expect(std::size_t cells) override {
    const py::gil_scoped_acquire locked;
    object_.attr("expect")(cells);
  }
  [[nodiscard]] std::size_t room() const override {
    const py::gil_scoped_acquire locked;
    return object_.attr("room")().cast<std::size_t>();
  }
  void submit(std::uint64_t ticket, std::string cell) override {
    const py::gil_scoped_acquire locked;
    object_.attr("submit")(ticket, std::move(cell));
  }
  [[nodiscard]] std::vector<tutti::CellEvent> wait(double at_most_s) override {
    const py::gil_scoped_acquire locked;
    std::vector<tutti::CellEvent> events;
    for (const py::handle each : object_.attr("wait")(at_most_s)) {
      auto [ticket, lost, text] = each.cast<std::tuple<std::uint64_t, bool, std::string>>();
      events.push_back({ticket, lost, std::move(text)});
    }
    return events;
  }

 private:
  py::object object_;
};

// An algorithm of the user: an object with the attribute name and the method schedule_file.
class PythonSource final : public tutti::ScheduleSource {
 public:
  explicit PythonSource(py::object object)
      : object_(std::move(object)), name_(object_.attr("name").cast<std::string>()) {}

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::string schedule_file(std::uint32_t ranks, std::uint64_t bytes) override {
    const py::gil_scoped_acquire locked;
    const py::object path = object_.attr("schedule_file")(ranks, bytes);
    return py::module_::import("os").attr("fsencode")(path).cast<std::string>();
  }

 private:
  py::object object_;
  std::string name_;
};

std::string_view kind_name(tutti::Message::Kind kind) {
  using enum tutti::Message::Kind;
  return kind == error ? "error" : kind == warning ? "warning" : kind == note ? "note" : "status";
}

py::tuple run_command(const std::vector<std::string>& arguments, const py::object& executor,
                      const std::vector<py::object>& objects, const std::string& temporary_files) {
  std::unique_ptr<PythonExecutor> cells;
  if (!executor.is_none()) {
    cells = std::make_unique<PythonExecutor>(executor);
  }
  std::deque<PythonSource> made;
  tutti::CommandSettings settings{.executor = cells.get(),
                                  .names = tutti::FieldNames::arguments,
                                  .temporary_files = temporary_files};
  for (const py::object& object : objects) {
    settings.sources.push_back(&made.emplace_back(object));
  }
  const tutti::CommandOutput output =
      unlocked([&] { return tutti::run_command(arguments, settings); });
  // A file name of the user may have bytes that are not UTF-8.
  const auto text = [](const std::string& bytes) {
    PyObject* const decoded = PyUnicode_DecodeUTF8(
        bytes.data(), static_cast<py::ssize_t>(bytes.size()), "surrogateescape");
    return py::reinterpret_steal<py::str>(decoded);
  };
  py::list messages;
  for (const tutti::Message& message : output.messages) {
    messages.append(
        py::make_tuple(kind_name(message.kind), text(message.text), text(message.details)));
  }
  return py::make_tuple(output.exit_code, text(output.out), messages);
}

py::list algorithms() {
  py::list all;
  for (const tutti::Algorithm& algorithm : tutti::algorithms()) {
    py::dict one;
    one["name"] = algorithm.full_name;
    one["idea"] = algorithm.idea;
    one["source"] = algorithm.source;
    one["cost"] = algorithm.cost;
    one["options"] = algorithm.options;
    all.append(std::move(one));
  }
  return all;
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  module.doc() = "The C++ library of tutti. Use the package tutti instead of this module.";
  module.attr("__version__") = tutti::version();

  // The errors are defined in Python, where their documentation is read.
  static const py::object bad_input = py::module_::import("tutti._errors").attr("BadInput");
  static const py::object internal_error =
      py::module_::import("tutti._errors").attr("InternalError");
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      std::rethrow_exception(std::move(thrown));
    } catch (const tutti::Error& error) {
      PyErr_SetString(bad_input.ptr(), error.what());
    } catch (const std::logic_error& error) {
      PyErr_SetString(internal_error.ptr(), error.what());
    }
  });

  py::class_<tutti::OpenMachine>(module, "Machine")
      .def(py::init([](const std::vector<std::string>& options) {
        return unlocked([&] { return tutti::OpenMachine(options); });
      }))
      .def_property_readonly("warnings", &tutti::OpenMachine::warnings);

  py::class_<tutti::Proof>(module, "Proof")
      .def_readonly("proved", &tutti::Proof::proved)
      .def_readonly("in_rank_order", &tutti::Proof::in_rank_order)
      .def_readonly("bitwise_equal", &tutti::Proof::bitwise_equal)
      .def_readonly("least_bytes", &tutti::Proof::least_bytes)
      .def_property_readonly("findings", [](const tutti::Proof& proof) {
        std::vector<std::pair<std::string, std::string>> all;
        for (const tutti::Finding& finding : proof.findings) {
          all.emplace_back(finding.kind, finding.text);
        }
        return all;
      });

  py::class_<tutti::Schedule>(module, "Schedule")
      .def(py::init([](const std::string& what, const std::vector<std::string>& options,
                       const tutti::OpenMachine& machine) {
        return unlocked([&] { return tutti::Schedule(what, options, machine); });
      }))
      .def_static("from_notation",
                  [](const std::string& text) {
                    return unlocked([&] { return tutti::Schedule::from_notation(text); });
                  })
      .def("notation",
           [](const tutti::Schedule& schedule) {
             return unlocked([&] { return schedule.notation(); });
           })
      .def("prove",
           [](const tutti::Schedule& schedule) {
             return unlocked([&] { return tutti::prove(schedule); });
           })
      .def("arrays", &arrays)
      .def("__len__", &tutti::Schedule::size)
      .def_property_readonly("algorithm", &tutti::Schedule::algorithm)
      .def_property_readonly("registered", &tutti::Schedule::registered)
      .def_property_readonly("collective",
                             [](const tutti::Schedule& schedule) {
                               return tutti::name(schedule.problem().collective);
                             })
      .def_property_readonly(
          "ranks", [](const tutti::Schedule& schedule) { return schedule.problem().ranks; })
      .def_property_readonly(
          "bytes", [](const tutti::Schedule& schedule) { return schedule.problem().bytes; })
      .def_property_readonly(
          "element_bytes",
          [](const tutti::Schedule& schedule) { return schedule.problem().element_bytes; })
      .def_property_readonly(
          "root", [](const tutti::Schedule& schedule) { return schedule.problem().root; })
      .def_property_readonly(
          "options", [](const tutti::Schedule& schedule) { return schedule.problem().options; })
      .def_property_readonly("switches", &tutti::Schedule::switches)
      .def_property_readonly("messages", &tutti::Schedule::messages)
      .def_property_readonly("bytes_sent", &tutti::Schedule::bytes_sent)
      .def_property_readonly("bytes_reduced", &tutti::Schedule::bytes_reduced)
      .def_property_readonly("rounds", &tutti::Schedule::rounds)
      .def_property_readonly("dependencies", &tutti::Schedule::dependencies);

  py::class_<tutti::Formula>(module, "Formula")
      .def_readonly("text", &tutti::Formula::text)
      .def_readonly("source", &tutti::Formula::source)
      .def_readonly("seconds", &tutti::Formula::seconds);

  py::class_<tutti::Ties>(module, "Ties")
      .def_readonly("runs", &tutti::Ties::runs)
      .def_readonly("least_s", &tutti::Ties::least_s)
      .def_readonly("median_s", &tutti::Ties::median_s)
      .def_readonly("most_s", &tutti::Ties::most_s)
      .def_readonly("matter", &tutti::Ties::matter);

  py::class_<tutti::Run>(module, "Run")
      .def_readonly("total_s", &tutti::Run::total_s)
      .def_property_readonly("start_s",
                             [](const py::object& self) {
                               const auto& run = self.cast<const tutti::Run&>();
                               return view(run.start_s.data(), run.start_s.size(), self);
                             })
      .def_property_readonly("end_s",
                             [](const py::object& self) {
                               const auto& run = self.cast<const tutti::Run&>();
                               return view(run.end_s.data(), run.end_s.size(), self);
                             })
      // For tests: the addresses of the two arrays in the memory of the library.
      .def_property_readonly("_addresses",
                             [](const tutti::Run& run) {
                               return std::pair(
                                   reinterpret_cast<std::uintptr_t>(run.start_s.data()),
                                   reinterpret_cast<std::uintptr_t>(run.end_s.data()));
                             })
      .def_readonly("engine", &tutti::Run::engine)
      .def_readonly("ties", &tutti::Run::ties)
      .def_readonly("alpha_s", &tutti::Run::alpha_s)
      .def_readonly("beta_s_per_byte", &tutti::Run::beta_s_per_byte)
      .def_readonly("gamma_s_per_byte", &tutti::Run::gamma_s_per_byte)
      .def_readonly("exact_s", &tutti::Run::exact_s)
      .def_readonly("published", &tutti::Run::published);

  module.def("simulate", [](const tutti::Schedule& schedule, const tutti::OpenMachine& machine) {
    return unlocked(
        [&] { return std::make_unique<tutti::Run>(tutti::simulate(schedule, machine)); });
  });
  module.def("run_command", &run_command, py::arg("arguments"), py::arg("executor"),
             py::arg("sources"), py::arg("temporary_files") = "");
  module.def("run_cell", [](const std::string& cell) {
    return unlocked([&] { return tutti::run_cell(cell); });
  });
  module.def("algorithms", &algorithms);
}

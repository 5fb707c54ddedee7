#include "src/requests/command_line.hpp"

#include <CLI/CLI.hpp>
#include <boost/tokenizer.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "base/quantities.hpp"
#include "base/shell_word.hpp"
#include "schedules/registry.hpp"
#include "src/requests/command_table.hpp"
#include "src/requests/schedule_file.hpp"

namespace tutti { inline namespace requests {

namespace {

std::string_view option_part(std::string_view argument) {
  return argument.substr(0, argument.find('='));
}

std::string_view without_dashes(std::string_view name) {
  return name.substr(std::min(name.find_first_not_of('-'), name.size()));
}

// True if the names are equal, apart from upper and lower case of long names, and from underscores
// in place of dashes.
bool same_option(std::string_view a, std::string_view b) {
  return a == b || (a.starts_with("--") && same_word(a, b));
}

std::vector<std::string> option_names(const Command& command) {
  std::vector<std::string> names;
  for (const CommandOption& option : command.options()) {
    std::ranges::copy_if(option.names(), std::back_inserter(names),
                         [](const std::string& name) { return name.starts_with("--"); });
  }
  return names;
}

// An option of another program that starts or measures parallel jobs, and the options of tutti that
// take its place. The first of these that the command has is suggested, as the text after it says.
struct ForeignOption {
  std::vector<std::string_view> names;
  std::vector<std::pair<std::string_view, std::string_view>> instead;
};

const std::vector<ForeignOption>& foreign_options() {
  static const std::vector<ForeignOption> kForeign{
      // mpirun, srun, torchrun
      {{"-np", "--np", "-nprocs", "--nprocs", "--nproc", "--num-procs", "--procs", "--nranks",
        "--num-ranks", "--ntasks", "--tasks", "--processes", "--world-size", "-P"},
       {{"--ranks", "the number of ranks is $ranks=COUNT"}}},
      {{"-ppn", "--ppn", "-perhost", "--perhost", "--npernode", "-npernode", "--ranks-per-node",
        "--procs-per-node", "--nproc-per-node", "--ntasks-per-node", "--tasks-per-node",
        "--tasks-per-host"},
       {{"--ranks-per-host", "write $ranks_per_host=COUNT"},
        {"--gpus-per-node", "write $gpus_per_node=COUNT"}}},
      {{"-N", "--nodes", "--nnodes", "--num-nodes"},
       {{"--ranks-per-host",
         "the number of nodes is that of ranks divided by those on each; write $ranks=COUNT and "
         "$ranks_per_host=COUNT"},
        {"--gpus-per-node",
         "the number of nodes is that of ranks divided by $gpus_per_node; write $ranks=COUNT"},
        {"--hosts", "write $hosts=COUNT"}}},
      {{"--map-by", "-map-by", "--rank-by", "--distribution"},
       {{"--placement", "write $placement=block, cyclic, switch or random:SEED"}}},
      {{"--hostfile", "-hostfile", "--machinefile", "-machinefile", "-f", "-H", "--host", "-w",
        "--nodelist", "--rankfile"},
       {{"--hosts", "write $hosts FILE|LIST"}}},
      // OSU's benchmarks, Intel's, nccl-tests
      {{"-m", "--message-size", "--msg-size", "--msglen", "--size", "--minbytes", "--maxbytes",
        "-b", "-e", "-s"},
       {{"--bytes", "the size is $bytes=SIZE, such as $bytes=64K"}}},
      {{"-g", "--ngpus", "--gpus", "--num-gpus"},
       {{"--gpus-per-node",
         "the number of GPUs is $ranks=COUNT, and of those on each node $gpus_per_node=COUNT"}}},
      {{"-d", "--datatype", "--dtype"},
       {{"--elem-bytes", "only the size of elements matters; write $elem_bytes=SIZE"}}},
      // words for networks
      {{"--taper", "--tapering", "--blocking"},
       {{"--oversubscription", "write $oversubscription=RATIO"}}},
      {{"--rails", "--nics", "--cards", "--hcas", "--planes"},
       {{"--cards", "write $cards=COUNT"},
        {"--up", "a host with several cards has several parents: $up 2,... for two"}}},
      {{"--bandwidth"}, {{"--bw", "write $bw=RATE"}, {"--beta", "write $beta=RATE"}}},
      {{"--latency"}, {{"--lat", "write $lat=TIME"}, {"--alpha", "write $alpha=TIME"}}},
      {{"--algorithm", "--algo", "--alg"},
       {{"--algorithms", "write $algorithms=NAMES"},
        {"ALG", "the algorithm is the first argument, such as allreduce/ring"}}},
      {{"--collective", "--coll", "--op"},
       {{"COLLECTIVE", "the collective is the first argument, such as allreduce"}}},
      {{"--mpi", "--lib"}, {{"--library", "write $library=NAME"}}},
      {{"--radix-size", "-k"}, {{"--radix", "write $radix=K"}}},
      {{"--engine-type", "--simulator"}, {{"--engine", "write $engine=NAME"}}}};
  return kForeign;
}

// Returns the option with that name, or the positional argument of that type.
const CommandOption* option_or_argument(const Command& command, std::string_view name) {
  if (name.starts_with('-')) {
    return command.find_option(name);
  }
  const auto found = std::ranges::find_if(command.options(), [name](const CommandOption& option) {
    return option.is_positional() && option.type_name() == name;
  });
  return found == command.options().end() ? nullptr : &*found;
}

// Says what takes the place of an option of another program; "" for other names, or if the command
// has nothing in its place.
std::string instead_of_foreign(const Command& command, std::string_view name) {
  for (const ForeignOption& foreign : foreign_options()) {
    if (std::ranges::none_of(foreign.names,
                             [name](std::string_view each) { return same_option(each, name); })) {
      continue;
    }
    for (const auto& [own, text] : foreign.instead) {
      if (option_or_argument(command, own) != nullptr) {
        return fmt::format("; {}", text);
      }
    }
  }
  return "";
}

// Appends the full names of the commands below `command`, without the program's name, that have an
// option called `name`.
void add_commands_with(const Command& command, std::string_view name,
                       std::vector<std::string>& found) {
  for (const Command& each : command.commands()) {
    if (!each.is_hidden()) {
      if (each.find_option(name) != nullptr) {
        const std::string full = each.full_name();
        found.push_back(full.substr(full.find(' ') + 1));
      }
      add_commands_with(each, name, found);
    }
  }
}

// Says which other commands have the option; "" if none has it.
std::string commands_with(const Command& command, std::string_view name) {
  const Command* program = &command;
  while (program->parent() != nullptr) {
    program = program->parent();
  }
  std::vector<std::string> found;
  add_commands_with(*program, name, found);
  constexpr std::size_t kMost = 4;
  const bool several = found.size() > kMost;
  found.resize(std::min(found.size(), kMost));
  return found.empty() ? ""
         : several     ? fmt::format("; '{}' and others have this option", fmt::join(found, "', '"))
                       : fmt::format("; '{}' {} this option", fmt::join(found, "', '"),
                                 found.size() == 1 ? "has" : "have");
}

// Returns the end of an error message: the candidate that is most similar to `word`, or `otherwise`
// if none is similar.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates,
                       const std::string& otherwise) {
  const std::string best = nearest(word, candidates);
  return best.empty() ? otherwise : fmt::format(": did you mean '{}'?", best);
}

// Returns the end of an error message about an option that the command does not have.
std::string unknown_option(const Command& command, std::string_view name) {
  const std::string foreign = instead_of_foreign(command, name);
  if (!foreign.empty()) {
    return fmt::format("unknown option '{}'{}", name, foreign);
  }
  const std::string elsewhere = commands_with(command, name);
  const std::string_view word = without_dashes(name);
  const std::string best =
      word.size() < 2 ? "" : nearest(fmt::format("--{}", word), option_names(command));
  if (!best.empty() && (elsewhere.empty() || best.starts_with(name))) {
    return fmt::format("unknown option '{}': did you mean '{}'?", name, best);
  }
  return fmt::format("unknown option '{}'{}; '{} --help all' lists all", name, elsewhere,
                     command.full_name());
}

std::string one_of(const std::vector<std::string>& names) {
  return fmt::format("; expected one of {}", fmt::join(names, ", "));
}

std::vector<std::string> command_names(const Command& command) {
  std::vector<std::string> names;
  for (const Command& each : command.commands()) {
    if (!each.is_hidden()) {
      names.push_back(each.name());
    }
  }
  return names;
}

// Throws UserError unless the first argument is one of the program's commands, or begins with a
// dash.
void check_command(const Command& program, const std::vector<std::string>& arguments) {
  const std::vector<std::string> names = command_names(program);
  if (arguments.empty()) {
    throw UserError(fmt::format("no command given; expected one of {} ('{} --help' explains them)",
                                fmt::join(names, ", "), program.name()));
  }
  const std::string& first = arguments.front();
  const auto& commands = program.commands();
  if (first.starts_with('-') && program.find_option(option_part(first)) == nullptr) {
    for (const std::string& word : arguments) {
      const Command* const command = program.command(word);
      if (command != nullptr && command->find_option(option_part(first)) != nullptr) {
        throw UserError(fmt::format("'{0}' comes before the command; write '{1} {2} ... {0}'",
                                    option_part(first), program.name(), word));
      }
    }
  }
  if (!first.starts_with('-') &&
      std::ranges::find(commands, first, &Command::name) == commands.end()) {
    throw UserError(
        fmt::format("unknown command '{}'{}", first, suggestion(first, names, one_of(names))));
  }
}

std::string needs_value(const CommandOption& option) {
  return fmt::format("{} needs a value: {} ({})", option.field(), option.type_name(),
                     option.description());
}

// True if `word` gives a one-letter option with its value, such as -p64 or -ofile.svg, although it
// looks like -np of other programs, or like a long option with one dash.
bool is_long_with_one_dash(const Command& command, std::string_view word) {
  constexpr std::size_t kLeast = 3;
  if (word.size() < kLeast || word[0] != '-' || word[1] == '-') {
    return false;
  }
  const CommandOption* const option = command.find_option(word.substr(0, 2));
  if (option == nullptr) {
    return false;  // CLI11 reports it
  }
  const std::string_view name = option_part(word);
  const bool counts = option->type_name() == "COUNT" || option->type_name() == "SIZE";
  const bool is_number = word[2] >= '0' && word[2] <= '9';
  const std::string long_name = fmt::format("-{}", name);
  return (counts && !is_number && word[2] != '=') ||
         std::ranges::any_of(option_names(command), [&](const std::string& each) {
           return name.size() > kLeast && each.starts_with(long_name);
         });
}

// Throws UserError for an option with nothing after its equals sign, because CLI11 would take the
// next word as its value; for an option whose value looks like another option; for a flag with a
// value, which CLI11 takes if it is "true"; and for a long option with one dash, because CLI11
// would take its letters as an option and its value.
void check_options(const Command& program, const std::vector<std::string>& arguments) {
  const Command* command = &program;
  const CommandOption* waiting = nullptr;  // the option whose value is the next word
  for (const std::string& word : arguments) {
    if (word == "--") {
      return;
    }
    if (const CommandOption* const before = std::exchange(waiting, nullptr)) {
      if (word.starts_with('-') && command->find_option(option_part(word)) != nullptr) {
        throw UserError(fmt::format(
            "{} needs a value, but '{}' is an option; if it is the value, write '{}={}'",
            before->field(), word, before->name(), word));
      }
      continue;
    }
    const auto& inner = command->commands();
    if (const auto found = std::ranges::find(inner, word, &Command::name); found != inner.end()) {
      command = &*found;
      continue;
    }
    if (!word.starts_with('-') || command->rest_usage()) {
      continue;
    }
    if (is_long_with_one_dash(*command, word)) {
      throw UserError(unknown_option(*command, option_part(word)));
    }
    const CommandOption* option = command->find_option(option_part(word));
    if (word.starts_with("--") && word.ends_with('=') && option != nullptr && !option->is_flag()) {
      throw UserError(needs_value(*option));
    }
    const bool has_value = word.find('=') != word.npos;
    if (option != nullptr && option->is_flag() && has_value) {
      throw UserError(fmt::format("{} takes no value", option->field()));
    }
    waiting = option == nullptr || option->is_flag() || has_value ? nullptr : option;
  }
}

// Replaces dashes that editors put in place of "-" at the beginning of options.
void mend_dashes(const Command& program, std::vector<std::string>& arguments) {
  const Command* command = &program;
  for (std::string& word : arguments) {
    const auto& inner = command->commands();
    if (const auto found = std::ranges::find(inner, word, &Command::name); found != inner.end()) {
      command = &*found;
    } else if (!word.starts_with('-')) {
      std::string plain = plain_ascii(word);
      if (!plain.starts_with('-') || plain == word) {
        continue;
      }
      for (const std::string& mended : {plain, "-" + plain}) {
        if (command->find_option(option_part(mended)) != nullptr) {
          word = mended;
          break;
        }
      }
    }
  }
}

// Returns true for --help all, and makes it --help.
bool take_all_of_help(std::vector<std::string>& arguments) {
  const auto help = std::ranges::find_if(
      arguments, [](const std::string& word) { return word == "--help" || word == "-h"; });
  if (help == arguments.end() || help + 1 == arguments.end() || *(help + 1) != "all") {
    return false;
  }
  arguments.erase(help + 1);
  return true;
}

// True if the word after a number makes it a size, a time or a rate: 64 MiB.
bool is_unit_of(const std::string& number, const std::string& unit) {
  const std::string plain = plain_ascii(unit);
  const auto accepts = [&](const auto& parse) {
    try {
      (void)parse("", number + plain);
      return number.find_first_not_of("0123456789.") == std::string::npos;
    } catch (const UserError&) {
      return false;
    }
  };
  return accepts([](auto what, const auto& text) { return parse_bytes(what, text); }) ||
         accepts([](auto what, const auto& text) { return parse_time_s(what, text); }) ||
         accepts([](auto what, const auto& text) { return parse_rate(what, text); });
}

// Says what to do about `extra`, an argument too many; "" if nothing is known. `before`: the word
// before it; `first`: the value of the first positional argument.
std::string remedy_for_extra(const Command& command, const std::string& extra,
                             const std::string& before, const std::string& first) {
  const bool is_word = !extra.empty() && std::isdigit(static_cast<unsigned char>(extra[0])) == 0;
  if (is_word && !before.empty() && is_unit_of(before, extra)) {
    return fmt::format("; write {}{}, without a blank", before, extra);
  }
  if (const auto collective = collective_meant(first)) {
    for (const Algorithm* algorithm : algorithms()) {
      if (algorithm->collective == *collective && same_word(algorithm->name, extra)) {
        if (command.find_option("--algorithms") != nullptr) {
          return fmt::format("; write $algorithms {}", algorithm->name);
        }
        return option_or_argument(command, "COLLECTIVE") == nullptr
                   ? fmt::format("; write {}", algorithm->full_name())
                   : "";
      }
    }
  }
  if (command.find_option("--with") != nullptr && means_file(extra)) {
    return fmt::format("; to add a program, write $with {}", shell_path(extra));
  }
  return "";
}

// Parses the command line with CLI11. The constructor defines our commands and options in CLI11,
// with callbacks that store the values of the options.
class Parser {
 public:
  explicit Parser(Command& program) : app_(program.description(), program.name()) {
    add(program, app_);
  }

  // Returns the text to print if --help or --version was given, and nothing otherwise. `all`: the
  // help lists all options.
  std::optional<std::string> parse(const std::vector<std::string>& arguments, bool all) {
    arguments_ = &arguments;
    std::vector<std::string> backwards(arguments.rbegin(), arguments.rend());  // as CLI11 expects
    try {
      app_.parse(backwards);
    } catch (const CLI::CallForVersion&) {
      return fmt::format("{}\n", pairs_.front().first->version());
    } catch (const CLI::Success&) {
      return help_text(chosen().first, all);
    } catch (const CLI::ExtrasError&) {
      const auto [command, app] = chosen();
      const std::vector<std::string> extras = app.remaining(true);
      const std::vector<std::string> any = extras.empty() ? app_.remaining(true) : extras;
      throw UserError(describe_extra(command, app, any.empty() ? "" : any.front()));
    } catch (const CLI::RequiredError&) {
      throw UserError(describe_missing());
    } catch (const CLI::ArgumentMismatch& error) {
      throw UserError(describe_mismatch(error.what()));
    } catch (const CLI::ParseError& error) {
      throw UserError(one_line(error.what()));
    }
    chosen();
    return std::nullopt;
  }

 private:
  void add(Command& command, CLI::App& app) {
    pairs_.emplace_back(&command, &app);
    app.set_help_flag();
    for (CommandOption& option : command.options()) {
      add(option, app, command.version());
    }
    app.allow_extras(command.rest_usage().has_value());
    for (Command& each : command.commands()) {
      add(each, *app.add_subcommand(each.name(), each.description()));
    }
    if (!command.commands().empty()) {
      app.require_subcommand(command.needs_command() ? 1 : 0, 1);
    }
  }

  static void add(CommandOption& option, CLI::App& app, const std::string& version) {
    const std::string names =
        option.is_positional() ? option.name() : fmt::format("{}", fmt::join(option.names(), ","));
    if (option.name() == "--help") {
      app.set_help_flag(names);
      return;
    }
    // A command may have an option of this name that takes a value.
    if (option.name() == "--version" && option.is_flag()) {
      app.set_version_flag(names, version);
      return;
    }
    if (option.is_flag()) {
      app.add_flag_callback(names, [&option] { option.take({}); })->disable_flag_override();
      return;
    }
    CLI::Option& added =
        *app.add_option(names, CLI::callback_t([&option](const CLI::results_t& values) {
                          option.take(values);
                          return true;
                        }));
    if (option.takes_many()) {
      added.expected(1, CLI::detail::expected_max_vector_size);
      added.allow_extra_args(!option.is_one_at_a_time());
    } else if (option.most_words() > 1) {
      added.expected(1, option.most_words());
    }
    if (const auto separator = option.delimiter()) {
      added.delimiter(*separator);
    }
    if (const auto separator = option.joined_by()) {
      added.multi_option_policy(CLI::MultiOptionPolicy::Join)->delimiter(*separator);
    }
    added.required(option.is_required());
  }

  // Marks the commands that were given, and returns the innermost of them.
  std::pair<const Command&, const CLI::App&> chosen() {
    std::pair<Command*, CLI::App*> deepest = pairs_.front();
    for (const auto& [command, app] : pairs_) {  // pairs_ lists a command before its subcommands
      if (app->parsed()) {
        command->choose(app->remaining());
        deepest = {command, app};
      }
    }
    return {*deepest.first, *deepest.second};
  }

  // Returns a one-line error message for `extra`, an unknown word on the command line. CLI11's own
  // message may neither name this word nor say which words are accepted.
  std::string describe_extra(const Command& command, const CLI::App& app,
                             const std::string& extra) const {
    if (extra.size() > 1 && extra.front() == '-') {
      return unknown_option(command, option_part(extra));
    }
    const std::vector<std::string> kinds = command_names(command);
    if (command.parent() != nullptr && !kinds.empty()) {
      return fmt::format("unknown kind of {} '{}'{}", command.name(), extra,
                         suggestion(extra, kinds, one_of(kinds)));
    }
    const auto at = std::ranges::find(*arguments_, extra);
    const std::string before =
        at == arguments_->begin() || at == arguments_->end() ? "" : *(at - 1);
    const auto positional = std::ranges::find_if(command.options(), &CommandOption::is_positional);
    std::string first;
    if (positional != command.options().end()) {
      const auto values = app.get_option(positional->name())->results();
      first = values.empty() ? "" : values.front();
    }
    return fmt::format("unexpected argument '{}' for '{}'{}", extra, command.full_name(),
                       remedy_for_extra(command, extra, before, first));
  }

  std::string describe_missing() {
    const auto [command, app] = chosen();
    if (command.parent() == nullptr && command.needs_command()) {
      const std::vector<std::string> extras = app.remaining();
      return extras.empty() ? fmt::format("no command given; see '{} --help'", command.name())
                            : describe_extra(command, app, extras.front());
    }
    for (const CommandOption& option : command.options()) {
      if (option.is_required() && app.get_option(option.name())->count() == 0) {
        return fmt::format("'{}' needs {}: {}", command.full_name(), option.type_name(),
                           option.description());
      }
    }
    return fmt::format("'{0}' needs more arguments; see '{0} --help'", command.full_name());
  }

  // Returns a one-line error message for an option with a wrong number of values. `text` is CLI11's
  // message, which begins with the option's name.
  std::string describe_mismatch(std::string_view text) {
    const auto [command, app] = chosen();
    const std::string name(text.substr(0, text.find_first_of(": ")));
    const CommandOption* option = command.find_option(name);
    option = option != nullptr ? option : command.find_option("--" + name);
    if (option == nullptr) {
      return one_line(std::string(text));
    }
    if (option->is_flag()) {
      return fmt::format("{} takes no value", option->field());
    }
    const std::vector<std::string>& values = app.get_option(name)->results();
    if (values.size() > 1) {
      return fmt::format("{} was given {} times, as '{}'; give it once", option->field(),
                         values.size(), fmt::join(values, "' and '"));
    }
    return needs_value(*option);
  }

  CLI::App app_;
  std::vector<std::pair<Command*, CLI::App*>> pairs_;
  const std::vector<std::string>* arguments_ = nullptr;
};

}  // namespace

std::optional<std::string> parse_command_line(Command& program,
                                              const std::vector<std::string>& arguments) {
  std::optional<std::string> text = parse_words(program, arguments);
  if (!text) {
    program.read_values();
  }
  return text;
}

std::optional<std::string> parse_words(Command& program,
                                       const std::vector<std::string>& arguments) {
  std::vector<std::string> mended = arguments;
  mend_dashes(program, mended);
  const bool all = take_all_of_help(mended);
  if (!program.commands().empty()) {
    check_command(program, mended);
  }
  check_options(program, mended);
  return Parser(program).parse(mended, all);
}

namespace {

// Splits a text at blanks, except within quotes and after a backslash. Throws UserError if a quote
// does not end.
std::vector<std::string> split_words(const std::string& text) {
  const boost::escaped_list_separator<char> separator("\\", " \t\n", "\"'");
  std::vector<std::string> words;
  try {
    // The added word is one of its own unless a quote is open.
    const std::string with_end = text + " .";
    for (const std::string& word : boost::tokenizer(with_end, separator)) {
      if (!word.empty()) {
        words.push_back(word);
      }
    }
  } catch (const boost::escaped_list_error&) {
    throw UserError("a backslash may stand only before a quote or another backslash");
  }
  if (words.back() != ".") {
    throw UserError("a quote does not end");
  }
  words.pop_back();
  return words;
}

}  // namespace

void change_options(const Command& given, const std::string& words,
                    std::span<const std::string_view> headings, Command& changed) {
  std::vector<std::string> arguments = split_words(words);
  if (arguments.empty()) {
    throw UserError("expected options, such as $placement=cyclic");
  }
  for (const CommandOption& option : given.options()) {
    if (option.is_positional()) {
      arguments.insert(arguments.begin(), option.texts().begin(), option.texts().end());
    }
  }
  if (parse_words(changed, arguments)) {
    throw UserError("expected options of the machine, found $help");
  }
  for (CommandOption& option : changed.options()) {
    if (option.is_positional()) {
      continue;
    }
    if (!option.is_given()) {
      if (const CommandOption* const before = given.find_option(option.name());
          before->is_given()) {
        option.take(before->texts());
      }
    } else if (std::ranges::find(headings, option.group()) == headings.end()) {
      throw UserError(
          fmt::format("{} cannot be changed; expected an option of the machine", option.field()));
    }
  }
  changed.read_values();
}

}}  // namespace tutti::requests

// tutti completion: prints a short shell script. To complete the last word of a command line, the
// script calls 'tutti __complete WORD...', which prints the candidates. These are derived from the
// command table: from the names of commands and options, the type names of options, and
// CommandOption::words(). If there are no candidates, the shell completes file names.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <ostream>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "schedules/registry.hpp"
#include "src/commands/cli.hpp"
#include "src/commands/command.hpp"
#include "src/commands/json_inputs.hpp"
#include "src/requests/command_table.hpp"

namespace tutti { inline namespace commands {

namespace {

struct Shell {
  const char* name;
  const char* script;
};

constexpr std::array kShells{
    Shell{"bash", R"sh(# Completion of tutti for bash, written by 'tutti completion bash'.
_tutti() {
  local candidate words=("${COMP_WORDS[@]//\\/}")
  COMPREPLY=()
  while IFS= read -r candidate; do
    # Quote a candidate that has special characters.
    [[ $candidate != *[!A-Za-z0-9_./:,=+%@-]* ]] || candidate=$(printf '%q' "$candidate")
    COMPREPLY+=("$candidate")
  done < <("${words[0]/#\~/$HOME}" __complete "${words[@]:1:COMP_CWORD}" 2>/dev/null)
  if ((${#COMPREPLY[@]} == 1)) && [[ ${COMPREPLY[0]} == *[/:,] ]]; then
    compopt -o nospace 2>/dev/null
  fi
}
complete -o default -F _tutti tutti
)sh"},
    Shell{"zsh", R"sh(#compdef tutti
# Completion of tutti for zsh, written by 'tutti completion zsh'.
_tutti() {
  local -a candidates open closed
  candidates=(${(f)"$(${(Q)~words[1]} __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)"})
  ((${#candidates})) || { _files; return; }
  open=(${(M)candidates:#*[/:,]})
  closed=(${candidates:#*[/:,]})
  compadd -S '' -- $open
  compadd -- $closed
}
if [ "$funcstack[1]" = "_tutti" ]; then
  _tutti "$@"
else
  compdef _tutti tutti
fi
)sh"},
    Shell{"fish", R"sh(# Completion of tutti for fish, written by 'tutti completion fish'.
function __tutti_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l candidates ($words[1] __complete $words[2..-1] 2>/dev/null)
  if test (count $candidates) -gt 0
    printf '%s\n' $candidates
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c tutti -f -a '(__tutti_complete)'
)sh"},
};

std::vector<std::string> shell_names() {
  std::vector<std::string> names;
  names.reserve(std::size(kShells));
  for (const Shell& shell : kShells) {
    names.emplace_back(shell.name);
  }
  return names;
}

// Collects words that begin with `begun`, the part of a word that the user has typed so far.
// Ignores all other words, and words that it already has.
class Candidates {
 public:
  explicit Candidates(std::string begun) : begun_(std::move(begun)) {}

  void add(const std::string& word) {
    if (word.starts_with(begun_) && std::ranges::find(all_, word) == all_.end()) {
      all_.push_back(word);
    }
  }
  [[nodiscard]] const std::string& begun() const { return begun_; }
  [[nodiscard]] const std::vector<std::string>& all() const { return all_; }

 private:
  std::string begun_;
  std::vector<std::string> all_;
};

void add_collectives(Candidates& candidates) {
  for (const Collective collective : kCollectives) {
    candidates.add(std::string(name(collective)));
  }
}

void add_algorithms(Candidates& candidates) {
  for (const Algorithm* algorithm : algorithms()) {
    candidates.add(algorithm->full_name());
  }
}

// Completes the last name in a list of algorithm names, such as "circ" in "ring,circ". Each
// character in `parted_by` may separate names. The candidates are the algorithms of the collective
// that `collective_text` names. If `collective_text` is not the name of a collective, the
// candidates are all algorithms.
void add_names(const std::string& collective_text, Candidates& candidates,
               std::string_view parted_by = ",") {
  const auto collective = collective_named(collective_text);
  const std::size_t comma = candidates.begun().find_last_of(parted_by);
  const std::string before =
      comma == std::string::npos ? "" : candidates.begun().substr(0, comma + 1);
  for (const Algorithm* algorithm : algorithms()) {
    if (!collective || algorithm->collective == *collective) {
      candidates.add(before + std::string(algorithm->name));
    }
  }
}

void add_options(const Command& command, Candidates& candidates) {
  for (const CommandOption& option : command.options()) {
    for (const std::string& name : option.names()) {
      candidates.add(name);
    }
  }
}

void add_commands(const Command& app, Candidates& candidates) {
  for (const Command& command : app.commands()) {
    if (!command.is_hidden()) {
      candidates.add(command.name());
    }
  }
}

// The context in which the last word of a command line is completed, derived from the words before
// it.
struct WordPlace {
  const Command* command = nullptr;
  // The command report or plot, if the command line begins with one of them; otherwise null.
  const Command* shows = nullptr;
  // If the last word is the value of an option: this option; otherwise null.
  const CommandOption* awaits = nullptr;
  std::vector<std::string> positionals;
};

bool takes_value(const CommandOption* option) { return option != nullptr && !option->is_flag(); }

const CommandOption* option_of(const WordPlace& place, const std::string& word) {
  const CommandOption* const own = place.command->find_option(word);
  return own == nullptr && place.shows != nullptr ? place.shows->find_option(word) : own;
}

bool is_shown(const std::string& word) {
  const std::vector<std::string> shown = shown_commands();
  return std::ranges::find(shown, word) != shown.end();
}

constexpr const char* kAnd = "--and";

WordPlace place_after(const Command& app, const std::vector<std::string>& words) {
  WordPlace place{&app, nullptr, nullptr, {}};
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "=" && place.awaits != nullptr) {
      continue;  // bash splits --engine=flow into three words
    }
    if (place.awaits != nullptr) {
      place.awaits = nullptr;
      continue;
    }
    if (place.shows != nullptr && words[i] == kAnd) {
      place.command = place.shows;
      place.positionals.clear();
    } else if (place.shows != nullptr && place.command == place.shows && is_shown(words[i])) {
      place.command = app.command(words[i]);
    } else if (words[i].size() > 1 && words[i].front() == '-') {
      const CommandOption* const option = option_of(place, words[i]);
      place.awaits = takes_value(option) ? option : nullptr;
    } else if (const Command* const next = place.command->command(words[i])) {
      place.command = next;
      const bool shows = next->rest_usage().has_value();
      place.shows = shows && next->parent() == &app ? next : nullptr;
    } else {
      place.positionals.push_back(words[i]);
    }
  }
  return place;
}

void add_values(const CommandOption& option, const WordPlace& place, const Command& app,
                Candidates& candidates) {
  for (const std::string& word : option.words()) {
    candidates.add(word);
  }
  const std::string& type = option.type_name();
  const std::string first = place.positionals.empty() ? "" : place.positionals.front();
  if (type == "COLLECTIVE") {
    add_collectives(candidates);
    const std::string command = place.command->name();
    if ((command == "compare" || command == "list") &&
        candidates.begun().find('/') != std::string::npos) {
      add_algorithms(candidates);
    }
  } else if (type == "ALG") {
    add_algorithms(candidates);
  } else if (type == "NAMES") {
    add_names(first, candidates);
  } else if (type == "PART" || type == "PARTS") {
    add_names("", candidates, "+,");
  } else if (type == "COMMAND") {
    const Command* within = &app;
    for (const std::string& word : place.positionals) {
      const Command* const next = within->command(word);
      within = next != nullptr ? next : within;
    }
    add_commands(*within, candidates);
  } else if (option.name() == "--platform" && !candidates.begun().empty()) {
    candidates.add("crossbar:");
  }
}

// Returns the positional argument of which the last word is the value, provided that the word does
// not begin with a dash. If the earlier words already are the values of all positional arguments,
// returns the last positional argument if it accepts any number of words, otherwise null.
const CommandOption* positional_of(const WordPlace& place) {
  std::size_t before = place.positionals.size();
  const CommandOption* last = nullptr;
  for (const CommandOption& option : place.command->options()) {
    if (!option.is_positional()) {
      continue;
    }
    last = &option;
    if (before == 0) {
      return last;
    }
    --before;
  }
  return last != nullptr && last->takes_many() ? last : nullptr;
}

}  // namespace

std::vector<std::string> completions(const Command& app, const std::vector<std::string>& words) {
  std::vector<std::string> before = words;
  std::string last = before.empty() ? "" : before.back();
  if (!before.empty()) {
    before.pop_back();
  }
  const WordPlace place = place_after(app, before);
  if (place.awaits != nullptr) {
    Candidates candidates(last == "=" ? "" : last);
    add_values(*place.awaits, place, app, candidates);
    return candidates.all();
  }
  if (last.starts_with('-')) {
    const std::size_t equals = last.find('=');
    if (equals != std::string::npos) {
      const CommandOption* const option = option_of(place, last.substr(0, equals));
      Candidates values(last.substr(equals + 1));
      if (takes_value(option)) {
        add_values(*option, place, app, values);
      }
      std::vector<std::string> whole;
      for (const std::string& value : values.all()) {
        whole.push_back(last.substr(0, equals + 1) + value);
      }
      return whole;
    }
    Candidates candidates(last);
    add_options(*place.command, candidates);
    if (place.shows != nullptr && place.command != place.shows) {
      add_options(*place.shows, candidates);
      candidates.add(kAnd);
    }
    return candidates.all();
  }
  Candidates candidates(last);
  add_commands(*place.command, candidates);
  if (place.shows != nullptr && place.command == place.shows && place.positionals.empty()) {
    for (const std::string& command : shown_commands()) {
      candidates.add(command);
    }
  }
  if (const CommandOption* const positional = positional_of(place)) {
    add_values(*positional, place, app, candidates);
  }
  return candidates.all();
}

Action add_completion(Command& app, Streams streams) {
  Command& command = app.add_command("completion",
                                     "Print a completion script for bash, zsh or fish; to use it: "
                                     "source <(tutti completion bash)");
  auto shell = std::make_shared<std::string>();
  command.add_option("shell", *shell, "bash, zsh or fish")
      .type_name("SHELL")
      .required()
      .words(shell_names());
  command.add_examples({"source <(tutti completion bash)", "tutti completion zsh > _tutti",
                        "tutti completion fish | source"});
  return [shell, streams] {
    for (const Shell& each : kShells) {
      if (*shell == each.name) {
        streams.out << each.script;
        return kExitOk;
      }
    }
    throw UserError(
        fmt::format("unknown shell '{}'; {}", *shell, accepted_words(*shell, shell_names())));
  };
}

}}  // namespace tutti::commands

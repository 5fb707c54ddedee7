// tutti plot: one picture of a run, a comparison, a decision or a schedule, as a file.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "src/commands/cli.hpp"
#include "src/commands/command.hpp"
#include "src/commands/documents.hpp"
#include "src/commands/picture_file.hpp"
#include "src/pictures/shown.hpp"
#include "src/requests/command_help.hpp"
#include "src/requests/common_options.hpp"
#include "src/requests/file_roles.hpp"

namespace tutti {

namespace {

struct PlotOptions {
  OptionText output;
  OptionText which;
};

// "times" of "times-allreduce-16".
std::string kind_of(const Picture& picture) { return picture.id.substr(0, picture.id.find('-')); }

// By its id, or by the first word of it.
const Picture& chosen(const std::vector<Picture>& pictures, const OptionText& which) {
  std::vector<std::string> names;
  for (const Picture& picture : pictures) {
    if (!which || picture.id == *which || kind_of(picture) == *which) {
      return picture;
    }
    names.push_back(picture.id);
  }
  if (pictures.empty()) {
    throw UserError("there is no picture of that; 'tutti report' shows its figures");
  }
  throw UserError(fmt::format("--which '{}': there are {}", *which, fmt::join(names, ", ")));
}

int plot(const PlotOptions& options, const std::vector<std::string>& words, Streams streams) {
  if (!options.output) {
    throw UserError(
        "'tutti plot' needs -o FILE.svg, FILE.png or FILE.html, to write the picture to");
  }
  const std::string& path = *options.output;
  check_picture_file("-o", path);
  Documents found = documents_of("plot", words, streams);
  if (found.failed != 0) {
    return found.failed;
  }
  // Others can only be there for their measured times.
  for (std::size_t i = 1; i < found.documents.size(); ++i) {
    if (found.documents[i].kind != DocumentKind::validation) {
      throw UserError(fmt::format("--and {}: this is one picture; 'tutti report' shows several",
                                  found.documents[i].source));
    }
  }
  const Shown shown = shown_of(found.documents.front(), found.documents);
  const Picture& picture = chosen(shown.pictures, options.which);
  write_picture_file(picture, path, found.documents.front().source, streams);
  if (!options.which && shown.pictures.size() > 1) {
    std::vector<std::string> others;
    for (const Picture& other : shown.pictures) {
      if (&other != &picture) {
        others.push_back(other.id);
      }
    }
    streams.out << fmt::format("with --which there is also: {}\n", fmt::join(others, ", "));
  }
  return kExitOk;
}

}  // namespace

Action add_plot(CLI::App& app, Streams streams) {
  CLI::App* command = app.add_subcommand(
      "plot", "One picture as a file, of a command that is run for it or of what one has written");
  auto options = std::make_shared<PlotOptions>();
  command->allow_extras();
  command
      ->add_option("-o,--output", options->output,
                   "Where to write the picture: its name ends in .svg, .png or .html")
      ->type_name(kWrittenFile);
  command
      ->add_option("--which", options->which,
                   "Which of the pictures that there are, by its name or the first word of it: "
                   "times, winners, decision, loss, timeline, waterfall, ... [the first]")
      ->type_name("PICTURE");
  add_examples(*command, {"tutti plot compare allreduce -p 64 -n 1K..16MiB*4 -o times.svg",
                          "tutti plot simulate allreduce/ring -p 16 -n 1MiB -o ring.png",
                          "tutti plot decide bcast -p 4,16 -n 1K..1MiB*4 -o best.svg"});
  return [options, streams, command] { return plot(*options, command->remaining(), streams); };
}

}  // namespace tutti

# The other scripts in this folder source this file. It lists the required packages, and has
# functions that install them and build tutti. Progress goes to stderr, so that stdout contains only
# the output of the program that runs at the end.
#
# shellcheck shell=bash disable=SC2034
: "${root:?is set by the script that sources this}"

# Packages needed to build (names of Debian 12). No other file lists them.
build_packages=(
  g++ cmake ninja-build ccache pkg-config
  libsimgrid-dev libboost-dev libfmt-dev libcli11-dev nlohmann-json3-dev libpugixml-dev
  tao-pegtl-dev libsqlite3-dev libprotobuf-dev protobuf-compiler libxxhash-dev zlib1g-dev libeigen3-dev librsvg2-2 fonts-dejavu-core
)
# Two MPI libraries. They are not needed to build tutti; the tests run on both.
mpi_packages=(libopenmpi-dev openmpi-bin libmpich-dev mpich)
# For the Python module. Without them, it is left out.
python_packages=(python3-dev pybind11-dev python3-numpy)
test_packages=(
  catch2 libbenchmark-dev python3 python3-jsonschema python3-xxhash groff-base glpk-utils
  universal-ctags
  "${python_packages[@]}" python3-pandas python3-networkx python3-tqdm python3-mpi4py
  python3-distributed python3-nbconvert python3-ipykernel mypy
)
# Installed only for the slow tests, because these packages start daemons.
slow_test_packages=(slurm-wlm munge parallel snakemake)
check_packages=(clang-format-16 clang-tidy-16)
# Packages for tests and fuzz targets with sanitizers.
sanitizer_packages=(clang-16 libclang-rt-16-dev)

# Folders with sources: a change there makes build/release/tutti outdated.
source_folders=(
  cmake base schedules platforms cost_models sim src src/page/web/bundle include bindings
)

jobs=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}

say() { printf 'tutti: %s\n' "$*" >&2; }

die() {
  say "$*"
  exit 2
}

# quietly LOG COMMAND...: writes the command's output to LOG. If COMMAND fails, prints the end of
# LOG on stderr and exits with 2.
quietly() {
  local log=$1
  shift
  "$@" >"$log" 2>&1 </dev/null && return
  tail -n 40 "$log" >&2
  die "failed: $* (full output: $log)"
}

# lock_build_folder: creates build/ and waits until no other script uses it. The lock is file
# descriptor 9, which must be closed before another program is started.
lock_build_folder() {
  { mkdir -p "$root/build" && exec 9>"$root/build/.lock"; } 2>/dev/null ||
    die "cannot write to $root/build; copy the tree to a folder where you can write"
  flock -n 9 && return
  say "waiting for another build in $root/build"
  flock 9
}

# install_packages NAME...: installs the missing packages. Does not call apt if none is missing.
install_packages() {
  [[ -z ${TUTTI_NO_INSTALL:-} ]] || return 0
  if ! { command -v dpkg-query && command -v apt-get; } >/dev/null; then
    say "there is no apt here; assuming that the equivalents of these packages are installed: $*"
    return 0
  fi
  local installed missing=() package
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null) || true
  for package in "$@"; do
    [[ $'\n'$installed$'\n' == *$'\n'"installed $package"$'\n'* ]] || missing+=("$package")
  done
  ((${#missing[@]})) || return 0

  local as_root=(env DEBIAN_FRONTEND=noninteractive)
  if ((EUID != 0)); then
    command -v sudo >/dev/null ||
      die "missing packages, and neither root nor sudo to install them: ${missing[*]}"
    as_root=(sudo "${as_root[@]}")
  fi
  say "installing ${missing[*]}"
  SECONDS=0
  # Errors of apt-get update are ignored, since a repository that does not answer may not be
  # needed.
  "${as_root[@]}" apt-get update >"$root/build/apt-update.log" 2>&1 </dev/null ||
    say "apt-get update failed (its output: $root/build/apt-update.log); continuing without it"
  quietly "$root/build/apt-install.log" "${as_root[@]}" apt-get install --yes \
    --no-install-recommends -o DPkg::Lock::Timeout=300 "${missing[@]}"
  say "installed in $SECONDS s"
}

# prepare_web: installs what the tests of the report page need: Node, Chromium, and the packages in
# src/page/web/package-lock.json. Checks for the commands rather than for Debian packages, since
# Node is often installed in other ways. If the installation fails, these tests are skipped with a
# message.
prepare_web() {
  local missing=() web=$root/src/page/web
  command -v node >/dev/null || missing+=(nodejs)
  command -v npm >/dev/null || missing+=(npm)
  command -v chromium >/dev/null || missing+=(chromium)
  ((${#missing[@]} == 0)) || install_packages "${missing[@]}"
  [[ ! -e $web/node_modules/.package-lock.json ||
    $web/package-lock.json -nt $web/node_modules/.package-lock.json ]] || return 0
  say "fetching the packages that the tests of the page need"
  (cd "$web" && npm ci --no-fund --no-audit) >"$root/build/npm.log" 2>&1 </dev/null ||
    say "npm ci failed, so the tests of the page will be skipped (its output: $root/build/npm.log)"
}

# configure PRESET [CMAKE_OPTION...]: runs cmake if the build folder is not configured for this
# tree, if the presets have changed, or if options are given. The build itself handles all other
# changes.
configure() {
  local preset=$1 folder=$root/build/$1
  shift
  # In a copied or moved tree, the build folder still points to the old location.
  if [[ -e $folder/CMakeCache.txt ]] &&
    ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$folder/CMakeCache.txt"; then
    rm -rf "$folder"
  fi
  if (($#)) || [[ ! -e $folder/build.ninja ||
    $root/CMakePresets.json -nt $folder/build.ninja ]]; then
    mkdir -p "$folder"
    quietly "$folder/configure.log" cmake -S "$root" --preset "$preset" "$@"
  fi
}

# build PRESET TARGET...: builds the targets and renews the stamp that up_to_date() reads. For the
# preset release, the targets must therefore include tutti (or be all).
build() {
  local folder=$root/build/$1
  SECONDS=0
  # The stamp is written before the build, so that files edited during the build count as newer.
  source_list >"$folder/.tutti-stamp.new"
  quietly "$folder/build.log" cmake --build "$folder" -j "$jobs" --target "${@:2}"
  mv "$folder/.tutti-stamp.new" "$folder/.tutti-stamp"
}

# Lists the sources in platforms/. In other folders, the modification time of the folder shows that
# files were added or removed. In platforms/ that does not work, because users write platform files
# there, which must not cause a build.
source_list() {
  local files
  files=("$root"/platforms/{,*/}*.[ch]pp)
  printf '%s\n' "${files[@]}"
}

# up_to_date: succeeds if build/release/tutti exists and no source is newer.
up_to_date() {
  local folder=$root/build/release places=() place
  [[ -x $folder/tutti && -e $folder/.tutti-stamp ]] || return
  [[ $(source_list) == "$(<"$folder/.tutti-stamp")" ]] || return
  for place in "$root"/CMakeLists.txt "$root"/CMakePresets.json "${source_folders[@]/#/"$root"/}"; do
    [[ ! -e $place ]] || places+=("$place")
  done
  [[ -z $(find "${places[@]}" -path "$root/src/page/web" -prune -o -newer "$folder/.tutti-stamp" \
    \( ! -path "$root/platforms*" -o -name '*.[ch]pp' \) -print -quit) ]]
}

# python_up_to_date: succeeds if the Python module exists and no source is newer.
python_up_to_date() {
  local folder=$root/build/release
  up_to_date && [[ -e $folder/.python-stamp && ! $folder/.tutti-stamp -nt $folder/.python-stamp ]]
}

# run_ctest PRESET CTEST_OPTION...: replaces the shell by ctest, which fails if it finds no test.
# Runs one test more than there are processors, since many tests wait for child processes.
run_ctest() {
  exec ctest --test-dir "$root/build/$1" -j "${CTEST_PARALLEL_LEVEL:-$((jobs + 1))}" \
    --output-on-failure --no-tests=error "${@:2}"
}

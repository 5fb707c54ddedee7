# Sourced by the scripts beside it: which packages are needed, how to install and build.
# Progress goes to stderr, so that stdout belongs to the program that runs in the end.
# shellcheck shell=bash disable=SC2034
: "${root:?is set by the script that sources this}"

# The one list of packages (Debian 12 names).
build_packages=(
  g++ cmake ninja-build ccache pkg-config
  libsimgrid-dev libboost-dev libfmt-dev libcli11-dev nlohmann-json3-dev libpugixml-dev
  tao-pegtl-dev libsqlite3-dev libxxhash-dev libeigen3-dev librsvg2-bin fonts-dejavu-core
)
# Real MPI, two libraries of it: not needed to build tutti, and tests run on both.
mpi_packages=(libopenmpi-dev openmpi-bin libmpich-dev mpich)
test_packages=(catch2 libbenchmark-dev python3 python3-jsonschema python3-xxhash groff-base)
# Installed for the slow tests only: daemons, which nobody wants to find on a machine for building's
# sake.
slow_test_packages=(slurm-wlm munge parallel snakemake)
check_packages=(clang-format-16 clang-tidy-16)
# For tests and fuzz targets with sanitizers.
sanitizer_packages=(clang-16 libclang-rt-16-dev)

# Where sources can be: what can make build/release/tutti out of date.
source_folders=(cmake base schedules platforms cost_models sim src src/page/web/bundle)

jobs=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}

say() { printf 'tutti: %s\n' "$*" >&2; }

die() {
  say "$*"
  exit 2
}

# quietly LOG COMMAND...: output into LOG; if COMMAND fails, the end of it on stderr, and exit 2.
quietly() {
  local log=$1
  shift
  "$@" >"$log" 2>&1 </dev/null && return
  tail -n 40 "$log" >&2
  die "failed: $* (all of its output: $log)"
}

# lock_build_folder: makes build/ and waits until no other of these scripts works in it. The lock is
# file descriptor 9; whoever goes on to another program closes it first.
lock_build_folder() {
  { mkdir -p "$root/build" && exec 9>"$root/build/.lock"; } 2>/dev/null ||
    die "cannot write to $root/build; copy the tree to where you can"
  flock -n 9 && return
  say "waiting for another build in $root/build"
  flock 9
}

# install_packages NAME...: those of them that are missing. Touches apt only if there is one.
install_packages() {
  [[ -z ${TUTTI_NO_INSTALL:-} ]] || return 0
  if ! { command -v dpkg-query && command -v apt-get; } >/dev/null; then
    say "no apt here: taking it that the equivalents of these packages are there: $*"
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
  # A repository that does not answer (perhaps not one we need) must not stop an install that
  # would work.
  "${as_root[@]}" apt-get update >"$root/build/apt-update.log" 2>&1 </dev/null ||
    say "apt-get update failed (its output: $root/build/apt-update.log); trying all the same"
  quietly "$root/build/apt-install.log" "${as_root[@]}" apt-get install --yes \
    --no-install-recommends -o DPkg::Lock::Timeout=300 "${missing[@]}"
  say "installed in $SECONDS s"
}

# prepare_web: what the tests of the report page take, Node, Chromium, and the packages that
# src/page/web/package-lock.json names. Looked for by what can be called, since Node often is not Debian's. On a
# machine that cannot have them these tests are skipped, and say so.
prepare_web() {
  local missing=() web=$root/src/page/web
  command -v node >/dev/null || missing+=(nodejs)
  command -v npm >/dev/null || missing+=(npm)
  command -v chromium >/dev/null || missing+=(chromium)
  ((${#missing[@]} == 0)) || install_packages "${missing[@]}"
  [[ ! -e $web/node_modules/.package-lock.json ||
    $web/package-lock.json -nt $web/node_modules/.package-lock.json ]] || return 0
  say "fetching what the tests of the page take"
  (cd "$web" && npm ci --no-fund --no-audit) >"$root/build/npm.log" 2>&1 </dev/null ||
    say "npm ci failed, so the tests of the page will be skipped (its output: $root/build/npm.log)"
}

# configure PRESET [CMAKE_OPTION...]: if this was not yet done for this tree, or with other
# presets, or when options are given. What else can change, the build itself looks after.
configure() {
  local preset=$1 folder=$root/build/$1
  shift
  # A copied or moved tree brings a build folder that still points to the old place.
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

# build PRESET TARGET...: in release, tutti must be among the targets (or all), because the stamp
# that up_to_date() reads is renewed.
build() {
  local folder=$root/build/$1
  SECONDS=0
  # Before the build: what is edited meanwhile may be in it or not, so it counts as newer.
  source_list >"$folder/.tutti-stamp.new"
  quietly "$folder/build.log" cmake --build "$folder" -j "$jobs" --target "${@:2}"
  mv "$folder/.tutti-stamp.new" "$folder/.tutti-stamp"
}

# The sources in platforms/. Elsewhere the time of a folder tells that a file has come or gone;
# but people write platform files into platforms/, and that is no reason to build.
source_list() {
  local files
  files=("$root"/platforms/{,*/}*.[ch]pp)
  printf '%s\n' "${files[@]}"
}

# up_to_date: build/release/tutti is there, and no source is newer.
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

# run_ctest PRESET CTEST_OPTION...: becomes ctest. That no test was found is a failure. One test more
# than there are processors, since many of them wait for jobs that they have started.
run_ctest() {
  exec ctest --test-dir "$root/build/$1" -j "${CTEST_PARALLEL_LEVEL:-$((jobs + 1))}" \
    --output-on-failure --no-tests=error "${@:2}"
}

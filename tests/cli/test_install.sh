#!/usr/bin/env bash
# Installs what was built into a folder of this test's own, and uses it from there: the program, its
# manual page and completion, and the libraries by find_package(tutti).
set -euo pipefail
build=$(dirname "$TUTTI_BINARY")
rm -rf prefix build
# Only what is built is installed: a build of single targets has no libraries to try.
for library in schedules platforms cost_models sim simulation; do
  [[ -e $build/libtutti_$library.a ]] || { echo "libtutti_$library.a is not built"; exit 77; }
done

cmake --install "$build" --prefix "$PWD/prefix" >install.log
prefix/bin/tutti list barrier >/dev/null
grep -q 'tutti compare' prefix/share/man/man1/tutti.1
grep -q 'complete -F _tutti tutti' prefix/share/bash-completion/completions/tutti
if [[ -e $build/libtutti_simgrid.a ]]; then
  # By the module that was installed: the one beside the program that was built is not asked.
  prefix/bin/tutti simulate bcast/binomial -p 8 -n 1K --engine simgrid \
    --platform prefix/share/tutti/platforms/ethernet_1g_8.xml >/dev/null
  mv prefix/lib*/tutti/tutti-simgrid.so prefix/lib/*/tutti/tutti-simgrid.so . 2>/dev/null || true
  status=0
  prefix/bin/tutti simulate bcast/binomial -p 8 -n 1K --engine simgrid >no_module.log 2>&1 ||
    status=$?
  [[ $status == 2 ]] && grep -q 'tutti-simgrid.so cannot be used' no_module.log
fi
if grep -rlF "$TUTTI_SOURCE_DIR" prefix/lib*/cmake prefix/lib/*/cmake 2>/dev/null; then
  echo "the package points back to the source tree"
  exit 1
fi

cmake -G Ninja -S "$TUTTI_SOURCE_DIR/examples/library" -B build \
  -DCMAKE_PREFIX_PATH="$PWD/prefix" >configure.log
cmake --build build >build.log
build/best_allreduce | tee output
# The same figure by both ways.
"$TUTTI_BINARY" simulate allreduce/ring -p 16 -n 1MiB --gamma 0 --engine critical-path --csv - |
  awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
           NR == 2 { printf "%-30s %9.3f ms\n", "allreduce/ring", 1e3 * $at["simulated_s"] }' \
    >expected
grep -qxFf expected output

# The simulation, too: every allreduce is proved, and takes as long as the program says.
platform=prefix/share/tutti/platforms/infiniband_hdr_128.xml
build/on_a_platform $platform | tee output
[[ $(grep -c ' proved ' output) == $("$TUTTI_BINARY" list allreduce | grep -c '^allreduce/') ]]
grep -q '^fastest: allreduce/.*; its last message goes from ' output
"$TUTTI_BINARY" simulate allreduce/ring -p 16 -n 1MiB --platform $platform --csv - |
  awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
           NR == 2 { printf "%-34s proved %9.3f us\n", "allreduce/ring", 1e6 * $at["simulated_s"] }' \
    >expected
grep -qxFf expected output
# What needs SimGrid says so in a program that was linked without.
sed 's/^<platform.*/&<config><prop id="network\/optim" value="Full"\/><\/config>/' $platform >other.xml
status=0
build/on_a_platform other.xml >other.log 2>&1 || status=$?
[[ $status == 2 ]] && grep -q '^on_a_platform: .*needs SimGrid' other.log

#!/usr/bin/env bash
# Installs the build into this test's own folder and tests what is installed: the program, its manual page,
# its shell completions, and the libraries, which find_package(tutti) must find.
set -euo pipefail
build=$(dirname "$TUTTI_BINARY")
rm -rf prefix build
# Only built targets are installed: without libtutti.a there is no library to test.
[[ -e $build/libtutti.a ]] || { echo "libtutti.a is not built"; exit 77; }
# Programs that link the library would need the sanitizers too.
[[ -z ${TUTTI_SANITIZE:-} ]] || { echo "built with sanitizers"; exit 77; }

cmake --install "$build" --prefix "$PWD/prefix" >install.log
prefix/bin/tutti list barrier >/dev/null
grep -q 'tutti compare' prefix/share/man/man1/tutti.1
grep -q 'complete .*-F _tutti tutti' prefix/share/bash-completion/completions/tutti
grep -q '^#compdef tutti' prefix/share/zsh/site-functions/_tutti
grep -q '__tutti_complete' prefix/share/fish/vendor_completions.d/tutti.fish
if [[ -e $build/libtutti_simgrid.a ]]; then
  # The program must use the installed module, not the one in the build folder.
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

python=$(ls -d prefix/lib/python3/dist-packages prefix/lib/*/python3/dist-packages 2>/dev/null || true)
if [[ -e $build/python ]]; then
  total='import tutti; print(tutti.simulate("allreduce/ring", ranks=4, bytes="1MiB").total_s)'
  [[ $(PYTHONPATH=$PWD/$python /usr/bin/python3 -B -c "$total") == 0.0013685952 ]]
fi

cmake -G Ninja -S "$TUTTI_SOURCE_DIR/examples/library" -B build \
  -DCMAKE_PREFIX_PATH="$PWD/prefix" >configure.log
cmake --build build >build.log

# Only the public headers are installed, and each of them can be included alone.
(cd prefix/include && find . -name '*.hpp') | sort >headers
[[ $(wc -l <headers) -le 12 ]]
while read -r header; do
  echo "#include \"${header#./}\"" | c++ -std=c++20 -Wall -Wextra -Werror -fsyntax-only -Iprefix/include -xc++ -
done <headers

platform=prefix/share/tutti/platforms/infiniband_hdr_128.xml
build/tour $platform | tee output
# The tour, which uses the library, must list as many allreduce algorithms as the program, and get the same
# results.
[[ $(sed '/^$/,$d' output | grep -c ' allreduce/') == $("$TUTTI_BINARY" list allreduce | grep -c '^allreduce/') ]]
grep -q '^proved; operands ' output
grep -q '^the last to end is [0-9]* -> [0-9]* in round ' output
figure() {  # prints column $1 of a CSV file with one row, converted from s to us
  awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
    NR == 2 { printf "%.3f us", 1e6 * $at[name] }'
}
same=(-p 32 -n 1MiB --platform "$platform" --ranks-per-host 2)
time=$("$TUTTI_BINARY" simulate allreduce/rabenseifner "${same[@]}" --csv - | figure simulated_s)
grep -qF "$time by the engine flow" output
time=$("$TUTTI_BINARY" simulate allreduce/rabenseifner -p 32 -n 1MiB --platform "$platform" \
  --hosts "$(seq -s, -f 'node-%g' 0 4 124)" --csv - | figure simulated_s)
grep -qF "$time on every fourth host" output
time=$("$TUTTI_BINARY" simulate allreduce/ring "${same[@]}" --csv - | figure simulated_s)
grep -q " 1048576 bytes  allreduce/ring  *$time$" output
"$TUTTI_BINARY" decide allreduce -p 32 -n 1K,64K,1MiB --platform "$platform" --ranks-per-host 2 --json decision
python3 - decision output <<'PYTHON'
import json, re, sys
said = re.findall(r"^  from +(\d+) bytes: allreduce/(\S+)", open(sys.argv[2]).read(), re.MULTILINE)
decision = json.load(open(sys.argv[1]))
algorithms = {each["label"]: each["algorithm"] for each in decision["candidates"]}
rules = [(str(rule["from_bytes"]), algorithms[rule["candidate"]])
         for rule in decision["decisions"]]
assert said and said == rules, (said, rules)
PYTHON
# Bad input makes the library throw an exception, whose message the tour prints. If a platform needs SimGrid,
# a program that is linked without SimGrid must report this.
status=0
build/tour missing.xml >other.log 2>&1 || status=$?
[[ $status == 2 ]] && grep -q '^tour: .*missing.xml' other.log
sed 's/^<platform.*/&<config><prop id="network\/latency-factor" value="2"\/><\/config>/' $platform >other.xml
status=0
build/tour other.xml >other.log 2>&1 || status=$?
[[ $status == 2 ]] && grep -q '^tour: .*needs SimGrid' other.log

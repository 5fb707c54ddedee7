#!/usr/bin/env bash
# Tests `tutti platform`: valid input gives a file; invalid input gives one line on stderr, exit
# code 2 and no file.
set -euo pipefail

fail() {
  echo "$*"
  exit 1
}

# refused TEXT ARGUMENT... runs `tutti platform ARGUMENT...`, and checks that the exit code is 2,
# that stderr has only one line, which contains TEXT, and that there is no file.
refused() {
  local text=$1 status=0
  shift
  rm -f refused.xml
  "$TUTTI_BINARY" platform "$@" ${1:+-o refused.xml} >out 2>err || status=$?
  ((status == 2)) || fail "$*: exit $status"
  [[ ! -s out && ! -e refused.xml ]] || fail "$*: wrote something"
  [[ $(wc -l <err) == 1 ]] || fail "$*: $(cat err)"
  grep -qF -- "$text" err || fail "$*: '$text' is not in: $(cat err)"
}

refused "which kind of platform?"
refused "did you mean 'fat_tree'?" fatree
refused "expected one of crossbar" hypercube
refused "the number of hosts is missing" crossbar
refused "hosts is 0" crossbar --hosts 0
refused "1 to 1048576" fat_tree --hosts 2000000
refused "--bw '0Gbps'" crossbar --hosts 8 --bw 0Gbps
refused "--lat" torus --dims 4,4 --lat -1us
refused "latency (lat) is 0" crossbar --hosts 8 --lat 0s
refused "speed of a core is 0" crossbar --hosts 8 --speed 0Gf
refused "--speed '1Xf'" crossbar --hosts 8 --speed 1Xf
refused "contain 0" torus --dims 4,0,4
refused "contain 1" torus --dims 4,1
refused "--hosts is 60" torus --dims 4,4,4 --hosts 60
refused "contain 1" mesh --sides 4,1
refused "--sides 'x'" mesh --sides 4,x
refused "cross 1255824 links" mesh --sides 18,18
refused "cross" mesh --sides 300,300
refused "latency (lat) is 0" mesh --sides 4,4 --lat 0s
refused "--hosts is 15" mesh --sides 4,4 --hosts 15
refused "--dimensions and --sides together" mesh --sides 4,4 --dimensions 2
refused "or --sides" mesh
refused "multiply to 64 hosts, but --hosts is 128" fat_tree --hosts 128 --down 16,4 --up 1,2
refused "down 16,8 has 2 levels, but up 1 has 1 number" fat_tree --down 16,8 --up 1
refused "without --up" fat_tree --down 16,8
refused "without --down" fat_tree --hosts 16 --up 1,2
refused "cables 1,0 has a 0" fat_tree --down 16,8 --up 1,2 --cables 1,0
refused "no tree of 3 levels" fat_tree --hosts 127
refused "oversubscription is 0.5" fat_tree --hosts 128 --oversubscription 0.5
refused "groups is 0" dragonfly --groups 0 --routers 4 --nodes 4
refused "groups is 8, but routers is 4" dragonfly --groups 8 --routers 4 --nodes 4
refused "must be given together" dragonfly --groups 8 --nodes 4
refused "cannot be divided" dragonfly --hosts 83
refused "cores is 1" smp --hosts 4 --cores 1
refused "the number of nodes is missing" gpu
refused "--gpu 'v100': expected a100, h100" gpu --nodes 2 --gpu v100
refused "--cards 10: more cards than the 8 GPUs of a node" gpu --nodes 2 --cards 10
refused "--cards 3: the 8 GPUs of a node cannot be divided evenly" gpu --nodes 2 --cards 3
refused "--cards 0: 2 nodes without network cards" gpu --nodes 2 --cards 0
refused "--fabric rail: a rail joins the cards of nodes" gpu --nodes 2 --cards 0 --fabric rail
refused "--rail 'sender' has no effect without rails" gpu --nodes 2 --fabric tree --rail sender
refused "--unit 4: the 6 nodes cannot be divided evenly" gpu --nodes 6 --unit 4
refused "--spine '0:1'" gpu --nodes 2 --spine 0:1
refused "give --fabric tree" gpu --nodes 2 --gpu mi250x --fabric rail
refused "--inner 'ring': expected switch, mesh" gpu --nodes 2 --inner ring
refused "must be 1 to 1048576" gpu --nodes 131073
refused "give --dims, such as --dims 8,8,16" gpu --gpu tpuv5p
refused "a torus without nodes" gpu --gpu tpuv5p --dims 4,4,4 --nodes 2
refused "--dims has no effect with --gpu h100" gpu --dims 4,4,4
refused "--unit 0: the 4 nodes cannot be divided evenly" gpu --nodes 4 --unit 0
refused "--nodes 37: units of up to 32 nodes would have only 1 node; give --unit, such as --unit 37" gpu --nodes 37
refused "--pod 37: units of up to 32 nodes would have only 1 node" gpu --nodes 74 --pod 37
refused "--dims 4,0: a slice has at least two chips" gpu --gpu tpuv5p --dims 4,0
refused "--dims 1,1: a slice has at least two chips" gpu --gpu tpuv5p --dims 1,1
refused "--unit 0: the 4 nodes cannot be divided evenly" gpu --nodes 4 --unit 0 --fabric dragonfly
refused "--detours has no effect, because all nodes are one unit" gpu --nodes 16 --fabric dragonfly --detours 2
refused "--pod-spine has no effect, because all nodes are one pod" gpu --nodes 16 --pod 16 --pod-spine 1:7
refused "--pod 0: the 64 nodes cannot be divided" gpu --nodes 64 --pod 0
refused "the links of mi250x are those between 8 GPUs; give --inner for --gpus 4" gpu --nodes 2 --gpu mi250x --gpus 4
refused "--card-bw has no effect on a torus" gpu --gpu tpuv5p --dims 4,4,4 --card-bw 400Gbps
refused "--spine has no effect on a torus" gpu --gpu tpuv5p --dims 4,4,4 --spine 1:2
refused "--inner-lat is 0" gpu --nodes 2 --inner-lat 0s
refused "--spine has no effect, because all nodes are one unit" gpu --nodes 8 --spine 1:2
refused "--pod 3: the nodes of a pod cannot be divided evenly into units of 2 nodes" gpu --nodes 12 --unit 2 --pod 3
refused "--pod 5: the 12 nodes cannot be divided evenly into pods of 5 nodes" gpu --nodes 12 --pod 5
refused "--pod-spine has no effect without pods" gpu --nodes 12 --pod-spine 1:7
refused "--pod 4: a dragonfly has no pods" gpu --nodes 8 --unit 2 --pod 4 --fabric dragonfly
refused "--detours has no effect without --fabric dragonfly" gpu --nodes 8 --detours 2
refused "--group-lat has no effect without --fabric dragonfly" gpu --nodes 8 --group-lat 1us
refused "--detours '0.5': it must be 1 (no detours) or more" gpu --nodes 8 --fabric dragonfly --detours 0.5
refused "--planes 0: it must be 1 to 64" gpu --nodes 8 --planes 0
refused "--lost-planes 2: of 2 planes, at least one must be left" gpu --nodes 8 --planes 2 --lost-planes 2
refused "--lost-planes has no effect without planes" gpu --nodes 8 --lost-planes 1
refused "6 is none of the two" gpu --gpu tpuv5p --dims 4,4,6
refused "at most 16777216 are possible" gpu --nodes 1024 --gpus 1024 --inner mesh

"$TUTTI_BINARY" platform fat_tree --hosts 128 --bw 200Gbps --lat 1us --oversubscription 4 >tree.xml
grep -q 'topo_parameters="2;32,4;1,8;1,1"' tree.xml || fail "another tree: $(cat tree.xml)"
"$TUTTI_BINARY" platform fat_tree --down 16,8 --up 1,4 -o tree.xml 2>err
[[ ! -s err ]] || fail "single cables: $(cat err)"
"$TUTTI_BINARY" platform fat_tree --down 16,8 --up 1,4 --cables 1,2 -o tree.xml 2>err
grep -q 'topo_parameters="2;16,8;1,4;1,2"' tree.xml || fail "parallel cables: $(cat tree.xml)"
[[ $(wc -l <err) == 1 ]] || fail "parallel cables: $(cat err)"
grep -q "its source on the way down.*; --up 1,8 without --cables" err || fail "parallel cables: $(cat err)"
"$TUTTI_BINARY" platform torus --hosts 64 -o torus.xml
grep -q 'topo_parameters="4,4,4"' torus.xml || fail "another torus: $(cat torus.xml)"
"$TUTTI_BINARY" platform mesh --hosts 6 --dimensions 2 -o mesh.xml
grep -q 'Mesh of 6 hosts: 3 x 2' mesh.xml || fail "another mesh: $(cat mesh.xml)"
grep -qF '<route src="node-0" dst="node-4" symmetrical="NO"><link_ctn id="0-1" direction="UP"/><link_ctn id="1-4" direction="UP"/></route>' mesh.xml ||
  fail "other routes: $(cat mesh.xml)"
"$TUTTI_BINARY" platform dragonfly --hosts 128 -o - | grep -q 'topo_parameters="4,11;1,1;8,1;4"'
"$TUTTI_BINARY" platform smp --hosts 4 --note 'a -- b -->' | grep -q 'a - - b - ->'
"$TUTTI_BINARY" platform fat_tree --help | grep -q -- --oversubscription

# A million GPUs are a description of a few lines, from which a run with SimGrid is refused.
"$TUTTI_BINARY" platform gpu --nodes 131072 -o million.xml
[[ $(wc -l <million.xml) -lt 40 ]] || fail "a million GPUs: $(wc -l <million.xml) lines"
grep -qF '131072 nodes of 8 GPUs, defaults of the HGX H100.' million.xml || fail "$(cat million.xml)"
status=0
"$TUTTI_BINARY" simulate allreduce/ring -p 2 -n 1K --platform million.xml --engine simgrid \
  >out 2>err || status=$?
((status == 2)) || fail "a million GPUs in SimGrid: exit $status"
grep -qF "SimGrid would have 1048576 hosts and routers" err || fail "a million GPUs: $(cat err)"
"$TUTTI_BINARY" platform gpu --nodes 4 --gpu mi250x --spine 1:2 --unit 2 -o lumi.xml
grep -qF '2 units of 2 nodes. A leaf switch reaches the switches above with 100 GB/s' lumi.xml ||
  fail "another spine: $(cat lumi.xml)"
"$TUTTI_BINARY" platform gpu --gpu tpuv5p --dims 4,4,8 | grep -q 'topo_parameters="4,4,8"'
"$TUTTI_BINARY" platform gpu --gpu tpuv5p --dims 4,4,8 | grep -q 'bw="720Gbps" lat="1us"'
# More bandwidth above than below is possible, but may be a ratio written the other way round.
"$TUTTI_BINARY" platform gpu --nodes 4 --unit 2 --spine 2:1 -o fat.xml 2>err
grep -qF -- "--spine: the bandwidth upwards is 2 times that of the cards below; write 1:2 if" err || fail "no warning: $(cat err)"
"$TUTTI_BINARY" platform gpu --gpu tpuv5p --dims 2,2,1 -o slice.xml
# A file without hosts has only the zone with the description.
sed 's,</platform>,<zone id="b" routing="Full"><host id="q" speed="1Gf"/></zone></platform>,' million.xml >two.xml
sed 's/DijkstraCache/Full/' million.xml >full.xml
for file in two full; do
  status=0
  "$TUTTI_BINARY" bound allreduce -p 8 -n 1MiB --platform $file.xml >out 2>err || status=$?
  { ((status == 2)) && [[ $(wc -l <err) == 1 ]] && grep -qF "the properties 'tutti:gpu:...'" err; } || fail "$file.xml: $(cat err)"
done
# A slice with a side below 4 does not wrap around.
"$TUTTI_BINARY" platform gpu --gpu tpuv5p --dims 2,2,4 | grep -q 'Mesh of 16 hosts'
# 6 units of 2 nodes with 8 cards of 50 GB/s: 800 GB/s leave a unit, of which 160 GB/s for each other one.
"$TUTTI_BINARY" platform gpu --nodes 12 --unit 2 --fabric dragonfly -o groups.xml
grep -q 'link id="unit-5-to-unit-0" bandwidth="1280Gbps" latency="150ns"' groups.xml
"$TUTTI_BINARY" platform gpu --nodes 12 --unit 2 --fabric dragonfly --detours 9 |
  grep 'link id="unit-5-to-unit-0" bandwidth="6400Gbps"' > /dev/null
# A rail of a pod has 4 cards of 50 GB/s, and a fifth of them leaves the pod.
"$TUTTI_BINARY" platform gpu --nodes 12 --unit 2 --pod 4 --pod-spine 1:5 |
  grep 'link id="pod-2-spine-7_up" bandwidth="320Gbps"' > /dev/null
"$TUTTI_BINARY" platform gpu --nodes 12 --planes 2 --lost-planes 1 |
  grep 'link id="node-0-card-0_out" bandwidth="200Gbps"' > /dev/null

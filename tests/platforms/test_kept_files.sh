#!/usr/bin/env bash
# Checks that the platform files in platforms/ are byte for byte what scripts/make_platforms writes,
# and that the folder contains no other platform file (except crossbar_64.xml, which is written by
# hand). Also checks that platforms/README.md mentions each platform file.
set -euo pipefail
"$TUTTI_SOURCE_DIR/scripts/make_platforms" "$TUTTI_BINARY" "$PWD"
status=0
for made in *.xml; do
  cmp "$made" "$TUTTI_SOURCE_DIR/platforms/$made" || status=1
done
for kept in "$TUTTI_SOURCE_DIR"/platforms/*.xml; do
  name=${kept##*/}
  if [[ ! -e $name && $name != crossbar_64.xml ]]; then
    echo "$name is kept, but scripts/make_platforms does not write it"
    status=1
  fi
  grep -q "$name" "$TUTTI_SOURCE_DIR/platforms/README.md" || {
    echo "$name is not in platforms/README.md"
    status=1
  }
done
exit "$status"

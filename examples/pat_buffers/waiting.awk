# Summarises the output of `tutti show --format json` for rank 0 in one row: its number of messages;
# the largest number of blocks in a message; the largest number of other ranks' blocks that wait at
# one time to be forwarded; and the number of blocks sent over a distance of at least p/4, half of
# the largest distance on the circle of ranks.
function blocks_of(side,   text) {
  text = $0
  sub(".*\"" side "\":[^[]*\\[", "", text)
  sub("\\].*", "", text)
  return split(text, list, ",")
}
function number_of(key,   text) {
  text = $0
  sub(".*\"" key "\":", "", text)
  return text + 0
}
/"kind":"comm"/ {
  level = number_of("level")
  if (level > last) last = level
  if (number_of("src") == 0) {
    messages++
    count = blocks_of("from")
    if (count > most) most = count
    way = number_of("dst")
    if (2 * way >= p / 2 && 2 * way <= 3 * p / 2) far += count
    for (i = 1; i <= count; i++) sent[list[i]] = level
  }
  if (number_of("dst") == 0) {
    count = blocks_of("into")
    for (i = 1; i <= count; i++) if (!(list[i] in came)) came[list[i]] = level
  }
}
END {
  for (level = 0; level < last; level++) {
    waiting = 0
    for (block in came) waiting += block > 0 && came[block] <= level && sent[block] > level
    if (waiting > peak) peak = waiting
  }
  printf "%5d %-28s %9d %9d %9d %9d\n", p, name, messages, most, peak, far
}

# Formats the output of `tutti compare --skips all --csv` as a table: a row per platform, p and n,
# and a column per scheme of skips. Other algorithms are left out.
$1 == "schema" { for (i = 1; i <= NF; i++) at[$i] = i; next }
$at["algorithm"] == "circulant" {
  row = sprintf("%-24s%4d%10d", $at["platform"], $at["ranks"], $at["bytes"])
  scheme = $at["options"]
  sub("--skips ", "", scheme)
  if (!(row in rows)) { rows[row] = 1; row_name[++row_count] = row }
  if (!(scheme in schemes)) { schemes[scheme] = 1; scheme_name[++scheme_count] = scheme }
  time[row, scheme] = $at["simulated_s"] * 1e6
  if (best[row] == "" || time[row, scheme] < best[row]) best[row] = time[row, scheme]
}
END {
  printf "%-24s%4s%10s", "platform", "p", "bytes"
  for (j = 1; j <= scheme_count; j++) printf "%12s ", scheme_name[j]
  printf "\n"
  for (i = 1; i <= row_count; i++) {
    row = row_name[i]
    printf "%s", row
    for (j = 1; j <= scheme_count; j++) {
      value = time[row, scheme_name[j]]
      printf "%12.2f%s", value, value <= best[row] * (1 + 1e-9) ? "*" : " "
    }
    printf "\n"
  }
}

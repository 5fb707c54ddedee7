# Formats the output of `tutti compare --csv` as a table: a row per algorithm, a column per platform
# and size.
$1 == "schema" { for (i = 1; i <= NF; i++) at[$i] = i; next }
$at["simulated_s"] == "" { next } # refused
{
  row = $at["collective"] "/" $at["algorithm"]
  column = $at["platform"] " " $at["bytes"]
  if (!(row in rows)) { rows[row] = ++row_count; row_name[row_count] = row }
  if (!(column in columns)) { columns[column] = ++column_count }
  kind[row] = $at["exact_s"] != "" ? "exact" : $at["published_s"] != "" ? "published" : "none"
  formula = kind[row] == "exact" ? $at["exact_s"] : $at["published_s"]
  simulated = $at["simulated_s"]
  off = 100 * (formula - simulated) / simulated
  cell[row, columns[column]] = kind[row] == "none" ? "-" \
    : off < 0.05 && off > -0.05 ? "0" : sprintf("%+.*f", off < 100 ? 1 : 0, off)
}
END {
  printf "%-36s%21s%21s%21s\n", "", "fat tree, thin top", "torus", "dragonfly"
  printf "%-36s%21s%21s%21s\n", "", "p = 128", "p = 64", "p = 128"
  printf "%-36s", "formula - simulated, in %"
  for (i = 1; i <= 3; i++) printf "%12s%9s", "64 KiB", "4 MiB"
  printf "\n"
  for (i = 1; i <= row_count; i++) {
    printf "%-36s", row_name[i] (kind[row_name[i]] == "published" ? " (published)" : "")
    for (j = 1; j <= column_count; j++) printf j % 2 ? "%12s" : "%9s", cell[row_name[i], j]
    printf "\n"
  }
}

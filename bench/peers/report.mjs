/** Formats the results, for programs and for people. */

/** Rows with their cells by store; null if a store cannot do something. */
export const document = ({ rows, stores, ...report }) => ({
  ...report,
  stores,
  rows: rows.map(({ what, unit, cells, ratios }) => ({
    what,
    unit,
    ...Object.fromEntries(
      stores.map(({ name }, index) => [
        name,
        cells[index] === null ? null : { value: cells[index], ratio: ratios[index] },
      ]),
    ),
  })),
})

export const page = ({ machine, rounds, versions, stores, rows, failures }) => [
  `${machine.cpus}, Node ${machine.node}, ${machine.date}; medians of one run of ${rounds} rounds`,
  Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(", "),
  "",
  ...stores.map(({ name, settings }) => `${name}: ${settings}`),
  "",
  ...aligned([
    ["what", ...stores.map(({ name }) => name)],
    ...rows.map((row) => [row.what, ...stores.map((_, index) => cell(row, index))]),
  ]),
  "",
  "In parentheses: how fast by raw in the same run; of a file, its size by the payload's bytes.",
  ...Object.entries(failures).map(([name, count]) => `${name}: ${count} failed and were made again.`),
]

const cell = ({ cells, ratios, unit }, index) => {
  if (cells[index] === null) return "no such thing"
  const ratio = ratios[index] === null ? "" : ` (${ratios[index].toFixed(2)} ×)`
  return `${cells[index].toFixed(1)} ${unit}${ratio}`
}

/** Rows as lines with aligned columns. */
const aligned = (table) => {
  const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)))
  return table.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column]))
      .join("  ")
      .trimEnd(),
  )
}

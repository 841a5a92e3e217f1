/** Names that a message suggests at most. */
const MAX_NAMES = 3

/** The known names that a misspelt one is likely to mean, the nearest first: within a third of its length in edits. */
export const similarNames = (misspelt: string, known: ReadonlyArray<string>): ReadonlyArray<string> =>
  known
    .map((name) => ({ name, edits: distance(misspelt.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= Math.ceil(Math.min(name.length, misspelt.length) / 3))
    .sort((a, b) => a.edits - b.edits)
    .slice(0, MAX_NAMES)
    .map(({ name }) => name)

/**
 * Edits between two texts: characters that are put in, taken out, replaced, and neighbours that changed places (optimal string
 * alignment), a row of the table at a time.
 */
const distance = (a: string, b: string): number => {
  const others = [...b]
  let [earlier, row]: [ReadonlyArray<number>, ReadonlyArray<number>] = [[], [0, ...others.map((_, index) => index + 1)]]
  let before = ""
  for (const [index, letter] of [...a].entries()) {
    const next = [index + 1]
    for (const [column, other] of others.entries()) {
      const replaced = (row[column] ?? 0) + (letter === other ? 0 : 1)
      const swapped = before === other && letter === others[column - 1] ? (earlier[column - 1] ?? 0) + 1 : replaced
      next.push(Math.min((next[column] ?? 0) + 1, (row[column + 1] ?? 0) + 1, replaced, swapped))
    }
    ;[earlier, row, before] = [row, next, letter]
  }
  return row.at(-1) ?? 0
}

/** Names that a message suggests at most. */
const MAX_NAMES = 3

/** The known names that a misspelt one is likely to mean, the nearest first: within a third of its length in edits. */
export const names = (misspelt: string, known: ReadonlyArray<string>): ReadonlyArray<string> =>
  known
    .map((name) => ({ name, edits: distance(misspelt.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= Math.ceil(Math.min(name.length, misspelt.length) / 3))
    .sort((a, b) => a.edits - b.edits)
    .slice(0, MAX_NAMES)
    .map(({ name }) => name)

/** Edits between two texts: characters that are put in, taken out, replaced (Levenshtein), a row of the table at a time. */
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (const [index, letter] of [...a].entries()) {
    let corner = index
    const next = [index + 1]
    for (const [column, other] of [...b].entries()) {
      const above = row[column + 1] ?? 0
      next.push(Math.min((next[column] ?? 0) + 1, above + 1, corner + (letter === other ? 0 : 1)))
      corner = above
    }
    row = next
  }
  return row.at(-1) ?? 0
}

/** Suggestions for misspelt names in error messages, by edit distance. */

const MAX_NAMES = 3

/** In characters. The time of a comparison grows with the square of the length. */
const MAX_LENGTH = 200

/**
 * Known names that a misspelt name may mean, nearest first: at most a third of the shorter name differs, case ignored.
 */
export const similarNames = (misspelt: string, known: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (misspelt.length > MAX_LENGTH) return []
  const most = (name: string) => Math.ceil(Math.min(name.length, misspelt.length) / 3)
  return (
    known
      // The edit distance is at least the difference of the lengths.
      .filter((name) => Math.abs(name.length - misspelt.length) <= most(name))
      .map((name) => ({ name, edits: distance(misspelt.toLowerCase(), name.toLowerCase()) }))
      .filter(({ name, edits }) => edits <= most(name))
      .sort((a, b) => a.edits - b.edits)
      .slice(0, MAX_NAMES)
      .map(({ name }) => name)
  )
}

/**
 * Returns ` Did you mean a or b?` for the end of a message; empty if no known name is similar. If all known names share the
 * misspelt name's prefix up to `/`, it compares only the rest.
 */
export const question = (misspelt: string, known: ReadonlyArray<string>): string => {
  const before = misspelt.slice(0, misspelt.indexOf("/") + 1)
  const prefix = known.every((name) => name.startsWith(before)) ? before : ""
  const rests = known.map((name) => name.slice(prefix.length))
  const similar = similarNames(misspelt.slice(prefix.length), rests).map((rest) => prefix + rest)
  return similar.length === 0 ? "" : ` Did you mean ${similar.join(" or ")}?`
}

/**
 * Optimal string alignment: insertions, deletions, replacements, and swaps of neighbours. Keeps two rows of the table.
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

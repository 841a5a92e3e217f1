/** Suggestions for misspelt names in error messages, by edit distance. */

/** Most names that a message suggests. */
const MAX_NAMES = 3

/** Longest name that others are compared with, in characters: the time grows with the square of the length. */
const MAX_LENGTH = 200

/**
 * The known names that a misspelt name may mean, nearest first. A name qualifies within a distance of a third of the
 * shorter name's length, case ignored.
 */
export const similarNames = (misspelt: string, known: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (misspelt.length > MAX_LENGTH) return []
  const most = (name: string) => Math.ceil(Math.min(name.length, misspelt.length) / 3)
  return (
    known
      // Names differ by at least as many edits as their lengths do.
      .filter((name) => Math.abs(name.length - misspelt.length) <= most(name))
      .map((name) => ({ name, edits: distance(misspelt.toLowerCase(), name.toLowerCase()) }))
      .filter(({ name, edits }) => edits <= most(name))
      .sort((a, b) => a.edits - b.edits)
      .slice(0, MAX_NAMES)
      .map(({ name }) => name)
  )
}

/**
 * A question at the end of a message, ` Is it a or b?`; empty where no known name is similar. Names such as
 * `plugin/component` of the misspelt one's plugin are compared by what follows it.
 */
export const question = (misspelt: string, known: ReadonlyArray<string>): string => {
  const before = misspelt.slice(0, misspelt.indexOf("/") + 1)
  const prefix = known.every((name) => name.startsWith(before)) ? before : ""
  const rests = known.map((name) => name.slice(prefix.length))
  const similar = similarNames(misspelt.slice(prefix.length), rests).map((rest) => prefix + rest)
  return similar.length === 0 ? "" : ` Is it ${similar.join(" or ")}?`
}

/**
 * Edit distance of two texts (optimal string alignment): insertions, deletions, replacements, and swaps of neighbours.
 * Keeps one row of the table at a time.
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

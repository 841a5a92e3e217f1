/** Commands of a shell that hold words alone: what they come to is known without a shell. */

/** A character without quotes that a shell does not read (one, so that a word matches in one way and no other); texts in single quotes; texts in double quotes in which it reads nothing. */
const PART = /[\w@%+=:,./-]|'[^']*'|"[^"$`\\]*"/
const WORD = `(?:${PART.source})+`

/** The words of a command; undefined where a shell would do more than divide it. A line that ends in `\` goes on in the next. */
export const plainCommand = (command: string): ReadonlyArray<string> | undefined => {
  const line = command.replaceAll(/\\\n\s*/g, " ").trim()
  if (!new RegExp(`^${WORD}(?: +${WORD})*$`).test(line)) return undefined
  return line.match(new RegExp(WORD, "g"))?.map(unquoted)
}

/** The variables that lines of `export NAME=value` set; undefined where there is more in them. */
export const plainSettings = (lines: string): Readonly<Record<string, string>> | undefined => {
  const variables: Record<string, string> = {}
  for (const line of lines.split("\n")) {
    if (line.trim() === "") continue
    const [, name, value] = new RegExp(`^export (\\w+)=(${WORD})$`).exec(line.trim()) ?? []
    if (name === undefined || value === undefined) return undefined
    variables[name] = unquoted(value)
  }
  return variables
}

const unquoted = (word: string): string =>
  word.replaceAll(new RegExp(PART, "g"), (part) => (/^['"]/.test(part) ? part.slice(1, -1) : part))

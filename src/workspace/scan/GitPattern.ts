/**
 * Patterns of `.gitignore` files (gitignore(5)). Pure. Matching takes time proportional to the product of both lengths
 * for every pattern. Regular expressions would not, and the patterns come from strangers.
 */

type Token =
  | { readonly is: "literal"; readonly code: number }
  | { readonly is: "any" }
  | { readonly is: "star" }
  | { readonly is: "set"; readonly isNegated: boolean; readonly ranges: ReadonlyArray<readonly [number, number]> }

/** A part between slashes; `deep` is `**`: any number of directories. */
type Part = { readonly is: "deep" } | { readonly is: "name"; readonly tokens: ReadonlyArray<Token> }

export interface GitPattern {
  readonly isNegated: boolean
  readonly onlyDirectories: boolean
  /** Without a slash in its middle, it matches names in any directory. */
  readonly onlyName: boolean
  readonly parts: ReadonlyArray<Part>
}

/** The patterns of a file, in order. Leaves out lines that can match nothing. */
export const parse = (text: string): ReadonlyArray<GitPattern> =>
  text
    .replace(/^\ufeff/, "")
    .split("\n")
    .flatMap((line) => {
      const pattern = parseLine(line.replace(/\r$/, ""))
      return pattern === undefined ? [] : [pattern]
    })

/** The patterns of a rules file's bytes. Of an unusually large file, only those at its beginning. */
export const ofFile = (bytes: Uint8Array): ReadonlyArray<GitPattern> =>
  parse(Buffer.from(bytes.subarray(0, MAX_FILE_BYTES)).toString("utf8"))

export const MAX_FILE_BYTES = 1024 * 1024

const parseLine = (line: string): GitPattern | undefined => {
  if (line === "" || line.startsWith("#") || line.length > MAX_LENGTH) return undefined
  const isNegated = line.startsWith("!")
  let rest = withoutSpaces(isNegated ? line.slice(1) : line)
  const onlyDirectories = rest.endsWith("/")
  if (onlyDirectories) rest = rest.slice(0, -1)
  const onlyName = !rest.includes("/")
  if (rest.startsWith("/")) rest = rest.slice(1)
  if (rest === "") return undefined
  const parts: Array<Part> = []
  for (const { text, endsQuoted } of betweenSlashes(rest)) {
    // Before a quoted slash, `**` matches one directory or more.
    if (text === "**" && !onlyName) parts.push(...(endsQuoted ? [ANY_NAME, DEEP] : [DEEP]))
    else {
      const tokens = tokensOf(text)
      if (tokens === undefined) return undefined
      parts.push({ is: "name", tokens })
    }
  }
  return { isNegated, onlyDirectories, onlyName, parts }
}

const MAX_LENGTH = 4096

const DEEP: Part = { is: "deep" }

const ANY_NAME: Part = { is: "name", tokens: [{ is: "star" }] }

/** The parts of a pattern. A backslash before a slash quotes it, and it still separates. */
const betweenSlashes = (pattern: string): ReadonlyArray<{ readonly text: string; readonly endsQuoted: boolean }> => {
  const parts: Array<{ readonly text: string; readonly endsQuoted: boolean }> = []
  let text = ""
  for (let at = 0; at < pattern.length; at++) {
    const one = pattern[at] ?? ""
    const isQuoting = one === "\\"
    if (isQuoting) at++
    const quoted = isQuoting ? (pattern[at] ?? "") : ""
    if (one === "/" || quoted === "/") {
      parts.push({ text, endsQuoted: isQuoting })
      text = ""
    } else text += one + quoted
  }
  return [...parts, { text, endsQuoted: false }]
}

/** Without spaces at the end, unless a backslash quotes them. */
const withoutSpaces = (text: string): string => {
  let end = text.length
  while (end > 0 && text[end - 1] === " " && text[end - 2] !== "\\") end--
  return text.slice(0, end)
}

const tokensOf = (text: string): ReadonlyArray<Token> | undefined => {
  const tokens: Array<Token> = []
  for (let at = 0; at < text.length; at++) {
    const one = text[at]
    if (one === "*") {
      if (tokens.at(-1)?.is !== "star") tokens.push({ is: "star" })
    } else if (one === "?") tokens.push({ is: "any" })
    else if (one === "[") {
      const set = setAt(text, at)
      if (set === undefined) return undefined
      tokens.push(set.token)
      at = set.end
    } else {
      if (one === "\\" && ++at >= text.length) return undefined
      tokens.push({ is: "literal", code: text.charCodeAt(at) })
    }
  }
  return tokens
}

/** A bracket expression that begins at `start`; undefined if nothing closes it. */
const setAt = (text: string, start: number): { readonly token: Token; readonly end: number } | undefined => {
  let at = start + 1
  const isNegated = text[at] === "!" || text[at] === "^"
  if (isNegated) at++
  const ranges: Array<readonly [number, number]> = []
  for (let first = true; ; first = false) {
    const one = text[at]
    if (one === undefined) return undefined
    if (one === "]" && !first) return { token: { is: "set", isNegated, ranges }, end: at }
    const [, name] = one === "[" ? (/^\[:(\w+):\]/.exec(text.slice(at, at + 16)) ?? []) : []
    if (name !== undefined) {
      const known = CLASSES.get(name)
      if (known === undefined) return undefined
      ranges.push(...known)
      at += name.length + 4
      continue
    }
    if (one === "\\") at++
    const low = text.charCodeAt(at++)
    if (Number.isNaN(low)) return undefined
    if (text[at] === "-" && text[at + 1] !== "]" && text[at + 1] !== undefined) {
      at++
      if (text[at] === "\\") at++
      const high = text.charCodeAt(at++)
      if (Number.isNaN(high)) return undefined
      ranges.push([low, high])
    } else ranges.push([low, low])
  }
}

const between = (...pairs: ReadonlyArray<string>): ReadonlyArray<readonly [number, number]> =>
  pairs.map((pair) => [pair.charCodeAt(0), pair.charCodeAt(pair.length - 1)] as const)

const CLASSES: ReadonlyMap<string, ReadonlyArray<readonly [number, number]>> = new Map([
  ["alnum", between("az", "AZ", "09")],
  ["alpha", between("az", "AZ")],
  ["blank", between(" ", "\t")],
  ["cntrl", between("\u0000\u001f", "\u007f")],
  ["digit", between("09")],
  ["graph", between("!~")],
  ["lower", between("az")],
  ["print", between(" ~")],
  ["punct", between("!/", ":@", "[`", "{~")],
  ["space", between("\t\r", " ")],
  ["upper", between("AZ")],
  ["xdigit", between("09", "af", "AF")],
])

/** Whether a pattern matches a path, relative to the directory of the pattern's file. */
export const matches = (pattern: GitPattern, path: string, isDirectory: boolean): boolean => {
  if (pattern.onlyDirectories && !isDirectory) return false
  const [first] = pattern.parts
  if (pattern.onlyName) return first?.is === "name" && matchesName(first.tokens, path.slice(path.lastIndexOf("/") + 1))
  return matchesParts(pattern.parts, path.split("/"))
}

/** If the rest does not fit, the last `**` takes one more name: an earlier one never needs to take more. */
const matchesParts = (parts: ReadonlyArray<Part>, names: ReadonlyArray<string>): boolean => {
  let [part, name, retryPart, retryName] = [0, 0, -1, 0]
  while (name < names.length) {
    const one = parts[part]
    if (one?.is === "deep") {
      // At the end, `**` needs something within the directory.
      if (part === parts.length - 1) return true
      ;[retryPart, retryName] = [++part, name]
    } else if (one !== undefined && matchesName(one.tokens, names[name] ?? "")) {
      part++
      name++
    } else if (retryPart >= 0) {
      ;[part, name] = [retryPart, ++retryName]
    } else return false
  }
  return part === parts.length
}

const matchesName = (tokens: ReadonlyArray<Token>, name: string): boolean => {
  let [token, at, retryToken, retryAt] = [0, 0, -1, 0]
  while (at < name.length) {
    const one = tokens[token]
    if (one?.is === "star") [retryToken, retryAt] = [++token, at]
    else if (one !== undefined && matchesCode(one, name.charCodeAt(at))) {
      token++
      at++
    } else if (retryToken >= 0) [token, at] = [retryToken, ++retryAt]
    else return false
  }
  while (tokens[token]?.is === "star") token++
  return token === tokens.length
}

const matchesCode = (token: Exclude<Token, { is: "star" }>, code: number): boolean => {
  switch (token.is) {
    case "literal":
      return token.code === code
    case "any":
      return true
    case "set":
      return token.ranges.some(([low, high]) => code >= low && code <= high) !== token.isNegated
  }
}

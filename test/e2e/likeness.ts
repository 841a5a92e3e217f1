/*
 * Whether what a command wrote is what a page says, but for what differs from run to run.
 */

/** What differs from run to run. */
const VARYING: ReadonlyArray<string> = [
  // An event's id, a command's, a score set's.
  "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
  // A hash.
  "\\b[0-9a-f]{64}\\b",
  // A time.
  "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?Z",
  // A duration.
  "\\d[\\d,]*(?:\\.\\d+)? (?:ms|s|min)\\b",
  // The durations that end a row of a table: its median, its 95th percentile, its maximum.
  "\\d[\\d,]*\\.\\d +\\d[\\d,]*\\.\\d +\\d[\\d,]*\\.\\d$",
  "process \\d+",
  // A server on a free port.
  "127\\.0\\.0\\.1:\\d+",
  '"(?:latencyMs|pid|recordedAt|occurredAt)": ?[\\d.]+',
]

/** What a line is made of: what varies, what stands for anything, gaps between columns, rules. */
const PARTS = new RegExp(`(${VARYING.join("|")})|(…)|( {2,})|(─{3,})`, "g")

/** Ids and times: what commands may name. */
const NAMED = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g

const escaped = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")

/** A line of a page as a pattern; its groups are what varies, in order. */
const patternOf = (line: string): RegExp => {
  let pattern = ""
  let end = 0
  for (const { 0: whole, 1: varying, 2: anything, 3: gap, index } of line.matchAll(PARTS)) {
    pattern += escaped(line.slice(end, index))
    end = index + whole.length
    if (varying !== undefined) pattern += `(${VARYING.find((kind) => new RegExp(`^(?:${kind})$`).test(varying))})`
    else if (anything !== undefined) pattern += ".*"
    // A column is as wide as what stands in it; what a line is indented by says where it belongs.
    else if (gap !== undefined) pattern += index === 0 && !startsVarying(line) ? gap : " +"
    else pattern += "─+"
  }
  return new RegExp(`^${pattern}${escaped(line.slice(end))}$`)
}

const startsVarying = (line: string) => new RegExp(`^ +(?:${VARYING.join("|")})`).test(line)

export interface Likeness {
  /**
   * A page's lines as they were found: each that a line found is the same as is that line, and `…` alone is as many lines as
   * there are up to the next. All of it is the same where this is what was found.
   */
  readonly asFound: (page: ReadonlyArray<string>, found: ReadonlyArray<string>) => ReadonlyArray<string>
  /** Whether a page's text names an id or a time. */
  readonly names: (text: string) => boolean
  /** A page's text, with the ids and times of this run. */
  readonly inThisRun: (text: string) => string
  /** A text of this run, with the ids and times of the page. */
  readonly inThePage: (text: string) => string
}

/** Compares one page with one run: it learns which id of the run stands for which id of the page. */
export const make = (): Likeness => {
  const known = new Map<string, string>()
  const learn = (page: string, found: string) => {
    const [ours, theirs] = [page.match(NAMED) ?? [], found.match(NAMED) ?? []]
    if (page.includes("…")) return
    ours.forEach((id, index) => {
      const other = theirs[index]
      if (other !== undefined && !known.has(id)) known.set(id, other)
    })
  }
  const same = (page: string, found: string): boolean => {
    if (!patternOf(page).test(found)) return false
    learn(page, found)
    return true
  }
  return {
    asFound: (page, found) => {
      let at = 0
      return page.flatMap((line, index) => {
        const next = page[index + 1]
        if (line === "…" && next === undefined) return found.slice(at)
        const from = found.findIndex((other, place) => place >= at && same(line === "…" ? (next ?? "") : line, other))
        if (from < 0) return [line]
        const passed = found.slice(at, from)
        at = line === "…" ? from : from + 1
        return line === "…" ? passed : [found[from] ?? ""]
      })
    },
    names: (text) => (text.match(NAMED) ?? []).length > 0,
    inThisRun: (text) => text.replaceAll(NAMED, (id) => known.get(id) ?? id),
    inThePage: (text) => {
      const back = new Map([...known].map(([page, found]) => [found, page]))
      return text.replaceAll(NAMED, (id) => back.get(id) ?? id)
    },
  }
}

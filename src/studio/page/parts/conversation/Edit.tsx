/** The edit that a call states, as lines removed and added. */
import { useMemo, useState } from "preact/hooks"
import type { Edit as Stated } from "../../../../projections/conversation/Edits.ts"
import { type Line, lineDiff, withContext } from "../../model/conversation/lineDiff.ts"
import { count } from "../format.ts"
import { Code } from "./Code.tsx"

/** Lines that are shown at first. */
const AT_FIRST = 60

export const Edit = ({ edit: { path, before, after } }: { readonly edit: Stated }) => {
  const lines = useMemo(() => (before === null ? null : withContext(lineDiff(before, after))), [before, after])
  return (
    <>
      <p class="part-name">
        {before === null ? "the new content of" : "the change of"} <code>{path}</code>
      </p>
      {lines === null ? <Code text={after} /> : <Lines lines={lines} />}
    </>
  )
}

const Lines = ({ lines }: { readonly lines: ReadonlyArray<Line | null> }) => {
  const [all, showAll] = useState(false)
  const shown = all ? lines : lines.slice(0, AT_FIRST)
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys. */}
      <pre class="lines" tabIndex={0}>
        {shown.map((line, index) => (
          <LineOf key={index} line={line} />
        ))}
      </pre>
      {shown.length < lines.length ? (
        <button type="button" class="more" onClick={() => showAll(true)}>
          … {count(lines.length - shown.length, "more line")}
        </button>
      ) : null}
    </>
  )
}

const LineOf = ({ line }: { readonly line: Line | null }) => {
  if (line === null) return <span class="gap">⋯</span>
  if (line.kind === "removed") return <del>− {line.text}</del>
  if (line.kind === "added") return <ins>+ {line.text}</ins>
  return <span>{`  ${line.text}`}</span>
}

/** Lines that the edits of a call remove and add, in a few characters. */
export const tally = (edits: ReadonlyArray<Stated>): { readonly removed: number; readonly added: number } | null => {
  const known = edits.flatMap(({ before, after }) => (before === null ? [] : [lineDiff(before, after)])).flat()
  if (known.length === 0) return null
  const of = (kind: Line["kind"]) => known.filter((line) => line.kind === kind).length
  return { removed: of("removed"), added: of("added") }
}

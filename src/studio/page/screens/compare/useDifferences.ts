/** The differences in rows of a comparison, requested for the rows on the screen. */
import { useEffect, useRef, useState } from "preact/hooks"
import type { Comparison, RowDifferences } from "../../../wire/Asking.ts"
import { useStudio } from "../../parts/context.ts"
import { messageOf } from "../../source/Source.ts"

export type Row = Comparison["pairs"][number]

/** The differences in a row; undefined until they are known, and for rows without any. */
export type DifferencesOf = (row: Row | undefined) => RowDifferences[number] | undefined

/** Maximum number of rows in one request. */
const MOST = 100

/**
 * Asks once for each changed row. Events do not change, so answers do not age, except that a subject's key may be
 * destroyed, after which the page loads everything again.
 */
export const useDifferences = (
  rows: ReadonlyArray<Row | undefined>,
): { readonly of: DifferencesOf; readonly problem: string } => {
  const studio = useStudio()
  const known = useRef(new Map<string, RowDifferences[number] | null>())
  const [, setVersion] = useState(0)
  const [problem, setProblem] = useState("")
  const wanted = rows
    .flatMap((row) => (row?.[0] === "~" && !known.current.has(keyOf(row)) ? [keyOf(row)] : []))
    .slice(0, MOST)
    .join(",")
  useEffect(() => {
    if (wanted === "") return
    const keys = wanted.split(",")
    for (const key of keys) known.current.set(key, null)
    studio.source.ask("differences", { rows: wanted }).then(
      (found) => {
        for (const [index, key] of keys.entries()) known.current.set(key, found[index] ?? null)
        setProblem("")
        setVersion((version) => version + 1)
      },
      (cause: unknown) => {
        for (const key of keys) known.current.delete(key)
        setProblem(messageOf(cause))
      },
    )
  }, [wanted])
  return { of: (row) => (row === undefined ? undefined : (known.current.get(keyOf(row)) ?? undefined)), problem }
}

const keyOf = ([, a, b]: Row): string => `${a}-${b}`

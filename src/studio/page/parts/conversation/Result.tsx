/** The result of a call: as a table if it is a list of like objects, also where it is JSON in a text. */
import { useMemo } from "preact/hooks"
import type { Json, JsonObject } from "../../../../values/Json.ts"
import { isObject } from "../../../../values/JsonObjects.ts"
import { settings } from "../../model/settings.ts"
import { Value } from "../Value.tsx"

/** Longest text that is read as JSON, and the largest table. */
const LONGEST = 400_000
const ROWS = 100
const COLUMNS = 12

export const Result = ({ value }: { readonly value: Json }) => {
  const isRaw = settings.raw.value
  const read = useMemo(() => (isRaw ? value : readIn(value)), [value, isRaw])
  const table = useMemo(() => (isRaw ? undefined : tableIn(read)), [read, isRaw])
  return table === undefined ? <Value value={read} /> : <Table table={table} />
}

/** A text that is an object or a list in JSON, as such. */
const readIn = (value: Json): Json => {
  if (typeof value !== "string" || value.length > LONGEST || !/^\s*[[{]/.test(value)) return value
  try {
    return JSON.parse(value) as Json
  } catch {
    // It only began like JSON.
    return value
  }
}

interface Rows {
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<JsonObject>
}

/** A list of objects without deeper values, and with few columns in all. */
const tableIn = (value: Json): Rows | undefined => {
  if (!Array.isArray(value) || value.length < 2) return undefined
  const rows = (value as ReadonlyArray<Json>).filter(isObject)
  if (rows.length !== value.length) return undefined
  const columns = new Set<string>()
  for (const row of rows.slice(0, ROWS))
    for (const [name, cell] of Object.entries(row)) {
      columns.add(name)
      if (columns.size > COLUMNS || (typeof cell === "object" && cell !== null)) return undefined
    }
  return { columns: [...columns], rows }
}

const Table = ({ table: { columns, rows } }: { readonly table: Rows }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys.
  <div class="scroll" tabIndex={0}>
    <table>
      <thead>
        <tr>
          {columns.map((name) => (
            <th key={name} scope="col">
              <bdi>{name}</bdi>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.slice(0, ROWS).map((row, index) => (
          <tr key={index}>
            {columns.map((name) => (
              <td key={name} class={typeof row[name] === "number" ? "n" : undefined}>
                {Object.hasOwn(row, name) ? <bdi>{String(row[name])}</bdi> : null}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
    {rows.length > ROWS ? <p class="note">… {rows.length - ROWS} more rows: show the raw text for all</p> : null}
  </div>
)

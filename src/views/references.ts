/** Finds formats in a view that name an undefined lookup. */
import type { SchemaIssue } from "../values/OptionIssues.ts"
import { isLookupName } from "./Format.ts"
import { pieces } from "./Template.ts"

/** Fields whose keys are values of the world. */
const RECORDS = new Set(["cells", "glyphs", "lookups"])

export const unknownLookups = (view: {
  readonly lookups?: { readonly [name: string]: unknown }
}): ReadonlyArray<Omit<SchemaIssue, "tolerable">> => {
  const known = Object.keys(view.lookups ?? {})
  const expected = known.length === 0 ? "a format (the view has no lookups)" : `a format, or one of ${known.join(", ")}`
  return namesIn(view, []).flatMap(({ keys, name }) =>
    known.includes(name) ? [] : [{ keys, expected, found: JSON.stringify(name) }],
  )
}

interface Reference {
  readonly keys: ReadonlyArray<PropertyKey>
  readonly name: string
}

const namesIn = (value: unknown, keys: ReadonlyArray<PropertyKey>): ReadonlyArray<Reference> => {
  if (typeof value !== "object" || value === null) return []
  if (Array.isArray(value)) return value.flatMap((item, index) => namesIn(item, [...keys, index]))
  return Object.entries(value).flatMap(([key, member]) => {
    const at = [...keys, key]
    if (RECORDS.has(key)) return []
    if (typeof member !== "string") return namesIn(member, at)
    const formats = key === "text" ? pieces(member).flatMap(({ format }) => format ?? []) : []
    const named = key === "format" || key === "lookup" ? [member] : formats
    return named.filter(isLookupName).map((name) => ({ keys: at, name }))
  })
}

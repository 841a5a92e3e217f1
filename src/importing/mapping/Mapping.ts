/** Loads and checks mapping files: custom formats for JSON Lines, written in YAML. */

import { Data, Effect, Either, JSONSchema, Schema } from "effect"
import * as Rubric from "../../kernel/rules/Rubric.ts"
import { JsonObject } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import { UNMAPPED, WORLD } from "../runs/FormatCapture.ts"
import type { MappedRuns } from "../runs/Runs.ts"
import { type Mapper, type Source, type SourceFile, type SourceRecord, Unmappable } from "../Source.ts"
import * as Document from "./Document.ts"
import * as Expressions from "./Expressions.ts"
import { MappedFile, type Rule } from "./MappedFile.ts"
import { FoundLists, rowsOf } from "./Rows.ts"

/** Fix the mapping; `issues` lists each problem with its place. */
export class MappingInvalid extends Data.TaggedError("MappingInvalid")<{
  readonly source: string
  readonly issues: ReadonlyArray<string>
  /** Whether the file does not exist. */
  readonly missing?: boolean
}> {
  override get message() {
    return `Mapping ${this.source} cannot be used:${this.issues.map((issue) => `\n  - ${issue}`).join("")}`
  }
}

/** Loads a mapping file (YAML or JSON) as an import format. */
export const load = (file: string, taken: ReadonlyArray<string>): Effect.Effect<Source, MappingInvalid> =>
  Effect.flatMap(Rubric.readYaml(file), (value) => decode(file, value, taken)).pipe(
    Effect.catchTag(
      "FileUnreadable",
      ({ reason, missing = false }) => new MappingInvalid({ source: file, issues: [reason], missing }),
    ),
  )

/**
 * Checks a mapping and builds its format: its shape, its expressions, that only the last meaning has no condition, and
 * that its name is not in `taken`.
 */
export const decode = (
  source: string,
  value: unknown,
  taken: ReadonlyArray<string> = [],
): Either.Either<Source, MappingInvalid> => {
  const decoded = Options.decode(source, Document.Mapping, value)
  if (Either.isLeft(decoded))
    return Either.left(new MappingInvalid({ source, issues: decoded.left.problems.map(Options.describe) }))
  const mapping = decoded.right
  const issues: Array<string> = []
  if (taken.includes(mapping.name))
    issues.push(`name: expected a name that no built-in format has, found ${mapping.name}; choose another`)
  const at = <A>(place: string, compiled: Expressions.Compiled<A>): A | undefined => {
    if (Either.isRight(compiled)) return compiled.right
    issues.push(`${place}: ${compiled.left}`)
    return undefined
  }
  const { name, records, each = [], ...heads } = mapping
  const lists = (Array.isArray(each) ? each : [each]).flatMap(
    (list: Document.Value, index) => at(Array.isArray(each) ? `each[${index}]` : "each", Expressions.value(list)) ?? [],
  )
  const readers = readersOf(heads, "", at)
  const rules = records.map(({ is, when, ...fields }, index): Rule => {
    const place = `records[${index}]`
    if (when === undefined && index < records.length - 1)
      issues.push(`${place}.when: expected a condition, found none: the entries after it would never apply`)
    const holds = when === undefined ? () => true : at(`${place}.when`, Expressions.condition(when))
    return { is, place, holds: holds ?? (() => false), readers: readersOf(fields, `${place}.`, at) }
  })
  return issues.length > 0
    ? Either.left(new MappingInvalid({ source, issues }))
    : Either.right(sourceOf(name, readers, rules, { readers: lists, of: Array.isArray(each) ? each : [each] }))
}

type At = <A>(place: string, compiled: Expressions.Compiled<A>) => A | undefined

/** Compiles the readers of an object, including those of a nested list of calls. */
const readersOf = (fields: object, place: string, at: At): { readonly [name: string]: Expressions.Reader } =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, one]: readonly [string, Document.Value | CallFields]) => {
      if (typeof one === "object" && "in" in one)
        return Object.entries(readersOf(one, `${place}${name}.`, at)).map(([inner, read]) => [`${name}.${inner}`, read])
      const read = at(`${place}${name}`, Expressions.value(one))
      return read === undefined ? [] : [[name, read]]
    }),
  )

interface CallFields {
  readonly in: Document.Value
}

/** Nested lists whose items are records. */
interface Lists {
  readonly readers: ReadonlyArray<Expressions.Reader>
  readonly of: ReadonlyArray<Document.Value>
}

const sourceOf = (name: string, heads: Rule["readers"], rules: ReadonlyArray<Rule>, each: Lists): Source => ({
  name,
  title: `file of lines, or a document, for the mapping ${name}`,
  form: "either",
  capture: { pairing: "call-id", lacks: [UNMAPPED, WORLD] },
  // The user chose the mapping for these files.
  recognizes: () => true,
  open: (file: SourceFile, runs: MappedRuns): Mapper => {
    const mapped = new MappedFile(runs, file, name, heads, rules)
    const isLine = (where: string) => /^\d+$/.test(where)
    const lists = new FoundLists(each.readers.length)
    /** Fails if no line or document has one of the lists, since the mapping is then wrong. */
    const checkLists = () => {
      const { missing } = lists
      if (missing === undefined) return
      const list = JSON.stringify(each.of[missing.level])
      throw new Unmappable(`a list at ${list} (each) in at least one record`, `${missing.found} in any of them`)
    }
    let isSurveyed = false
    return {
      ...(each.readers.length === 0
        ? {}
        : {
            survey: ({ value, where }: SourceRecord) => {
              isSurveyed = true
              if (!lists.areAll) rowsOf(value, each.readers, isLine(where), lists)
            },
          }),
      record: ({ value, where }) => {
        if (isSurveyed) checkLists()
        for (const row of rowsOf(value, each.readers, isLine(where), lists)) mapped.record(row)
        if (!isSurveyed) checkLists()
      },
      end: () => mapped.end(),
    }
  },
})

/** The JSON Schema (draft-07) of mappings for editors: `schema/import-mapping.schema.json` of the package. */
export const jsonSchema = (): JsonObject =>
  Schema.decodeUnknownSync(JsonObject)({
    title: "import mapping",
    description: "How JSON Lines of one's own become runs in a log of Hindcast",
    ...JSON.parse(JSON.stringify(JSONSchema.make(Document.Mapping, { target: "jsonSchema7" }), withoutTitles)),
  })

const withoutTitles = (key: string, value: unknown): unknown => (key === "title" ? undefined : value)

/** Decides what an `hindcast audit` command line asks for, and rejects options that do not apply to it. */
import { HelpDoc, ValidationError } from "@effect/cli"
import { Data, Effect, Option } from "effect"
import * as AuditTable from "../../projections/comparison/AuditTable.ts"
import * as DidYouMean from "../../values/DidYouMean.ts"
import { BadInput } from "../command/BadInput.ts"
import type * as TaskSelection from "./TaskSelection.ts"

/** The typed options and arguments of `hindcast audit`. */
export interface AuditInput extends TaskSelection.TaskSelectionInput {
  readonly name: Option.Option<string>
  readonly json: boolean
  readonly all: boolean
  readonly trend: boolean
  readonly markdown: boolean
  readonly scores: Option.Option<string>
  readonly sort: Option.Option<string>
  readonly group: Option.Option<AuditTable.Grouping>
  readonly limit: Option.Option<number>
  readonly measure: Option.Option<string>
  readonly by: Option.Option<"net" | "normalized">
}

/** The kind of output: the audit of one task, a table of many tasks, or the trend of their scores. */
export type Mode = Data.TaggedEnum<{
  One: { readonly task: string }
  All: Record<never, never>
  Trend: Record<never, never>
}>
const Mode = Data.taggedEnum<Mode>()

/** The mode of a command line. Fails if options contradict each other. */
export const of = (given: AuditInput): Effect.Effect<Mode, BadInput | ValidationError.ValidationError> =>
  Effect.gen(function* () {
    const { name, all, trend, json, markdown } = given
    const requestedModes = [
      ...(Option.isSome(name) ? ["a task"] : []),
      ...(all ? ["--all"] : []),
      ...(trend ? ["--trend"] : []),
    ]
    if (requestedModes.length === 0) {
      return yield* Effect.fail(
        ValidationError.missingValue(HelpDoc.p("Missing argument <task>: expected a task, --all or --trend")),
      )
    }
    if (requestedModes.length > 1) {
      return yield* new BadInput({ input: "hindcast audit", expected: ONE_MODE, found: requestedModes.join(" and ") })
    }
    if (json && markdown) {
      return yield* new BadInput({ input: "--markdown", expected: "it or --json", found: "both" })
    }
    const mode = all ? "--all" : trend ? "--trend" : "a task"
    const misplaced = Object.entries(MODES_OF_OPTION).find(
      ([option, modes]) => !modes.includes(mode) && isGiven(given[option as keyof typeof MODES_OF_OPTION]),
    )
    if (misplaced !== undefined) {
      const [option, modes] = misplaced
      return yield* new BadInput({
        input: `--${option}`,
        expected: `it with ${modes.join(" or ")}`,
        found: `it with ${mode}`,
      })
    }
    if (all) return Mode.All()
    return Option.match(name, { onNone: () => Mode.Trend(), onSome: (task) => Mode.One({ task }) })
  })

const ONE_MODE = "one of a task, --all and --trend"

const TABLE_MODES = ["--all", "--trend"]

/** The modes that each option applies to. */
const MODES_OF_OPTION = {
  sort: ["--all"],
  group: ["--all"],
  limit: ["--all"],
  measure: ["--trend"],
  by: ["--trend"],
  scores: TABLE_MODES,
  task: TABLE_MODES,
  agent: TABLE_MODES,
  plugin: TABLE_MODES,
  outcome: TABLE_MODES,
  since: TABLE_MODES,
  until: TABLE_MODES,
  where: TABLE_MODES,
} satisfies { readonly [option in keyof AuditInput]?: ReadonlyArray<string> }

const isGiven = (value: Option.Option<unknown> | ReadonlyArray<unknown>): boolean =>
  Option.isOption(value) ? Option.isSome(value) : value.length > 0

/** The order of the table's rows. */
export interface Sorting {
  readonly rows: (rows: ReadonlyArray<AuditTable.Row>) => ReadonlyArray<AuditTable.Row>
  readonly groups: (groups: ReadonlyArray<AuditTable.Group>) => ReadonlyArray<AuditTable.Group>
}

/** The order that `--sort` names. Default: tasks by opening, groups by first occurrence. */
export const sorting = ({ sort, group }: AuditInput): Effect.Effect<Sorting, BadInput> =>
  Effect.gen(function* () {
    const [, column = "", direction] = /^(.*?)(?::(asc|desc))?$/s.exec(Option.getOrElse(sort, () => "")) ?? []
    const descending = direction === "desc"
    const known = Option.isSome(group) ? AuditTable.GROUP_COLUMNS : AuditTable.ROW_COLUMNS
    if (Option.isNone(sort)) return { rows: (rows) => rows, groups: (groups) => groups }
    if (!Object.hasOwn(known, column)) {
      const columns = Object.keys(known)
      const similar = DidYouMean.similarNames(column, columns)
      return yield* new BadInput({
        input: "--sort",
        expected: `a column of ${Option.isSome(group) ? "groups" : "tasks"}, with :asc or :desc after it, of ${columns.join(", ")}`,
        found: `"${sort.value}"`,
        ...(similar.length === 0 ? {} : { advice: `Is it ${similar.join(" or ")}?` }),
      })
    }
    return {
      rows: (rows) => AuditTable.sorted(rows, keyIn(AuditTable.ROW_COLUMNS, column), descending),
      groups: (groups) => AuditTable.sorted(groups, keyIn(AuditTable.GROUP_COLUMNS, column), descending),
    }
  })

const keyIn = <Item>(
  columns: { readonly [column: string]: (item: Item) => number | string | null },
  column: string,
): ((item: Item) => number | string | null) => columns[column] ?? (() => null)

/** Finds the mode of an `hindcast audit` command line, and rejects options that do not apply to it. */
import { HelpDoc, ValidationError } from "@effect/cli"
import { Data, Effect, Option } from "effect"
import * as AuditTable from "../../projections/comparison/AuditTable.ts"
import { adviceOf, BadInput } from "../command/BadInput.ts"
import { isGiven } from "../command/CommonOptions.ts"
import type * as TaskSelection from "./TaskSelection.ts"

export interface AuditInput extends TaskSelection.TaskSelectionInput {
  readonly name: Option.Option<string>
  readonly json: boolean
  readonly all: boolean
  readonly trend: boolean
  readonly markdown: boolean
  readonly tree: boolean
  readonly collective: boolean
  readonly cooperative: ReadonlyArray<string>
  readonly scores: Option.Option<string>
  readonly sort: Option.Option<string>
  readonly group: Option.Option<AuditTable.Grouping>
  readonly limit: Option.Option<number>
  readonly parts: Option.Option<number>
  readonly timeline: Option.Option<string>
  readonly measure: Option.Option<string>
  readonly by: Option.Option<"net" | "normalized">
}

export type Mode = Data.TaggedEnum<{
  One: { readonly task: string }
  All: Record<never, never>
  Trend: Record<never, never>
}>
const Mode = Data.taggedEnum<Mode>()

/** The mode of a command line. Fails if options contradict each other. */
export const of = (typed: AuditInput): Effect.Effect<Mode, BadInput | ValidationError.ValidationError> =>
  Effect.gen(function* () {
    const { name, all, trend } = typed
    const [mode, ...others] = [
      ...Option.match(name, { onNone: () => [], onSome: (task) => [Mode.One({ task })] }),
      ...(all ? [Mode.All()] : []),
      ...(trend ? [Mode.Trend()] : []),
    ]
    if (mode === undefined) {
      return yield* Effect.fail(
        ValidationError.missingValue(HelpDoc.p("Missing argument <task>: expected a task, --all or --trend")),
      )
    }
    if (others.length > 0) {
      const found = [mode, ...others].map(({ _tag }) => IN_WORDS[_tag]).join(" and ")
      return yield* new BadInput({ input: "hindcast audit", expected: "one of a task, --all and --trend", found })
    }
    if (typed.json && typed.markdown) {
      return yield* new BadInput({ input: "--markdown", expected: "it or --json", found: "both" })
    }
    if (typed.cooperative.length > 0 && !typed.collective) {
      return yield* new BadInput({ input: "--cooperative", expected: "it with --collective", found: "no --collective" })
    }
    if (typed.tree && typed.collective) {
      return yield* new BadInput({ input: "--tree", expected: "it or --collective", found: "both" })
    }
    for (const [modes, options] of OPTIONS_OF) {
      const misplaced = modes.includes(mode._tag) ? undefined : options.find((option) => isGiven(typed[option]))
      if (misplaced === undefined) continue
      const expected = `it with ${modes.map((tag) => IN_WORDS[tag]).join(" or ")}`
      return yield* new BadInput({ input: `--${misplaced}`, expected, found: `it with ${IN_WORDS[mode._tag]}` })
    }
    return mode
  })

const IN_WORDS = { One: "a task", All: "--all", Trend: "--trend" } as const

const OPTIONS_OF: ReadonlyArray<
  readonly [modes: ReadonlyArray<Mode["_tag"]>, options: ReadonlyArray<keyof AuditInput>]
> = [
  [["One"], ["tree", "collective", "cooperative"]],
  [["All"], ["sort", "group", "limit", "parts"]],
  [["Trend"], ["measure", "by"]],
  [
    ["All", "Trend"],
    ["scores", "task", "agent", "plugin", "tag", "outcome", "since", "until", "where"],
  ],
]

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
      return yield* new BadInput({
        input: "--sort",
        expected: `a column of ${Option.isSome(group) ? "groups" : "tasks"}, with :asc or :desc after it, of ${columns.join(", ")}`,
        found: `"${sort.value}"`,
        ...adviceOf(column, columns),
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

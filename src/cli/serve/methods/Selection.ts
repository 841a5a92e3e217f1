/** The parameters that select tasks, as `audit`, `rescore` and other commands select them. */
import { Effect, Option, Schema } from "effect"
import { EventLog } from "../../../events/log/EventLog.ts"
import * as Chosen from "../../../kernel/scoring/TaskSelection.ts"
import { Projector } from "../../../projections/projector/Projector.ts"
import * as Tasks from "../../../projections/state/Tasks.ts"
import * as TaskSelection from "../../score/TaskSelection.ts"
import { optional } from "../Method.ts"

const Texts = Schema.Array(Schema.String)

/** Values of one field are alternatives; different fields must all match. */
export const fields = {
  tasks: optional(Texts),
  agents: optional(Texts),
  plugins: optional(Texts),
  tags: optional(Texts),
  outcomes: optional(Schema.Array(Schema.Literal(...TaskSelection.CLOSED))),
  since: optional(Schema.String),
  until: optional(Schema.String),
  where: optional(Schema.String),
}

export type Selected = Schema.Struct.Type<typeof fields>

/** The selection for the services that score, with full ids. */
export const resolve = ({ tasks = [], agents = [], plugins = [], tags = [], ...others }: Selected) =>
  TaskSelection.selected({
    ...{ task: tasks, agent: agents, plugin: plugins, tag: tags, outcome: others.outcomes ?? [] },
    since: Option.fromNullable(others.since),
    until: Option.fromNullable(others.until),
    where: Option.fromNullable(others.where),
  })

/** The ids of the selected tasks, open ones too; undefined if nothing selects. */
export const ids = (selected: Selected) =>
  Effect.gen(function* () {
    if (Object.values(selected).every((value) => value === undefined)) return undefined
    const known = yield* (yield* Projector).current(Tasks.projection)
    const found = yield* resolve(selected)
    return yield* Chosen.of(yield* EventLog, known, { tasks: Object.keys(known), ...found }).pipe(
      Effect.catchTag("NoTaskSelected", () => Effect.succeed([])),
    )
  })

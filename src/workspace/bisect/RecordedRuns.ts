/** Records the runs of a bisection as events of a separate task, from which later searches read their results. */

import { Effect, Option, Schema, Stream } from "effect"
import type { CoreNewEvent, EventLog, LogError } from "../../events/log/EventLog.ts"
import { newId } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as ObservedCommand from "../../kernel/acting/command/ObservedCommand.ts"
import * as OwnWork from "../../projections/state/files/OwnWork.ts"
import { MARKS } from "./Mark.ts"

/** The name of the agent of these tasks. */
export const AGENT = OwnWork.AGENTS.bisect

const ACTUATOR = "workspace/bisect"

const Asked = Schema.Struct({
  /** As the user typed it, without keys. */
  command: Schema.String,
  timeoutMs: Schema.Number,
  /** The digest of the copied files' tree; null without copies. */
  copied: Schema.NullOr(Schema.String),
})

/** The command and its circumstances: a result counts only for equal ones. */
export interface Asked extends Schema.Schema.Type<typeof Asked> {}

const Place = Schema.Struct({
  /** The digest of the state's tree. */
  tree: Schema.String,
  position: Schema.Int,
  timeline: Schema.String,
})

const Outcome = Schema.Struct({
  verdict: Schema.Literal(...MARKS),
  /** Null after the time limit. */
  exitCode: Schema.NullOr(Schema.Int),
  output: Schema.String,
  ms: Schema.Number,
})

export interface RecordedRun extends Schema.Schema.Type<typeof Place>, Schema.Schema.Type<typeof Outcome> {}

export interface Ended {
  /** Default: a search for the first failure. */
  readonly goal?: string | undefined
  readonly outcome: "achieved" | "failed" | "abandoned"
  readonly reason: string
}

/** The events of a task with the runs, in their order. */
export const events = (
  asked: Asked,
  runs: ReadonlyArray<RecordedRun & { readonly at: number }>,
  { goal = `Find the first step after which this fails: ${asked.command}`, outcome, reason }: Ended,
): ReadonlyArray<CoreNewEvent> => {
  const id = newId()
  const causationId = id
  return [
    { id, type: "TaskOpened", payload: { goal, agent: AGENT, measures: [], plugins: [] } },
    ...runs.flatMap(({ at, verdict, exitCode, output, ms, ...place }): ReadonlyArray<CoreNewEvent> => {
      const commandId = newId()
      const began = { causationId, occurredAt: at - ms }
      const content = { verdict, exitCode, output, ms }
      const args = { ...asked, ...place }
      return [
        { ...ObservedCommand.requested({ commandId, actuator: ACTUATOR, args }), ...began },
        ...ObservedCommand.passed(commandId, "observed").map((event) => ({ ...event, ...began })),
        {
          ...ObservedCommand.ended(commandId, { ok: true, content, latencyMs: ms, by: undefined }),
          causationId,
          occurredAt: at,
        },
      ]
    }),
    { type: "TaskClosed", payload: { outcome, reason }, causationId },
  ]
}

/** The runs of earlier searches with the same question, the latest last. Leaves out events of another form. */
export const read = (
  log: Pick<EventLog.Service, "read">,
  asked: Asked,
): Effect.Effect<ReadonlyArray<RecordedRun>, LogError> =>
  Effect.gen(function* () {
    const tasks: Array<string> = []
    yield* Stream.runForEach(log.read({ types: ["TaskOpened"] }), (event) =>
      Effect.sync(() => {
        if (is(event, "TaskOpened") && event.payload.agent === AGENT && event.taskId !== null) tasks.push(event.taskId)
      }),
    )
    const runs: Array<RecordedRun> = []
    for (const taskId of tasks.slice(-MAX_TASKS)) {
      const places = new Map<string, Schema.Schema.Type<typeof Place>>()
      const query = { taskId, types: ["ActuatorCommanded", "CommandSucceeded"] }
      yield* Stream.runForEach(log.read(query), (event) =>
        Effect.sync(() => {
          if (is(event, "ActuatorCommanded") && event.payload.actuator === ACTUATOR) {
            const { commandId, args } = event.payload
            const place = Option.getOrUndefined(decodePlace(args))
            if (place !== undefined && isSame(place, asked)) places.set(commandId, place)
          } else if (is(event, "CommandSucceeded")) {
            const { tree, position, timeline } = places.get(event.payload.commandId) ?? {}
            const outcome = Option.getOrUndefined(decodeOutcome(event.payload.result))
            if (tree === undefined || position === undefined || timeline === undefined || outcome === undefined) return
            runs.push({ tree, position, timeline, ...outcome })
          }
        }),
      )
    }
    return runs
  })

/** Maximum number of earlier searches to read. */
const MAX_TASKS = 1_000

const decodePlace = Schema.decodeUnknownOption(Schema.extend(Asked, Place))
const decodeOutcome = Schema.decodeUnknownOption(Outcome)

const isSame = (one: Asked, other: Asked): boolean =>
  one.command === other.command && one.timeoutMs === other.timeoutMs && one.copied === other.copied

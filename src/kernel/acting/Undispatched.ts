/** Ends allowed commands that cannot be dispatched, and records the obstacle. */

import { Cause, Effect, Option } from "effect"
import type { AppendError, LogUnavailable } from "../../events/log/EventLog.ts"
import type { PluginFailure } from "../instances/PluginFailure.ts"
import type { ActiveCommand } from "./ActiveCommand.ts"
import type { ResolvedActuator } from "./Command.ts"
import { endedBy, recordAborted } from "./CommandOutcome.ts"
import * as CommandState from "./CommandState.ts"
import * as Interpreter from "./Interpreter.ts"
import type { Denial } from "./Judging.ts"
import type { CommandBatch } from "./Reach.ts"

export const isOpen = ({ state }: ActiveCommand): boolean => state.at !== "ended"

export const unreached = (
  batch: CommandBatch,
  resolved: ResolvedActuator,
  ready: ReadonlyArray<ActiveCommand>,
  failure: PluginFailure,
): Effect.Effect<void, AppendError> => {
  const inDoubt = ready.filter(({ state }) => state.at === "doubtful")
  const others = ready.filter((of) => isOpen(of) && of.state.at !== "doubtful")
  return Effect.zipRight(
    conclude(
      batch,
      inDoubt.map((of) => ({ of, step: { do: "doubt" } })),
    ),
    others.length === 0 ? Effect.void : batch.reach.unreached(failure, others, resolved),
  )
}

export const refuse = (
  batch: CommandBatch,
  active: ReadonlyArray<ActiveCommand>,
  why: (of: ActiveCommand) => Denial | undefined,
): Effect.Effect<void, AppendError> =>
  conclude(
    batch,
    active.flatMap((of) => {
      const denial = why(of)
      return denial === undefined ? [] : [{ of, step: CommandState.refusal(of.state, denial.rule, denial.reason) }]
    }),
  )

const conclude = (
  { task }: CommandBatch,
  ends: ReadonlyArray<{ readonly of: ActiveCommand; readonly step: CommandState.Step }>,
): Effect.Effect<void, AppendError> =>
  Interpreter.record(
    ends.map(({ of, step }) => Interpreter.entryOf(of, of.state, step)),
    { record: task.recordAll, ended: endedBy },
  )

/**
 * After a failed commit: ends commands whose dispatch is in the log nevertheless, though perhaps not on disk. They were
 * not executed.
 */
export const endIfRecorded = (
  { task }: CommandBatch,
  ready: ReadonlyArray<ActiveCommand>,
  entries: ReadonlyArray<Interpreter.Entry<ActiveCommand>>,
  cause: LogUnavailable,
) => {
  const last = entries.at(-1)?.event.id
  if (last === undefined) return Effect.void
  return task.kernel.log.find(last).pipe(
    Effect.flatMap(
      Option.match({
        onNone: () => Effect.void,
        onSome: () => {
          for (const { of, event } of entries) of.state = CommandState.evolve(of.state, event)
          for (const of of ready) of.state = CommandState.uncalled(of.state)
          return recordAborted(ready, Cause.fail(cause))
        },
      }),
    ),
    Effect.ignore,
  )
}

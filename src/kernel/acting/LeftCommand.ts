/** The commands without an outcome at the point where a task is resumed or forked. */

import { Effect } from "effect"
import type { AppendError } from "../../events/log/EventLog.ts"
import { provenanceOf } from "../../events/log/Ownership.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import type { Plugin } from "../../projections/state/PluginRegistry.ts"
import type { JsonObject } from "../../values/Json.ts"
import type { ActingTask } from "./ActingTask.ts"
import type { Command, CommandOutcome } from "./Command.ts"
import * as CommandState from "./CommandState.ts"

export interface LeftCommand {
  readonly commanded: Event & { readonly payload: PayloadOf<"ActuatorCommanded"> }
  readonly state: CommandState.CommandState
  /** Its plugin's registry entry when a person was asked or, if nobody was, when it was requested. */
  readonly plugin: Plugin | undefined
  readonly settled?: CommandOutcome | undefined
  /** Why its actuator could not say how the command ended. */
  readonly doubt?: string | undefined
}

export const leftIn = (
  events: ReadonlyArray<Event>,
  pluginAt: (actuator: string, position: number) => Plugin | undefined,
): ReadonlyArray<LeftCommand> => {
  const states = CommandState.fold(events)
  return events.flatMap((commanded): ReadonlyArray<LeftCommand> => {
    if (!is(commanded, "ActuatorCommanded")) return []
    const { commandId, actuator } = commanded.payload
    const state = states.get(commandId)
    if (state === undefined || state.at === "ended" || state.requested !== commanded.id) return []
    const plugin = pluginAt(actuator, state.question?.position ?? commanded.position)
    return [{ commanded, state, plugin }]
  })
}

/** Whether an earlier kernel dispatched it, so that it may have taken effect. */
export const isInDoubt = ({ state }: LeftCommand): boolean => state.at === "dispatched"

/** Whether a program carried it out itself, so that the kernel never dispatches it. */
export const isObserved = ({ commanded }: LeftCommand): boolean => commanded.payload.observed === true

/**
 * Drops questions that somebody else may have answered: they precede this user's trust in the log, or a broken chain
 * shows a change in place. Withdraws a question that still waits; the gate rules on its command again. Verifies the
 * chain only if an answer would count.
 */
export const withOwnQuestions = (
  { log, confirmations }: Pick<ActingTask["kernel"], "log" | "confirmations">,
  left: ReadonlyArray<LeftCommand>,
): Effect.Effect<ReadonlyArray<LeftCommand>, AppendError> =>
  Effect.gen(function* () {
    const provenance = yield* provenanceOf(log)
    const isOwn = ({ position }: Event) => provenance.kind === "own" && position > provenance.foreignUpTo
    const isAnswered = ({ state: { question } }: LeftCommand) =>
      question === undefined || !isOwn(question)
        ? Effect.succeed(false)
        : Effect.map(
            log.readPage({ timeline: question.timeline, stream: question.stream }, 2),
            ({ length }) => length > 1,
          )
    const counting = yield* Effect.filter(left, isAnswered)
    const isIntact = counting.length === 0 || (yield* isChained(log))
    return yield* Effect.forEach(left, (command) => {
      const { question } = command.state
      if (question === undefined || (isOwn(question) && isIntact)) return Effect.succeed(command)
      const reason = isOwn(question) ? "the log was changed in place" : "the log came from elsewhere"
      return Effect.as(confirmations.withdraw(question, reason), unasked(command))
    })
  })

const isChained = (log: ActingTask["kernel"]["log"]): Effect.Effect<boolean> =>
  log.verifyWith({ quick: true }).pipe(
    Effect.map(({ _tag }) => _tag === "Intact"),
    Effect.orElseSucceed(() => false),
  )

export const unasked = (command: LeftCommand): LeftCommand => ({
  ...command,
  state: CommandState.unasked(command.state),
})

export const commandOf = (task: ActingTask, { commanded }: LeftCommand): Command => {
  const { commandId, actuator, args, argsDigest, agentId, budget } = commanded.payload
  return { task, commandId, actuator, args: args as JsonObject, argsDigest, agentId, budget }
}

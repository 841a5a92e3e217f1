/**
 * Takes commands to their ends by the state machine of `CommandState`. A kernel or a recorded run supplies tasks and
 * logs as `Ways`.
 */

import { Effect } from "effect"
import type { CoreNewEvent } from "../../events/log/AppendRequest.ts"
import { newId } from "../../events/vocabulary/Event.ts"
import type { PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import type { ConfirmationResult, RequestedEvent } from "../gate/ConfirmationRequests.ts"
import * as CommandState from "./CommandState.ts"

export interface ActiveCommand {
  readonly request: PayloadOf<"ActuatorCommanded">
  readonly judgement: CommandState.Judgement
  /** Why its actuator could not say how the command ended. */
  readonly doubt?: string | undefined
  state: CommandState.CommandState
}

export interface Entry<Of> {
  readonly of: Of
  readonly step: CommandState.Step
  readonly event: Entered
}

export type Entered = CoreNewEvent & { readonly id: string }

/** Steps not yet recorded. One commit records them all, before the first wait. */
export interface Ledger<Of, Stored, E> {
  readonly entries: () => ReadonlyArray<Entry<Of>>
  readonly ahead: (of: Of) => CommandState.CommandState
  readonly commit: Effect.Effect<void, E>
  readonly committed: (stored: ReadonlyArray<Stored>) => void
}

export interface Ways<Of extends ActiveCommand, Stored extends CommandState.CommandEvent, E> {
  readonly record: (events: readonly [Entered, ...ReadonlyArray<Entered>]) => Effect.Effect<ReadonlyArray<Stored>, E>
  /** Asks a person, or waits for the answer to the standing question. */
  readonly ask: (of: Of) => Effect.Effect<ConfirmationResult, E>
  readonly withdraw: (question: RequestedEvent, reason: string) => Effect.Effect<void, E>
  readonly ended: (of: Of, step: CommandState.Step, event: Stored) => void
  /** Records the ledger, dispatches the commands together, and takes them to their ends. */
  readonly carryOut: (ready: ReadonlyArray<Of>, ledger: Ledger<Of, Stored, E>) => Effect.Effect<void, E>
}

/**
 * Takes commands to their ends. Records all requests before it asks anybody. Commands that do not pass end one by one,
 * in order; the others are allowed and dispatched together.
 */
export const drive = <Of extends ActiveCommand, Stored extends CommandState.CommandEvent, E>(
  active: ReadonlyArray<Of>,
  ways: Ways<Of, Stored, E>,
): Effect.Effect<void, E> =>
  Effect.suspend(() => {
    const { ledger, enter } = ledgerFor(ways)
    const next = (of: Of) => CommandState.next(ledger.ahead(of), of.judgement)
    const goTogether = () => {
      for (const of of active) {
        const step = next(of)
        if (step.do === "allow") enter(of, step)
      }
      const ready = active.filter((of) => next(of).do === "dispatch")
      return ready.length === 0 ? ledger.commit : ways.carryOut(ready, ledger)
    }
    for (const of of active) if (of.state.at === "new") enter(of, next(of))
    return active.every((of) => isTogether(next(of)))
      ? goTogether()
      : Effect.flatMap(eachAlone(active, ways, ledger, enter), goTogether)
  })

const eachAlone = <Of extends ActiveCommand, Stored extends CommandState.CommandEvent, E>(
  active: ReadonlyArray<Of>,
  ways: Ways<Of, Stored, E>,
  ledger: Ledger<Of, Stored, E>,
  enter: (of: Of, step: CommandState.Step) => void,
): Effect.Effect<void, E> =>
  Effect.gen(function* () {
    const next = (of: Of) => CommandState.next(ledger.ahead(of), of.judgement)
    for (const of of active) {
      for (let step = next(of); !isTogether(step); step = next(of)) {
        if (step.do === "ask") {
          yield* ledger.commit
          of.state = CommandState.answered(of.state, yield* ways.ask(of))
        } else {
          const { question, answer } = of.state
          if (step.do === "deny" && question !== undefined && answer === undefined)
            yield* ways.withdraw(question, step.reason)
          enter(of, step)
        }
      }
    }
  })

const isTogether = ({ do: step }: CommandState.Step) => step === "allow" || step === "dispatch" || step === "nothing"

export const entryOf = <Of extends ActiveCommand>(
  of: Of,
  state: CommandState.CommandState,
  step: CommandState.Step,
): Entry<Of> => {
  const event = CommandState.eventOf(state, step, { id: newId(), request: of.request, doubt: of.doubt })
  if (event === undefined) throw new Error(`a command that is ${state.at} has no event of the step ${step.do}`)
  return { of, step, event }
}

export const recorded = <Of extends ActiveCommand, Stored extends CommandState.CommandEvent>(
  entries: ReadonlyArray<Entry<Of>>,
  stored: ReadonlyArray<Stored>,
  ended: (of: Of, step: CommandState.Step, event: Stored) => void,
): void => {
  for (const [index, { of, step }] of entries.entries()) {
    const event = stored[index]
    if (event === undefined) continue
    of.state = CommandState.evolve(of.state, event)
    if (of.state.at === "ended") ended(of, step, event)
  }
}

export const record = <Of extends ActiveCommand, Stored extends CommandState.CommandEvent, E>(
  entries: ReadonlyArray<Entry<Of>>,
  { record, ended }: Pick<Ways<Of, Stored, E>, "record" | "ended">,
): Effect.Effect<void, E> => {
  const [first, ...others] = entries
  if (first === undefined) return Effect.void
  return Effect.map(record([first.event, ...others.map(({ event }) => event)]), (stored) =>
    recorded(entries, stored, ended),
  )
}

const ledgerFor = <Of extends ActiveCommand, Stored extends CommandState.CommandEvent, E>(
  ways: Ways<Of, Stored, E>,
) => {
  let entries: Array<Entry<Of>> = []
  const states = new Map<Of, CommandState.CommandState>()
  const ahead = (of: Of) => states.get(of) ?? of.state
  const emptied = () => {
    entries = []
    states.clear()
  }
  const ledger: Ledger<Of, Stored, E> = {
    entries: () => entries,
    ahead,
    commit: Effect.suspend(() => (entries.length === 0 ? Effect.void : Effect.map(record(entries, ways), emptied))),
    committed: (stored) => {
      recorded(entries, stored, ways.ended)
      emptied()
    },
  }
  const enter = (of: Of, step: CommandState.Step) => {
    const state = ahead(of)
    const entry = entryOf(of, state, step)
    entries.push(entry)
    states.set(of, CommandState.evolve(state, entry.event))
  }
  return { ledger, enter }
}

/**
 * The one interpreter of commands: it takes each from where it stands to its end, and does what `CommandState.next` says. What it needs
 * of whoever carries commands out, a kernel or a recorded run, are `Ways`. It knows neither a task nor a log.
 */

import { Effect } from "effect"
import type { CoreNewEvent } from "../../events/log/AppendRequest.ts"
import { newId } from "../../events/vocabulary/Event.ts"
import type { PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import type { ConfirmationResult, RequestedEvent } from "../gate/ConfirmationRequests.ts"
import * as CommandState from "./CommandState.ts"

/** A command that the interpreter takes to its end. */
export interface Traveller {
  /** What its request says. */
  readonly request: PayloadOf<"ActuatorCommanded">
  /** What was judged about it: once, before anything of this journey is recorded. */
  readonly judgement: CommandState.Judgement
  /** Why its actuator, which was asked, could not tell what became of it. */
  readonly doubt?: string | undefined
  /** Where it stands, by what is recorded. */
  state: CommandState.CommandState
}

/** A step that is to be recorded, or was. */
export interface Entry<Of> {
  readonly of: Of
  readonly step: CommandState.Step
  readonly event: Entered
}

/** An event that is to be recorded, with its id. */
export type Entered = CoreNewEvent & { readonly id: string }

/** The steps that were taken and are not recorded yet. They are recorded together once something has to be waited for. */
export interface Ledger<Of, Stored, E> {
  readonly entries: () => ReadonlyArray<Entry<Of>>
  /** Where a command stands once they are recorded. */
  readonly ahead: (of: Of) => CommandState.CommandState
  /** Records them in one commit, if there are any. */
  readonly commit: Effect.Effect<void, E>
  /** They were recorded, as these events. */
  readonly committed: (stored: ReadonlyArray<Stored>) => void
}

/** How commands are recorded, asked about and dispatched. */
export interface Ways<Of extends Traveller, Stored extends CommandState.CommandEvent, E> {
  /** Records events in one commit, and answers with them as they are stored. */
  readonly record: (events: readonly [Entered, ...ReadonlyArray<Entered>]) => Effect.Effect<ReadonlyArray<Stored>, E>
  /** Asks a person about a command, or waits for the answer to the question that stands. */
  readonly ask: (of: Of) => Effect.Effect<ConfirmationResult, E>
  /** Withdraws a question that stands. */
  readonly withdraw: (question: RequestedEvent, reason: string) => Effect.Effect<void, E>
  /** Takes note of the end of a command that was not called. */
  readonly ended: (of: Of, step: CommandState.Step, event: Stored) => void
  /** Records what is in the ledger, dispatches commands that may be, together, and takes them to their ends. */
  readonly carryOut: (ready: ReadonlyArray<Of>, ledger: Ledger<Of, Stored, E>) => Effect.Effect<void, E>
}

/**
 * Takes commands to their ends: one, or several that travel together. Their requests are recorded before anybody is asked, those
 * that do not pass end by themselves, in their order, and those that pass are allowed and dispatched together.
 */
export const travel = <Of extends Traveller, Stored extends CommandState.CommandEvent, E>(
  travellers: ReadonlyArray<Of>,
  ways: Ways<Of, Stored, E>,
): Effect.Effect<void, E> =>
  Effect.suspend(() => {
    const { ledger, enter } = ledgerFor(ways)
    const next = (of: Of) => CommandState.next(ledger.ahead(of), of.judgement)
    const goTogether = () => {
      for (const of of travellers) {
        const step = next(of)
        if (step.do === "allow") enter(of, step)
      }
      const ready = travellers.filter((of) => next(of).do === "dispatch")
      return ready.length === 0 ? ledger.commit : ways.carryOut(ready, ledger)
    }
    for (const of of travellers) if (of.state.at === "new") enter(of, next(of))
    return travellers.every((of) => isTogether(next(of)))
      ? goTogether()
      : Effect.flatMap(eachAlone(travellers, ways, ledger, enter), goTogether)
  })

/** Takes each command up to what commands do together, or to its end. */
const eachAlone = <Of extends Traveller, Stored extends CommandState.CommandEvent, E>(
  travellers: ReadonlyArray<Of>,
  ways: Ways<Of, Stored, E>,
  ledger: Ledger<Of, Stored, E>,
  enter: (of: Of, step: CommandState.Step) => void,
): Effect.Effect<void, E> =>
  Effect.gen(function* () {
    const next = (of: Of) => CommandState.next(ledger.ahead(of), of.judgement)
    for (const of of travellers) {
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

/** Whether a step is one that commands take together, or the last of one. */
const isTogether = ({ do: step }: CommandState.Step) => step === "allow" || step === "dispatch" || step === "nothing"

/** The entry of a step, at the state in which it is taken. */
export const entryOf = <Of extends Traveller>(
  of: Of,
  state: CommandState.CommandState,
  step: CommandState.Step,
): Entry<Of> => {
  const event = CommandState.eventOf(state, step, { id: newId(), request: of.request, doubt: of.doubt })
  if (event === undefined) throw new Error(`a command that is ${state.at} has no event of the step ${step.do}`)
  return { of, step, event }
}

/** Takes note of steps that were recorded, as these events. */
export const recorded = <Of extends Traveller, Stored extends CommandState.CommandEvent>(
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

/** Records steps in one commit, and takes note of them. */
export const record = <Of extends Traveller, Stored extends CommandState.CommandEvent, E>(
  entries: ReadonlyArray<Entry<Of>>,
  { record, ended }: Pick<Ways<Of, Stored, E>, "record" | "ended">,
): Effect.Effect<void, E> => {
  const [first, ...others] = entries
  if (first === undefined) return Effect.void
  return Effect.map(record([first.event, ...others.map(({ event }) => event)]), (stored) =>
    recorded(entries, stored, ended),
  )
}

const ledgerFor = <Of extends Traveller, Stored extends CommandState.CommandEvent, E>(ways: Ways<Of, Stored, E>) => {
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

/** Takes commands of one actuator through the gate together and, if they pass, to their plugin. */

import { Clock, Effect, Exit } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import type { LeaseLost } from "../../events/log/Lease.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { defined } from "../../values/defined.ts"
import type { ActingTask } from "./ActingTask.ts"
import type { ActiveCommand, UnjudgedCommand } from "./ActiveCommand.ts"
import * as Command from "./Command.ts"
import { endedBy, recordAborted, recordOutcome } from "./CommandOutcome.ts"
import * as CommandState from "./CommandState.ts"
import { carryOut } from "./Dispatch.ts"
import * as Interpreter from "./Interpreter.ts"
import * as Judging from "./Judging.ts"
import type { RecentResult } from "./policies/RecentResults.ts"
import type { Place } from "./queue/CommandOrder.ts"
import type { CommandBatch, Reach } from "./Reach.ts"

/**
 * Takes commands to their ends and returns their outcomes, in order. Records each step before the next;
 * `CommandDispatched` is on disk before anything leaves the kernel. Fails closed: without a rule, an answer, an active
 * actuator or the lease, no command is executed. An interrupt or a failure is recorded as a command's end, as long as
 * the log can be written.
 *
 * @param begun receives the commands before anything of them is recorded
 */
export const make = <E>(
  task: ActingTask,
  reach: Reach,
  preparing: Effect.Effect<ReadonlyArray<UnjudgedCommand>, E>,
  begun: (active: ReadonlyArray<ActiveCommand>) => void = () => {},
): Effect.Effect<ReadonlyArray<Command.CommandOutcome>, E | LeaseLost | AppendError | LogError> =>
  Effect.uninterruptibleMask((waiting) =>
    withPlace(task, (place) =>
      Effect.gen(function* () {
        const unjudged = yield* preparing
        const [first] = unjudged
        if (first === undefined) return []
        const resolved = yield* Command.resolve(first.command)
        const judge =
          resolved === undefined ? Judging.denying(yield* Judging.noActuator(task)) : judgeBy(reach, resolved)
        const now = yield* Clock.currentTimeMillis
        const active = unjudged.map((each): ActiveCommand => {
          const judgement = judge(each)
          const recent = recentFor(each, reach, resolved, now)
          return { ...each, request: each.requestFor(resolved?.priority ?? 0), judgement, ...defined({ recent }) }
        })
        begun(active)
        const batch = { task, reach, place, active, waiting }
        yield* Effect.onExit(Interpreter.drive(active, waysOf(batch, resolved)), (exit) =>
          Exit.isFailure(exit) ? recordAborted(active, exit.cause) : Effect.void,
        )
        const outcomes = active.flatMap(({ outcome }) => outcome ?? [])
        return outcomes.length === active.length ? outcomes : yield* Effect.dieMessage("a command has no outcome")
      }),
    ),
  )

/** A command that an earlier kernel dispatched may have had its effect, so it is not replaced by a result. */
const recentFor = (
  { command, state }: UnjudgedCommand,
  { isRound }: Reach,
  resolved: Command.ResolvedActuator | undefined,
  now: number,
) => {
  const cacheFor = resolved?.declared?.cacheFor
  if (cacheFor === undefined || isRound || resolved?.isStep === true || CommandState.hasLeft(state)) return undefined
  return command.task.recentResults.find(command, now, cacheFor)
}

const judgeBy = (reach: Reach, resolved: Command.ResolvedActuator) => {
  const denial = reach.refuses(resolved)
  return denial === undefined ? Judging.by(resolved) : Judging.denying(denial)
}

export const withPlace = <A, E>(task: ActingTask, steps: (place: Place) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    const { arrive, leave } = task.kernel.commands
    const place = arrive(task.instanceName)
    return Effect.ensuring(steps(place), leave(place))
  })

export type KernelWays = Interpreter.Ways<ActiveCommand, Event, LeaseLost | AppendError | LogError>

const waysOf = (batch: CommandBatch, resolved: Command.ResolvedActuator | undefined): KernelWays => {
  const { task, waiting } = batch
  return {
    record: task.recordAll,
    withdraw: task.kernel.confirmations.withdraw,
    ask: (of) => stepAside(batch, waiting(Judging.ask(of, resolved))),
    ended: endedBy,
    carryOut: (ready, ledger) => {
      if (resolved === undefined) return Effect.dieMessage("a command passed that has no actuator")
      const [of] = ready
      return of?.recent === undefined
        ? carryOut(batch, resolved, ready, ledger)
        : Effect.zipRight(ledger.commit, reuse(batch, resolved, of, of.recent))
    },
  }
}

/** Ends an allowed command with the result of an earlier one. */
const reuse = (
  { task, waiting }: CommandBatch,
  { plugin }: Command.ResolvedActuator,
  of: ActiveCommand,
  { commandId, result }: RecentResult,
) =>
  waiting(task.continued).pipe(
    Effect.zipRight(task.kernel.lease.check),
    Effect.zipRight(recordOutcome(of, plugin, { succeeded: result, cachedFrom: commandId })),
  )

/** While a person is asked, the command keeps its place but holds up no other command. */
const stepAside = <A, E>({ task, place }: CommandBatch, asking: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    const { leave, comeBack } = task.kernel.commands
    return Effect.ensuring(
      Effect.zipRight(leave(place), asking),
      Effect.sync(() => comeBack(place)),
    )
  })

/** Takes commands of one actuator through the gate together and, if they pass, to their plugin. */

import { Effect, Exit } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import type { LeaseLost } from "../../events/log/Lease.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { ActingTask } from "./ActingTask.ts"
import type { ActiveCommand, UnjudgedCommand } from "./ActiveCommand.ts"
import * as Command from "./Command.ts"
import { endedBy, outcomeEvent, outcomeOf, recordAborted } from "./CommandOutcome.ts"
import * as CommandState from "./CommandState.ts"
import { carryOut, Paused, recordIfOpen, refuseClosed, stillAllowed } from "./Dispatch.ts"
import * as Interpreter from "./Interpreter.ts"
import * as Judging from "./Judging.ts"
import * as RecentResults from "./policies/RecentResults.ts"
import type { Place } from "./queue/CommandOrder.ts"
import type { CommandBatch, Reach } from "./Reach.ts"
import { isOpen } from "./Undispatched.ts"

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
        const active = unjudged.map(
          (each): ActiveCommand => ({
            ...each,
            request: each.requestFor(resolved?.priority ?? 0),
            judgement: judge(each),
          }),
        )
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
      return Effect.flatMap(recentFor(batch, resolved, ready), (recent) =>
        recent === undefined
          ? carryOut(batch, resolved, ready, ledger)
          : Effect.zipRight(ledger.commit, reuse(batch, resolved, ready, ledger)),
      )
    },
  }
}

/** A command that an earlier kernel dispatched may have had its effect, so it is not replaced by a result. */
const recentFor = (
  { task, reach }: CommandBatch,
  { declared, digest, isStep }: Command.ResolvedActuator,
  [of]: ReadonlyArray<ActiveCommand>,
): Effect.Effect<RecentResults.RecentResult | undefined> => {
  const { cacheFor } = declared ?? {}
  if (of === undefined || cacheFor === undefined || reach.isRound || isStep) return Effect.succeed(undefined)
  if (CommandState.hasLeft(of.state)) return Effect.succeed(undefined)
  return Effect.map(RecentResults.now, (now) => task.recentResults.find({ ...of.command, digest }, now, cacheFor))
}

/**
 * Ends an allowed command with the result of an earlier one, after the checks of a dispatch. Dispatches it if the
 * result has become too old during the wait.
 */
const reuse = (
  batch: CommandBatch,
  resolved: Command.ResolvedActuator,
  ready: ReadonlyArray<ActiveCommand>,
  ledger: Parameters<KernelWays["carryOut"]>[1],
): Effect.Effect<void, LeaseLost | AppendError | LogError> =>
  Effect.gen(function* () {
    const { task, waiting } = batch
    yield* waiting(task.continued)
    const [of] = yield* stillAllowed(batch, resolved, ready)
    if (of === undefined) return
    yield* task.kernel.lease.check
    if (task.isPaused()) return yield* new Paused()
    const recent = yield* recentFor(batch, resolved, [of])
    if (recent === undefined) return yield* carryOut(batch, resolved, [of], ledger)
    const { command, state } = of
    const ending = { succeeded: recent.result, cachedFrom: recent.commandId }
    const event = yield* recordIfOpen(batch, [of], [outcomeEvent(command.commandId, state.last, ending)]).pipe(
      // The log cannot store it with the name of its command.
      Effect.catchTag("InvalidEvent", () => Effect.succeed("invalid" as const)),
    )
    if (event === "invalid") return yield* carryOut(batch, resolved, [of], ledger)
    if (event === undefined) return yield* refuseClosed(batch, [of])
    of.state = CommandState.evolve(state, event)
    of.outcome = outcomeOf(command, event, ending)
  }).pipe(Effect.catchTag("Paused", () => reuse(batch, resolved, ready.filter(isOpen), ledger)))

/** While a person is asked, the command keeps its place but holds up no other command. */
const stepAside = <A, E>({ task, place }: CommandBatch, asking: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    const { leave, comeBack } = task.kernel.commands
    return Effect.ensuring(
      Effect.zipRight(leave(place), asking),
      Effect.sync(() => comeBack(place)),
    )
  })

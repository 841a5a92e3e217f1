/**
 * Dispatches allowed commands, at once if the lane is free, otherwise in their turn. Then calls the plugin and records
 * the outcomes.
 */

import { Data, Effect } from "effect"
import type { AppendError, CoreNewEvent, LogError } from "../../events/log/EventLog.ts"
import type { LeaseLost } from "../../events/log/Lease.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import * as Vocabulary from "../../events/vocabulary/Vocabulary.ts"
import { defined } from "../../values/defined.ts"
import type { Instance } from "../instances/Instance.ts"
import { onPluginFailure } from "../instances/PluginFailure.ts"
import type { ActiveCommand } from "./ActiveCommand.ts"
import { type ResolvedActuator, resolve } from "./Command.ts"
import * as CommandFiles from "./CommandFiles.ts"
import { endedBy } from "./CommandOutcome.ts"
import * as CommandState from "./CommandState.ts"
import * as Interpreter from "./Interpreter.ts"
import { type Denial, GRANTED_MORE, outdatedBy } from "./Judging.ts"
import type { Slot } from "./queue/CommandQueue.ts"
import * as Turn from "./queue/Turn.ts"
import type { CommandBatch } from "./Reach.ts"
import { endIfRecorded, isOpen, refuse, unreached } from "./Undispatched.ts"

/** The task was paused meanwhile. */
export class Paused extends Data.TaggedError("Paused") {}

type Ledger = Interpreter.Ledger<ActiveCommand, Event, LeaseLost | AppendError | LogError>

/** After the dispatch only the call itself is interruptible. */
export const carryOut = (
  batch: CommandBatch,
  resolved: ResolvedActuator,
  ready: ReadonlyArray<ActiveCommand>,
  ledger: Ledger,
): Effect.Effect<void, LeaseLost | AppendError | LogError> =>
  Effect.flatMap(atOnce(batch, resolved, ready, ledger), (isDone) =>
    isDone ? Effect.void : Effect.zipRight(ledger.commit, inTurn(batch, resolved, ready)),
  )

/**
 * Records the ledger and the dispatch in one commit, if the lane is free, the process runs and the task is not paused.
 * Otherwise, or if another program has appended to the task's stream, records nothing and returns false.
 */
const atOnce = (
  batch: CommandBatch,
  resolved: ResolvedActuator,
  ready: ReadonlyArray<ActiveCommand>,
  ledger: Ledger,
): Effect.Effect<boolean, LeaseLost | AppendError | LogError> =>
  Effect.suspend(() => {
    const { task, place } = batch
    const [first] = ready
    const running = () => task.running(resolved.plugin, resolved.found)
    const instance = running()
    const pending = ledger.entries()
    if (first === undefined || pending.length === 0) return Effect.succeed(false)
    if (instance === undefined || task.isPaused()) return Effect.succeed(false)
    const { commands } = task.kernel
    const slot = slotOf(resolved, first)
    const giveBack = commands.takeTurn(place, slot)
    if (giveBack === undefined) return Effect.succeed(false)
    const turn = Turn.make(commands, slot, giveBack)

    // During the wait, the actuator may have been deactivated, or granted more than the gate ruled on.
    const stillApplies = Effect.gen(function* () {
      yield* task.kernel.lease.check
      const now = yield* resolve(first.command)
      const isNext = task.kernel.commands.isFirst(place)
      return isNext && now?.found === resolved.found && running() === instance && !task.isPaused()
    })

    const dispatched = Effect.gen(function* () {
      const entries = [...pending, ...dispatches(batch, ready, ledger.ahead)]
      const recorded = yield* task
        .recordUndisturbed(eventsOf(entries), stillApplies)
        .pipe(Effect.tapErrorTag("LogUnavailable", (cause) => endIfRecorded(batch, ready, entries, cause)))
      if (recorded === undefined) return false
      ledger.committed(recorded)
      Interpreter.recorded(entries.slice(pending.length), recorded.slice(pending.length), endedBy)
      yield* task.kernel.commands.leave(place)
      yield* call(batch, instance.process, ready, resolved, turn)
      return true
    })
    return Effect.ensuring(instance.use(dispatched), turn.end)
  })

const slotOf = ({ lane, priority }: ResolvedActuator, { command }: ActiveCommand): Omit<Slot, "place"> => ({
  lane,
  actuator: command.actuator,
  priority,
})

const inTurn = (
  batch: CommandBatch,
  resolved: ResolvedActuator,
  ready: ReadonlyArray<ActiveCommand>,
): Effect.Effect<void, LeaseLost | AppendError | LogError> => {
  const { task, place, waiting } = batch
  const { commands } = task.kernel
  const [first] = ready
  if (first === undefined) return Effect.void
  const slot = slotOf(resolved, first)
  const instance = Effect.flatMap(task.kernel.registry.state, (registry) =>
    waiting(task.instance(resolved.plugin, registry)),
  )
  const sent = (turn: Turn.QueueTurn) =>
    Effect.flatMap(instance, ({ process, use }) => use(send(batch, resolved, ready, process, turn)))
  return waiting(task.continued).pipe(
    Effect.zipRight(
      Effect.acquireUseRelease(
        Effect.map(commands.enqueue({ ...slot, place }), ({ given, giveBack }) => ({
          given,
          turn: Turn.make(commands, slot, giveBack),
        })),
        ({ given, turn }) => Effect.zipRight(waiting(given), sent(turn)),
        ({ turn }) => turn.end,
      ),
    ),
    onPluginFailure((failure) => unreached(batch, resolved, ready, failure)),
    Effect.catchTag("Paused", () => inTurn(batch, resolved, ready.filter(isOpen))),
  )
}

const send = (
  batch: CommandBatch,
  resolved: ResolvedActuator,
  ready: ReadonlyArray<ActiveCommand>,
  process: Instance["process"],
  turn: Turn.QueueTurn,
) =>
  Effect.gen(function* () {
    const { task, place } = batch
    const passing = yield* stillAllowed(batch, resolved, ready)
    if (passing.length === 0) return
    yield* task.kernel.lease.check
    if (task.isPaused()) return yield* new Paused()
    // If a kernel that took over ended the task, the fence fails the append. Otherwise, another program wrote to a
    // stream that is not its own.
    if (!(yield* recordDispatches(batch, passing))) return yield* refuseClosed(batch, passing)
    yield* task.kernel.commands.leave(place)
    yield* call(batch, process, passing, resolved, turn)
  })

/**
 * After a wait, denies commands whose actuator was deactivated or updated, or granted more than the gate ruled on.
 * Returns the others.
 */
export const stillAllowed = (
  batch: CommandBatch,
  resolved: ResolvedActuator,
  ready: ReadonlyArray<ActiveCommand>,
): Effect.Effect<ReadonlyArray<ActiveCommand>, AppendError | LogError> =>
  Effect.gen(function* () {
    const [first] = ready
    const now = first === undefined ? undefined : yield* resolve(first.command)
    yield* refuse(batch, ready, (of) => {
      if (now?.digest !== resolved.digest) return DEACTIVATED
      const reason = outdatedBy(of, resolved, now)
      return reason === undefined ? undefined : { rule: GRANTED_MORE, reason }
    })
    return ready.filter(isOpen)
  })

const DEACTIVATED: Denial = {
  rule: "active-actuators",
  reason: "its actuator was deactivated or updated meanwhile",
}

const CLOSED: Denial = { rule: "open-task", reason: "its task was closed or cancelled meanwhile" }

/** Denies commands of a task that another program ended. */
export const refuseClosed = (batch: CommandBatch, ready: ReadonlyArray<ActiveCommand>) =>
  refuse(batch, ready.filter(isOpen), () => CLOSED)

const call = (
  { task, reach, waiting }: CommandBatch,
  process: Instance["process"],
  dispatched: ReadonlyArray<ActiveCommand>,
  resolved: ResolvedActuator,
  turn: Turn.QueueTurn,
): Effect.Effect<void, LeaseLost | AppendError | LogError> =>
  CommandFiles.around(
    task,
    resolved,
    dispatched,
    Effect.flatMap(waiting(reach.call(process, dispatched, resolved, turn)), (recordEnds) => recordEnds),
  )

const dispatches = (
  { reach }: CommandBatch,
  ready: ReadonlyArray<ActiveCommand>,
  stateOf: (of: ActiveCommand) => CommandState.CommandState,
): ReadonlyArray<Interpreter.Entry<ActiveCommand>> => {
  const round = reach.isRound ? ready[0]?.command.commandId : undefined
  const step: CommandState.Step = { do: "dispatch", ...defined({ round }) }
  return ready.map((of) => Interpreter.entryOf(of, stateOf(of), step))
}

const eventsOf = (
  entries: ReadonlyArray<Interpreter.Entry<ActiveCommand>>,
): readonly [CoreNewEvent, ...ReadonlyArray<CoreNewEvent>] => {
  const [first, ...others] = entries.map(({ event }) => event)
  if (first === undefined) throw new Error("expected a dispatch, found none")
  return [first, ...others]
}

/** Records the dispatch in one commit, unless the log shows the end of a command or of the task. Returns whether it did. */
const recordDispatches = (
  batch: CommandBatch,
  ready: ReadonlyArray<ActiveCommand>,
): Effect.Effect<boolean, Paused | AppendError> => {
  const entries = dispatches(batch, ready, ({ state }) => state)
  return Effect.map(recordIfOpen(batch, ready, eventsOf(entries)), (recorded) => {
    if (recorded !== undefined) for (const { of, event } of entries) of.state = CommandState.evolve(of.state, event)
    return recorded !== undefined
  })
}

/**
 * Records events of commands in one commit and returns the first, unless the log shows the end of a command or of the
 * task. Checking the lease is not enough: the process may be suspended between that check and the append. So the append
 * expects a version of the task's stream, in which a kernel that takes over ends the task.
 */
export const recordIfOpen = (
  { task }: CommandBatch,
  ready: ReadonlyArray<ActiveCommand>,
  events: readonly [CoreNewEvent, ...ReadonlyArray<CoreNewEvent>],
): Effect.Effect<Event | undefined, Paused | AppendError> => {
  const isEnded = (missed: ReadonlyArray<Event>) => {
    for (const of of ready) {
      const end = missed.find(
        ({ type, payload }) => CommandState.isEnd(type) && payload.commandId === of.command.commandId,
      )
      if (end === undefined) continue
      of.state = CommandState.evolve(of.state, end)
      // Any other end belongs to a call that this kernel did not make.
      endedBy(of, Vocabulary.is(end, "CommandDenied") ? { do: "deny", ...end.payload } : { do: "doubt" }, end)
    }
    return !ready.every(isOpen) || missed.some(endsTask)
  }
  const append = (version: number): Effect.Effect<Event | undefined, Paused | AppendError> =>
    // This kernel's own events cannot be ends either: it denies a command where it awaits it, and closes a task after
    // its commands.
    task.recordAfter(version, ...events).pipe(
      Effect.catchTag("VersionConflict", (conflict): Effect.Effect<Event | undefined, Paused | AppendError> => {
        const last = conflict.missed.at(-1)
        if (last === undefined) return Effect.fail(conflict)
        task.noticed(conflict.missed)
        if (isEnded(conflict.missed)) return Effect.succeed(undefined)
        return task.isPaused() ? new Paused() : append(last.version)
      }),
    )
  return append(Math.max(...ready.map(({ state }) => state.version)))
}

const endsTask = (event: Event): boolean => Vocabulary.is(event, "TaskClosed") || Vocabulary.is(event, "TaskCancelled")

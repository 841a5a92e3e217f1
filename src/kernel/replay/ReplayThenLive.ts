/** Replays a task's recorded past with an agent, and then lets it continue live. */

import { Deferred, Effect, FiberId } from "effect"
import type { LeftCommand } from "../acting/LeftCommand.ts"
import { isSame } from "../acting/LeftCommands.ts"
import type { AgentCommand } from "../acting/round/Round.ts"
import type { ReadingsAhead } from "../sensing/PerceptionAhead.ts"
import type { Capabilities } from "../tasks/Capabilities.ts"
import type { Task } from "../tasks/Task.ts"
import { Stopped } from "./Divergence.ts"
import { gottenBy } from "./RecordedAgentEvents.ts"
import type { RecordedTask } from "./RecordedTask.ts"
import type { Instructions } from "./Recording.ts"

const NOTHING = Effect.succeed<ReadingsAhead>(new Map())

/**
 * Answers from the recording while it lasts, and then from the live task. The agent cannot tell where one ends.
 *
 * Records a guide that differs from the recorded one before the first live model call.
 *
 * @param isOver the live task has no more answers
 * @param guide the digest of the last recorded guide
 * @param begin runs before each live request, idempotent (default: nothing)
 */
export const replayThenLive = (
  past: RecordedTask,
  live: Task,
  instructions: Instructions,
  isOver: () => boolean,
  guide?: string,
  begin: Effect.Effect<void> = Effect.void,
): Task => {
  let applied: Parameters<Task["record"]> | undefined
  const recordGuide = Effect.suspend(() => {
    const told = applied
    applied = undefined
    return told?.[1].type === "GuideApplied" && told[1].payload.digest !== guide ? live.record(...told) : Effect.void
  })
  const from = <A, E, E2>(recorded: Effect.Effect<A, E>, living: Effect.Effect<A, E2>): Effect.Effect<A, E | E2> =>
    Effect.suspend((): Effect.Effect<A, E | E2> => {
      if (!past.isUsedUp()) return recorded
      return isOver()
        ? Effect.die(new Stopped())
        : Effect.tap(Effect.zipRight(begin, living), () => (isOver() ? Effect.die(new Stopped()) : Effect.void))
    })
  return {
    ...live,
    ...instructions,
    worked: (agentId) => (past.isUsedUp() ? live.worked(agentId) : 0),
    lost: (agentId) => (past.isUsedUp() ? live.lost(agentId) : past.task.lost(agentId)),
    capabilities: (agentId) => from(past.task.capabilities(agentId), live.capabilities(agentId)),
    document: (plugin) => from(past.task.document(plugin), live.document(plugin)),
    perceive: (options) => from(past.task.perceive(options), live.perceive(options)),
    perceiveAhead: (agentIds, mayBeLate) => {
      const recorded = past.task.perceiveAhead?.(agentIds, mayBeLate) ?? NOTHING
      const living = (others: ReadonlyArray<string>) => live.perceiveAhead?.(others, mayBeLate) ?? NOTHING
      return Effect.flatMap(from(recorded, living(agentIds)), (got) => {
        const others = agentIds.filter((agentId) => !got.has(agentId))
        // The recording may end between the readings of two agents.
        return others.length === 0 || others.length === agentIds.length || !past.isUsedUp()
          ? Effect.succeed(got)
          : Effect.map(from(NOTHING, living(others)), (rest): ReadingsAhead => new Map([...got, ...rest]))
      })
    },
    act: (...command) => from(past.task.act(...command), live.act(...command)),
    together: (commands) => from(past.task.together(commands), live.together(commands)),
    say: (...message) => from(past.task.say(...message), live.say(...message)),
    saying: (...message) => from(past.task.saying(...message), live.saying(...message)),
    consult: (...question) => from(past.task.consult(...question), live.consult(...question)),
    ask: (question, answering, options) =>
      from(
        past.task.ask(question, answering, options),
        Effect.zipRight(recordGuide, live.ask(question, answering, options)),
      ),
    inTime: past.task.inTime,
    late: (agentId, afterMs, closing) =>
      Effect.flatMap(past.turn(agentId, closing), (wasLate) =>
        wasLate ? Effect.void : from(Effect.void, live.late(agentId, afterMs, closing)),
      ),
    inputs: (options) => from(past.task.inputs(options), live.inputs(options)),
    record: (...told) =>
      Effect.suspend(() => {
        const { type } = told[1]
        const isPast = past.takeAgentEvent(type) !== undefined || !past.isUsedUp()
        if (!isPast) return from(Effect.void, live.record(...told))
        if (type === "GuideApplied") applied = told
        return Effect.void
      }),
    tick: (...time) =>
      Effect.suspend(() => {
        const told = past.takeAgentEvent("WorldTicked")
        const recorded = Effect.succeed(gottenBy(told))
        return told === undefined ? from(recorded, live.tick(...time)) : recorded
      }),
    member: (event) =>
      Effect.suspend(() =>
        past.takeAgentEvent(event.type) !== undefined || !past.isUsedUp()
          ? Effect.void
          : from(Effect.void, live.member(event)),
      ),
    events: (after) => Effect.suspend(() => (past.isUsedUp() ? live.events(after) : past.task.events(after))),
    below: (options) => Effect.suspend(() => (past.isUsedUp() ? live.below(options) : past.task.below(options))),
    conduct: (...events) => from(Effect.void, live.conduct(...events)),
    searched: (event) => from(past.task.searched(event), live.searched(event)),
    // The last recorded decision may also be the last record of its turn.
    decided: (decision) =>
      Effect.suspend(() =>
        past.turnsLeft() > 0 ? past.task.decided(decision) : from(past.task.decided(decision), live.decided(decision)),
      ),
    deciding: (decision) =>
      Effect.suspend(() =>
        past.turnsLeft() > 0
          ? past.task.deciding(decision)
          : from(past.task.deciding(decision), live.deciding(decision)),
      ),
    close: (...end) => Effect.suspend(() => Effect.zipRight(past.isUsedUp() ? begin : Effect.void, live.close(...end))),
  }
}

/** Continues an interrupted round: steps that had ended get recorded answers, the others run live. */
export const roundInPart =
  (
    led: Task["together"],
    live: Task["together"],
    recorded: RecordedTask,
    left: ReadonlyArray<LeftCommand>,
  ): Task["together"] =>
  (commands) =>
    Effect.gen(function* () {
      if (recorded.isUsedUp()) return yield* live(commands)
      const isLeft = (command: AgentCommand) =>
        left.some((one) => isSame(one, command)) &&
        !recorded.hasCommand(command.actuator, command.args, command.agentId)
      const open = new Set(commands.filter(isLeft))
      if (open.size === 0) return yield* led(commands)
      const ended = commands.filter((command) => !open.has(command))
      const told = ended.length === 0 ? [] : [...(yield* led(ended))]
      const gone = [...(yield* live([...open]))]
      return commands.flatMap((command) => (open.has(command) ? gone : told).shift() ?? [])
    })

/** Minimum time for a replayed agent to repeat its open request, in milliseconds. */
const MIN_REPEAT_MS = 5_000

/**
 * Gives agents at least `MIN_REPEAT_MS` to repeat their open requests (in a round, each of its agents): they had handed
 * in their actions, and the replay may take long. An agent that replaced another may never repeat them, and is then
 * late.
 */
export const withTimeToRepeat = (task: Task, left: ReadonlyArray<LeftCommand>, { actuators }: Capabilities): Task => {
  const owed = new Set(left.map(({ commanded: { payload } }) => payload))
  if (owed.size === 0) return task
  const isStep = (name: string) => actuators.some((actuator) => actuator.world === true && actuator.name === name)
  let requested = Deferred.unsafeMake<void>(FiberId.none)
  const settled = (isIt: (command: (typeof left)[number]["commanded"]["payload"]) => boolean) => {
    for (const command of owed) if (isIt(command)) owed.delete(command)
    Deferred.unsafeDone(requested, Effect.void)
    requested = Deferred.unsafeMake(FiberId.none)
  }
  const late: Task["late"] = (agentId, afterMs, closing) =>
    Effect.suspend(() => {
      if (![...owed].some((command) => command.agentId === agentId || isStep(command.actuator))) {
        return task.late(agentId, afterMs, closing)
      }
      // A request that arrives while the lateness is being recorded is too late.
      let isClosed = false
      const closingOnce = () => {
        isClosed ||= closing()
        return isClosed
      }
      const isLate = Effect.raceFirst(
        Effect.as(Deferred.await(requested), false),
        Effect.as(task.late(agentId, Math.max(afterMs, MIN_REPEAT_MS), closingOnce), true),
      )
      return Effect.flatMap(isLate, (itIs) => (itIs || isClosed ? Effect.void : late(agentId, afterMs, closing)))
    })
  return {
    ...task,
    late,
    act: (actuator, args, options = {}) =>
      Effect.suspend(() => {
        settled(({ agentId }) => agentId === options.agentId)
        return task.act(actuator, args, options)
      }),
    together: (commands) =>
      Effect.suspend(() => {
        settled(({ actuator }) => isStep(actuator))
        return task.together(commands)
      }),
    member: (event) =>
      Effect.suspend(() => {
        settled(({ agentId }) => agentId === event.payload.agentId)
        return task.member(event)
      }),
  }
}

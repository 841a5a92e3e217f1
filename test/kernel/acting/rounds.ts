/** A round of several agents whose kernel dies at one of its appends, and which the next kernel takes to its end. */
import { Effect, Fiber, Option } from "effect"
import { expect } from "vitest"
import { type AppendRequest, EventLog } from "../../../src/events/log/EventLog.ts"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import { is } from "../../../src/events/vocabulary/Vocabulary.ts"
import * as CommandState from "../../../src/kernel/acting/CommandState.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import { eventsOf } from "../../agents/given.ts"
import * as Group from "../../worlds/group/resumedRounds.ts"
import { loseLease } from "../lostLease.ts"
import { stoppingAt } from "../stopping.ts"
import { NEXT, QUIET } from "./model.ts"

/** Three agents, of whom two go on and one asks for what the world's schema refuses; after one round all are done. */
const ROUND: Group.Played = {
  world: "arena",
  agents: ["ada", "bob", "cem"],
  options: { goal: 1, flood: 1 },
  action: (observation) => (placeIn(observation) === 20 ? 99 : 1),
}

const placeIn = (observation: unknown) => (observation as { readonly at?: number } | null)?.at

const ENDS: ReadonlySet<string> = new Set([
  ...["CommandSucceeded", "CommandFailed", "CommandDenied", "CommandOutcomeUnknown"],
])

type Commit = AppendRequest["events"]

/** What becomes of a round whose kernel dies at its `count`th append of commands: once the log has it, or before. */
const diedAt = (template: string, count: number, isStored: boolean) =>
  Effect.gen(function* () {
    const directory = yield* Group.copyOf(template)
    const commits: Array<Commit> = []
    let acting = 0
    const dying = ({ events }: AppendRequest) => {
      if (acting > 0 || events.some(({ type }) => type === "ActuatorCommanded")) acting += 1
      if (acting < count || isStored) commits.push(events)
      return acting === count
    }
    const first = yield* stoppingAt(dying, { directory }, isStored)
    const life = Effect.scoped(Effect.flatMap(first.start, (kernel) => kernel.run(Group.run(ROUND))))
    const living = yield* Effect.fork(Effect.exit(life))
    const at = yield* Effect.raceFirst(Effect.option(first.stopped), Effect.as(Fiber.join(living), Option.none()))
    if (Option.isNone(at)) return undefined
    yield* Effect.addFinalizer(() => Effect.zipRight(first.goOn, Fiber.join(living)))
    loseLease(first.log)
    const notes = ({ events }: AppendRequest) => {
      commits.push(events)
      return false
    }
    const second = yield* (yield* stoppingAt(notes, { directory, onOpenTasks: "resume" })).start
    const found = yield* second.run(
      Effect.gen(function* () {
        const kernel = yield* Kernel
        const open = yield* kernel.tasks.unfinished
        if (open.length > 0) yield* kernel.tasks.resume(Group.TASK, Group.groupOf(ROUND))
        return { events: yield* eventsOf(Group.TASK), verified: (yield* (yield* EventLog).verify)._tag }
      }),
    )
    return { ...found, commits, diedAt: at.value.events.map(({ type }) => type).join("+") }
  }).pipe(Effect.scoped)

/** Holds each command to the table of its states; answers how often each was dispatched. */
const followTable = (events: ReadonlyArray<Event>, where: string) => {
  const states = new Map<string, CommandState.CommandState>()
  const dispatches = new Map<string, number>()
  for (const event of events) {
    const { commandId } = event.payload
    if (typeof commandId !== "string") continue
    const before = states.get(commandId) ?? CommandState.unrecorded("")
    expect(NEXT[before.at], `${event.type} of ${commandId}, ${where}`).toContain(event.type)
    if (is(event, "CommandDispatched")) dispatches.set(commandId, (dispatches.get(commandId) ?? 0) + 1)
    states.set(commandId, CommandState.evolve(before, event))
  }
  const at = [...states.values()].map(({ at }) => at)
  expect(at, where).toEqual(at.map(() => "ended"))
  return dispatches
}

/** The commands of those events of a commit that have one of these types. */
const commandsIn = (commit: Commit, types: ReadonlySet<string>) =>
  commit.flatMap(({ type, payload }) => (types.has(type) ? [Reflect.get(payload, "commandId")] : []))

/**
 * Lets a kernel die at each append from the first command of a round to the task's end, in a log of its own each, and another one go on.
 * Answers what the kernels were about to append.
 */
export const roundsWhoseKernelsDie = (isStored: boolean) =>
  Effect.gen(function* () {
    const template = yield* Group.imported(ROUND.world)
    const undisturbed = yield* Group.played(template, ROUND)
    const places: Array<string> = []
    for (let count = 1; ; count += 1) {
      const found = yield* diedAt(template, count, isStored)
      if (found === undefined) break
      const { events, commits, verified } = found
      const where = `${isStored ? "after" : "before"} append ${count}, ${found.diedAt}`
      places.push(found.diedAt)
      expect(verified, where).toBe("Intact")
      const dispatches = followTable(events, where)
      // Those that pass are dispatched together, by each kernel at most once, and end together.
      const passed = events.flatMap((event) =>
        is(event, "ActuatorCommanded") && event.payload.agentId !== "cem" ? [event.payload.commandId] : [],
      )
      expect(passed, where).toHaveLength(2)
      expect([...dispatches.keys()].sort(), where).toEqual([...passed].sort())
      for (const commit of commits) {
        const sent = commandsIn(commit, new Set(["CommandDispatched"]))
        if (sent.length > 0) {
          expect(sent, where).toEqual(passed)
          const rounds = commit.flatMap(({ type, payload }) =>
            type === "CommandDispatched" ? [Reflect.get(payload, "round")] : [],
          )
          expect(rounds, where).toEqual([passed[0], passed[0]])
        }
        const ended = commandsIn(commit, ENDS).filter((id) => passed.some((one) => one === id))
        if (ended.length > 0) expect(ended, where).toEqual(passed)
      }
      for (const times of dispatches.values()) expect(times, where).toBeLessThanOrEqual(2)
      // The world took the round once, whoever died.
      expect(Group.stepsIn(events), where).toEqual(Group.stepsIn(undisturbed))
      expect(Group.documentIn(events), where).toEqual(Group.documentIn(undisturbed))
      expect(Group.rewardsIn(events), where).toEqual(Group.rewardsIn(undisturbed))
    }
    return places
  }).pipe(Effect.provide(QUIET))

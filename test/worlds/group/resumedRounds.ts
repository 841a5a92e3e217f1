/** What becomes of a group of agents whose kernel is stopped before one of its appends, and which the next kernel resumes. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Either, Fiber, Option } from "effect"
import { expect } from "vitest"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import { is } from "../../../src/events/vocabulary/Vocabulary.ts"
import * as Agent from "../../../src/kernel/agents/Agent.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import * as JsonPatch from "../../../src/projections/patch/JsonPatch.ts"
import type { Json, JsonObject } from "../../../src/values/Json.ts"
import * as AgentGroup from "../../../src/worlds/group/AgentGroup.ts"
import { eventsOf, typesOf } from "../../agents/given.ts"
import { loseLease } from "../../kernel/lostLease.ts"
import { stoppingAt } from "../../kernel/stopping.ts"
import { testKernel } from "../../kernel/testKernel.ts"
import { inRepository } from "../../repository.ts"
import { temporaryDirectory } from "../../temporary.ts"
import { trusted } from "../../trusted.ts"

export const TASK = "walk"

/** A world of the tests, with the agents that act in it. */
export interface Played {
  readonly world: string
  readonly agents: ReadonlyArray<string>
  readonly options: JsonObject
  /** What an agent does, from what it observes and a random number. */
  readonly action: (observation: Json, random: number) => number
}

/** Five agents on a line, each of which now and then stays where it is. */
export const ARENA: Played = {
  world: "arena",
  agents: ["ada", "bob", "cem", "dee", "eve"],
  options: { goal: 1 },
  action: (_, random) => (random < 0.3 ? 0 : 1),
}

/** Two agents who take from a heap. */
export const DUEL: Played = {
  world: "duel",
  agents: ["ada", "bob"],
  options: { heap: 6 },
  action: (heap, random) => Math.min(Number(heap), random < 0.5 ? 1 : 2),
}

/** The group that plays. */
export const groupOf = ({ world, agents, action }: Played): Agent.GroupAgent => {
  const player = Agent.fromUnknown("player", {
    name: "player",
    version: "1",
    decide: ({ readings, random }: Agent.DecisionContext) => ({
      act: `${world}/step`,
      args: { action: action(readings[`${world}/observation`] ?? null, random()) },
    }),
  })
  if (player._tag === "Left") throw player.left
  const members = Object.fromEntries(agents.map((agent) => [agent, player.right]))
  return AgentGroup.make({ name: "group", version: "1", world, agents: members, maxRounds: 20 })
}

/** A directory with a log in which the world is imported. */
export const imported = (world: string) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const { start } = yield* testKernel({ directory, plugins: [inRepository(`test/worlds/samples/${world}`)] })
    yield* Effect.scoped(start)
    return directory
  })

/** A directory of its own, with what the template has. */
export const copyOf = (template: string) =>
  Effect.tap(temporaryDirectory, (directory) => {
    fs.cpSync(template, directory, { recursive: true, force: true })
    return trusted(path.join(directory, "log.db"))
  })

/** Runs the group that plays. */
export const run = (played: Played) =>
  Effect.flatMap(Kernel, (kernel) =>
    kernel.tasks.run(groupOf(played), {
      id: TASK,
      goal: "play",
      seed: 5,
      plugins: [played.world],
      agents: played.agents,
      environment: { [played.world]: played.options },
    }),
  )

/** What a group recorded that nobody disturbed. */
export const played = (template: string, of: Played) =>
  Effect.gen(function* () {
    const directory = yield* copyOf(template)
    const kernel = yield* (yield* testKernel({ directory })).start
    return yield* kernel.run(Effect.zipRight(run(of), eventsOf(TASK)))
  }).pipe(Effect.scoped)

/** What becomes of a group whose kernel stops before its `count`th append, and which another kernel resumes. */
const resumedAfter = (template: string, of: Played, count: number) =>
  Effect.gen(function* () {
    const directory = yield* copyOf(template)
    const first = yield* stoppingAt((_, appends) => appends === count, { directory })
    const life = Effect.scoped(Effect.flatMap(first.start, (kernel) => kernel.run(run(of))))
    const living = yield* Effect.fork(Effect.exit(life))
    const at = yield* Effect.raceFirst(Effect.option(first.stopped), Effect.as(Fiber.join(living), Option.none()))
    if (Option.isNone(at)) return undefined
    yield* Effect.addFinalizer(() => Effect.zipRight(first.goOn, Fiber.join(living)))
    loseLease(first.log)
    const second = yield* (yield* testKernel({ directory, onOpenTasks: "resume" })).start
    const found = yield* second.run(
      Effect.gen(function* () {
        const kernel = yield* Kernel
        const unfinished = (yield* kernel.tasks.unfinished).map(({ taskId }) => taskId)
        const audit = unfinished.length === 0 ? undefined : yield* kernel.tasks.resume(TASK, groupOf(of))
        const replayed = audit === undefined ? undefined : yield* kernel.replay(TASK, groupOf(of))
        return { unfinished, audit, replayed, events: yield* eventsOf(TASK), log: yield* EventLog }
      }),
    )
    const verified = yield* found.log.verify
    return { ...found, verified, stoppedAt: at.value.events.map(({ type }) => type).join("+") }
  }).pipe(Effect.scoped)

/** Who acted, in which order, and what came of it. */
export const stepsIn = (events: ReadonlyArray<Event>) =>
  events.flatMap((event) => {
    if (!is(event, "ActuatorCommanded")) return []
    const { agentId, args, commandId } = event.payload
    const ends = events.filter(({ type, payload }) => payload.commandId === commandId && ENDS.has(type))
    return [{ agentId, args, ends: ends.map(({ type, payload }) => ({ type, result: payload.result })) }]
  })

const ENDS = new Set(["CommandSucceeded", "CommandFailed", "CommandDenied", "CommandOutcomeUnknown"])

/** The world's document at the end. */
export const documentIn = (events: ReadonlyArray<Event>): Json =>
  events.reduce((document: Json, event) => {
    if (is(event, "EnvironmentReset")) return event.payload.state
    return is(event, "EnvironmentChanged")
      ? (Either.getOrThrow(JsonPatch.apply(document, event.payload.patch)) ?? null)
      : document
  }, null)

/** What agents got, in order. */
export const rewardsIn = (events: ReadonlyArray<Event>) =>
  events.flatMap(({ type, payload }) =>
    /^(Reward|Punishment)Given$/.test(type) ? [[type, payload.agentId, payload.amount]] : [],
  )

/**
 * Stops a group's kernel before its first append of those that are named, then before each `step`th one after it, in a log
 * of its own each: the next kernel resumes the group to the same end as that of a group that was not disturbed. Answers
 * what the kernels were about to append.
 */
export const resumedRounds = (of: Played, first: number, step: number) =>
  Effect.gen(function* () {
    const template = yield* imported(of.world)
    const undisturbed = yield* played(template, of)
    const places: Array<string> = []
    for (let count = first; ; count += step) {
      const found = yield* resumedAfter(template, of, count)
      if (found === undefined) break
      const where = `before append ${count}, ${found.stoppedAt}`
      places.push(found.stoppedAt)
      if (found.unfinished.length === 0) continue
      const types = typesOf(found.events)
      expect(found.verified._tag, where).toBe("Intact")
      // Each command has one outcome, nobody acts twice in a round, and no round is lost.
      expect(stepsIn(found.events), where).toEqual(stepsIn(undisturbed))
      expect(rewardsIn(found.events), where).toEqual(rewardsIn(undisturbed))
      expect(documentIn(found.events), where).toEqual(documentIn(undisturbed))
      const left = (events: ReadonlyArray<Event>) =>
        events.flatMap((event) => (is(event, "AgentLeft") || is(event, "AgentJoined") ? [event.payload] : []))
      expect(left(found.events), where).toEqual(left(undisturbed))
      expect(found.audit?.outcome, where).toBe("achieved")
      for (const once of ["TaskResumed", "TaskClosed"]) {
        expect(
          types.filter((type) => type === once),
          where,
        ).toHaveLength(1)
      }
      expect(found.replayed, where).toMatchObject({ verdict: "identical", complete: true, divergence: null })
    }
    return places
  })

/** Agents of a round whose readings are taken together, before the first of them decides. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import type * as Agent from "../../../src/kernel/agents/Agent.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import * as AgentGroup from "../../../src/worlds/group/AgentGroup.ts"
import { testKernel } from "../../kernel/testKernel.ts"
import { inRepository } from "../../repository.ts"

const WORLD = "public-goods"

/** Says a word in its first round, and gives after what it sees. */
const giver = (name: string): Agent.DecidingAgent => ({
  name,
  version: "1",
  decide: ({ step, readings, inputs }) =>
    step === 0 && name === "bob"
      ? { say: "Give more" }
      : { act: `${WORLD}/step`, args: { action: (JSON.stringify([readings, inputs]).length * 7) % 100 } },
})

const group = (options: Partial<AgentGroup.AgentGroupOptions> = {}) =>
  AgentGroup.make({
    ...{ name: "givers", version: "1", world: WORLD, maxRounds: 3 },
    agents: { ada: giver("ada"), bob: giver("bob"), cat: giver("cat") },
    ...options,
  })

const plugins = [inRepository("packages", "worlds", WORLD)]

const eventsOf = (taskId: string) => Effect.flatMap(EventLog, (log) => log.readPage({ taskId }, 10_000))

const play = (played: Agent.GroupAgent) =>
  Effect.gen(function* () {
    const kernel = yield* Kernel
    const options = { goal: "Give", seed: 1, agents: ["ada", "bob", "cat"], environment: { [WORLD]: { rounds: 3 } } }
    const { taskId } = yield* kernel.tasks.run(played, options)
    return { taskId, events: yield* eventsOf(taskId) }
  })

/** The first round: who read and who decided. */
const order = (events: ReadonlyArray<Event>) => {
  const first = events.findIndex(({ type }) => type === "CommandAllowed")
  return events
    .slice(0, first)
    .filter(({ type }) => ["SensorRead", "DecisionMade", "MessageSent", "ActuatorCommanded"].includes(type))
    .map(({ type, payload, actor }) => `${type} ${payload.agentId ?? actor.replace(/^agent:|@.*/g, "")}`)
}

const actions = (events: ReadonlyArray<Event>) =>
  events.flatMap(({ type, payload }) => (type === "ActuatorCommanded" ? [[payload.agentId, payload.args]] : []))

describe("the readings of a round", () => {
  it.scopedLive("are taken together, in the order of the agents, and are evidence as ever", () =>
    Effect.gen(function* () {
      const { run } = yield* (yield* testKernel({ plugins })).start
      const { events } = yield* run(play(group()))
      expect(order(events)).toEqual([
        ...["SensorRead ada", "SensorRead bob", "SensorRead cat"],
        // An agent that goes on in its turn perceives again.
        ...["DecisionMade ada", "DecisionMade bob", "MessageSent bob", "SensorRead bob", "DecisionMade bob"],
        ...["DecisionMade cat", "ActuatorCommanded ada", "ActuatorCommanded bob", "ActuatorCommanded cat"],
      ])
      const perceptions = events.flatMap(({ payload }) =>
        typeof payload.perception === "number" ? [payload.perception] : [],
      )
      expect(perceptions).toEqual(perceptions.map((_, index) => index + 1))
      const positions = new Map(events.map((event) => [event.position, event]))
      for (const { type, payload } of events) {
        if (type !== "DecisionMade") continue
        const evidence = (payload.basedOn as ReadonlyArray<number>).map((at) => positions.get(at))
        expect(evidence.at(-1)?.type === "SensorRead" || evidence.some((event) => event?.type === "SensorRead")).toBe(
          true,
        )
        expect(new Set(evidence.map((event) => event?.payload.agentId ?? payload.agentId))).toEqual(
          new Set([payload.agentId]),
        )
      }
    }),
  )

  it.scopedLive(
    "are the same as those that agents with a limit take in their turns, and each replays as the other",
    () =>
      Effect.gen(function* () {
        const { run } = yield* (yield* testKernel({ plugins })).start
        const limited = group({ decideWithinMs: 600_000 })
        const [together, inTurns] = [yield* run(play(group())), yield* run(play(limited))]
        expect(order(inTurns.events).slice(0, 3)).toEqual(["SensorRead ada", "DecisionMade ada", "SensorRead bob"])
        expect(actions(inTurns.events)).toEqual(actions(together.events))
        const replayed = (taskId: string, by: Agent.GroupAgent) =>
          run(Effect.flatMap(Kernel, (kernel) => kernel.replay(taskId, by)))
        for (const { taskId } of [together, inTurns]) {
          for (const by of [group(), limited]) {
            expect(yield* replayed(taskId, by)).toMatchObject({ verdict: "identical", complete: true })
          }
        }
      }),
  )
})

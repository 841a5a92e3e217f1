import * as fc from "fast-check"
import type { Agent } from "hindcast"
import { describe, expect, it } from "vitest"
import { apprentice, type Experience, type Result } from "../../examples/season/agents/apprentice.ts"
import * as Room from "../../examples/season/agents/Room.ts"
import * as Lanes from "../../examples/season/Lanes.ts"
import * as Plan from "../../examples/season/Plan.ts"

const all = ({ before, cutOff, after }: Plan.Plan) => [...before, ...cutOff, ...after]

describe("the plan of a season", () => {
  it("has as many tasks as it was asked for, numbered in their order", () => {
    const counts = fc.integer({ min: 1, max: 300 })
    fc.assert(
      fc.property(counts, fc.nat(), (tasks, seed) => {
        const ids = all(Plan.plan(tasks, seed)).map(({ id }) => id)
        expect(ids).toEqual(Array.from({ length: tasks }, (_, index) => `task-${String(index + 1).padStart(4, "0")}`))
      }),
      { numRuns: 50 },
    )
  })

  it("is the same for the same number and seed, and another for another seed", () => {
    expect(Plan.plan(100, 7)).toEqual(Plan.plan(100, 7))
    const order = (seed: number) => all(Plan.plan(100, seed)).map(({ agent, world }) => `${agent} ${world}`)
    expect(order(8)).not.toEqual(order(7))
    expect([...order(8)].sort()).toEqual([...order(7)].sort())
  })

  it("is dealt into lanes of about one length where it is long, all of an agent's tasks in one, in their order", () => {
    const few = Plan.plan(150, 7)
    expect(Lanes.dealt(all(few))).toEqual([all(few)])
    const { after } = Plan.plan(500, 7)
    const lanes = Lanes.dealt(after)
    expect(lanes).toHaveLength(4)
    for (const lane of lanes) {
      expect(lane.map(({ id }) => id)).toEqual(lane.map(({ id }) => id).sort())
      expect(lane.length).toBeGreaterThan(after.length / 8)
      const others = new Set(
        lanes.filter((other) => other !== lane).flatMap((other) => other.map(({ agent }) => agent)),
      )
      expect(lane.filter(({ agent }) => others.has(agent))).toEqual([])
    }
    expect(new Set(lanes.flat())).toEqual(new Set(after))
  })

  it("is cut off in the middle of three tasks, from six tasks on", () => {
    for (const [tasks, cutOff] of [
      [1, 0],
      [5, 0],
      [6, 3],
      [500, 3],
    ] as const) {
      expect(Plan.plan(tasks, 1).cutOff).toHaveLength(cutOff)
    }
    const { before, after } = Plan.plan(500, 1)
    expect([before.length, after.length]).toEqual([248, 249])
  })

  it("has every agent and every world in twenty-three tasks", () => {
    const planned = all(Plan.plan(23, 7))
    expect([...new Set(planned.map(({ agent }) => agent))].sort()).toEqual([
      ...["apprentice", "careful", "clerk", "daredevil", "glass", "hothead", "knows-the-way", "ponderer"],
      ...["sleeper", "stoker", "wanderer"],
    ])
    expect([...new Set(planned.map(({ world }) => world))].sort()).toEqual([
      ...["cold-boiler", "files", "stuck-boiler", "the-empty-desk", "the-greenhouse", "the-lost-key"],
      ...["the-signal-house", "warm-boiler"],
    ])
  })
})

describe("an apprentice", () => {
  const view = (step: number): Agent.DecisionContext => ({
    taskId: "task-1",
    goal: "win",
    step,
    consult: () => Promise.reject(new Error("no model is asked here")),
    inputs: [],
    lastOutcome: null,
    history: [],
    plugins: [],
    sensors: [],
    actuators: [],
    now: 0,
    readings: {
      "text-room/room": { room: "study", exits: ["north"], things: [], won: false, lost: false },
      "text-room/inventory": { items: [] },
    },
    // Never distracted.
    random: () => 0.999,
  })
  const tried = (room: string, act: Room.Act, result: Result | null) => ({ room, act, result })
  const found: Experience = {
    won: false,
    tries: [
      tried("study", Room.open("desk"), null),
      tried("study", Room.go("north"), { room: "hall" }),
      tried("hall", Room.go("south"), { room: "study" }),
      tried("study", Room.examine("desk"), { found: [] }),
      tried("study", Room.go("north"), { room: "hall" }),
      tried("hall", Room.examine("clock"), { found: ["key"] }),
      tried("hall", Room.take("key"), { taken: "key" }),
      tried("hall", Room.take("cup"), { taken: "cup" }),
    ],
  }
  const wayOf = (agent: ReturnType<typeof apprentice>, steps: number) =>
    Array.from({ length: steps }, (_, step) => agent.decide(view(step)))

  it("goes the way again that led furthest, without what led nowhere", () => {
    const agent = apprentice()
    agent.learn(found)
    const way = [Room.go("north"), Room.examine("clock"), Room.take("key")]
    expect(wayOf(agent, 3)).toEqual(way.map((act) => ({ ...act, rationale: "As it went best so far." })))
  })

  it("keeps to it when a later task came less far, and takes the shorter of two that came as far", () => {
    const agent = apprentice()
    const shorter = { won: false, tries: [tried("study", Room.examine("desk"), { found: ["key"] })] }
    agent.learn(found)
    agent.learn(shorter)
    expect(wayOf(agent, 1)).toMatchObject([Room.go("north")])
    agent.learn({ ...shorter, won: true })
    expect(wayOf(agent, 1)).toMatchObject([Room.examine("desk")])
  })
})

import type { JsonObject } from "hindcast/plugin"
import { describe, expect, it } from "vitest"
import manifest from "../../packages/worlds/grid-world/looper-plugin.json" with { type: "json" }
import plugin from "../../packages/worlds/grid-world/world.ts"
import * as Generator from "../../src/plugins/numpy/Generator.ts"
import { goesOnIdentically, play, randomActions, refuses, spacesOf, survivesRandomActions } from "./trial.ts"

const [STAY, NORTH, SOUTH, WEST, EAST, PICK_UP, DROP, USE] = [0, 1, 2, 3, 4, 5, 6, 7] as const

/** A grid in which agents stand where capitals P, Q, R … would: `starts` by name. */
const grid = (
  rows: ReadonlyArray<string>,
  starts: JsonObject = {},
  options: JsonObject = {},
  agents = Object.keys(starts),
) => {
  const played = play(plugin.environment, manifest, { options: { rows, starts, ...options }, agents })
  played.reset(1)
  return played
}

const placesOf = (played: ReturnType<typeof play>) => {
  const { agents } = played.state()
  return Object.fromEntries(
    Object.entries(JSON.parse(JSON.stringify(agents))).map(([name, agent]) => {
      const { x, y } = JSON.parse(JSON.stringify(agent))
      return [name, [x, y]]
    }),
  )
}

const agentOf = (played: ReturnType<typeof play>, name: string) =>
  JSON.parse(JSON.stringify(played.state().agents))[name]

describe("agents that move at the same time", () => {
  it("the first by name gets a cell that two want, whoever comes first in the round's actions", () => {
    const played = grid(["..."], { bob: [0, 0], alice: [2, 0] })
    played.step({ bob: EAST, alice: WEST })
    expect(placesOf(played)).toEqual({ alice: [1, 0], bob: [0, 0] })
    expect([agentOf(played, "alice").blocked, agentOf(played, "bob").blocked]).toEqual([0, 1])
  })

  it("an agent follows one that makes way, and stays behind one that cannot", () => {
    const free = grid(["...."], { a: [0, 0], b: [1, 0], c: [2, 0] })
    free.step({ a: EAST, b: EAST, c: EAST })
    expect(placesOf(free)).toEqual({ a: [1, 0], b: [2, 0], c: [3, 0] })
    free.step({ a: EAST, b: EAST, c: EAST })
    expect(placesOf(free)).toEqual({ a: [1, 0], b: [2, 0], c: [3, 0] })
  })

  it("two do not pass through each other, and who waits for their cells stays too", () => {
    const played = grid(["..."], { a: [0, 0], b: [1, 0], c: [2, 0] })
    played.step({ a: EAST, b: WEST, c: WEST })
    expect(placesOf(played)).toEqual({ a: [0, 0], b: [1, 0], c: [2, 0] })
  })

  it("four go around in a circle", () => {
    const played = grid(["..", ".."], { a: [0, 0], b: [1, 0], c: [1, 1], d: [0, 1] })
    played.step({ a: EAST, b: SOUTH, c: WEST, d: NORTH })
    expect(placesOf(played)).toEqual({ a: [1, 0], b: [1, 1], c: [0, 1], d: [0, 0] })
  })

  it("who loses a cell does not get it when its winner cannot move either", () => {
    const played = grid(["...", "#.#"], { a: [1, 1], b: [0, 0], c: [2, 0], d: [1, 0] })
    played.step({ a: NORTH, b: EAST, c: WEST, d: STAY })
    expect(placesOf(played)).toEqual({ a: [1, 1], b: [0, 0], c: [2, 0], d: [1, 0] })
  })

  it("an agent that is silent stays, and is paid for the round all the same", () => {
    const played = grid(["..."], { a: [0, 0], b: [2, 0] })
    expect(played.step({ a: EAST })).toEqual({ a: { reward: { step: -0.01 } }, b: { reward: { step: -0.01 } } })
    expect(placesOf(played)).toEqual({ a: [1, 0], b: [2, 0] })
  })
})

describe("keys, doors, things and hazards", () => {
  it("a key opens its door, also for another agent that walks through in the same round", () => {
    const played = grid([".aA.", "..#."], { ann: [1, 0], ben: [0, 0] })
    played.step({ ann: PICK_UP })
    expect(played.mask("ann")).toEqual([1, 0, 1, 1, 0, 0, 1, 1])
    played.step({ ann: USE, ben: SOUTH })
    expect(played.state().rows).toEqual(["..'.", "..#."])
    const rest = grid([".aA.", "...."], { ann: [1, 1], ben: [1, 0] })
    rest.step({ ben: PICK_UP })
    rest.step({ ben: SOUTH, ann: EAST })
    rest.step({ ann: NORTH })
    expect(placesOf(rest).ann, "locked still").toEqual([2, 1])
    rest.step({ ben: NORTH })
    rest.step({ ben: USE, ann: NORTH })
    expect(placesOf(rest).ann).toEqual([2, 0])
  })

  it("an agent arrives with the things that it has to fetch, and is paid for each", () => {
    const played = grid(["*G."], { ann: [0, 0] }, { fetch: 1 })
    played.step({ ann: EAST })
    expect(agentOf(played, "ann").status, "without the thing").toBe("walking")
    played.step({ ann: WEST })
    played.step({ ann: PICK_UP })
    expect(played.step({ ann: EAST })).toEqual({
      ann: { reward: { step: -0.01, goal: 1, things: 0.1 }, terminated: true, outcome: "achieved" },
    })
    refuses(played, { ann: STAY })
  })

  it("an agent in a hazard is lost, and its cell is free for others", () => {
    const played = grid([".!."], { ann: [0, 0], ben: [2, 0] })
    expect(played.step({ ann: EAST }).ann).toEqual({
      reward: { step: -0.01, hazard: -1 },
      terminated: true,
      outcome: "failed",
    })
    expect(played.step({ ben: WEST }).ben?.outcome).toBe("failed")
  })

  it("an agent with a goal of its own passes those of others", () => {
    const played = grid(["...G"], { ann: [0, 0], ben: [2, 0] }, { goals: { ann: [1, 0] } })
    const steps = played.step({ ann: EAST, ben: EAST })
    expect([steps.ann?.terminated, steps.ben?.terminated]).toEqual([true, true])
    expect(grid(["..G"], { ann: [1, 0] }, { goals: { ann: [0, 0] } }).step({ ann: EAST }).ann?.terminated).toBe(
      undefined,
    )
  })

  it("what was picked up last is dropped first, on floor only", () => {
    const played = grid(["ab."], { ann: [0, 0] })
    for (const action of [PICK_UP, EAST, PICK_UP, EAST, DROP]) played.step({ ann: action })
    expect([played.state().rows, agentOf(played, "ann").carrying]).toEqual([["..b"], "a"])
    played.step({ ann: DROP })
    expect([played.state().rows, agentOf(played, "ann").carrying]).toEqual([["..b"], "a"])
  })

  it("sees cells, letters and other agents around it", () => {
    const played = grid([".b#", "..A"], { ann: [1, 1], ben: [0, 0] }, { view_radius: 1 })
    expect(played.observe("ann")).toEqual({
      position: [1, 1],
      goal: [-1, -1],
      view: [
        [
          [1, 0, 1],
          [7, 2, 0],
          [2, 0, 0],
        ],
        [
          [1, 0, 0],
          [1, 0, 0],
          [5, 1, 0],
        ],
        [
          [0, 0, 0],
          [0, 0, 0],
          [0, 0, 0],
        ],
      ],
      keys: [0, 0, 0, 0, 0, 0],
      things: 0,
    })
  })
})

describe("agents that come and go", () => {
  it("start at their own places, then at the marked ones by name, then anywhere on floor", () => {
    const played = grid(["S.S", "###", "..."], { zoe: [1, 2] }, {}, ["zoe", "cat", "ann", "ben"])
    const { ben, ...others } = placesOf(played)
    expect(others).toMatchObject({ ann: [0, 0], zoe: [1, 2] })
    expect(placesOf(played).ben).toEqual([2, 0])
    expect(placesOf(played).cat).not.toEqual(ben)
  })

  it("a newcomer gets a free cell, and there are errors for one too many and one that is there", () => {
    const played = grid(["SSS#"], {}, {}, ["ann", "ben"])
    played.join("cat")
    expect(placesOf(played)).toEqual({ ann: [0, 0], ben: [1, 0], cat: [2, 0] })
    expect(() => played.join("dan")).toThrowError("There is no free floor for dan.")
    expect(() => played.join("cat")).toThrowError("cat is in the grid already.")
  })

  it("one that leaves puts down what it carries on the nearest floor", () => {
    const played = grid(["ab.!"], { ann: [0, 0] })
    for (const action of [PICK_UP, EAST, PICK_UP]) played.step({ ann: action })
    played.leave("ann")
    expect(played.state()).toMatchObject({ rows: ["ba.!"], agents: {} })
    refuses(played, { ann: STAY })
  })
})

describe("the grid as a world", () => {
  it("has the manifest's spaces, unless options change them", () => {
    expect(play(plugin.environment, manifest).spaces("agent")).toEqual(spacesOf(manifest))
  })

  it("goes on from a state as if nothing had happened, also where moves slip", () => {
    const agents = ["ann", "ben", "cat", "dan"]
    goesOnIdentically(play(plugin.environment, manifest, { agents, options: { slip: 0.3 } }), 10, 40)
  })

  it("survives random actions of five agents, legal and not", () => {
    const agents = ["ann", "ben", "cat", "dan", "eve"]
    const rows = ["S..a.A.*G", "..#......", "SS.b.B.!."]
    survivesRandomActions(play(plugin.environment, manifest, { agents, options: { rows, slip: 0.1 } }), 2000)
  })

  it("no two agents are ever in one cell, and nothing is lost or made", () => {
    const agents = Array.from({ length: 12 }, (_, index) => `agent-${index}`)
    const rows = ["....*.", ".##a..", "..*...", "...b.."]
    const played = play(plugin.environment, manifest, { agents, options: { rows } })
    const rng = Generator.seeded(5)
    played.reset(3)
    for (let round = 0; round < 300; round++) {
      played.step(randomActions(played, agents, rng))
      const state = JSON.parse(JSON.stringify(played.state()))
      const places = Object.values(placesOf(played)).map(String)
      expect(new Set(places).size).toBe(agents.length)
      const items = [...state.rows, ...agents.map((name) => state.agents[name].carrying)].join("")
      expect([...items].filter((item) => "*ab".includes(item)).sort()).toEqual(["*", "*", "a", "b"])
    }
  })

  it("steps a hundred agents in one grid: each has its own cell", () => {
    const agents = Array.from({ length: 100 }, (_, index) => `agent-${index}`)
    const rows = Array.from({ length: 40 }, () => "..*..a..".repeat(5))
    const played = play(plugin.environment, manifest, { agents, options: { rows } })
    const rng = Generator.seeded(5)
    played.reset(3)
    for (let round = 0; round < 30; round++) {
      played.step(randomActions(played, agents, rng))
      for (const agent of agents) [played.observe(agent), played.mask(agent)]
      const { agents: walkers } = played.state() as { readonly agents: { readonly [agent: string]: JsonObject } }
      const walking = Object.values(walkers).filter(({ status }) => status === "walking")
      expect(new Set(walking.map(({ x, y }) => `${x},${y}`)).size).toBe(walking.length)
    }
  })

  it("refuses options that no level has, and says which", () => {
    const bad: ReadonlyArray<readonly [JsonObject, string]> = [
      [{ rows: [] }, "The option rows: expected 1 to 200 rows of glyphs, found []."],
      [{ rows: ["..", "."] }, "The option rows[1]: expected a text as long as the first row"],
      [{ rows: ["?"] }, "The option rows[0]: expected glyphs of"],
      [
        { starts: { agent: [0, 0] } },
        "The option starts.agent: expected [x, y] of a cell that is no wall, found [0,0].",
      ],
      [{ goals: { agent: [99, 1] } }, "The option goals.agent: expected"],
      [{ slip: 2 }, "The option slip: expected a number from 0 to 1, found 2."],
      [{ rewards: { gaol: 1 } }, 'The option rewards: expected goal, things, hazard, step, found "gaol".'],
      [{ view_radius: 0.5 }, "The option view_radius: expected a whole number from 0 to 10, found 0.5."],
      [{ rows: ["##"] }, "There is no free floor for agent."],
    ]
    for (const [options, message] of bad)
      expect(() => play(plugin.environment, manifest, { options }).reset(1)).toThrowError(message)
  })
})

import { it as effect } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import manifest from "../../packages/worlds/connect-four/looper-plugin.json" with { type: "json" }
import plugin from "../../packages/worlds/connect-four/world.ts"
import * as Agent from "../../src/kernel/agents/Agent.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import * as Generator from "../../src/plugins/numpy/Generator.ts"
import { drawText } from "../../src/views/drawText.ts"
import * as View from "../../src/views/View.ts"
import * as AgentGroup from "../../src/worlds/group/AgentGroup.ts"
import { testKernel } from "../kernel/testKernel.ts"
import { inRepository } from "../repository.ts"
import { isIn, play, refuses, spacesOf } from "./trial.ts"

const agents = ["ann", "ben"]

/** A game in which the two have moved in turns, ann first. */
const game = (...columns: ReadonlyArray<number>) => {
  const played = play(plugin.environment, manifest, { agents })
  played.reset(1)
  const steps = columns.map((column, index) => played.step({ [agents[index % 2] ?? ""]: column }))
  return { ...played, last: steps.at(-1) }
}

const WON = { reward: 1, terminated: true, outcome: "achieved" }
const LOST = { reward: -1, terminated: true, outcome: "failed" }

describe("connect four", () => {
  it.each([
    ["across", [0, 0, 1, 1, 2, 2, 3]],
    ["down", [3, 4, 3, 4, 3, 4, 3]],
    ["aslant to the right", [0, 1, 1, 2, 2, 3, 2, 3, 3, 6, 3]],
    ["aslant to the left", [6, 5, 5, 4, 4, 3, 4, 3, 3, 0, 3]],
  ])("is won by four in a line %s", (_, columns) => {
    const played = game(...columns)
    expect(played.last).toEqual({ ann: WON, ben: LOST })
    expect(plugin.environment.turn?.()).toBeNull()
    refuses(played, { ben: 0 })
  })

  it("goes on while nobody has four, and gives nothing", () => {
    expect(game(0, 0, 1, 1, 2, 2).last).toEqual({ ben: { reward: 0 } })
  })

  it("is a draw when the board is full", () => {
    const played = game(...[..."623446425661163612054423310345123510505002"].map(Number))
    expect(played.state()).toMatchObject({ moves: 42, winner: null })
    const drawn = { reward: 0, terminated: true, outcome: "achieved" }
    expect(played.last).toEqual({ ann: drawn, ben: drawn })
  })

  it("shows each agent its own discs first, and which columns are open at its turn", () => {
    const played = game(3, 3, 3, 3, 3)
    const column = (agent: string) => (played.observe(agent) as Array<Array<unknown>>).map((row) => row[3])
    expect(column("ann")).toEqual([
      [0, 0],
      [1, 0],
      [0, 1],
      [1, 0],
      [0, 1],
      [1, 0],
    ])
    expect(column("ben")).toEqual([
      [0, 0],
      [0, 1],
      [1, 0],
      [0, 1],
      [1, 0],
      [0, 1],
    ])
    played.step({ ben: 3 })
    expect(played.mask("ann")).toEqual([1, 1, 1, 0, 1, 1, 1])
    expect(played.mask("ben")).toEqual([0, 0, 0, 0, 0, 0, 0])
  })

  it("refuses a full column, a column that is none, and a move out of turn", () => {
    const played = game(3, 3, 3, 3, 3, 3)
    for (const column of [3, 7, -1, 0.5, "left", null]) refuses(played, { ann: column })
    refuses(played, { ben: 0 })
  })

  it("is won by the next move of an agent whose opponent has left", () => {
    const played = game(3)
    played.leave("ben")
    expect(plugin.environment.turn?.()).toBe("ann")
    expect(played.step({ ann: 0 })).toEqual({ ann: WON })
  })

  it("needs two players", () => {
    expect(() => play(plugin.environment, manifest, { agents: ["ann"] }).reset(1)).toThrow("Expected two players")
  })

  it("goes on identically from a state that was kept, whatever is played", () => {
    const rng = Generator.seeded(3)
    for (let number = 0; number < 50; number++) {
      const played = game()
      for (let turn = plugin.environment.turn?.() ?? null; turn !== null; turn = plugin.environment.turn?.() ?? null) {
        const legal = (played.mask(turn) as ReadonlyArray<number>).flatMap((is, column) => (is === 1 ? [column] : []))
        const before = played.state()
        const column = legal[rng.integers(0, legal.length)] ?? 0
        const first = [played.step({ [turn]: column }), played.state()]
        played.restore(before, played.rng())
        expect([played.step({ [turn]: column }), played.state()]).toEqual(first)
        for (const agent of agents) isIn(spacesOf(manifest).observation, played.observe(agent))
      }
    }
  })

  it("draws its board", () => {
    const view = View.decode(manifest.peas.environment.view)
    if (view._tag === "Left") throw view.left
    expect(drawText(view.right, game(3, 3, 2).state(), { columns: 60 }).slice(-5)).toEqual([
      ...["· · · O · · ·", "· · X X · · ·", "X the first by name  O the second", "", "Move 3 of 42"],
    ])
  })
})

describe("a group that plays connect four", () => {
  /** Drops its discs into the first column of some that is open. */
  const player = (...columns: ReadonlyArray<number>) =>
    Agent.fromPolicy({
      name: "player",
      version: "1",
      policy: (readings) => {
        const mask = readings["connect-four/action_mask"] as ReadonlyArray<number>
        return { act: "connect-four/step", args: { action: columns.find((column) => mask[column] === 1) ?? 6 } }
      },
    })

  effect.scopedLive("plays in turns to the end, is scored, and is replayed", () =>
    Effect.gen(function* () {
      const { start } = yield* testKernel({ plugins: [inRepository("packages", "worlds", "connect-four")] })
      const { run } = yield* start
      const [audit, report] = yield* run(
        Effect.gen(function* () {
          const kernel = yield* Kernel
          const group = AgentGroup.make({
            name: "pair",
            version: "1",
            world: "connect-four",
            agents: { ann: player(0, 1), ben: player(3, 4) },
          })
          const audit = yield* kernel.tasks.run(group, { goal: "Play", seed: 1, agents, plugins: ["connect-four"] })
          return [audit, yield* kernel.replay(audit.taskId, group)] as const
        }),
      )
      expect(audit).toMatchObject({
        outcome: "achieved",
        steps: 7,
        agents: { ann: { outcome: "achieved", return: 1 }, ben: { outcome: "failed", return: -1 } },
      })
      expect(audit.scores.find(({ label }) => label === "live")).toMatchObject({ earned: 1.5 })
      expect(report).toMatchObject({ verdict: "identical", complete: true })
    }),
  )
})

import { describe, expect, it } from "@effect/vitest"
import { Effect, Scope } from "effect"
import { checkWorld } from "../../src/testing.ts"
import type { Json } from "../../src/values/Json.ts"
import * as World from "../../src/worlds/World.ts"
import { events } from "../kernel/given.ts"
import { testKernel } from "../kernel/testKernel.ts"
import { inRepository } from "../repository.ts"

const ECHO = "test/worlds/samples/echo"

describe("a world with lists of any length, graphs and alternatives", { timeout: 60_000 }, () => {
  it("conforms, with masks", async () => {
    const { conforms, findings } = await checkWorld(ECHO, { consent: "flags", seeds: [1, 2] })
    expect(findings.filter(({ status }) => status === "failed")).toEqual([])
    expect(conforms).toBe(true)
    expect(findings.filter(({ number }) => [8, 10, 43].includes(number)).map(({ status }) => status)).toEqual([
      ...["passed", "passed", "passed"],
    ])
  })

  it.scopedLive("is stepped on a kernel, and refuses what is outside with its place", () =>
    Effect.gen(function* () {
      const { run } = yield* Effect.flatMap(testKernel({ plugins: [inRepository(ECHO)] }), ({ start }) => start)
      const scope = yield* Effect.scope
      const world = yield* run(Scope.extend(World.open({ world: "echo" }), scope))
      yield* world.reset({ seed: 1 })
      const list = [0, JSON.parse("[[-1, 5], [1, 6]]")]
      const graph = JSON.parse(
        '{ "nodes": [[true, false], [false, false]], "edges": [2, 0], "edge_links": [[0, 1], [1, 1]] }',
      )
      expect(yield* world.step(list)).toMatchObject({ observation: list })
      expect(yield* world.step([1, graph])).toMatchObject({ observation: [1, graph] })
      expect(yield* world.mask()).toEqual([[[2, 3, 4], null], null])
      const wrong: ReadonlyArray<readonly [Json, string]> = [
        [[2, []], "args.action[0]: expected one of 0, 1, found 2"],
        [[0, [[0, 4]]], "args.action[1][0][1]: expected a value >= 5, found 4"],
        [[1, { ...graph, nodes: [[1, 0]] }], "args.action[1].nodes[0][0]: expected boolean, found 1"],
        [
          [1, { ...graph, edge_links: [[0, 1], []] }],
          "args.action[1].edge_links[1]: expected at least 2 items, found an empty list",
        ],
        // What a JSON Schema cannot say, the world's space does.
        [
          [1, { ...graph, edges: [0], edge_links: [[0, 2]] }],
          "the action of agent: /1/edge_links/0/1: expected a whole number from 0 to 1, found 2",
        ],
      ]
      for (const [action, message] of wrong) {
        const error = yield* Effect.flip(world.step(action))
        expect(error.message).toContain(message)
      }
      expect((yield* run(events("EnvironmentChanged"))).length).toBe(2)
    }),
  )
})

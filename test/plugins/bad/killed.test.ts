import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { confiningBy, layers, sayWhichLayers } from "../layers.ts"
import { killHost } from "./killed.ts"

sayWhichLayers()

describe.each(layers)("a host that is killed in the layer %s", (layer) => {
  it("leaves no process of its plugins behind, not even of those that spin", async () => {
    const { processes, left, holding } = await Effect.runPromise(killHost(confiningBy(layer), 4, 20_000))
    expect(processes).toBeGreaterThanOrEqual(4)
    expect(left).toEqual([])
    expect(holding).toEqual([])
  })
})

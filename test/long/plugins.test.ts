import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { provoke } from "../plugins/bad/bad.ts"
import { killHost } from "../plugins/bad/killed.ts"
import { confiningBy, inLayer, layers, sayWhichLayers } from "../plugins/layers.ts"

sayWhichLayers()

describe.each(layers)("in the layer %s", (layer) => {
  it("a host that is killed with 20 plugins leaves no process behind after 2 s, not even of those that spin", async () => {
    const { processes, left } = await Effect.runPromise(killHost(confiningBy(layer), 20, 2_000))
    expect(processes).toBeGreaterThanOrEqual(20)
    expect(left).toEqual([])
  })

  it("a line of 300 MB is cut at the frame's limit, in bounded memory, while a neighbour answers", async () => {
    const provoked = provoke({
      before: `import nodeProcess from "node:process"`,
      act: `const part = "x".repeat(1_000_000)
        for (let i = 0; i < 300; i++) await new Promise((resolve) => nodeProcess.stdout.write(part, resolve))
        return "done"`,
      timeoutMs: 60_000,
    })
    const { answer, message, neighbour, grewMiB } = await Effect.runPromise(
      provoked.pipe(inLayer(layer), Effect.scoped),
    )
    expect(answer).toBe("PluginExited")
    expect(message).toContain("it wrote a line of more than 8388608 bytes")
    expect(neighbour).toBeGreaterThan(0)
    expect(grewMiB).toBeLessThan(150)
  })

  it("ten million lines are counted, in bounded memory, while a neighbour answers", async () => {
    const provoked = provoke({
      before: `import nodeProcess from "node:process"`,
      act: `const lines = "a line\\n".repeat(10_000)
        for (let i = 0; i < 1_000; i++) await new Promise((resolve) => nodeProcess.stdout.write(lines, resolve))
        return "done"`,
      timeoutMs: 100_000,
    })
    const { answer, neighbour, grewMiB, events } = await Effect.runPromise(
      provoked.pipe(
        Effect.tap(({ process }) => process.ping),
        inLayer(layer),
        Effect.scoped,
      ),
    )
    expect(answer).toBe("done")
    expect(neighbour).toBeGreaterThan(100)
    expect(grewMiB).toBeLessThan(200)
    const told = events.map((event) =>
      event.type === "PluginLogged"
        ? 1 - (event.payload.dropped === undefined ? 0 : 1) + (event.payload.dropped ?? 0)
        : 0,
    )
    expect(told.reduce((sum, count) => sum + count, 0)).toBe(10_000_000)
  })
})

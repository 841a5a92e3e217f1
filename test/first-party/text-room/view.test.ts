import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import { hindcast } from "../../cli/hindcast.ts"
import { events } from "../../kernel/given.ts"
import { testKernel } from "../../kernel/testKernel.ts"
import { textRoom, theLostKeyOptions } from "./playing.ts"

describe("the view of the text room", () => {
  it.scopedLive("draws the story at each moment of its past: the room, what is carried, and what is open", () =>
    Effect.gen(function* () {
      const kernel = yield* testKernel({ plugins: [textRoom] })
      const changes = yield* Effect.gen(function* () {
        const { tasks } = yield* Kernel
        const task = yield* tasks.open({ goal: "Find it", environment: { "text-room": theLostKeyOptions } })
        for (const [actuator, args] of [
          ["go", { direction: "north" }],
          ["go", { direction: "up" }],
          ["examine", { target: "clock" }],
          ["take", { item: "brass key" }],
          ["go", { direction: "south" }],
          ["use", { item: "brass key", on: "desk" }],
          ["open", { target: "desk" }],
          ["take", { item: "document" }],
        ] as const) {
          yield* task.act(`text-room/${actuator}`, args)
        }
        yield* task.close("achieved")
        return yield* events("EnvironmentReset", "EnvironmentChanged")
      }).pipe(Effect.provide(kernel.layer))
      const drawn = yield* Effect.forEach(changes, ({ position }) =>
        Effect.promise(() => hindcast(["state", "--view", "text-room", "--at", `@${position}`, "--log", kernel.log])),
      )
      expect(drawn.map(({ stdout }) => stdout.split("\n")[2])).toEqual([
        "The Lost Key: in the study after 0 steps, 0 refused",
        "The Lost Key: in the hallway after 1 steps, 0 refused",
        "The Lost Key: in the hallway after 2 steps, 1 refused",
        "The Lost Key: in the hallway after 3 steps, 1 refused",
        "The Lost Key: in the hallway after 4 steps, 1 refused",
        "The Lost Key: in the study after 5 steps, 1 refused",
        "The Lost Key: in the study after 6 steps, 1 refused",
        "The Lost Key: in the study after 7 steps, 1 refused",
        "The Lost Key: in the study after 8 steps, 1 refused. The story is won.",
      ])
      const said = (index: number, begins: string) =>
        drawn[index]?.stdout.split("\n").find((line) => line.startsWith(begins))
      expect([said(0, "Carried"), said(0, "Found"), said(4, "Carried"), said(4, "Found")]).toEqual([
        ...["Carried: candle", "Found: –", "Carried: brass_key, candle", "Found: brass_key"],
      ])
      expect([0, 3, 4].map((index) => said(index, "brass_key"))).toEqual([
        ...["brass_key  hidden:clock", "brass_key  thing:clock", "brass_key  inventory"],
      ])
      expect([5, 6, 7].map((index) => drawn[index]?.stdout.match(/^desk +(?:closed|open).*$/m)?.[0])).toEqual([
        ...["desk       closed  locked", "desk       closed", "desk       open"],
      ])
      const before = yield* Effect.promise(() =>
        hindcast(["state", "--view", "text-room", "--at", "@1", "--log", kernel.log]),
      )
      expect(before).toMatchObject({ code: 3, stderr: expect.stringContaining("Expected a world with a view") })
    }),
  )
})

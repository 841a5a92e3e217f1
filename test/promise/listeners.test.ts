import { Listener } from "hindcast"
import { defineListener } from "hindcast/promise"
import { describe, expect, it } from "vitest"
import { opened, rejection } from "./opened.ts"

const echo = {
  name: "echo",
  version: "1",
  decide: ({ inputs }: { readonly inputs: ReadonlyArray<{ readonly content: unknown }> }) => ({
    done: "achieved" as const,
    reason: JSON.stringify(inputs.map(({ content }) => content)),
  }),
}

describe("listeners with promises", () => {
  it("emit inputs, start again after a rejection, end by themselves, and stop with Hindcast", async () => {
    const hindcast = await opened({ onOpenTasks: "resume" })
    const calls: Array<string> = []
    const listener = defineListener({
      name: "own",
      onStart: async ({ emitInput, end }) => {
        calls.push("start")
        if (calls.length === 1) throw new Error("not yet")
        expect(await emitInput({ id: "a", content: 1 })).toMatchObject({ id: "a", duplicate: false })
        expect(await emitInput({ id: "a", content: 1 })).toMatchObject({ id: "a", duplicate: true })
        expect(await rejection(emitInput({ id: "", content: 1 }))).toMatchObject({ _tag: "InvalidOptions" })
        end("done")
      },
      onStop: async () => void calls.push("stop"),
    })
    const listening = await hindcast.listen({ listeners: [listener], rules: [{ agent: echo }] })
    await listening.ended()
    expect(calls).toEqual(["start", "start", "stop"])
    const closed = []
    for await (const { payload } of hindcast.events.read({ types: ["TaskClosed"] })) closed.push(payload)
    expect(closed).toEqual([{ outcome: "achieved", reason: "[1]" }])
    await listening.close()
  })

  it("need a kernel that leaves tasks open, and valid options", async () => {
    const hindcast = await opened()
    const listeners = [Listener.webhook({ name: "hook" })]
    expect(await rejection(hindcast.listen({ listeners, rules: [] }))).toMatchObject({
      _tag: "InvalidOptions",
      message: expect.stringContaining('"resume"'),
    })
    expect(await rejection(hindcast.listen({ listeners: [{}], rules: 1 } as never))).toMatchObject({
      _tag: "InvalidOptions",
      message: expect.stringMatching(/listeners.*rules/s),
    })
  })
})

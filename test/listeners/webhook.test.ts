import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { Kernel } from "../../src/kernel/Kernel.ts"
import * as Listener from "../../src/listeners/index.ts"
import { echo, eventsOf, lasting, post, until } from "./given.ts"

const urlOf = ({ urls }: Listener.Serving, name = "hook") => urls[name] ?? "none"

describe("a webhook", () => {
  it.scopedLive("opens a task for a request, whose agent takes it as an input", () =>
    Effect.gen(function* () {
      const { run } = yield* lasting()
      const serving = yield* run(
        Listener.serve({
          listeners: [Listener.webhook({ name: "hook" })],
          rules: [{ agent: echo, when: 'content.body.kind == "question"', goal: "Answer {/content/body/from}" }],
        }),
      )
      const sent = yield* post(urlOf(serving), { kind: "question", from: "Ada" }, { "x-github-delivery": "d1" })
      expect(sent).toMatchObject({ status: 202, answer: { id: "d1", duplicate: false } })
      yield* post(urlOf(serving), { kind: "other" }, { "x-github-delivery": "d2" })
      yield* run(until("SignalHandled", 2))
      yield* run(until("TaskClosed", 1))
      const [opened, ...others] = yield* run(eventsOf("TaskOpened"))
      expect(others).toEqual([])
      expect(opened?.payload).toMatchObject({ goal: "Answer Ada", agent: "echo@1" })
      const [input] = yield* run(eventsOf("InputReceived"))
      expect(input?.payload).toMatchObject({
        source: "webhook:hook",
        signal: { listener: "hook", id: "d1" },
        content: { headers: { "content-type": "application/json" }, body: { kind: "question", from: "Ada" } },
      })
      const [received] = yield* run(eventsOf("SignalReceived"))
      expect(input?.causationId).toBe(received?.id)
      const handled = yield* run(eventsOf("SignalHandled"))
      expect(handled.map(({ payload }) => [payload.how, payload.task, payload.signal])).toEqual([
        ["task", opened?.taskId, received?.position],
        ["ignored", undefined, expect.any(Number)],
      ])
      const [said] = yield* run(eventsOf("MessageSent"))
      expect(said?.payload.content).toContain("Ada")
      const replayed = yield* run(Effect.flatMap(Kernel, (kernel) => kernel.replay(String(opened?.taskId), echo)))
      expect(replayed).toMatchObject({ verdict: "identical" })
    }),
  )
})

import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Channel from "../../../src/agents/channel/Channel.ts"
import { slow } from "../../agents/channel/given.ts"
import { call, eventsOf, failed, text } from "../../agents/given.ts"
import { CWD, connected, words } from "./editor.ts"

describe("the sessions of an editor", () => {
  it.scopedLive("begin only after initialize", () =>
    Effect.gen(function* () {
      const { early, opened } = yield* connected([])
      expect(early.error).toMatchObject({ code: -32_600, message: expect.stringContaining("initialize") })
      expect(yield* opened).toMatch(/^[0-9a-f-]{36}$/)
    }),
  )

  it.scopedLive("are loaded without a second agent, and show words that came from elsewhere", () =>
    Effect.gen(function* () {
      const { run, ask, opened, prompt, said, until, deltas } = yield* connected([
        [text("Hello.")],
        [text("Hello, Ben.")],
      ])
      const sessionId = yield* opened
      expect((yield* prompt(sessionId, words("Hi"))).result).toEqual({ stopReason: "end_turn" })
      // Prompts of the editor itself are not repeated to it.
      expect(said("user_message_chunk")).toEqual([])
      const channel = yield* run(Channel.make({ taskId: sessionId, deltas, by: "ben" }))
      yield* run(channel.submitUserInput("Ben is here"))
      yield* until(() => said("agent_message_chunk").join("") === "Hello.Hello, Ben.")
      expect(said("user_message_chunk")).toEqual(["Ben is here"])
      expect((yield* ask("session/load", { sessionId, cwd: CWD })).result).toEqual({})
      expect(said("user_message_chunk").slice(1)).toEqual(["Hi", "Ben is here"])
      const events = yield* run(eventsOf(sessionId))
      expect(events.filter(({ type }) => type === "TaskOpened")).toHaveLength(1)
    }),
  )

  it.scopedLive("are not loaded while a prompt is in progress", () =>
    Effect.gen(function* () {
      const { begun, goOn, scripted } = yield* slow("On", "e.")
      const { ask, say, seen, opened } = yield* connected([scripted])
      const sessionId = yield* opened
      say({ id: "p", method: "session/prompt", params: { sessionId, prompt: [words("Hi")] } })
      yield* begun
      const load = yield* ask("session/load", { sessionId, cwd: CWD })
      expect(load.error).toMatchObject({ code: -32_600, message: expect.stringContaining("no prompt in progress") })
      yield* goOn
      expect((yield* seen(({ id }) => id === "p")).result).toEqual({ stopReason: "end_turn" })
      expect((yield* ask("session/load", { sessionId, cwd: CWD })).error).toBeUndefined()
    }),
  )

  it.scopedLive("begin with files alone, under a goal that says so", () =>
    Effect.gen(function* () {
      const { ask, opened, prompt, requests } = yield* connected([[text("A picture.")]])
      yield* prompt(yield* opened, { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" })
      expect((yield* ask("session/list")).result?.sessions).toMatchObject([{ title: "See the attached files." }])
      // The agent's first step has the file.
      expect(requests).toHaveLength(1)
      expect(JSON.stringify(requests[0])).toContain("iVBORw0KGgo=")
    }),
  )

  it.scopedLive("end where their task may take no more steps, and say so to a later prompt", () =>
    Effect.gen(function* () {
      const { opened, prompt } = yield* connected([[call("a", "counter__fail")], [text("It broke.")]], { maxSteps: 1 })
      const sessionId = yield* opened
      expect((yield* prompt(sessionId, words("Hi"))).result).toEqual({ stopReason: "max_tokens" })
      expect((yield* prompt(sessionId, words("More"))).error?.message).toContain("is closed")
    }),
  )

  it.scopedLive("end where their model fails, and a later prompt is told why it cannot continue", () =>
    Effect.gen(function* () {
      const { opened, prompt } = yield* connected([failed("unauthorized", "the key is wrong")])
      const sessionId = yield* opened
      expect((yield* prompt(sessionId, words("Hi"))).error?.message).toContain("the key is wrong")
      expect((yield* prompt(sessionId, words("More"))).error?.message).toContain("closed as failed")
    }),
  )

  it.scopedLive("are listed by pages of fifty, newest first, with one line of the first prompt", () =>
    Effect.gen(function* () {
      const count = 52
      const { ask, opened, prompt } = yield* connected(Array.from({ length: count }, () => [text("Yes.")]))
      for (let index = 1; index <= count; index++) {
        yield* prompt(yield* opened, words(index === count ? `Long\n${"word ".repeat(40)}` : `Prompt ${index}`))
      }
      const titles = (result: unknown) =>
        (result as { readonly sessions: ReadonlyArray<{ readonly title: string }> }).sessions.map(({ title }) => title)
      const first = (yield* ask("session/list")).result
      expect(titles(first)).toHaveLength(50)
      expect(titles(first)[0]).toBe(`Long ${"word ".repeat(15)}…`)
      expect(titles(first)[1]).toBe("Prompt 51")
      const rest = (yield* ask("session/list", { cursor: first?.nextCursor })).result
      expect(titles(rest)).toEqual(["Prompt 2", "Prompt 1"])
      expect(rest).not.toHaveProperty("nextCursor")
    }),
  )

  it.scopedLive("are at most a thousand for one connection", () =>
    Effect.gen(function* () {
      const { ask, opened } = yield* connected([])
      for (let index = 0; index < 1_000; index++) yield* opened
      expect((yield* ask("session/new", { cwd: CWD })).error).toMatchObject({
        code: -32_600,
        message: expect.stringContaining("at most 1000"),
      })
    }),
  )
})

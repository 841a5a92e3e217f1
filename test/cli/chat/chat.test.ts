import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Queue } from "effect"
import * as Deltas from "../../../src/agents/channel/Deltas.ts"
import { fromModel } from "../../../src/agents/ModelAgent.ts"
import * as Chat from "../../../src/cli/chat/Chat.ts"
import type { ChatTerminal } from "../../../src/cli/chat/ChatTerminal.ts"
import * as ConversationAtWork from "../../../src/cli/chat/ConversationAtWork.ts"
import * as Styles from "../../../src/cli/terminal/Style.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import { call, counter, eventsOf, model, type Scripted, text, turn, typesOf } from "../../agents/given.ts"
import { seen } from "../../kernel/given.ts"
import { loseLease } from "../../kernel/lostLease.ts"
import { testKernel } from "../../kernel/testKernel.ts"

/** A terminal of a test: what is typed, what is shown, and answers to questions. */
const terminalOf = (isInteractive: boolean) =>
  Effect.gen(function* () {
    const typed = yield* Queue.unbounded<string | undefined>()
    const answers = yield* Queue.unbounded<string>()
    const waiting = new Set<() => void>()
    let screen = ""
    const terminal: ChatTerminal = {
      next: Queue.take(typed),
      isInteractive,
      style: Styles.plain,
      columns: 80,
      write: (text) =>
        Effect.sync(() => {
          screen += text
          for (const look of waiting) look()
        }),
      ask: (question) => Effect.zipRight(terminal.write(question), Queue.take(answers)),
    }
    const shows = (wanted: string, times = 1) =>
      Effect.async<void>((resume) => {
        const look = () => {
          if (screen.split(wanted).length <= times) return
          waiting.delete(look)
          resume(Effect.void)
        }
        waiting.add(look)
        look()
      })
    return {
      terminal,
      shows,
      screen: () => screen,
      type: (...lines: ReadonlyArray<string | undefined>) => Queue.offerAll(typed, lines),
      answer: (line: string) => Queue.offer(answers, line),
    }
  })

const talking = (turns: ReadonlyArray<Scripted>, { isInteractive = true, json = false } = {}) =>
  Effect.gen(function* () {
    const kernel = yield* testKernel({
      plugins: [counter],
      gate: { default: "allow", rules: [{ name: "ask", actuator: "counter/add", decision: "confirm" }] },
    })
    const { run } = yield* kernel.start
    const deltas = Deltas.make()
    const scripted = model(turns)
    const agent = fromModel({ model: scripted.model, conversation: true, onDelta: deltas.onDelta })
    const at = yield* terminalOf(isInteractive)
    const fiber = yield* Effect.fork(
      run(
        Effect.gen(function* () {
          const conversation = yield* ConversationAtWork.begin(agent, deltas, { goal: "Hello" })
          return yield* Chat.talk(conversation, { terminal: at.terminal, json, user: "ada" })
        }).pipe(Effect.scoped),
      ),
    )
    const finished = Effect.map(Fiber.join(fiber), ({ channel }) => channel)
    return { ...at, run, kernel, requests: scripted.requests, finished }
  })

describe("a chat", () => {
  it.scopedLive("shows what the agent says and does, asks in place, and ends the task as achieved", () =>
    Effect.gen(function* () {
      const chat = yield* talking([
        [text("I **add**."), call("a", "counter__add", { by: 2 })],
        [text("It is 2.")],
        [text("You are welcome.")],
      ])
      yield* chat.shows("Execute it? [y/N] ")
      expect(chat.screen()).toMatch(/actuator\s+counter\/add/)
      yield* chat.answer("y")
      yield* chat.shows("It is 2.\n")
      yield* chat.type("Thanks")
      yield* chat.shows("You are welcome.\n")
      yield* chat.type("/state", "/cost", "/why", "/nothing", "/help")
      yield* chat.shows("end the conversation")
      yield* chat.type("/quit")
      const { taskId } = yield* chat.finished
      const screen = chat.screen()
      expect(screen).toMatch(/^I add\.\n→ counter\/add \{"by":2\}\nThe agent asks/)
      expect(screen).toContain('← counter/add succeeded {"count":2}\nIt is 2.\n')
      for (const shown of [
        ...["ready task", "test/one: 3 calls, 300 tokens in, 30 out, cost unknown", "MessageSent"],
        ...["InputReceived", "/nothing: expected one of"],
      ])
        expect(screen).toContain(shown)
      const events = yield* chat.run(eventsOf(taskId))
      expect(events.find(({ type }) => type === "TaskClosed")?.payload).toEqual({
        outcome: "achieved",
        reason: "the conversation was ended",
      })
      expect(events.find(({ type }) => type === "ConfirmationDecided")?.payload).toMatchObject({
        approved: true,
        by: "ada",
        channel: "terminal",
        shownDigest: expect.any(String),
      })
      const agent = fromModel({ model: model([]).model, conversation: true })
      const report = yield* chat.run(Effect.flatMap(Kernel, ({ replay }) => replay(taskId, agent)))
      expect(report).toMatchObject({ verdict: "identical", complete: true })
    }),
  )

  it.scopedLive("rejects by any other answer, which is the reason that the agent is told", () =>
    Effect.gen(function* () {
      const adding: Scripted = [call("a", "counter__add", { by: 2 })]
      const chat = yield* talking([adding, adding, [text("Then not.")]])
      yield* chat.shows("Execute it?")
      yield* chat.answer("not today, approve this")
      yield* chat.shows("Execute it?", 2)
      yield* chat.answer("")
      yield* chat.shows("Then not.\n")
      yield* chat.type(undefined)
      const { taskId } = yield* chat.finished
      const events = yield* chat.run(eventsOf(taskId))
      const decided = events.flatMap(({ type, payload }) => (type === "ConfirmationDecided" ? [payload] : []))
      expect(decided.map(({ approved, reason }) => [approved, reason])).toEqual([
        [false, "not today, approve this"],
        [false, undefined],
      ])
      expect(JSON.stringify(chat.requests[1]?.messages.at(-1))).toContain("not today")
      expect(typesOf(events)).not.toContain("CommandDispatched")
    }),
  )

  it.scopedLive("interrupts and steers while the agent works", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const chat = yield* talking([
        (_, onDelta) =>
          Effect.gen(function* () {
            onDelta({ index: 0, kind: "text", text: "I would " })
            yield* Deferred.succeed(begun, undefined)
            return yield* Effect.never
          }),
        [text("Stopped.")],
      ])
      yield* Deferred.await(begun)
      yield* chat.type("> more slowly", "! stop")
      yield* chat.shows("Stopped.\n")
      expect(chat.screen()).toContain("I would \nStopped.\n")
      expect(chat.requests[1]?.messages.at(-1)).toMatchObject({ content: [text("more slowly"), text("stop")] })
      yield* chat.type("/quit")
      yield* chat.finished
    }),
  )

  it.scopedLive("goes back before the last words, in a fork, and on from there", () =>
    Effect.gen(function* () {
      const repeating: Scripted = ({ messages }) =>
        Effect.succeed(turn([text(`Heard ${JSON.stringify(messages.at(-1)).match(/"text":"(.*?)"/)?.[1]}.`)]))
      const chat = yield* talking(Array.from({ length: 5 }, () => repeating))
      yield* chat.shows("Heard Hello.\n")
      yield* chat.type("/undo")
      yield* chat.shows("There is nothing to undo")
      yield* chat.type("One")
      yield* chat.shows("Heard One.\n")
      yield* chat.type("/undo")
      yield* chat.shows('Back before "One", on fork-1.\n')
      yield* chat.type("Two")
      yield* chat.shows("Heard Two.\n")
      yield* chat.type("/undo")
      yield* chat.shows('Back before "Two", on fork-2.\n')
      yield* chat.type("Three", undefined)
      const { taskId, timeline } = yield* chat.finished
      expect(timeline).toBe("fork-2")
      expect(chat.requests.at(-1)?.messages).toHaveLength(3)
      const all = yield* chat.run(eventsOf(taskId))
      expect(all.find(({ type }) => type === "TaskClosed")?.payload).toMatchObject({ outcome: "abandoned" })
    }),
  )

  it.scopedLive("through pipes says each line, and ends once the agent has heard all of them", () =>
    Effect.gen(function* () {
      const chat = yield* talking([[text("Hello.")], [text("All heard.")], [text("And that.")]], {
        isInteractive: false,
      })
      yield* chat.type("One", "Two", undefined)
      const { taskId } = yield* chat.finished
      expect(chat.screen()).toContain("human:ada: One\n")
      expect(chat.screen()).toMatch(/(All heard|And that)\.\n$/)
      const events = yield* chat.run(eventsOf(taskId))
      const delivered = events.flatMap(({ type, payload }) => (type === "InputDelivered" ? payload.inputs : []))
      expect(delivered).toHaveLength(2)
    }),
  )

  it.scopedLive("prints what the channel tells as JSON Lines", () =>
    Effect.gen(function* () {
      const chat = yield* talking([[text("Hello \u001b[2J.")]], { isInteractive: false, json: true })
      yield* chat.type("/state", undefined)
      yield* chat.finished
      const lines = chat.screen().trimEnd().split("\n")
      const types = lines.map((line): string => JSON.parse(line).type)
      expect(types.filter((type) => type !== "onDelta")).toEqual([
        ...["onAgentStateChange", "onNewMessage", "onAgentStateChange", "onReadyForInput", "onAgentStateChange"],
      ])
      expect(chat.screen()).not.toContain("\u001b")
    }),
  )

  it.scopedLive("with the agent of a task in another process shows and says the same", () =>
    Effect.gen(function* () {
      const chat = yield* talking([[text("Hello.")], [text("Hello from afar.")]])
      yield* chat.shows("Hello.\n")
      const taskId = (yield* chat.run(seen(({ type }) => type === "TaskOpened"))).taskId ?? ""
      const elsewhere = yield* Layer.build(chat.kernel.layerLog)
      const other = yield* terminalOf(true)
      const attached = yield* Effect.fork(
        Effect.provide(
          Effect.flatMap(ConversationAtWork.attach(taskId, undefined), (conversation) =>
            Chat.talk(conversation, { terminal: other.terminal, json: false, user: "bo" }),
          ),
          elsewhere,
        ),
      )
      yield* other.shows("Hello.\n")
      yield* other.type("I am bo", "/undo")
      yield* other.shows("Hello from afar.\n")
      yield* other.shows("works in another process")
      yield* other.type("/quit")
      yield* Fiber.join(attached)
      yield* chat.shows("human:bo: I am bo\n")
      yield* chat.type("/quit")
      yield* chat.finished
    }),
  )

  it.scopedLive("ends, and says what to do, when another kernel takes the log over while nobody types", () =>
    Effect.gen(function* () {
      const chat = yield* talking([[text("Hello.")]])
      yield* chat.shows("Hello.\n")
      const taskId = (yield* chat.run(seen(({ type }) => type === "TaskOpened"))).taskId ?? ""
      loseLease(chat.kernel.log)
      yield* (yield* testKernel({ directory: chat.kernel.directory, owner: "the other one" })).start
      const failure = yield* Effect.flip(chat.finished)
      expect(failure).toMatchObject({ _tag: "ConversationTakenOver", taskId, by: "the other one" })
      expect(String(failure)).toContain(`continue it with \`hindcast resume ${taskId}\` once the log is free`)
    }),
  )

  it.scopedLive("ends so while a question waits, which nobody answers then", () =>
    Effect.gen(function* () {
      const chat = yield* talking([[call("a", "counter__add", { by: 2 })]])
      yield* chat.shows("Execute it? [y/N] ")
      loseLease(chat.kernel.log)
      const other = yield* (yield* testKernel({ directory: chat.kernel.directory })).start
      expect(yield* Effect.flip(chat.finished)).toMatchObject({ _tag: "ConversationTakenOver", by: "hindcast" })
      const { taskId } = yield* other.run(seen(({ type }) => type === "TaskOpened"))
      const types = typesOf(yield* other.run(eventsOf(taskId ?? "")))
      expect(types).toContain("TaskClosed")
      expect(types).not.toContain("CommandAllowed")
    }),
  )

  it.scopedLive("fails as its agent does, also while nobody types", () =>
    Effect.gen(function* () {
      const chat = yield* talking([])
      expect(yield* Effect.flip(chat.finished)).toMatchObject({ _tag: "AgentFailed" })
    }),
  )
})

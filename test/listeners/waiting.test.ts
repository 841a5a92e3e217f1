import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import type * as Agent from "../../src/agents/Agent.ts"
import { EventLog } from "../../src/events/log/EventLog.ts"
import { asTool } from "../../src/kernel/teams/AsTool.ts"
import * as Listener from "../../src/listeners/index.ts"
import { echo, eventsOf, lasting, post, until } from "./given.ts"

const emptyDirectory = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-waiting-"))),
  (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true })),
)

describe("a signal whose task cannot be opened", () => {
  it.scopedLive("waits, and opens its task once what was missing is there", () =>
    Effect.gen(function* () {
      const directory = yield* emptyDirectory
      const served = (rules: ReadonlyArray<Listener.Rule>) =>
        Effect.gen(function* () {
          const { run } = yield* lasting(directory)
          const { urls } = yield* run(Listener.serve({ listeners: [Listener.webhook({ name: "hook" })], rules }))
          return { run, url: urls.hook ?? "none" }
        })
      const handled = Effect.map(eventsOf("SignalHandled"), (events) =>
        events.map(({ payload: { signal, how, reason } }) => [signal, how, String(reason).includes("missing")]),
      )
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { run, url } = yield* served([{ agent: echo, plugins: ["missing"] }])
          expect((yield* post(url, '"first"')).status).toBe(202)
          yield* run(until("SignalHandled", 1))
          // It holds nobody up.
          expect((yield* post(url, '"second"')).status).toBe(202)
          yield* run(until("SignalHandled", 2))
          expect((yield* run(handled)).map(([, how, names]) => [how, names])).toEqual([
            ["undelivered", true],
            ["undelivered", true],
          ])
        }),
      )
      const { run } = yield* served([{ agent: echo }])
      yield* run(until("TaskClosed", 2))
      const all = yield* run(handled)
      expect(all.slice(2).map(([signal, how]) => [signal, how])).toEqual(
        all.slice(0, 2).map(([signal]) => [signal, "task"]),
      )
      const said = (yield* run(eventsOf("MessageSent"))).map(({ payload }) => JSON.parse(String(payload.content)).body)
      expect(said).toEqual(["first", "second"])
    }),
  )
})

describe("tasks that wait for people", () => {
  it.scopedLive("hold no place: other signals open their tasks meanwhile, also after a restart", () =>
    Effect.gen(function* () {
      const directory = yield* emptyDirectory
      const asking: Agent.Agent = {
        name: "asking",
        version: "1",
        advance: (task) =>
          Effect.gen(function* () {
            const [input] = yield* task.inputs()
            if (JSON.stringify(input?.content).includes('"ask"')) {
              yield* task.decided({ agent: "asking@1", choice: { calls: [], waits: "input" }, basedOn: [] })
              yield* task.inputs({ wait: true })
            }
            yield* task.close("achieved")
            return false
          }),
      }
      const served = Effect.gen(function* () {
        const { run } = yield* lasting(directory)
        const listeners = [Listener.webhook({ name: "hook" })]
        const { urls } = yield* run(Listener.serve({ listeners, rules: [{ agent: asking }], maxTasks: 1 }))
        return { run, url: urls.hook ?? "none" }
      })
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { run, url } = yield* served
          yield* post(url, '"ask"')
          yield* post(url, '"ask"')
          yield* post(url, '"go on"')
          yield* run(until("TaskClosed", 1))
          expect(yield* run(eventsOf("TaskOpened"))).toHaveLength(3)
        }),
      )
      const { run, url } = yield* served
      yield* post(url, '"go on again"')
      yield* run(until("TaskClosed", 2))
      const open = (yield* run(eventsOf("TaskOpened"))).length - (yield* run(eventsOf("TaskClosed"))).length
      expect(open).toBe(2)
    }),
  )

  it.scopedLive("hold no place if the agent that they called waits, which only its caller resumes", () =>
    Effect.gen(function* () {
      const directory = yield* emptyDirectory
      const helper: Agent.Agent = {
        name: "helper",
        version: "1",
        advance: (task) =>
          Effect.gen(function* () {
            yield* task.decided({ agent: "helper@1", choice: { calls: [], waits: "input" }, basedOn: [] })
            yield* task.inputs({ wait: true })
            yield* task.close("achieved")
            return false
          }),
      }
      const desk: Agent.Agent = {
        name: "desk",
        version: "1",
        advance: (task) =>
          Effect.gen(function* () {
            const [input] = yield* task.inputs()
            if (JSON.stringify(input?.content).includes('"ask"')) yield* task.act("program/helper", { goal: "Help" })
            yield* task.close("achieved")
            return false
          }),
      }
      const served = Effect.gen(function* () {
        const { run } = yield* lasting(directory, { tools: { helper: asTool(helper) } })
        const listeners = [Listener.webhook({ name: "hook" })]
        const rules = [{ agent: desk }, { agent: helper }]
        const { urls } = yield* run(Listener.serve({ listeners, rules, maxTasks: 1 }))
        return { run, url: urls.hook ?? "none" }
      })
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { run, url } = yield* served
          yield* post(url, '"ask"')
          yield* post(url, '"go on"')
          yield* run(until("TaskClosed", 1))
          expect(yield* run(eventsOf("TaskOpened"))).toHaveLength(3)
        }),
      )
      const { run, url } = yield* served
      yield* post(url, '"go on again"')
      yield* run(until("TaskClosed", 2))
      const opened = yield* run(eventsOf("TaskOpened"))
      const child = opened.find(({ payload }) => payload.parent !== undefined)?.taskId ?? ""
      yield* run(until("TaskResumed", 2))
      const log = yield* run(EventLog)
      yield* log.append({
        ...{ stream: `task/${child}`, taskId: child, actor: "person:p" },
        events: [{ type: "InputReceived", payload: { source: "person:p", content: "Go on", delivery: "steering" } }],
      })
      yield* run(until("TaskClosed", 4))
      const ends = yield* run(eventsOf("TaskClosed", "CommandSucceeded", "CommandFailed"))
      expect(ends.map(({ type }) => type)).toEqual([
        ...["TaskClosed", "TaskClosed", "TaskClosed", "CommandSucceeded", "TaskClosed"],
      ])
      expect((yield* run(eventsOf("TaskResumed"))).map(({ taskId }) => taskId)).toContain(child)
    }),
  )
})

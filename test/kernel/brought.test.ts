import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { type CoreNewEvent, EventLog } from "../../src/events/log/EventLog.ts"
import * as SqliteEventLog from "../../src/events/sqlite/SqliteEventLog.ts"
import * as Brought from "../../src/kernel/trust/Brought.ts"
import * as Trust from "../../src/kernel/trust/Trust.ts"
import * as Projector from "../../src/projections/projector/Projector.ts"
import { digest } from "../../src/values/Digest.ts"
import { LATEST } from "../../src/values/Time.ts"
import { temporaryDirectory } from "../temporary.ts"

const onLog = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(temporaryDirectory, (directory) =>
    Effect.provide(
      effect,
      Layer.provideMerge(Projector.layer, SqliteEventLog.layer({ filename: path.join(directory, "log.db") })),
    ),
  )

const append = (stream: string, taskId: string | undefined, events: ReadonlyArray<CoreNewEvent>) =>
  Effect.flatMap(EventLog, (log) =>
    log.append({ stream, actor: "kernel", events, ...(taskId === undefined ? {} : { taskId }) }),
  )

const opened = (taskId: string, agent = "mine@1") =>
  append(`task/${taskId}`, taskId, [{ type: "TaskOpened", payload: { goal: "go", measures: [], agent } }])

const commanded = (taskId: string, commandIds: ReadonlyArray<string>, text = "") =>
  append(
    `task/${taskId}`,
    taskId,
    commandIds.map((commandId) => ({
      type: "ActuatorCommanded",
      payload: { commandId, actuator: "desk/write", args: { text }, argsDigest: digest({ text }), priority: 0 },
    })),
  )

const approved = (taskId: string, commandId: string) => {
  const confirmationId = `of-${commandId}`
  const argsDigest = digest({})
  const answer = { confirmationId, approved: true, by: "eve", channel: "cli", argsDigest, waitedMs: 1 }
  return append(`confirmation/${confirmationId}`, taskId, [
    {
      type: "ConfirmationRequested",
      payload: { confirmationId, commandId, shown: {}, argsDigest, expiresAt: LATEST },
    },
    { type: "ConfirmationDecided", payload: answer },
  ])
}

describe("what a log brings along", () => {
  it.scopedLive(
    "is found in a task of any size, without keeping it: only approvals of commands that have not ended",
    () =>
      onLog(
        Effect.gen(function* () {
          yield* opened("huge")
          yield* commanded("huge", ["first"], "x".repeat(5000))
          yield* approved("huge", "first")
          for (let batch = 0; batch < 3; batch++) {
            const ids = Array.from({ length: 600 }, (_, index) => `${batch}-${index}`)
            yield* commanded("huge", ids)
            yield* approved("huge", String(ids[0]))
            if (batch > 0) continue
            yield* append(
              "task/huge",
              "huge",
              ids.map((commandId) => ({
                type: "CommandDenied",
                payload: { commandId, rule: "none", reason: "no" },
              })) as never,
            )
          }
          const found = yield* Brought.read
          // 1,201 commands wait at once: more than are kept.
          expect(found.partlyRead).toBe(1)
          expect(found.approvals.map(({ args }) => JSON.stringify(args).length)).toEqual([1017, 11, 11])
          expect(Trust.describe(found).at(-1)).toBe(
            "open tasks in which not every command was read: 1. No approval in them counts here",
          )
        }),
      ),
  )

  it.scopedLive("is told in few lines, which no name in the log can forge", () =>
    onLog(
      Effect.gen(function* () {
        const lies = [
          ["calm\nplugin safe", '"calm\\\\nplugin safe"'],
          ["a 1.0.0 (abc), granted nothing", '"a 1.0.0 (abc), granted nothing"'],
          ["\u001b[2J\u001b[31mred", '"\\\\u{1b}[2J\\\\u{1b}[31mred"'],
          ["\u202eevil", '"\\\\u{202e}evil"'],
          ["p\u0430ypal", '"p\\\\u{430}ypal"'],
          ["x".repeat(100_000), `"${"x".repeat(120)}…"`],
        ] as const
        for (const [index, [name]] of lies.entries()) yield* opened(`t${index}`, name)
        expect(Trust.describe(yield* Brought.read)).toEqual(
          lies.map(([, shown], index) => `open task t${index} of ${shown}, which can be resumed: go`),
        )
        for (let index = 0; index < 60; index++) yield* opened(`more-${index}`)
        const told = Trust.describe(yield* Brought.read)
        expect(told.length).toBe(51)
        expect(told.at(-1)).toBe("… and 16 more open tasks: `hindcast task ls` lists them")
        expect(told.every((one) => one.length < 500 && /^[\x20-\x7e…]*$/.test(one))).toBe(true)
      }),
    ),
  )
})

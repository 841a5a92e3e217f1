import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { fromModel } from "../../src/agents/ModelAgent.ts"
import type { Model } from "../../src/agents/models/Model.ts"
import { EventLog } from "../../src/events/log/EventLog.ts"
import { is } from "../../src/events/vocabulary/Vocabulary.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import * as Memories from "../../src/memories/Memories.ts"
import { call, eventsOf, text, turn } from "../agents/given.ts"
import { program } from "../built.ts"
import * as Killable from "../killable.ts"
import { temporaryDirectory } from "../temporary.ts"
import { testKernel } from "./testKernel.ts"

const PROGRAM = program(import.meta.url, "remembering")

const embedding = { model: "length", embed: (all: ReadonlyArray<string>) => all.map((one) => [one.length, 1]) }

/** The model of the killed program: it answers by the number of its answers so far. */
const counting: Model = {
  provider: "test",
  model: "counting",
  turn: ({ messages }) => {
    const answers = messages.filter(({ role }) => role === "assistant").length
    return Effect.succeed(
      turn([
        [
          call("a", "program__remember", { text: "Ada prefers the window seat" }),
          call("b", "program__recall", { query: "Which seat does Ada want?" }),
          text("A window seat."),
        ][answers] ?? text("?"),
      ]),
    )
  },
}

describe("an agent that is killed while it remembers", () => {
  for (const type of ["ActuatorCommanded", "CommandDispatched", "MemoryStored", "CommandSucceeded"]) {
    it.scopedLive(`after ${type}, resumes with one memory, and recalls the same as without the kill`, () =>
      Effect.gen(function* () {
        const directory = yield* temporaryDirectory
        const log = path.join(directory, "log.db")
        const input = JSON.stringify({ log, workspace: directory, type })
        const child = yield* Killable.start([PROGRAM], { input })
        expect(yield* child.ended).toMatchObject({ signal: "SIGKILL" })

        const kernel = yield* testKernel({ directory, onOpenTasks: "resume", memories: { embedding } })
        const { run } = yield* kernel.start
        const agent = fromModel({ model: counting, name: "desk" })
        const audit = yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.resume("seat", agent)))
        expect(audit).toMatchObject({ outcome: "achieved" })
        const stored = yield* run(
          Effect.flatMap(EventLog, (events) => events.readPage({ types: ["MemoryStored"] }, 10)),
        )
        expect(stored.map(({ payload, taskId }) => [payload.text, taskId])).toEqual([
          ["Ada prefers the window seat", "seat"],
        ])
        const results = (yield* run(eventsOf("seat"))).flatMap((event) =>
          is(event, "CommandSucceeded") ? [event.payload.result] : [],
        )
        expect(results).toMatchObject([
          { id: stored[0]?.id, position: stored[0]?.position },
          { memories: [{ id: stored[0]?.id, text: "Ada prefers the window seat" }] },
        ])
        const report = yield* run(Effect.flatMap(Kernel, ({ replay }) => replay("seat", agent)))
        expect(report).toMatchObject({ verdict: "identical", complete: true })

        const recall = Effect.flatMap(Memories.Memories, (memories) =>
          memories.recall({ query: "seat", at: stored[0]?.position ?? 0 }),
        )
        const before = yield* run(recall)
        expect(before.memories).toMatchObject([{ text: "Ada prefers the window seat", byWords: true }])
        yield* run(Effect.flatMap(Memories.Memories, ({ rebuild }) => rebuild))
        expect(yield* run(recall)).toEqual(before)
        expect(fs.existsSync(Memories.fileOf(log))).toBe(true)
      }),
    )
  }
})

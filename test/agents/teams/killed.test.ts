import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import * as TreeAudit from "../../../src/projections/tree/TreeAudit.ts"
import "../../built.ts"
import { testKernel } from "../../kernel/testKernel.ts"
import * as Killable from "../../killable.ts"
import { inRepository } from "../../repository.ts"
import { temporaryDirectory } from "../../temporary.ts"

const PROGRAM = inRepository("test/agents/teams/programs/tree.mjs")

describe("a tree of tasks whose process is killed (kill -9) while two children work", () => {
  it.scopedLive(
    "is resumed by the next process: each child was started once, and each cost counts once",
    () =>
      Effect.gen(function* () {
        const directory = yield* temporaryDirectory
        const log = `${directory}/log.db`
        const first = yield* Killable.start([PROGRAM, log, "hold"])
        // Two of three children hold, so that both are in the middle of a command.
        yield* Effect.raceFirst(first.says(2), first.ended)
        yield* first.kill
        expect(yield* first.ended).toMatchObject({ signal: "SIGKILL", lines: ["holds", "holds"] })
        const second = yield* Killable.start([PROGRAM, log])
        const ended = yield* second.ended
        expect(ended.stderr).toBe("")
        expect(ended.lines.map((line) => JSON.parse(line))).toEqual([{ outcome: "achieved", resumed: 3, left: 0 }])
        const { layerLog } = yield* testKernel({ directory })
        yield* Effect.provide(
          Effect.gen(function* () {
            const { tasks, total } = yield* TreeAudit.load("top")
            expect(tasks.map(({ outcome, depth }) => [outcome, depth])).toEqual([
              ["achieved", 0],
              ...[1, 1, 1].map((depth) => ["achieved", depth]),
            ])
            expect(total).toMatchObject({ tasks: 4, open: 0, commands: 6, calls: 9, tokens: 990 })
            const events = yield* EventLog
            const opened = yield* events.readPage({ types: ["TaskOpened"] }, 100)
            expect(opened).toHaveLength(4)
            const ends = yield* events.readPage({ taskId: "top", types: ["CommandSucceeded"] }, 100)
            expect(ends.map(({ payload }) => payload.child)).toMatchObject(
              [1, 2, 3].map(() => ({ outcome: "achieved", used: { steps: 2, commands: 1, tokens: 220 } })),
            )
            expect(yield* events.verify).toMatchObject({ _tag: "Intact" })
          }),
          layerLog,
        )
      }),
    { timeout: 120_000 },
  )
})

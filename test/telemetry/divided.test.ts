import { Effect } from "effect"
import { expect, it } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import * as MemoryEventLog from "../../src/events/memory/MemoryEventLog.ts"
import { taskIdOf } from "../../src/importing/runs/Run.ts"
import * as ScoreAppender from "../../src/importing/writing/ScoreAppender.ts"
import * as Batch from "../../src/telemetry/Batch.ts"
import * as Mapping from "../../src/telemetry/Mapping.ts"
import { attributes, request, span } from "./receiving.ts"

const judged = { "gen_ai.evaluation.name": "relevance", "gen_ai.evaluation.score.value": 0.5 }

const CHAT = { "gen_ai.operation.name": "chat", "gen_ai.conversation.id": "c" }

/** A span with a judgement of its own, and a judgement of it in the logs. */
const kept = [
  ...(Batch.ofTraces(
    request([
      {
        ...span({ id: 1, from: 0, to: 1_000_000_000, of: CHAT }),
        events: [{ name: "gen_ai.evaluation.result", attributes: attributes(judged) }],
      },
    ]),
  )?.received ?? []),
  ...(Batch.ofLogs({
    resourceLogs: [
      {
        scopeLogs: [
          {
            logRecords: [
              {
                timeUnixNano: "1767323050000000000",
                eventName: "gen_ai.evaluation.result",
                attributes: attributes({ ...judged, "gen_ai.conversation.id": "c" }),
              },
            ],
          },
        ],
      },
    ],
  })?.received ?? []),
].map(({ kind, body }) => ({ kind, body }))

it("a judgement is one score set, whichever part of its conversation has it", async () => {
  const scoresOf = (part: number, conversation = "c") => {
    const group = { id: part, source: "otlp", conversation, trace: undefined, part, arrived: 2, bytes: 1, touched: 0 }
    return Mapping.ofSpans(group, kept, { prices: [] } as never, 0).scores
  }
  const second = taskIdOf("otlp", "c~2")
  expect(scoresOf(2).map(({ taskId }) => taskId)).toEqual([second, second])
  const sets = await Effect.gen(function* () {
    const log = yield* EventLog
    const writing = { log, source: "otlp", redact: false, dryRun: false }
    yield* ScoreAppender.append(writing, scoresOf(2))
    // As an import of the whole conversation names its task.
    const whole = scoresOf(2).map(({ wholeTaskId: _, ...score }) => ({ ...score, taskId: "otlp-c" }))
    expect(yield* ScoreAppender.append(writing, whole)).toBe(0)
    expect(yield* ScoreAppender.append(writing, scoresOf(3))).toBe(0)
    expect(yield* ScoreAppender.append(writing, scoresOf(1, "d"))).toBeGreaterThan(0)
    return yield* log.readPage({ types: ["ScoringStarted"] }, 10)
  }).pipe(Effect.provide(MemoryEventLog.layer()), Effect.runPromise)
  expect(sets.map(({ taskId }) => taskId)).toEqual([second, second, "otlp-d", "otlp-d"])
})

import { Effect } from "effect"
import { afterEach, describe, expect, it, vi } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import * as MemoryEventLog from "../../src/events/memory/MemoryEventLog.ts"
import * as Openings from "../../src/importing/writing/Openings.ts"
import { RecordedTask } from "../../src/importing/writing/RecordedTask.ts"

const TASK = "claude-code-s"

const open = (taskId: string, means?: "hooks" | "acp") =>
  Effect.gen(function* () {
    const recorder = { host: "here", pid: 1, ...(means === undefined ? {} : { means }) }
    const payload = { goal: "g", agent: "a", measures: [], plugins: [], recorder }
    const log = yield* EventLog
    yield* log.append({ stream: `task/${taskId}`, taskId, actor: "agent:a", events: [{ type: "TaskOpened", payload }] })
  })

const run = <A, E>(effect: Effect.Effect<A, E, EventLog>): Promise<A> =>
  effect.pipe(Effect.provide(MemoryEventLog.layer()), Effect.runPromise)

afterEach(() => vi.useRealTimers())

describe("the tasks of a session", () => {
  it("are all found, also behind one that somebody else opened under its id", async () => {
    const means = await run(
      Effect.gen(function* () {
        yield* open(TASK, "hooks")
        yield* open(`${TASK}.2`)
        yield* open(`${TASK}.3`, "acp")
        return (yield* Openings.of(yield* EventLog, TASK)).map(Openings.meansOf)
      }),
    )
    expect(means).toEqual(["hooks", "program", "acp"])
  })

  it("of hooks that are gone keep no import waiting because telemetry comes", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const recorded = await run(
      Effect.gen(function* () {
        const log = yield* EventLog
        yield* open(TASK)
        yield* open(`${TASK}.2`, "hooks")
        vi.setSystemTime(Date.now() + 2 * 60 * 60 * 1000)
        const payload = { about: TASK, text: "telemetry" }
        const events = [{ type: "NoteAdded", payload }] as const
        const actor = "import:claude-code-logs"
        yield* log.append({ stream: `telemetry/${TASK}.2`, taskId: `${TASK}.2`, actor, events })
        return yield* RecordedTask.load(log, { taskId: TASK, source: "claude-code" }, () => {})
      }),
    )
    expect(recorded?.taskIds).toEqual([`${TASK}.2`])
    expect(recorded?.isAtWork).toBe(false)
  })
})

import { Context, Effect } from "effect"
import { expect, it } from "vitest"
import { anyAnswers } from "../../../src/cli/studio/SharedStudio.ts"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import * as MemoryEventLog from "../../../src/events/memory/MemoryEventLog.ts"
import { LogNotOpen } from "../../../src/studio/team/OpenLogs.ts"

it("a shared Studio is ready while one of its logs answers, and asks again for those that could not be opened", () =>
  Effect.gen(function* () {
    const log = yield* EventLog
    let asked = 0
    let isThere = false
    const missing = { services: () => new LogNotOpen({ log: "missing" }) }
    const late = {
      services: () =>
        Effect.suspend(() => {
          asked += 1
          return isThere ? Effect.succeed(Context.make(EventLog, log)) : new LogNotOpen({ log: "late" })
        }),
    }
    expect(yield* Effect.flip(anyAnswers([missing, late]))).toEqual({ reason: "no log can be opened" })
    isThere = true
    yield* anyAnswers([missing, late])
    expect(asked).toBe(2)
    const broken = { ...log, head: new LogNotOpen({ log: "late" }) as never }
    const silent = { services: () => Effect.succeed(Context.make(EventLog, broken)) }
    expect(yield* Effect.flip(anyAnswers([silent]))).toEqual({ reason: "no log can be opened" })
  }).pipe(Effect.provide(MemoryEventLog.layer()), Effect.runPromise))

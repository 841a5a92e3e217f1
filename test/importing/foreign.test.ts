import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import { SESSION, session } from "./claudeSession.ts"
import { events, importing, lines, withFiles } from "./given.ts"

describe("a session that hooks recorded as it happened", () => {
  it.effect("is not imported into the same task: its calls would count twice", () =>
    withFiles({ [`${SESSION}.jsonl`]: lines(session()) }, (directory) =>
      Effect.gen(function* () {
        const taskId = `claude-code-${SESSION}`
        const log = yield* EventLog
        yield* log.append({
          stream: `task/${taskId}`,
          taskId,
          actor: "agent:claude-code",
          events: [{ type: "TaskOpened", payload: { goal: "x", agent: "claude-code", measures: [], plugins: [] } }],
        })
        for (const dryRun of [true, false, false]) {
          const { files, added } = yield* importing(directory, { dryRun })
          expect(added).toBe(0)
          expect(files[0]).toMatchObject({ runs: [], remarks: { [SAID]: 1 } })
        }
        expect(yield* events).toHaveLength(1)
      }),
    ),
  )
})

const SAID =
  "a run that this log recorded live: nothing was added to its task. Import the file into another log to read it"

/** A program that goes on from a moment of its recording, on a timeline of its own. */

import type { Fetch } from "../../agents/models/Fetch.ts"
import type { TaskOutcome } from "../../events/vocabulary/Tasks.ts"
import * as KeptAlive from "../../platform/KeptAlive.ts"
import * as Conversations from "../http/Conversations.ts"
import * as Prompts from "../http/Prompts.ts"
import type { PassedBody } from "../http/RecordedBody.ts"
import * as RecordedFetch from "../http/RecordedFetch.ts"
import * as Redaction from "../http/Redaction.ts"
import * as OpenedRun from "../log/OpenedRun.ts"
import * as RunLog from "../log/RunLog.ts"
import type { Diverged } from "../replay/Played.ts"
import { eventsOf } from "../replay/RecordedEvents.ts"
import * as ForkedFetch from "./ForkedFetch.ts"

/** What a fork is made of. */
export interface ForkedOptions extends Omit<OpenedRun.Forking, "overrides"> {
  readonly changes: ForkedFetch.Changes
  readonly fetch: Fetch
  /** Called once, if the log fails and nothing more is recorded. */
  readonly onLogFailed: (failed: RunLog.RecordingFailed) => void
}

/** A fork that is at work. */
export interface ForkedRun {
  readonly fetch: Fetch
  /** Where the program did otherwise than was recorded before the moment. */
  readonly divergence: () => Diverged | undefined
  /** Waits for what is being recorded, closes the task in the fork, and the log. */
  readonly end: (outcome: TaskOutcome) => Promise<void>
}

/** Begins a fork. */
export const begin = async ({ changes, fetch, onLogFailed, ...forking }: ForkedOptions): Promise<ForkedRun> => {
  const { log: file, taskId, parent, at } = forking
  const events = (await eventsOf(file, taskId, parent)).filter(({ position }) => position <= at)
  const overrides = { ...(Object.keys(changes).length === 0 ? {} : { changes: { ...changes } }) }
  const opened = await KeptAlive.during(OpenedRun.fork({ ...forking, overrides }, () => false))
  const log = RunLog.make({ taskId, log: file, onLogFailure: "stop", stream: opened.stream, onFailed: onLogFailed })
  const redaction = Redaction.make()
  const bodies = new Set<PassedBody>()
  const recording = (fetch: Fetch) =>
    RecordedFetch.make({
      ...{ log, redaction, fetch, open: bodies, assertOpen: () => {} },
      ...{ conversations: Conversations.make(), prompts: Prompts.make() },
    })
  let divergence: Diverged | undefined
  const diverged = (error: Diverged) => {
    divergence ??= error
  }
  return {
    fetch: ForkedFetch.make({ events, taskId, redaction, changes, recording, fetch, diverged }),
    divergence: () => divergence,
    end: async (outcome) => {
      try {
        for (const body of bodies) await body.leave()
        await log.settled()
        await log.tell({ type: "TaskClosed", payload: { outcome } })
      } finally {
        await KeptAlive.during(opened.close())
      }
    },
  }
}

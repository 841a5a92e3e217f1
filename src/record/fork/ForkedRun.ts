/** A run that goes on from a moment of its recording, at work. */

import type { Fetch } from "../../agents/models/Fetch.ts"
import type { GateConfig } from "../../kernel/gate/GateConfig.ts"
import * as KeptAlive from "../../platform/KeptAlive.ts"
import * as Redaction from "../http/Redaction.ts"
import type * as OpenedRun from "../log/OpenedRun.ts"
import * as RunLog from "../log/RunLog.ts"
import { type Run, RunEnded } from "../Run.ts"
import * as RunAtWork from "../RunAtWork.ts"
import { eventsOf } from "../replay/RecordedEvents.ts"
import * as Changes from "./Changes.ts"
import * as ForkedCalls from "./ForkedCalls.ts"
import * as ForkedFetch from "./ForkedFetch.ts"
import * as PastCalls from "./PastCalls.ts"

/** What a fork is made of. */
export interface ForkedOptions extends Omit<OpenedRun.Forking, "overrides"> {
  readonly changes: Changes.Changes
  readonly fetch: Fetch
  readonly gate?: GateConfig | undefined
  readonly secrets?: ReadonlyArray<string> | undefined
  /** Called once, if the log fails and nothing more is recorded. */
  readonly onLogFailed?: (failed: RunLog.RecordingFailed) => void
}

/** A fork that is at work. */
export interface ForkedRun extends Pick<PastCalls.PastCalls, "divergence" | "unmade"> {
  readonly run: Run
  /** Whether the run was ended. */
  readonly isEnded: () => boolean
}

/** Begins a fork. */
export const begin = async (options: ForkedOptions): Promise<ForkedRun> => {
  const { changes, fetch, gate, secrets, onLogFailed = () => {}, ...forking } = options
  const { log: file, taskId, parent, at } = forking
  const events = (await eventsOf(file, taskId, parent)).filter(({ position }) => position <= at)
  const redaction = Redaction.make(secrets)
  const overrides = Object.keys(changes).length === 0 ? {} : { changes: redaction.value({ ...changes }) }
  const opened = await KeptAlive.during(
    import("../log/OpenedRun.ts").then(({ fork }) => fork({ ...forking, overrides }, () => false)),
  )
  const log = RunLog.make({ taskId, log: file, onLogFailure: "stop", stream: opened.stream, onFailed: onLogFailed })
  const toMake = Changes.toMake(changes)
  const recording = RunAtWork.make({ opened, log, redaction, gate, fetch: ForkedFetch.changed(toMake, fetch) })
  let isEnded = false
  const past = PastCalls.of(taskId, events)
  const assertOpen = (call: string) => {
    if (isEnded) throw new RunEnded({ taskId, call })
  }
  const calls = ForkedCalls.make({ events, past, redaction, changes: toMake, recording, assertOpen })
  const end: Run["end"] = async (outcome, reason) => {
    await recording.end(outcome, reason)
    isEnded = true
  }
  return { ...past, run: { taskId, ...calls, end }, isEnded: () => isEnded }
}

/** Begins a fork of a recorded run. */

import type { Fetch } from "../../agents/models/Fetch.ts"
import type { GateConfig } from "../../kernel/gate/GateConfig.ts"
import * as KeptAlive from "../../platform/recorded/KeptAlive.ts"
import * as Redaction from "../http/Redaction.ts"
import type * as OpenedRun from "../log/OpenedRun.ts"
import * as RunLog from "../log/RunLog.ts"
import * as RunAtWork from "../RunAtWork.ts"
import * as RunFiles from "../RunFiles.ts"
import * as Parts from "../replay/Parts.ts"
import * as Playback from "../replay/Playback.ts"
import * as PlaybackRun from "../replay/PlaybackRun.ts"
import { eventsOf } from "../replay/RecordedEvents.ts"
import * as Recording from "../replay/Recording.ts"
import * as ChangedFetch from "./ChangedFetch.ts"
import * as ChangedRun from "./ChangedRun.ts"
import * as Changes from "./Changes.ts"

export interface ForkedOptions extends Omit<OpenedRun.Forking, "overrides"> {
  readonly changes: Changes.Changes
  readonly fetch: Fetch
  readonly gate?: GateConfig | undefined
  readonly secrets?: ReadonlyArray<string> | undefined
  /** A directory whose files to record: an absolute path without links. Default: none. */
  readonly workspace?: string | undefined
  /** Called once if the log fails and recording stops. */
  readonly onLogFailed?: (failed: RunLog.RecordingFailed) => void
}

export const begin = async (options: ForkedOptions): Promise<PlaybackRun.PlaybackRun> => {
  const { changes, fetch, gate, secrets, workspace, onLogFailed = () => {}, ...forking } = options
  const { log: file, taskId, parent, at } = forking
  const events = await eventsOf(file, taskId, parent)
  const playback = Playback.of(Recording.of(events, Parts.at(events, at)), { until: at })
  const redaction = Redaction.make(secrets)
  const overrides = Object.keys(changes).length === 0 ? {} : { changes: redaction.value({ ...changes }) }
  const opened = await KeptAlive.during(
    import("../log/OpenedRun.ts").then(({ fork }) => fork({ ...forking, overrides }, () => false)),
  )
  const log = RunLog.make({ taskId, log: file, onLogFailure: "stop", stream: opened.stream, onFailed: onLogFailed })
  const toMake = Changes.toMake(changes)
  const directory =
    workspace === undefined ? undefined : await RunFiles.at({ root: workspace, log: file, hasSecret: redaction.isIn })
  // Calls that the playback answers for run again, and nobody tells of them.
  let isLive = false
  const { past, openedBy } = opened
  const files = directory?.of({ past, openedBy, log, isBlind: () => !isLive })
  await files?.look()
  const live: Fetch = async (input, init) => {
    if (!isLive) await files?.look()
    isLive = true
    return fetch(input, init)
  }
  const recording = RunAtWork.make({
    opened: directory === undefined ? opened : { ...opened, close: () => opened.close().finally(directory.close) },
    ...{ log, redaction, gate, files },
    fetch: ChangedFetch.changed(toMake, live),
  })
  return PlaybackRun.make(playback, redaction, ChangedRun.make(toMake, recording))
}

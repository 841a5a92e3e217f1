/** A recorded run that applies a fork's overrides. */

import type { LiveCalls } from "../replay/PlaybackRun.ts"
import * as ChangedFetch from "./ChangedFetch.ts"
import { type ChangesToMake, resultOf } from "./Changes.ts"

/** @param recording makes and records the calls */
export const make = (changes: ChangesToMake, recording: LiveCalls): LiveCalls => {
  /** Returns the overridden result on the first call of any function, and calls the function otherwise. */
  const changed =
    <Args extends ReadonlyArray<unknown>, Result>(does: (...args: Args) => Result) =>
    (...args: Args): Result => {
      const result = changes.takeResult()
      return result === undefined ? does(...args) : (resultOf(result) as Result)
    }
  return {
    ...recording,
    fetch: ChangedFetch.askingModel(changes.model, recording.fetch),
    tool: (name, does, options) => recording.tool(name, changed(does), options),
    io: (name, does) => recording.io(name, changed(does)),
    sensor: (name, reads) => recording.sensor(name, changed(reads)),
  }
}

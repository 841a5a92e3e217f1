/** A run that is recorded from the moment of a fork on, with what is otherwise in it. */

import type { LiveCalls } from "../replay/PlaybackRun.ts"
import * as ChangedFetch from "./ChangedFetch.ts"
import { type ChangesToMake, resultOf } from "./Changes.ts"

/** @param recording makes and records the calls */
export const make = (changes: ChangesToMake, recording: LiveCalls): LiveCalls => {
  /** A function that gives the result that is to be another one, where it was not given yet. */
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

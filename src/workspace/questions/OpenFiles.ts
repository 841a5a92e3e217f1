/** Opens the questions about recorded files for programs without Effect. */

import { Effect, Exit, Layer, Scope } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
/// <reference lib="esnext.disposable" preserve="true" />
import { LogFileName } from "../../events/log/LogFileName.ts"
import * as SqliteEventLog from "../../events/sqlite/SqliteEventLog.ts"
import * as Projector from "../../projections/projector/Projector.ts"
import * as TimeTravel from "../../projections/timetravel/TimeTravel.ts"
import * as Calls from "../../promise/Calls.ts"
import { type Promised, promised } from "../../promise/Promised.ts"
import * as Options from "../../values/Options.ts"
import * as Files from "./Files.ts"

/** Options of `open`. */
export interface OpenFilesOptions {
  /** The log's file. The contents of the files are in `LOG.files` next to it. */
  readonly log: string
}

const OpenFilesOptions = Options.of<OpenFilesOptions>({ required: { log: LogFileName } })

/** The questions of `Files` as promises, about an open log. */
export interface OpenedFiles extends Promised<Files.Files.Service> {
  /** Interrupts calls in progress, and closes the log. Later calls reject with `Closed`. */
  readonly close: () => Promise<void>
  /** `close`, for `await using files = await open(…)`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** The services of an existing log, read-only. */
export const layerReading = (filename: string) =>
  Files.layer.pipe(
    Layer.provideMerge(TimeTravel.layer),
    Layer.provideMerge(Projector.layer),
    Layer.provideMerge(SqliteEventLog.layer({ filename, readonly: true })),
  )

/**
 * Opens a log to ask about its recorded files. Needs no kernel and no lease, and changes nothing. Rejects with
 * `InvalidOptions`, and with the log's errors.
 *
 * @example
 * await using files = await open({ log: ".hindcast/log.db" })
 * const { lines, versions } = await files.blame("src/main.ts")
 */
export const open = async (options: OpenFilesOptions): Promise<OpenedFiles> => {
  const { log: filename } = await Calls.run(Options.decode("open", OpenFilesOptions, options))
  const scope = Effect.runSync(Scope.make())
  const runtime = await Calls.run(Scope.extend(Layer.toRuntime(layerReading(filename)), scope)).catch(async (error) => {
    await Calls.run(Scope.close(scope, Exit.void))
    throw error
  })
  const { files, log } = await Calls.run(Effect.provide(Effect.all({ files: Files.Files, log: EventLog }), runtime))
  const calls = Calls.make(log.name, runtime, scope)
  return { ...promised(files, calls), close: calls.close, [Symbol.asyncDispose]: calls.close }
}

/** Copies one task into a small log of its own, to pass on. */

import { Context, Data, type Effect } from "effect"
import * as Options from "../../values/Options.ts"
import type { AppendError, OpenError } from "../log/EventLog.ts"
import type { Head } from "../vocabulary/Event.ts"

/** Fix the call: the task has no events, or the target file exists. */
export class NotBundled extends Data.TaggedError("NotBundled")<{
  readonly log: string
  readonly expected: string
  readonly found: string
}> {
  override get message() {
    return `${this.log}: expected ${this.expected}, found ${this.found}. Nothing was written.`
  }
}

/** Options of `bundle`. */
export interface BundleOptions {
  readonly taskId: string
  /** The file to create. It must not exist. */
  readonly file: string
}

/** Schema of `BundleOptions`. */
export const BundleOptions = Options.of<BundleOptions>({ required: { taskId: Options.Text, file: Options.Path } })

/** The written bundle. */
export interface Bundled {
  readonly file: string
  readonly events: number
  readonly head: Head
}

/**
 * A bundle is one task as a log of its own. It contains the task's events, those of score sets that cover the task, and
 * those of the registry and the kernel up to then; all of `main`, without the task's forks. Ids, times and payloads are
 * the source's. Positions, versions and hashes are the bundle's own, also in payloads. Its first events (`TaskBundled`)
 * record every event's position and hash in the source.
 *
 * Encrypted fields stay encrypted, without their keys. Archived events are included.
 */
export class Bundles extends Context.Tag("hindcast/Bundles")<Bundles, Bundles.Service>() {}

/** The type of the service: `Bundles.Service`. */
export declare namespace Bundles {
  /** The bundles of a log. */
  export interface Service {
    /** Writes the bundle of a task to a new file. */
    readonly bundle: (
      options: BundleOptions,
    ) => Effect.Effect<Bundled, Options.InvalidOptions | NotBundled | AppendError | OpenError>
  }
}

/** Alias of `Bundles.Service` for namespace imports. */
export type Service = Bundles.Service

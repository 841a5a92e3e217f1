import { Context, Data, type Effect } from "effect"
import * as Options from "../../values/Options.ts"
import type { AppendError, OpenError } from "../log/EventLog.ts"
import type { Head } from "../vocabulary/Event.ts"

/** Fix the call: there is nothing to bundle, or no place for it. */
export class NotBundled extends Data.TaggedError("NotBundled")<{
  readonly log: string
  readonly expected: string
  readonly found: string
}> {
  override get message() {
    return `${this.log}: expected ${this.expected}, found ${this.found}. Nothing was written.`
  }
}

/** Which task, and where to. */
export interface BundleOptions {
  readonly taskId: string
  /** The file to make, which must not be there yet. */
  readonly file: string
}

/** Their schema. */
export const BundleOptions = Options.of<BundleOptions>({ required: { taskId: Options.Text, file: Options.Path } })

/** A bundle that was made. */
export interface Bundled {
  readonly file: string
  readonly events: number
  readonly head: Head
}

/**
 * A bundle is one task as a small log of its own, which opens anywhere a log does: the task's events, those of the score
 * sets that cover it, and what the registry and the kernel had said by then; all of it on `main`, and nothing of its forks. Ids, times and payloads are those of the source;
 * positions, versions and hashes are the bundle's own, and where a payload names positions, it names the bundle's.
 * Its first events (`TaskBundled`) say where every event stood in the source, and with which hash.
 *
 * Encrypted fields stay encrypted, and the keys stay behind. Archived events are bundled like all others.
 */
export class Bundles extends Context.Tag("hindcast/Bundles")<
  Bundles,
  {
    readonly bundle: (
      options: BundleOptions,
    ) => Effect.Effect<Bundled, Options.InvalidOptions | NotBundled | AppendError | OpenError>
  }
>() {}

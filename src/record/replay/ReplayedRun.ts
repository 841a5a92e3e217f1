/** Plays a recorded run: the program runs again, and everything that it asks is answered from the log. */

import { Schema } from "effect"
import type { Fetch } from "../../agents/models/Fetch.ts"
import * as Options from "../../values/Options.ts"
import * as Redaction from "../http/Redaction.ts"
import * as RecordOptions from "../RecordOptions.ts"
import type { Run } from "../Run.ts"
import { Live } from "./Diverged.ts"
import * as PlayedRun from "./PlayedRun.ts"
import { eventsOf } from "./RecordedEvents.ts"

/** Which recorded run is played. */
export interface RecordedRun {
  /** The log's file. It is read, and not written. */
  readonly log: string
  /** The task's id. Default: the last task of the log. */
  readonly taskId?: string
  /** The texts that `record` was given as `secrets`. */
  readonly secrets?: ReadonlyArray<string>
  /** What is asked anew, and not answered from the recording. Nothing of it is recorded. Default: nothing. */
  readonly live?: Live
  /** Makes the requests that are asked anew. Default: the global `fetch`. */
  readonly fetch?: Fetch
}

/**
 * Runs a program on a recorded run: without a network, without a key, and without calling its tools. Each call is answered
 * by what was recorded for one like it, in order, so that concurrent calls may come in another order. Answers with
 * what the program answers. Rejects with `Diverged` if a call was not recorded, or one that was recorded is not made, and
 * with what the program rejects with.
 *
 * @example
 * it("answers as it did", () => replayed({ log: "test/letter.db" }, (run) => agent({ fetch: run.fetch })))
 */
export const replayed = async <A>(recorded: RecordedRun, program: (run: Run) => A | PromiseLike<A>): Promise<A> => {
  const played = await playing(recorded)
  const answer = await Promise.resolve(played.run)
    .then(program)
    .catch((error: unknown) => {
      throw played.divergence() ?? error
    })
  const divergence = played.divergence() ?? played.unmade()
  if (divergence !== undefined) throw divergence
  return answer
}

/** Plays a recorded run for a program that ends by itself: whoever plays it asks at the end whether it went as recorded. */
export const playing = async (recorded: RecordedRun): Promise<PlayedRun.PlayedRun> => {
  const { log, taskId, secrets, live, fetch = globalThis.fetch } = decode(recorded)
  return PlayedRun.make(await eventsOf(log, taskId), Redaction.make(secrets), live, fetch)
}

const Fields = Options.of<RecordedRun>({
  required: { log: Options.Path },
  optional: {
    ...{ taskId: Options.Text, secrets: Schema.Array(Options.Text), live: Live },
    fetch: Options.callable<Fetch>(),
  },
})

const decode = (recorded: unknown) => RecordOptions.orThrow(Options.decode("replayed", Fields, recorded))

/** Replays a recorded run: the program runs again, and everything that it asks is answered from the log. */

import { Schema } from "effect"
import type { Fetch } from "../../agents/models/Fetch.ts"
import * as Options from "../../values/Options.ts"
import * as Redaction from "../http/Redaction.ts"
import * as AllowedHosts from "../network/AllowedHosts.ts"
import * as RecordOptions from "../RecordOptions.ts"
import type { Recorded, Run } from "../Run.ts"
import { Live } from "./Diverged.ts"
import * as Parts from "./Parts.ts"
import * as Playback from "./Playback.ts"
import * as PlaybackRun from "./PlaybackRun.ts"
import { eventsOf } from "./RecordedEvents.ts"
import * as Recording from "./Recording.ts"

/** Which recorded run is replayed. */
export interface RecordedRun {
  /** The log's file. It is read, and not written. */
  readonly log: string
  /** The task's id. Default: the last task of the log. */
  readonly taskId?: string
  /** Which of the processes that recorded the run, from 1: the program makes its calls again. Default: the only one. */
  readonly part?: number
  /** The texts that `record` was given as `secrets`. */
  readonly secrets?: ReadonlyArray<string>
  /** What is asked anew, and not answered from the recording. Nothing of it is recorded. Default: nothing. */
  readonly live?: Live
  /** Makes the requests that are asked anew. Default: the global `fetch`. */
  readonly fetch?: Fetch
  /**
   * What the program may reach besides, such as `localhost:5432`, or a host for all of its ports. Default: nothing but Unix sockets, and
   * servers that the process opens from then on. With `live: "tools"` the network is open.
   */
  readonly allowHosts?: ReadonlyArray<string>
}

/**
 * Runs a program on a recorded run: without a network, without a key, and without calling its tools. Each call is answered
 * by what was recorded for one like it. Calls that were under way at the same time may come in another order. Answers with
 * what the program answers. Rejects with `Diverged` if a call was not recorded, comes before one that was answered first, or was
 * recorded and is not made; with `NothingReplayed` if the program makes no call at all; and with what the program rejects with.
 *
 * @example
 * it("answers as it did", () => replayed({ log: "test/letter.db" }, (run) => agent({ fetch: run.fetch })))
 */
export const replayed = async <A>(recorded: RecordedRun, program: (run: Run) => A | PromiseLike<A>): Promise<A> =>
  PlaybackRun.carryOut(await begin(recorded), program, {
    allowHosts: recorded.allowHosts ?? [],
    isClosed: () => recorded.live !== "tools",
  })

/** Begins a replay for a program that ends by itself: whoever runs it closes it, and learns by it whether it went as recorded. */
export const begin = async (recorded: RecordedRun): Promise<PlaybackRun.PlaybackRun> => {
  const { log, taskId, part, secrets, live, fetch = globalThis.fetch } = decode(recorded)
  const events = await eventsOf(log, taskId)
  const replayedPart = Parts.named(events[0]?.taskId ?? "", events, part)
  const playback = Playback.of(Recording.of(events, replayedPart), { live })
  return PlaybackRun.make(playback, Redaction.make(secrets), unrecorded(fetch))
}

/** What is called anew: nothing of it is recorded. */
const unrecorded = (fetch: Fetch): PlaybackRun.LiveCalls => ({
  fetch,
  now: Date.now,
  random: Math.random,
  end: async () => {},
  leave: async () => {},
  tool: (_, does) => promised(does),
  io: (_, does) => promised(does),
  sensor: (_, reads) => promised(reads),
})

const promised =
  <Args extends ReadonlyArray<unknown>, Result>(does: (...args: Args) => Result): Recorded<Args, Result> =>
  async (...args): Promise<Awaited<Result>> =>
    await does(...args)

const Fields = Options.of<RecordedRun>({
  required: { log: Options.Path },
  optional: {
    part: Schema.Positive.pipe(Schema.int()),
    taskId: Options.Text,
    secrets: Schema.Array(Options.Text),
    live: Live,
    fetch: Options.callable<Fetch>(),
    allowHosts: Schema.Array(AllowedHosts.Text),
  },
})

const decode = (recorded: unknown) => RecordOptions.orThrow(Options.decode("replayed", Fields, recorded))

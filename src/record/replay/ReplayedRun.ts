/** Replays a recorded run: the program runs again, and the log answers its calls. */

import { Schema } from "effect"
import type { Fetch } from "../../agents/models/Fetch.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
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

/** Options of `replayed`. */
export interface RecordedRun {
  /** The log's file, or `postgres://…`; it is only read. */
  readonly log: string
  /** The task's id. Default: the last task of the log. */
  readonly taskId?: string
  /** The part to replay, from 1: one of the processes that recorded the run. Default: the only one. */
  readonly part?: number
  /** The `secrets` that `record` was given. */
  readonly secrets?: ReadonlyArray<string>
  /** The calls to make for real instead of from the recording; they are not recorded. Default: none. */
  readonly live?: Live
  /** Makes requests that run for real. Default: the global `fetch`. */
  readonly fetch?: Fetch
  /**
   * Hosts that the program may reach, such as `localhost:5432`, or without a port for all ports. Default: only Unix
   * sockets and servers that the process opens during the replay. With `live: "tools"`, the network is open.
   */
  readonly allowHosts?: ReadonlyArray<string>
}

/**
 * Runs a program on a recorded run without a network, keys or tools. Each call gets the answer recorded for an equal
 * call; concurrent calls may come in another order. Returns the program's result.
 *
 * Rejects with `Diverged` if a call was not recorded, comes before one that was answered first, or is missing; with
 * `NothingReplayed` if the program makes no call; and with the program's own errors.
 *
 * @example
 * it("answers as it did", () => replayed({ log: "test/letter.db" }, (run) => agent({ fetch: run.fetch })))
 */
export const replayed = async <A>(recorded: RecordedRun, program: (run: Run) => A | PromiseLike<A>): Promise<A> =>
  PlaybackRun.carryOut(await begin(recorded), program, {
    allowHosts: recorded.allowHosts ?? [],
    isClosed: () => recorded.live !== "tools",
  })

/**
 * Begins a replay whose caller runs the program and closes the replay.
 *
 * @param known the task's events, if the caller has read them already
 */
export const begin = async (recorded: RecordedRun, known?: ReadonlyArray<Event>): Promise<PlaybackRun.PlaybackRun> => {
  const { log, taskId, part, secrets, live, fetch = globalThis.fetch } = decode(recorded)
  const events = known ?? (await eventsOf(log, taskId))
  const replayedPart = Parts.named(events[0]?.taskId ?? "", events, part)
  const playback = Playback.of(Recording.of(events, replayedPart), { live })
  return PlaybackRun.make(playback, Redaction.make(secrets), unrecorded(fetch))
}

/** Makes live calls without recording them. */
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
    secrets: Redaction.Declared,
    live: Live,
    fetch: Options.callable<Fetch>(),
    allowHosts: Schema.Array(AllowedHosts.Text),
  },
})

const decode = (recorded: unknown) => RecordOptions.orThrow(Options.decode("replayed", Fields, recorded))

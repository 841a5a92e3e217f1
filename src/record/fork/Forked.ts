/** A recorded run that goes on from a moment, for a program: on a timeline of its own. */

import { Effect, Schema } from "effect"
import type { Fetch } from "../../agents/models/Fetch.ts"
import * as Moment from "../../events/read/Moment.ts"
import { TimelineNameInvalid } from "../../kernel/fork/TimelineName.ts"
import { GateConfig } from "../../kernel/gate/GateConfig.ts"
import * as Calls from "../../promise/Calls.ts"
import * as Options from "../../values/Options.ts"
import * as ReadOnly from "../log/readOnly.ts"
import * as AllowedHosts from "../network/AllowedHosts.ts"
import * as RecordOptions from "../RecordOptions.ts"
import type { Run } from "../Run.ts"
import * as PlaybackRun from "../replay/PlaybackRun.ts"
import * as Changes from "./Changes.ts"
import * as ForkedRun from "./ForkedRun.ts"
import * as ForkPlace from "./ForkPlace.ts"

/** Where a recorded run goes on, and what is otherwise. */
export interface ForkOptions {
  /** The log's file, to which the fork is written. */
  readonly log: string
  /** The moment: a position (`412`, `"@412"`, `"fork-1@412"`), an event's id or a time. */
  readonly at: Moment.Moment
  /** The task's id. Default: that of the event at the moment. */
  readonly taskId?: string
  /** What is otherwise from the moment on. Default: nothing. */
  readonly set?: Changes.Changes
  /** The name of the new timeline. Default: `fork-1`, `fork-2` … */
  readonly timeline?: string
  /** The gate that tools pass from the moment on. Default: all are called. */
  readonly gate?: GateConfig
  /** The texts that `record` was given as `secrets`. */
  readonly secrets?: ReadonlyArray<string>
  /** Makes the requests from the moment on. Default: the global `fetch`. */
  readonly fetch?: Fetch
  /** What the program may reach before the moment, such as `localhost:5432`. Default: nothing, as in `replayed`. */
  readonly allowHosts?: ReadonlyArray<string>
  /** Whether a log that this user did not write on this machine is trusted; the trust is recorded. Default: false. */
  readonly trust?: boolean
}

/** What came of a fork. */
export interface Forked<A> extends Omit<ForkPlace.ForkPlace, "agent"> {
  /** What the program answered. */
  readonly answer: A
}

/**
 * Runs a program from its start on a recorded run: what it did before the moment is answered from the log, without calling its
 * tools, and what it does from there on is done and recorded, in a timeline of its own. Unless the program ends the run itself, its
 * task is closed as `achieved`, or as `failed` where this rejects. Rejects with `Diverged` if the program does otherwise
 * before the moment, with `NothingReplayed` if it makes no call at all, with `NotForkable` if there is no such moment of a recorded run, and with what the program rejects with.
 *
 * @example
 * const { timeline } = await forked({ log: "letter.db", at: "@12", set: { model: "gpt-5-mini" } }, (run) => agent(run.fetch))
 */
export const forked = async <A>(
  options: ForkOptions,
  program: (run: Run) => A | PromiseLike<A>,
): Promise<Forked<A>> => {
  const { at, set = {}, taskId, timeline, fetch = globalThis.fetch, gate, secrets, log, trust } = decode(options)
  const begin = async (taken: ReadonlyArray<string>): Promise<Begun> => {
    const place = await ForkPlace.find({ moment: at, taskId, timeline, taken }).pipe(
      Effect.provide(ReadOnly.layer(log)),
      Calls.run,
    )
    try {
      return { place, ...(await ForkedRun.begin({ ...place, log, changes: set, fetch, gate, secrets, trust })) }
    } catch (error) {
      // Another fork took the name meanwhile: the next one is found.
      if (timeline === undefined && error instanceof TimelineNameInvalid) return begin([...taken, place.timeline])
      throw error
    }
  }
  const { place, ...forkedRun } = await begin([])
  const { isPast } = forkedRun.playback
  const answer = await PlaybackRun.carryOut(forkedRun, program, {
    allowHosts: options.allowHosts ?? [],
    isClosed: isPast,
  })
  const { agent: _, ...where } = place
  return { answer, ...where }
}

/** A fork at work, and where it left its parent. */
interface Begun extends PlaybackRun.PlaybackRun {
  readonly place: ForkPlace.ForkPlace
}

const Fields = Options.of<ForkOptions>({
  required: { log: Options.Path, at: Moment.Moment },
  optional: {
    taskId: Options.Text,
    set: Changes.Changes,
    timeline: Options.Text,
    gate: GateConfig,
    secrets: Schema.Array(Options.Text),
    fetch: Options.callable<Fetch>(),
    trust: Schema.Boolean,
    allowHosts: Schema.Array(AllowedHosts.Text),
  },
})

const decode = (options: unknown) => RecordOptions.orThrow(Options.decode("forked", Fields, options))

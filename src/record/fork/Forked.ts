/** Forks a recorded run: a replay up to a moment, then a live run on a timeline of its own. */

import { Effect, Schema } from "effect"
import type { Fetch } from "../../agents/models/Fetch.ts"
import * as Moment from "../../events/read/Moment.ts"
import { TimelineNameInvalid } from "../../kernel/fork/TimelineName.ts"
import { GateConfig } from "../../kernel/gate/GateConfig.ts"
import * as Calls from "../../promise/Calls.ts"
import * as Options from "../../values/Options.ts"
import * as Redaction from "../http/Redaction.ts"
import * as RecorderLog from "../log/RecorderLog.ts"
import * as AllowedHosts from "../network/AllowedHosts.ts"
import * as RecordOptions from "../RecordOptions.ts"
import type { Run } from "../Run.ts"
import * as PlaybackRun from "../replay/PlaybackRun.ts"
import * as Changes from "./Changes.ts"
import * as ForkedRun from "./ForkedRun.ts"
import * as ForkPlace from "./ForkPlace.ts"

/** Options of `forked`. */
export interface ForkOptions {
  /** The log's file, or `postgres://…`; the fork is written to it. */
  readonly log: string
  /** The fork point: a position (`412`, `"@412"`, `"fork-1@412"`), an event's id or a time. */
  readonly at: Moment.Moment
  /** The task's id. Default: the task of the event at the moment. */
  readonly taskId?: string
  /** Overrides from the fork point on. Default: none. */
  readonly set?: Changes.Changes
  /** Name of the new timeline. Default: `fork-1`, `fork-2` … */
  readonly timeline?: string
  /** The gate for tool calls from the fork point on. Default: every call is allowed. */
  readonly gate?: GateConfig
  /** The `secrets` that `record` was given. */
  readonly secrets?: ReadonlyArray<string>
  /** Makes the requests from the fork point on. Default: the global `fetch`. */
  readonly fetch?: Fetch
  /**
   * Hosts that the program may reach before the fork point, such as `localhost:5432`. Default: none, as in `replayed`.
   */
  readonly allowHosts?: ReadonlyArray<string>
  /** Trusts a log that this user did not write on this machine, and records that trust. Default: false. */
  readonly trust?: boolean
}

/** The result of a fork. */
export interface Forked<A> extends Omit<ForkPlace.ForkPlace, "agent"> {
  /** The program's return value. */
  readonly answer: A
}

/**
 * Runs a program from its start on a recorded run. Before the fork point, the log answers its calls and no tool runs;
 * from there on, calls are made and recorded on a new timeline. If the program does not end the run, its task closes as
 * `achieved`, or as `failed` if this promise rejects.
 *
 * Rejects with `Diverged` if the program differs from the recording before the fork point, with `NothingReplayed` if it
 * makes no call, with `NotForkable` if the moment is in no recorded run, and with the program's own errors.
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
      Effect.provide(RecorderLog.layer(log)),
      Calls.run,
    )
    try {
      return { place, ...(await ForkedRun.begin({ ...place, log, changes: set, fetch, gate, secrets, trust })) }
    } catch (error) {
      // Another fork took the name in the meantime; try the next one.
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
    secrets: Redaction.Declared,
    fetch: Options.callable<Fetch>(),
    trust: Schema.Boolean,
    allowHosts: Schema.Array(AllowedHosts.Text),
  },
})

const decode = (options: unknown) => RecordOptions.orThrow(Options.decode("forked", Fields, options))

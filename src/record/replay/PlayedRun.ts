/** A run whose calls are answered by events: each by what was recorded for one like it. */

import type { Fetch } from "../../agents/models/Fetch.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { digest } from "../../values/Digest.ts"
import type { Json } from "../../values/Json.ts"
import * as HttpMessage from "../http/HttpMessage.ts"
import type * as Redaction from "../http/Redaction.ts"
import { sentBy } from "../http/SentRequest.ts"
import * as JsonCopy from "../JsonCopy.ts"
import * as Names from "../Names.ts"
import * as RecordOptions from "../RecordOptions.ts"
import { type Run, RunEnded } from "../Run.ts"
import { Diverged, type Live } from "./Diverged.ts"
import * as PlayedAnswer from "./PlayedAnswer.ts"
import * as PlayedBody from "./PlayedBody.ts"
import * as RequestDifference from "./RequestDifference.ts"
import * as SentDifference from "./SentDifference.ts"
import * as Tape from "./Tape.ts"

/** A run that is played, and whether it went as recorded. */
export interface PlayedRun {
  readonly run: Run
  /** The first difference. */
  readonly divergence: () => Diverged | undefined
  /** The first recorded call that was not made. */
  readonly unmade: () => Diverged | undefined
  /** How many calls were made anew. */
  readonly madeAnew: () => number
}

/** Whether a recorded call is made anew. The time and chance never are: a replay would have others. */
const isLive = (live: Live | undefined, { asked, line }: Tape.Interaction): boolean => {
  if (live === undefined || line === "now" || line === "random") return false
  return (live === "model") === is(asked, "ModelCalled")
}

/** The run that the events of a run are played in. */
export const make = (
  events: ReadonlyArray<Event>,
  redaction: Redaction.Redaction,
  live: Live | undefined,
  liveFetch: Fetch,
): PlayedRun => {
  const playing = Tape.rewound(Tape.of(events).filter((one) => !isLive(live, one)))
  let anew = 0
  const taskId = events[0]?.taskId ?? ""
  const closed = events.find((event) => is(event, "TaskClosed"))
  let divergence: Diverged | undefined
  let isEnded = false

  const diverge = (call: string, position: number | null, difference: RequestDifference.Difference): Diverged => {
    divergence ??= new Diverged({ taskId, call, position, difference })
    return divergence
  }
  const assertOpen = (call: string) => {
    if (divergence !== undefined) throw divergence
    if (isEnded) throw new RunEnded({ taskId, call })
  }
  /** The answer to a call. One that was not recorded ends the replay. */
  const answered = (
    line: string,
    digest: string,
    difference: (instead: Tape.Interaction) => RequestDifference.Difference,
  ) => {
    assertOpen(line)
    const found = playing.take(line, digest)
    if (found !== undefined) return found
    const instead = playing.next(line)
    if (instead !== undefined) throw diverge(line, instead.position, difference(instead))
    throw diverge(line, null, { where: `the calls of ${line}`, recorded: "no more of them", now: "one more" })
  }
  const givenBy = (line: string, found: Tape.Interaction): unknown => {
    const { answer } = found
    if (answer.kind === "unrecorded") throw diverge(line, found.position, PlayedAnswer.missing(answer.reason, found))
    if (answer.kind !== "none" && answer.kind !== "response") return PlayedAnswer.of(line, answer)
    throw diverge(line, null, { where: line, recorded: "no answer: the recording ended before", now: "a call" })
  }
  const claim = Names.claiming(assertOpen)
  /** A function that answers by what is recorded for its arguments. */
  const played =
    (line: string, jsonOf: (args: ReadonlyArray<unknown>) => Json, askedIn: (event: Event) => Json) =>
    async (...args: ReadonlyArray<unknown>) => {
      const given = redaction.value(jsonOf(args))
      const found = answered(line, digest(given), ({ asked }) =>
        RequestDifference.first("the arguments", askedIn(asked), given),
      )
      return givenBy(line, found)
    }
  const drawn = (line: string): number => {
    const value = givenBy(
      line,
      answered(line, "", () => ({ where: line, recorded: "nothing", now: "a call" })),
    )
    return typeof value === "number" ? value : Number.NaN
  }

  const madeAnew =
    <Args extends ReadonlyArray<unknown>, Result>(call: string, does: (...args: Args) => Result) =>
    async (...args: Args): Promise<Awaited<Result>> => {
      assertOpen(call)
      anew++
      return await does(...args)
    }

  const run: Run = {
    taskId,
    fetch: async (input, init) => {
      assertOpen("fetch")
      const { sent, request } = await sentBy(input, init)
      const read = HttpMessage.read(sent, redaction)
      if (live === (SentDifference.requestIn(sent, read) === undefined ? "tools" : "model")) {
        anew++
        return request === undefined ? liveFetch(input, init) : liveFetch(request)
      }
      const found = answered("fetch", read.digest, ({ asked }) => SentDifference.of(events, asked, sent, read))
      const { answer } = found
      if (answer.kind === "response") {
        const { omitted } = answer.response
        if (omitted === undefined) return PlayedBody.of(answer.response, request?.signal ?? init?.signal)
        throw diverge("fetch", found.position, {
          where: "the response",
          recorded: `no body, because ${omitted}`,
          now: "a request",
        })
      }
      if (answer.kind === "error") throw PlayedBody.failureOf(answer.failure, request?.signal ?? init?.signal)
      givenBy("fetch", found)
      throw new Error("unreachable: a call without an answer diverges")
    },
    // The answers are what the functions answered, as far as JSON has it.
    tool: (name, does) => {
      claim("tool", name)
      if (live === "tools") return madeAnew(name, does)
      const askedIn = ({ payload }: Event) => payload.args ?? null
      return played(`tool program/${name}`, JsonCopy.argsOf, askedIn) as never
    },
    io: (name, does) => {
      claim("io", name)
      if (live === "tools") return madeAnew(name, does)
      return played(`io ${name}`, JsonCopy.of, ({ payload }) => payload.request ?? null) as never
    },
    sensor: (name, reads) => {
      claim("sensor", name)
      if (live === "tools") return madeAnew(name, reads)
      const line = `sensor program/${name}`
      const read = async () =>
        givenBy(
          line,
          answered(line, "", () => ({ where: line, recorded: "", now: "" })),
        )
      return read as never
    },
    now: () => drawn("now"),
    random: () => drawn("random"),
    end: async (outcome, reason) => {
      assertOpen("run.end")
      const ended = RecordOptions.endOf(outcome, reason)
      isEnded = true
      const recorded = closed !== undefined && is(closed, "TaskClosed") ? closed.payload.outcome : undefined
      if (closed === undefined || recorded === undefined || recorded === ended.outcome) return
      throw diverge("run.end", closed.position, { where: "the outcome", recorded, now: ended.outcome })
    },
  }
  return {
    run,
    divergence: () => divergence,
    madeAnew: () => anew,
    unmade: () => {
      const [first] = playing.left()
      if (first === undefined) return undefined
      return diverge(first.line, first.position, {
        where: "the calls",
        recorded: first.line,
        now: "the end of the program",
      })
    },
  }
}

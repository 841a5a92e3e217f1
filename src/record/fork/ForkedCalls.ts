/**
 * The calls of a run that goes on from a moment of its recording: before the moment they are answered from the log, and from
 * there on they are made and recorded.
 */

import type { Event } from "../../events/vocabulary/Event.ts"
import { digest } from "../../values/Digest.ts"
import type { Json } from "../../values/Json.ts"
import type { Redaction } from "../http/Redaction.ts"
import * as JsonCopy from "../JsonCopy.ts"
import type { Recorded, Run } from "../Run.ts"
import * as PlayedAnswer from "../replay/PlayedAnswer.ts"
import * as RequestDifference from "../replay/RequestDifference.ts"
import type * as Tape from "../replay/Tape.ts"
import { type ChangesToMake, resultOf } from "./Changes.ts"
import * as ForkedFetch from "./ForkedFetch.ts"
import type { PastCalls } from "./PastCalls.ts"

/** What these calls need. */
export interface CallParts {
  /** The events of the task up to the moment, which the fork shares. */
  readonly events: ReadonlyArray<Event>
  readonly past: PastCalls
  readonly redaction: Redaction
  readonly changes: ChangesToMake
  /** The run from the moment on. */
  readonly recording: Run
  /** Fails if the run is over. */
  readonly assertOpen: (call: string) => void
}

export const make = (parts: CallParts): Omit<Run, "taskId" | "end"> => {
  const { past, redaction, changes, recording, assertOpen } = parts
  /**
   * A function: what it answered before the moment, as far as JSON has it, or what `live` does.
   *
   * @param given what is recorded of arguments; without it, calls are not told apart
   */
  const goingOn =
    <Args extends ReadonlyArray<unknown>, Result>(
      line: string,
      live: Recorded<Args, Result>,
      given?: (args: Args) => Json,
      askedIn: (event: Event) => Json = () => null,
    ): Recorded<Args, Result> =>
    async (...args): Promise<Awaited<Result>> => {
      assertOpen(line)
      const asked = given === undefined ? null : redaction.value(given(args))
      const found = past.answer(line, given === undefined ? "" : digest(asked), (instead) =>
        RequestDifference.first("the arguments", askedIn(instead.asked), asked),
      )
      if (found?.answer.kind === "unrecorded") {
        throw past.diverge(line, found.position, PlayedAnswer.missing(found.answer.reason, found))
      }
      return isOfFunction(found?.answer) ? (PlayedAnswer.of(line, found.answer) as Awaited<Result>) : live(...args)
    }
  /** A function that gives the result that is to be another one, where it was not given yet. */
  const changed =
    <Args extends ReadonlyArray<unknown>, Result>(does: (...args: Args) => Result) =>
    (...args: Args): Result => {
      const result = changes.takeResult()
      return result === undefined ? does(...args) : (resultOf(result) as Result)
    }
  const drawn = (line: "now" | "random"): number => {
    assertOpen(`run.${line}`)
    const answer = past.answer(line, "", () => ({ where: line, recorded: "nothing", now: "a call" }))?.answer
    return answer?.kind === "value" && typeof answer.value === "number" ? answer.value : recording[line]()
  }
  const fetch = ForkedFetch.make({ ...parts, model: changes.model, recording: recording.fetch })
  return {
    fetch: async (input, init) => {
      assertOpen("fetch")
      return fetch(input, init)
    },
    tool: (name, does, options) =>
      goingOn(
        `tool program/${name}`,
        recording.tool(name, changed(does), options),
        JsonCopy.argsOf,
        ({ payload }) => payload.args ?? null,
      ),
    io: (name, does) =>
      goingOn(`io ${name}`, recording.io(name, changed(does)), JsonCopy.of, ({ payload }) => payload.request ?? null),
    sensor: (name, reads) => goingOn(`sensor program/${name}`, recording.sensor(name, changed(reads))),
    now: () => drawn("now"),
    random: () => drawn("random"),
  }
}

const isOfFunction = (answer: Tape.Answer | undefined): answer is PlayedAnswer.Given =>
  answer !== undefined && answer.kind !== "none" && answer.kind !== "response" && answer.kind !== "unrecorded"

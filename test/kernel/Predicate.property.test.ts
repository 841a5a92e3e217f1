import { it } from "@effect/vitest"
import { Chunk, Effect, Either, Stream } from "effect"
import * as fc from "fast-check"
import { describe, expect } from "vitest"
import * as Predicate from "../../src/kernel/rules/Predicate.ts"
import { ask } from "../../src/projections/timetravel/Predicate.ts"
import * as TimeTravel from "../../src/projections/timetravel/TimeTravel.ts"
import { arbitraryEvents } from "../projections/arbitraryEvents.ts"
import { append, onLog } from "../projections/onLog.ts"
import { statesOf } from "../projections/timetravel/naive.ts"

/** Questions about one scope, about several, and about all; about what may never be there. */
const question = fc.constantFrom(
  'state.tasks["1"].open == true',
  'state.tasks["1"].open == false',
  '"outcome" in state.tasks["2"]',
  'size(state.tasks["1"].pending) > 0',
  'state.tasks["2"].pending["1"].status == "dispatched"',
  'state.shared.readings["room/look"] == 1',
  "has(state.shared.outOfStep)",
  "size(state.shared.pending) > 1",
  'state.shared.environment["room"].a == state.tasks["1"].environment["room"].a',
  'state.tasks["1"].readings == state.tasks["2"].readings',
  '"1" in state.tasks',
  "size(state.tasks) >= 2",
  'state.tasks.exists(id, "room/look" in state.tasks[id].readings)',
)

const source = fc.oneof(
  question,
  question.map((one) => `!(${one})`),
  fc.tuple(question, fc.constantFrom("&&", "||"), question).map(([a, joint, b]) => `${a} ${joint} ${b}`),
  question.map((one) => `${one} && event.type == "SensorRead"`),
  fc.constantFrom(
    'event.type == "SensorRead" && event.payload.reading == 1',
    'event.type in ["TaskOpened", "TaskClosed"] || event.taskId == "2"',
    'event.type == "SensorRead" && event.type == "TaskOpened"',
    "position > 3",
  ),
)

describe("whatever a predicate asks", () => {
  it.live("it is answered from the events that it depends on as from whole states", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(
          arbitraryEvents(20).filter((events) => events.length > 0),
          fc.array(source, { minLength: 1, maxLength: 8 }),
          (unplaced, sources) =>
            Effect.runPromise(
              onLog(
                Effect.gen(function* () {
                  const travel = yield* TimeTravel.TimeTravel
                  const events = yield* append(unplaced)
                  const states = statesOf(events)
                  for (const text of sources) {
                    const predicate = Either.getOrThrow(Predicate.compile(text))
                    // Of an object with a key `constructor`, the language cannot tell what it is: then there is no answer.
                    const held = states.map((state, position) =>
                      ask(predicate, { state, position, event: events[position - 1] ?? null, value: undefined }),
                    )
                    const from = predicate.mentionsEvent ? 1 : 0
                    const told = held.findIndex((one, at) => at >= from && (Either.isLeft(one) || one.right))
                    const found = yield* Effect.either(travel.bisect(predicate))
                    if (Either.isLeft(held[told] ?? Either.right(false))) {
                      expect([text, found]).toMatchObject([text, { left: { _tag: "PredicateFailed", position: told } }])
                      continue
                    }
                    if (Either.isLeft(found) && found.left._tag === "PredicatePathNeverExisted") {
                      // It holds nowhere, and the path that it names is in none of the states.
                      const isThere = Either.getOrThrow(Predicate.compile(`${found.left.path} == ${found.left.path}`))
                      const there = states.map((state, position) =>
                        ask(isThere, { state, position, event: events[position - 1] ?? null, value: undefined }),
                      )
                      const watched = yield* Effect.flip(Stream.runDrain(travel.watch(null, predicate)))
                      expect([text, told, there.some(Either.getOrThrow), watched._tag]).toEqual([
                        ...[text, -1, false, found.left._tag],
                      ])
                      continue
                    }
                    const first = told < 0 ? null : told
                    expect([text, found]).toMatchObject([text, { right: { first, certain: true } }])
                    if (held.some(Either.isLeft)) continue
                    const answers = held.map((one) => Either.getOrThrow(one))
                    const turned = answers.flatMap((holds, at) =>
                      at > 0 && holds && (predicate.mentionsEvent || !answers[at - 1]) ? [at] : [],
                    )
                    const watched = yield* Stream.runCollect(travel.watch(null, predicate))
                    const positions = Chunk.toReadonlyArray(watched).map(({ position }) => position)
                    expect([text, positions]).toEqual([text, turned])
                  }
                }),
              ),
            ),
        ),
        { numRuns: 30 },
      ),
    ),
  )
})

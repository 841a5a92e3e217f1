import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { FindLine } from "../../src/studio/wire/Asking.ts"
import { demoLog } from "../demoLog.ts"
import { page, query, served } from "./given.ts"

const onDemo = <A, E>(test: Effect.Effect<A, E, Effect.Effect.Context<typeof page>>) =>
  Effect.flatMap(
    Effect.promise(() => demoLog(23, 7)),
    (file) => Effect.provide(test, served(file)),
  )

const numbers = `[${Array.from({ length: 200 }, (_, n) => n).join(",")}]`

const LOOPS = `${numbers}.all(a, ${numbers}.all(b, ${numbers}.all(c, a + b + c >= 0)))`

/** Each evaluation is within its budget; those of all events are not. */
const DEAR = `${numbers}.all(a, ${numbers}.all(b, a + b >= 0 && position > 0))`

describe("an expression in a link to Studio", () => {
  it.live("that backtracks elsewhere is matched in linear time", () =>
    onDemo(
      Effect.gen(function* () {
        const { send } = yield* page
        const when = `"${"a".repeat(40)}!".matches("^(a+)+$")`
        const { status, text } = yield* send(`/api/find?${query({ when, task: "task-0015" })}`)
        // On a busy machine, lines of progress come first.
        expect([status, text.trimEnd().split("\n").at(-1)]).toEqual([200, '{"end":true,"cut":false}'])
      }),
    ),
  )

  it.live("that is too expensive is given up by name, as a predicate and as a selection of tasks", () =>
    onDemo(
      Effect.gen(function* () {
        const { send, refused } = yield* page
        for (const [when, reason] of [
          [LOOPS, "takes more than 1,000,000 steps for one result"],
          [DEAR, "took more than 50,000,000 steps in all"],
        ] as const) {
          const { text } = yield* send(`/api/find?${query({ when })}`)
          const [problem] = text
            .trimEnd()
            .split("\n")
            .map((line): FindLine => JSON.parse(line))
            .filter((line) => "problem" in line)
          expect(problem).toMatchObject({ problem: expect.stringContaining(reason) })
        }
        for (const path of ["tasks?", "groups?by=agent&"]) {
          expect(yield* refused(`/api/${path}${query({ where: `${LOOPS} && task.steps > 0` })}`)).toMatchObject({
            status: 400,
            error: "WhereInvalid",
            message: expect.stringContaining("takes more than 1,000,000 steps for one result"),
          })
        }
      }),
    ),
  )

  it.live("leaves the server free to answer others meanwhile", () =>
    onDemo(
      Effect.gen(function* () {
        const { send } = yield* page
        const order: Array<string> = []
        const search = yield* Effect.fork(
          Effect.tap(send(`/api/find?${query({ when: DEAR })}`), () => Effect.sync(() => order.push("search"))),
        )
        yield* Effect.yieldNow()
        const answers = Effect.tap(send("/api/log"), ({ status }) => Effect.sync(() => order.push(`log ${status}`)))
        yield* Effect.all([answers, answers, answers])
        yield* Fiber.join(search)
        expect(order).toEqual(["log 200", "log 200", "log 200", "search"])
      }),
    ),
  )
})

describe("a body that is nested deeper than any stack", () => {
  it.live("is refused as a mistake of the caller, and so is a text that is too long to search for", () =>
    onDemo(
      Effect.gen(function* () {
        const { send, refused } = yield* page
        const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`
        for (const body of [deep(60_000), `{"rubric":${deep(60_000)}}`, deep(201)]) {
          const { status, text } = yield* send("/api/rubrics/check", {
            method: "POST",
            body,
            headers: { "content-type": "application/json" },
          })
          expect({ status, ...JSON.parse(text) }).toMatchObject({
            status: 400,
            error: "InvalidBody",
            message: "Expected a body of at most 200 levels of nesting, found more.",
          })
        }
        expect(yield* refused(`/api/search?${query({ text: "a".repeat(1_001) })}`)).toMatchObject({ status: 400 })
      }),
    ),
  )
})

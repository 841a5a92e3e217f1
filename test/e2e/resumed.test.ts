import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { type Kill, killedAndResumed } from "./resumed.ts"

/** After an answer, before an outcome, and as it is closed; while a person is asked; and from outside, at any time. */
const KILLS: ReadonlyArray<ReadonlyArray<Kill>> = [
  [
    { commits: 9, moment: "after" },
    { commits: 9, moment: "before" },
    { commits: 7, moment: "after" },
  ],
  [
    { events: 34, ms: 5 },
    { commits: 6, moment: "before" },
    { events: 8, ms: 20 },
  ],
]

describe("a task of an agent with a model whose kernels are killed with SIGKILL", () => {
  it.scopedLive.each(KILLS.map((kills) => [JSON.stringify(kills), kills] as const))(
    "is resumed to its end, and nothing is done, asked or paid twice: %s",
    ([, kills]) =>
      Effect.gen(function* () {
        const lives = yield* killedAndResumed(kills)
        expect(lives.at(-1)).toMatchObject({ killed: false })
      }),
  )
})

import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { type Kill, killedAndResumed } from "./resumed.ts"

const KILLS: ReadonlyArray<ReadonlyArray<Kill>> = [
  [{ commits: 12 }, { commits: 20 }],
  [{ commits: 27 }],
  [{ events: 45, ms: 5 }, { commits: 8 }],
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

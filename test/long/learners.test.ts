/**
 * Q-learning on the frozen lake, from a real log: each episode is a task with a process of its own, so a thousand take
 * minutes. `test/examples/learners.test.ts` holds the same learner to the same figures without a log.
 */
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { afterAll, describe, expect, it } from "vitest"
import { hindcast } from "../cli/hindcast.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"

const place = workplace()
afterAll(place.remove)

/** The best mean return in the lake of 4 × 4 within 100 steps. */
const OPTIMUM = 0.744

describe("q-learning on the frozen lake, which learns from the log", { timeout: 5_400_000 }, () => {
  it.each(["1", "2", "3"])(
    "wins in its last 1,000 episodes as often as the optimum, but for 5 %, seed %s",
    async (seed) => {
      const log = place.file(`lake-${seed}.db`)
      const program = inRepository("examples", "learners", "train.mjs")
      const args = ["q-learning", "--log", log, "--seed", seed, "--episodes", "1000", "--evaluate", "1000"]
      const { stdout } = await promisify(execFile)(process.execPath, [program, ...args])
      const [, evaluation] = stdout.trim().split("\n")
      expect(JSON.parse(evaluation ?? "")).toMatchObject({ evaluations: 1000 })
      expect(JSON.parse(evaluation ?? "").return).toBeGreaterThan(0.95 * OPTIMUM)
      const trend = await hindcast(["audit", "--trend", "--agent", "q-learning", "--scores", "return", "--log", log])
      expect(trend).toMatchObject({ code: 0, stdout: expect.stringContaining("it is getting better") })
    },
  )
})

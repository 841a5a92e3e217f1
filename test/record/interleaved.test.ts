import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Diverged, type Run, record, replayed } from "../../src/record/index.ts"
import { temporary } from "./recorded.ts"

/**
 * What a step calls, and how many turns of the event loop the answer takes while it is recorded. Sensors answer at once:
 * the log has no duration of a reading (see the last test).
 */
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ what: fc.constantFrom("fetch", "tool"), takes: fc.nat({ max: 6 }) }),
  fc.record({ what: fc.constant("sensor"), takes: fc.constant(0) }),
)

interface Step {
  readonly what: string
  readonly takes: number
}

const turns = async (count: number) => {
  for (let left = count; left > 0; left--) await new Promise((resolve) => setImmediate(resolve))
}

type Call = (step: Step, name: string) => Promise<string>

/** The calls of a program, each by its name. */
const calling = (run: Run): Call => {
  const tool = run.tool("use", async ({ name, takes }: { readonly name: string; readonly takes: number }) => {
    await turns(takes)
    return `used ${name}`
  })
  const readings: Array<number> = []
  const sensor = run.sensor("look", async () => {
    await turns(readings.shift() ?? 0)
    return "seen"
  })
  return async ({ what, takes }, name) => {
    if (what === "tool") return tool({ name, takes })
    readings.push(takes)
    if (what === "sensor") return sensor()
    return (await run.fetch(`http://service.invalid/${name}?takes=${takes}`)).text()
  }
}

type Program = (call: Call, tell: (name: string, answer: string) => void) => Promise<unknown>

/** Records a program, and replays it, where every answer is there at once. Returns what it was answered each time, by name. */
const twice = async (program: Program, again = program) => {
  const log = temporary("interleaved.db")
  const answers = [new Map<string, string>(), new Map<string, string>()] as const
  const fetch = async (input: string | URL | Request) => {
    await turns(Number(new URL(String(input)).searchParams.get("takes")))
    return new Response(`of ${String(input)}`)
  }
  const run = await record({ log, goal: "Several at once", agent: "tester", fetch })
  await program(calling(run), (name, answer) => answers[0].set(name, answer))
  await run.end("achieved")
  await replayed({ log, taskId: run.taskId }, (replay) =>
    again(calling(replay), (name, answer) => answers[1].set(name, answer)),
  )
  return answers.map((told) => [...told].sort())
}

/** Branches that begin at once, each of which calls again as soon as it has an answer. */
const branching =
  (branches: ReadonlyArray<ReadonlyArray<Step>>): Program =>
  (call, tell) =>
    Promise.all(
      branches.map(async (branch, at) => {
        for (const [index, one] of branch.entries()) tell(`${at}-${index}`, await call(one, `${at}-${index}`))
      }),
    )

/** Workers that take the steps from one queue. */
const queueing =
  (steps: ReadonlyArray<Step>, workers: number): Program =>
  (call, tell) => {
    const queue = [...steps.entries()]
    const work = async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift())
        tell(String(next[0]), await call(next[1], String(next[0])))
    }
    return Promise.all(Array.from({ length: workers }, work))
  }

describe("a program with requests, tools and sensors at once", () => {
  it("is replayed however long its calls took, each branch with the answers that it had", async () => {
    const branches = fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(branches, async (steps) => {
        const [first, second] = await twice(branching(steps))
        expect(second).toEqual(first)
      }),
      { numRuns: 12 },
    )
  })

  it("is replayed where workers take its steps from one queue, whichever of them takes which", async () => {
    const steps = fc.array(step, { minLength: 2, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 3 }), async (steps, workers) => {
        const [first, second] = await twice(queueing(steps, workers))
        expect(second).toEqual(first)
      }),
      { numRuns: 12 },
    )
  })

  it("is not taken for faithful where a branch waits by itself, and so comes before what it came after", async () => {
    const waiting =
      (first: number, second: number): Program =>
      async (call) => {
        const one = async () => {
          await turns(first)
          await call({ what: "fetch", takes: 0 }, "one")
        }
        const two = async () => {
          await turns(second)
          await call({ what: "fetch", takes: 0 }, "two")
        }
        await Promise.all([one(), two()])
      }
    const replaying = twice(waiting(0, 50), waiting(50, 0))
    await expect(replaying).rejects.toBeInstanceOf(Diverged)
    await expect(replaying).rejects.toThrow(
      /in the order of the calls, expected fetch @\d+ first, found fetch @\d+, which was made after/,
    )
  })

  it("is taken for diverged where a slow sensor hid that two branches were at work", async () => {
    const sensor = (takes: number) => ({ what: "sensor", takes })
    const fetch = { what: "fetch", takes: 0 }
    const program = branching([
      [sensor(4), sensor(0), fetch],
      [fetch, fetch],
    ])
    await expect(twice(program)).rejects.toBeInstanceOf(Diverged)
  })
})

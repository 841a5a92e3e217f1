import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { Models } from "../../src/index.ts"
import type { WhyFailed } from "../../src/projections/explanation/FailureChain.ts"
import { fromModel, open } from "../../src/promise.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import "../built.ts"
import { hindcast } from "./hindcast.ts"
import { connectedTo } from "./mcp/asking.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

interface Recorded {
  readonly name: string
  readonly log: string
  readonly taskId: string
  readonly cause: number
}

const place = workplace()
let recorded: ReadonlyArray<Recorded> = []

beforeAll(async () => {
  const script = `import { recordAll } from ${JSON.stringify(inRepository("bench", "failures", "record.mjs"))}
console.log(JSON.stringify(await recordAll(${JSON.stringify(place.directory)})))`
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], {
    cwd: inRepository(),
    maxBuffer: 10_000_000,
  })
  recorded = JSON.parse(stdout.trim().split("\n").at(-1) ?? "")
})
afterAll(place.remove)

const failure = (name: string): Recorded => {
  const found = recorded.find((one) => one.name === name)
  if (found === undefined) throw new Error(`no failure "${name}" was recorded`)
  return found
}

const why = async ({ taskId, log }: Pick<Recorded, "taskId" | "log">): Promise<WhyFailed> => {
  const { code, stdout, stderr } = await hindcast(["why", taskId, "--log", log, "--json"])
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  return JSON.parse(stdout)
}

/** The sentence about each of the twenty failures, up to its positions. */
const SENTENCES: ReadonlyArray<readonly [name: string, sentence: RegExp]> = [
  [
    "a wrong price believed",
    /^Failed after 4 steps \(“The customer's invoice is too low\.”\); no call failed; look first at @\d+: results that disagree \(inferred\)\.$/,
  ],
  [
    "a denial worked around",
    /program\/restore \{"path":"\/srv\/builds\/nightly\.tar"\} failed with empty: .*; look first at @\d+: a way around a denied call \(inferred\)\.$/,
  ],
  [
    "a stale read",
    /program\/ship \{"to":"ada"\} failed with no-stock: nothing is left to ship \(@\d+\); look first at @\d+: a stale reading/,
  ],
  ["two digits of an id swapped", /program\/confirm .* failed with mismatch: .*; look first at @\d+: an altered value/],
  ["a time-out taken for success", /^Achieved after .* need not be a cause: program\/upload/],
  ["an update lost between two agents", /no call failed; look first at @\d+: a stale reading/],
  ["a rule of the world that is too strict", /^Failed after 4 steps .*; the scenario was lost \(@\d+\)\.$/],
  ["a failure within a success", /^Achieved after .*; no call failed; look first at @\d+: a problem in a result/],
  ["a list that was cut", /^Achieved after .*look first at @\d+: a problem in a result/],
  ["a path that nobody told", /program\/start \{\} failed with port-in-use: the service listens on 80 as before/],
  [
    "the same refusal again and again",
    /^Stopped by a limit after 7 steps \(“it was not done within 7 steps”\); program\/book .*, the last of 6 such failures\); look first at @\d+: a loop/,
  ],
  ["a call that the gate denied", /^Achieved after .* program\/discount .* was denied by no-discounts: Sales decides/],
  ["feet taken for metres", /program\/photo .* failed with nothing-there/],
  ["a request of the user ignored", /no call failed; look first at @\d+: a call about a person's request/],
  ["two steps in the wrong order", /program\/check .* failed with unhealthy/],
  ["a payment made twice", /; one call failed, and a later attempt succeeded\.$/],
  [
    "instructions in a web page",
    /^Failed after 3 steps \(“The customers' names left the house\.”\); no call failed\.$/,
  ],
  ["a wrong sum", /program\/review .* failed with rejected/],
  ["the wrong one of two namesakes", /; no call failed\.$/],
  ["an invalid call, then a wider one", /program\/export .* was denied by args-schema/],
]

describe("why a task failed", () => {
  it("is told in one sentence, with the event that is the cause in the chain or behind it", async () => {
    expect(recorded.map(({ name }) => name)).toEqual(SENTENCES.map(([name]) => name))
    let found = 0
    for (const [name, sentence] of SENTENCES) {
      const one = failure(name)
      const told = await why(one)
      expect({ name, sentence: told.sentence }).toEqual({ name, sentence: expect.stringMatching(sentence) })
      expect(told.sentence.split("\n")).toHaveLength(1)
      if (told.chain.some(({ position }) => position === one.cause || position === one.cause - 1)) found += 1
      for (const link of told.chain) {
        expect(link.basis === "inferred").toBe(link.rule !== undefined)
        if (link.rule !== undefined) expect(told.rules[link.rule]).toMatch(/^[a-z].*[^.]$/)
      }
    }
    expect(found).toBeGreaterThanOrEqual(18)
  })

  it("names the decision that led there, what the agent had read, and what it had not", async () => {
    const { chain, standing, moment } = await why(failure("a stale read"))
    const of = (role: string) => chain.filter((link) => link.role === role)
    expect(standing).toBe("failed")
    expect(of("failure")).toEqual([
      {
        position: moment,
        role: "failure",
        says: 'program/ship {"to":"ada"} failed with no-stock: nothing is left to ship',
        basis: "recorded",
      },
    ])
    expect(of("decision")).toMatchObject([
      { says: 'seller@1.0.0 chose program/sell {"sku":"sku-12","to":"ada"}', basis: "recorded" },
      { says: 'seller@1.0.0 chose program/ship {"to":"ada"}', basis: "recorded" },
    ])
    expect(of("read")).toMatchObject([{ says: expect.stringContaining("program/stock"), rule: "same values" }])
    expect(of("unread").at(-1)).toMatchObject({
      says: expect.stringMatching(
        /^kiosk@1\.0\.0 did program\/sell .*"ben".* after the reading @\d+, and before the call/,
      ),
      basis: "inferred",
      rule: "stale read",
    })
    expect(of("end")).toMatchObject([{ says: "failed: There was no lamp for ada.", basis: "recorded" }])
  })

  it("names the readings that the decision names, and what changed in the world since", async () => {
    const { chain } = await why(failure("a rule of the world that is too strict"))
    expect(chain.map(({ role }) => role)).toEqual([
      ...["end", "cost", "failure", "decision", "suspect", "read", "read", "changed", "changed", "changed"],
    ])
    expect(chain.filter(({ role }) => role === "read")).toMatchObject([
      { says: "the decision names this reading of text-room/room", basis: "recorded" },
      { says: "the decision names this reading of text-room/inventory", basis: "recorded" },
    ])
    expect(chain.filter(({ role }) => role === "changed").map(({ says }) => says)).toContain(
      "/text-room/lost: now true",
    )
  })

  it("prints what each line is based on, and the next commands", async () => {
    const one = failure("two digits of an id swapped")
    const { stdout } = await hindcast(["why", one.taskId.slice(-12), "--log", one.log])
    expect(stdout).toMatch(/^Failed after 3 steps/)
    const text = stdout.replaceAll(/\s+/g, " ")
    expect(text).toContain("(inferred by altered value)")
    expect(text).toContain(
      "Lines without a rule come straight from the log. Inferred by altered value: no earlier text",
    )
    expect(text).toMatch(/why main@19 .* step \S+ --at @19/)
  })

  it("still follows an event's causes, and refuses what is neither a task nor a moment", async () => {
    const { log, cause } = failure("a stale read")
    expect((await hindcast(["why", `@${cause}`, "--log", log])).stdout).toContain("└─ @18 DecisionMade")
    expect((await hindcast(["why", "nothing", "--log", log])).stderr).toContain("is not a moment")
    const unknown = "00000000-0000-7000-8000-000000000000"
    expect(await hindcast(["why", unknown, "--log", log])).toMatchObject({ code: 3, stdout: "" })
    const both = await hindcast(["why", `@${cause}`, "--timeline", "main", "--log", log])
    expect(both).toMatchObject({ code: 1 })
    expect(both.stderr).toContain("a task with it")
  })

  it("is what an assistant is told too", async () => {
    const { log, taskId } = failure("a stale read")
    const { sentence, chain } = await why({ log, taskId })
    const text = await connectedTo(log, "explain_failure", {})
    expect(text).toContain(sentence)
    for (const { position, says } of chain) {
      expect(text).toContain(`@${position}`)
      expect(text).toContain(says)
    }
  })

  it("names trouble once where its type already says what it is", async () => {
    const log = place.file("silent-model.db")
    const hindcast = await open({ log })
    const silent = fromModel({ model: Models.scripted({ turns: [] }) })
    await expect(hindcast.tasks.run(silent, { goal: "Greet me" })).rejects.toThrow()
    await hindcast.close()
    const lines = (await connectedTo(log, "explain_failure", {})).split("\n")
    const first = lines.indexOf("Suspects, likeliest first:") + 1
    expect(first).toBeGreaterThan(0)
    expect(lines[first]).toMatch(/^ {2}@\d+ ModelFailed: not-recorded/)
  })
})

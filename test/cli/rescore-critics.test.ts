import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { stringify } from "yaml"
import { EventLog } from "../../src/events/log/EventLog.ts"
import * as Critics from "../../src/kernel/critics/Critics.ts"
import * as Hindcast from "../../src/kernel/Hindcast.ts"
import * as SandboxConsents from "../../src/kernel/instances/SandboxConsents.ts"
import { Registry } from "../../src/kernel/registry/Registry.ts"
import { Scoring } from "../../src/kernel/scoring/Scoring.ts"
import { closed, lamp, opened, rubric, writeJudge } from "../kernel/critics/given.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast } from "./hindcast.ts"

const place = workplace()
afterAll(place.remove)

const mixed = rubric([
  { name: "ruled", weight: 0.3, rule: "task.outcome == 'achieved'" },
  { name: "lit", weight: 0.5 },
])
const file = place.file("rubric.yaml", stringify(mixed))
const log = place.file("log.db")
let recorded = ""
let first = ""

beforeAll(() =>
  Effect.gen(function* () {
    const light = (by: string) => `return [{ name: "lit", because: [${POSITION}], rationale: "${by}" }]`
    const source = (by: string) => writeJudge(place.file("judge"), { light: light(by), rubric: mixed })
    const registry = yield* Registry
    const versions = [yield* registry.import(source("first")), yield* registry.import(source("second"))]
    first = versions[0]?.digest ?? ""
    const { position } = yield* (yield* EventLog).append({
      stream: "task/t1",
      taskId: "t1",
      actor: "test",
      events: [opened, lamp(true), closed],
    })
    expect(position - 2).toBe(POSITION)
    // They are to judge wherever the tests run.
    for (const { digest, manifest } of versions) {
      yield* SandboxConsents.record(
        yield* EventLog,
        { plugin: manifest.name, version: manifest.version, digest },
        "option",
      )
    }
    const model = Critics.scripted("eyes@1", ({ reward }) => ({
      verdict: reward.name === "ruled",
      because: [POSITION],
      rationale: "seen",
    }))
    const critics = { model: { model }, wishes: [{ critic: "model" }] } as const
    const { scoreSetId } = yield* (yield* Scoring).rescore({ rubric: mixed, critics })
    recorded = scoreSetId
  }).pipe(Effect.provide(Hindcast.layerLog({ log, workspace: place.directory })), Effect.runPromise),
)

/** Where the task was opened: after the plugin's two imports, and its activation. */
const POSITION = 4

const rescore = (...args: ReadonlyArray<string>) => ["rescore", "--log", log, "--rubric", file, ...args]

/** The rewards that were given, by name, with why. */
const given = async (...args: ReadonlyArray<string>) => {
  const { scoreSetId } = await document(rescore(...args))
  const rewards = await Effect.flatMap(EventLog, ({ readPage }) =>
    readPage({ stream: `scores/${scoreSetId}`, types: ["RewardGiven"] }, 10),
  ).pipe(Effect.provide(Hindcast.layerLog({ log: { filename: log, readonly: true } })), Effect.runPromise)
  return Object.fromEntries(rewards.map(({ payload }) => [payload.name, payload.rationale ?? "rule"]))
}

describe("hindcast rescore", () => {
  it("lets a plugin's functions judge: the installed version's, or those of the one that is asked for", async () => {
    expect(await given()).toEqual({ ruled: "rule", lit: "second" })
    expect(await given("--judged-by", `judge@${first.slice(0, 12)}`)).toEqual({ ruled: "rule", lit: "first" })
  })

  it("lets the caller say who decides, and takes a model's answers from a recording", async () => {
    const answers = ["--answers", recorded.slice(-8)]
    expect(await given("--critic", "model", ...answers)).toEqual({ ruled: "3 of 3: seen" })
    const one = ["--critic", "judge/light/ruled=model"]
    expect(await given(...one, ...answers)).toEqual({ ruled: "3 of 3: seen", lit: "second" })
  })

  it("says with --dry-run who would decide, and how many questions to a model it would take", async () => {
    const { stdout } = await hindcast(rescore("--critic", "model", "--answers", recorded, "--dry-run"))
    expect(stdout).toMatch(/of each task +2 verdicts, by 0 rules, 2 by a model/)
    expect(stdout).toMatch(/6 questions to a model in all/)
    expect(await document(rescore("--dry-run"))).toMatchObject({ rules: 1, functions: 1, models: 0, modelCalls: 0 })
  })

  it.each([
    [["--critic", "human"], "--critic: expected `rule`, `plugin` or `model`"],
    [["--judged-by", "judge"], '--judged-by: expected PLUGIN@VERSION, found "judge".'],
    [["--judged-by", "judge@7.0.0"], 'No version "7.0.0" of judge can judge: expected one of 1.0.0 ('],
    [["--answers", "test"], "--answers: expected one score set, found "],
  ])("refuses %j, and says what it expects", async (args, message) => {
    const { code, stderr } = await hindcast(rescore(...args))
    expect(stderr).toContain(message)
    expect(code).toBe(1)
  })
})

import * as fs from "node:fs"
import { afterAll, describe, expect, it } from "vitest"
import { workplace } from "../workplace.ts"
import { document, hindcast, start } from "./hindcast.ts"

const place = workplace()
afterAll(place.remove)

const LESSONS = `
curriculum: Corridors
version: "1"
tutors:
  ann: { role: a teacher, program: tutors/ann.mjs, budget: { hints: 1, demonstrations: 1 } }
stages:
  - stage: short
    world: corridor
    options: { length: 3 }
    episodes: 2
    max_steps: 5
    level: walks
    complete: outcomes.achieved == 2
    rules:
      - { when: attempt == 2, do: APPLY_HINT, tutor: ann, gives: demonstration }
      - { when: attempt >= 3, do: APPLY_HINT, tutor: ann }
  - stage: long
    world: corridor
    options: { length: 4 }
    max_steps: 6
    attempts: 2
    complete: scores.return.net.mean >= -3.0
`

const lessons = place.file("lessons.yaml", LESSONS)
fs.mkdirSync(place.file("tutors"))
place.file(
  "tutors/ann.mjs",
  `export default { name: "ann", version: "1", decide: ({ actuators, history }) =>
    actuators.length > 0
      ? { act: actuators[0].name, args: { action: 1 } }
      : history.length === 0 ? { say: "Go \\u001b[31mforward\\u202e, <b>now</b>" } : { done: "achieved" } }`,
)

/** Walks forward once a hint said so. With \`SLOWLY\`, says each step and waits. */
const agent = place.file(
  "agent.mjs",
  `import * as fs from "node:fs"
export default { name: "walker", version: "1", decide: async ({ inputs, history, taskId }) => {
  const told = inputs.some(({ content }) => content.includes("forward")) || history.some(({ choice }) => choice.args?.action === 1)
  if (process.env.STOP_AT !== undefined) {
    fs.appendFileSync(process.env.STEPS, "x")
    if (fs.statSync(process.env.STEPS).size >= Number(process.env.STOP_AT)) {
      console.log("NOW")
      await new Promise((resolve) => setInterval(() => {}, 1000))
    }
  }
  return { act: "corridor/step", args: { action: told ? 1 : 0 } } } }`,
)

const log = place.file("log.db")
const running = (...more: ReadonlyArray<string>) => [
  ...["curriculum", "run", lessons, "--agent", agent, "--seed", "3", "--sandbox", "flags"],
  ...more,
]

interface Decision {
  readonly stage: string
  readonly attempt: number
  readonly decided: { readonly decision: string; readonly to?: string; readonly at: number } | null
}

const wayOf = (run: Record<string, unknown>) =>
  (run.attempts as ReadonlyArray<Decision>).map(({ stage, attempt, decided }) =>
    `${stage} ${attempt}: ${decided?.decision} ${decided?.to ?? ""}`.trim(),
  )

const WAY = [
  "short 1: REPEAT_STEP short",
  "short 2: APPLY_HINT short",
  "short 3: APPLY_HINT short",
  "short 4: PROCEED long",
  "long 1: REPEAT_STEP long",
  "long 2: FAIL",
]

describe("hindcast curriculum", { timeout: 180_000 }, () => {
  it("runs a curriculum of a shipped world with a tutor, shows the way, and decides it again by other criteria", async () => {
    const { code, stdout } = await hindcast(running("--log", log))
    expect(code).toBe(0)
    expect(stdout).toContain("short, attempt 2 ")
    expect(stdout).toContain("/stages/0/complete  outcomes.achieved == 2  not held")
    expect(stdout).toMatch(/demonstration by ann: ann shows it \(task .*, achieved\)/)
    // Foreign text is made visible.
    expect(stdout).toContain("hint by ann: Go ")
    for (const hidden of ["\u001b[31m", "\u202e"]) expect(stdout).not.toContain(hidden)
    const { runs } = (await document(["curriculum", "show", "--log", log])) as {
      readonly runs: ReadonlyArray<Record<string, unknown>>
    }
    const [run = {}] = runs
    expect([runs.length, wayOf(run), run.level]).toEqual([1, WAY, "walks"])
    const shown = await hindcast(["curriculum", "show", String(run.curriculumId).slice(-8), "--log", log])
    expect(shown.stdout).toContain(
      "Corridors 1   walker@1   failed: REPEAT_STEP, but the 2 attempts at long are used up",
    )
    const head = async () => ((await document(["log", "info", "--log", log])) as { readonly head: unknown }).head
    const before = await head()
    const same = await hindcast(["curriculum", "replay", lessons, "--log", log])
    expect(same).toMatchObject({ code: 0, stdout: "The same: 6 decisions by the same criteria.\n" })
    const kinder = place.file("kinder.yaml", LESSONS.replace(">= -3.0", ">= -6.0"))
    const other = await hindcast(["curriculum", "replay", kinder, "--log", log])
    expect(other.code).toBe(0)
    expect(other.stdout).toMatch(
      /^Different: 2 of 6 decisions by criteria \w+ instead of \w+, first at long, attempt 1 @\d+\./,
    )
    expect(other.stdout).toContain("recorded REPEAT_STEP → long, now PROCEED → the end")
    expect(await head()).toEqual(before)
  })

  it("says that a replay compared nothing, and fails", async () => {
    const renamed = place.file("renamed.yaml", LESSONS.replaceAll("stage: ", "stage: other-"))
    const { code, stdout, stderr } = await hindcast(["curriculum", "replay", renamed, "--log", log])
    expect([code, stdout]).toEqual([2, ""])
    expect(stderr).toContain("Nothing was decided again in the run ")
    expect(stderr).toContain("none of its attempts was decided at a stage that the other curriculum has")
  })

  it("continues after kill -9 as if nothing had happened: no decision is made twice, and no task is lost", async () => {
    const killed = place.file("killed.db")
    const steps = place.file("steps.txt", "")
    // In the middle of an episode, between two decisions, and in the last attempt.
    for (const stopAt of ["3", "14", "33"]) {
      const { child, ended } = start(running("--log", killed, "--json"), { env: { STEPS: steps, STOP_AT: stopAt } })
      await new Promise<void>((resolve) => child.stdout.on("data", (text: string) => text.includes("NOW") && resolve()))
      child.kill("SIGKILL")
      await ended
    }
    const run = await document(running("--log", killed))
    expect(wayOf(run)).toEqual(WAY)
    const events = async (file: string, type: string) =>
      (await hindcast(["log", "ls", "--type", type, "--json", "--limit", "1000", "--log", file])).stdout
    const count = async (file: string, type: string) => (await events(file, type)).split(`"${type}"`).length - 1
    for (const type of [
      "CurriculumStarted",
      "StageAttempted",
      "CurriculumDecided",
      "GuidanceGiven",
      "TaskOpened",
      "TaskClosed",
      "CurriculumEnded",
    ])
      expect([type, await count(killed, type)]).toEqual([type, await count(log, type)])
  })

  it.each([
    [
      "an unknown world",
      LESSONS.replaceAll("world: corridor", "world: corridr"),
      "/stages/0/world: expected the name of a world",
    ],
    [
      "an unknown stage",
      LESSONS.replace("attempts: 2", "next: shorty"),
      'expected the name of a stage (short, long), found "shorty" (did you mean short?)',
    ],
    ["a cycle that cannot end", LESSONS.replace("attempts: 2", "next: short"), "found a cycle: short → long → short"],
    [
      "a criterion that never holds",
      LESSONS.replace("outcomes.achieved == 2", "outcomes.achieved == 3"),
      "outcomes.achieved is from 0 to 2",
    ],
    [
      "a program outside",
      LESSONS.replace("tutors/ann.mjs", "../ann.mjs"),
      "a module in the curriculum's directory, or below it",
    ],
    ["a program that is missing", LESSONS.replace("tutors/ann.mjs", "tutors/bob.mjs"), "no such file"],
  ])("refuses %s before anything runs", async (name, text, expected) => {
    const file = place.file(`${name}.yaml`.replaceAll(" ", "-"), text)
    const refused = place.file("refused.db")
    fs.rmSync(refused, { force: true })
    const { code, stderr } = await hindcast([
      "curriculum",
      "run",
      file,
      "--agent",
      agent,
      "--log",
      refused,
      "--sandbox",
      "flags",
    ])
    expect(stderr).toContain(expected)
    expect(code).not.toBe(0)
    if (!fs.existsSync(refused)) return
    const { stdout } = await hindcast(["log", "ls", "--json", "--log", refused])
    expect(stdout).not.toContain("CurriculumStarted")
    expect(stdout).not.toContain("TaskOpened")
  })

  it("takes one agent that learns, without a name", async () => {
    const { code, stderr } = await hindcast([
      ...running("--log", log).map((word) => (word === agent ? `ann=${agent}` : word)),
    ])
    expect([code, stderr]).toEqual([1, expect.stringContaining("expected one agent without a name, which learns")])
  })
})

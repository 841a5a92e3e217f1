import { describe, expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import type * as Agent from "../../../src/kernel/agents/Agent.ts"
import type { Rubric } from "../../../src/kernel/rules/Rubric.ts"
import * as Curriculum from "../../../src/worlds/curriculum/Curriculum.ts"
import { events } from "../../kernel/given.ts"
import { testKernel } from "../../kernel/testKernel.ts"
import { inRepository } from "../../repository.ts"
import { decoded, NO_FILES, ran, runner, sayer, walker, wayOf } from "./given.ts"

const kernel = Effect.flatMap(
  testKernel({
    plugins: ["corridor", "prisoners-dilemma"].map((name) => inRepository("packages", "worlds", name)),
    onOpenTasks: "resume",
  }),
  ({ start }) => start,
)

/** A curriculum of one stage in a corridor of three positions. */
const corridor = (rest: string, more = "") => `
curriculum: Corridors
version: "1"
${more}
stages:
  - stage: short
    world: corridor
    options: { length: 3 }
    max_steps: 4
    attempts: 4
${rest.replaceAll(/^/gm, "    ")}
`

const LESSONS = `
${corridor(
  `episodes: 2
level: walks
complete: outcomes.achieved == 2
rules:
  - { when: attempt >= 2, do: APPLY_HINT, tutor: ann }`,
  'tutors: { ann: { hints: ["Go forward."], budget: { hints: 1 } } }',
)}
  - stage: long
    world: corridor
    options: { length: 5 }
    max_steps: 6
    attempts: 2
    complete: scores.return.net.mean >= -5.0
    rules:
      - { when: attempts.short < 4, do: BRANCH_TO, to: short, at_most: 1, reason: back to the basics }
`

describe("a curriculum", { timeout: 120_000 }, () => {
  it.scopedLive("leads an agent through its stages, with a hint when it fails twice, and records why", () =>
    Effect.gen(function* () {
      const { run } = yield* kernel
      const found = yield* run(ran(LESSONS, walker))
      expect(wayOf(found)).toEqual([
        "short 1: REPEAT_STEP short",
        "short 2: APPLY_HINT short",
        "short 3: PROCEED long",
        // The hint was for the other stage.
        "long 1: BRANCH_TO short",
        "short 4: PROCEED long",
        "long 2: FAIL",
      ])
      expect(found.level).toBe("walks")
      expect(found.ended).toMatchObject({ result: "failed", reason: expect.stringContaining("2 attempts at long") })
      const decided = yield* run(events("CurriculumDecided"))
      expect(decided[1]?.payload).toMatchObject({
        decision: "APPLY_HINT",
        rule: "/stages/0/rules/0/when",
        verdicts: [
          { path: "/stages/0/complete", rule: "outcomes.achieved == 2", result: "not held" },
          { path: "/stages/0/rules/0/when", rule: "attempt >= 2", result: "held" },
        ],
        evidence: { attempt: 2, episodes: 2, outcomes: { achieved: 0, truncated: 2 }, steps: { mean: 4 } },
      })
      const [given] = yield* run(events("GuidanceGiven"))
      expect(given?.payload).toMatchObject({ tutor: "ann", gives: "hint", content: "Go forward.", left: 0 })
      expect(given?.causationId).toBe(decided[1]?.id)
      const [developed] = yield* run(events("AgentDeveloped"))
      expect(developed?.payload).toMatchObject({ agent: "walker@1", to: "walks" })
      // The evidence: the ends of both tasks, and the score sets of both.
      const because = decided[0]?.payload.because as ReadonlyArray<number>
      const all = yield* run(Effect.flatMap(EventLog, (log) => log.readPage({}, 1000)))
      const types = because.map((position) => all.find((event) => event.position === position)?.type)
      expect(types.filter((type) => type === "TaskClosed")).toHaveLength(2)
      expect(types.filter((type) => type === "ScoringStarted").length).toBeGreaterThanOrEqual(2)
    }),
  )

  it.scopedLive("plays different episodes in each attempt, the same with the same seed", () =>
    Effect.gen(function* () {
      const { run } = yield* kernel
      yield* run(ran(LESSONS, walker, { seed: 40 }))
      yield* run(ran(LESSONS, walker, { seed: 40, again: true }))
      const seeds = (yield* run(events("TaskOpened"))).map(({ payload }) => payload.seed)
      expect(seeds.slice(0, 6)).toEqual([40, 41, 42, 43, 44, 45])
      expect(seeds.slice(seeds.length / 2)).toEqual(seeds.slice(0, seeds.length / 2))
    }),
  )

  it.scopedLive("lets a tutor show, hint and give feedback in tasks of its own, within its budget", () =>
    Effect.gen(function* () {
      const { run } = yield* kernel
      const text = corridor(
        `complete: attempt == 4 && outcomes.failed > 0
rules:
  - { when: attempt == 1, do: APPLY_HINT, tutor: bea, gives: demonstration }
  - { when: attempt <= 3, do: APPLY_HINT, tutor: ann, gives: feedback }`,
        `tutors:
  ann: { role: a kind teacher, program: ann.mjs, budget: { feedback: 1 } }
  bea: { program: bea.mjs, budget: { demonstrations: 1 } }`,
      )
      const found = yield* run(ran(text, walker, { agents: { ann: sayer("Well done."), bea: runner } }))
      expect(wayOf(found)).toEqual([
        "short 1: APPLY_HINT short",
        "short 2: APPLY_HINT short",
        "short 3: REPEAT_STEP short",
        "short 4: FAIL",
      ])
      expect(found.attempts[2]?.decided?.verdicts.at(-1)).toMatchObject({
        result: "used up",
        reason: "the budget of ann: it has given 1 of 1 (feedback)",
      })
      const [shown, told] = found.attempts.map(({ guidance }) => guidance)
      expect(shown?.content).toMatch(/^bea shows it \(task .+, achieved\)\..*\n0 → \{"action":1\}\n1 → \{"action":1\}$/)
      expect(told).toMatchObject({ tutor: "ann", gives: "feedback", content: "Well done." })
      const opened = yield* run(events("TaskOpened"))
      const ofTutors = opened.filter(({ taskId }) => taskId === shown?.taskId || taskId === told?.taskId)
      expect(ofTutors.map(({ payload }) => [payload.agent, payload.plugins])).toEqual([
        ["runner@1", ["corridor"]],
        ["sayer@1", []],
      ])
      // The learner receives everything again at the beginning of each later task.
      const inputs = (yield* run(events("InputReceived"))).filter(({ taskId }) =>
        found.attempts[3]?.taskIds.includes(taskId ?? ""),
      )
      expect(inputs.map(({ payload }) => payload.source)).toEqual(["tutor:bea", "tutor:ann"])
    }),
  )

  it.scopedLive("records that a tutor said nothing, tells the learner nothing, and counts it", () =>
    Effect.gen(function* () {
      const { run } = yield* kernel
      const text = corridor(
        "complete: attempt == 2\nrules: [{ when: attempt == 1, do: APPLY_HINT, tutor: ann }]",
        "tutors: { ann: { program: ann.mjs, budget: { hints: 1 } } }",
      )
      const silent: Agent.Agent = { name: "silent", version: "1", decide: () => ({ done: "achieved" }) }
      const found = yield* run(ran(text, walker, { agents: { ann: silent } }))
      expect(found.attempts[0]?.guidance).toMatchObject({ missing: "ann said nothing: its task was achieved" })
      expect(found.attempts[0]?.guidance).not.toHaveProperty("content")
      expect(found.ended).toMatchObject({ result: "completed" })
      const inputs = yield* run(events("InputReceived"))
      expect(inputs.filter(({ payload }) => payload.source === "tutor:ann")).toEqual([])
    }),
  )

  it.scopedLive("lets simulated people act by a script beside the learner", () =>
    Effect.gen(function* () {
      const { run } = yield* kernel
      const text = `
curriculum: Trust
version: "1"
people:
  bob: { script: [{ act: prisoners-dilemma/step, args: { action: 0 } }, { act: prisoners-dilemma/step, args: { action: 1 } }] }
stages:
  - stage: meet
    world: prisoners-dilemma
    options: { rounds: 3 }
    learner: ada
    cast: { bob: bob }
    complete: outcomes.achieved == 1
`
      const kind: Agent.Agent = {
        name: "kind",
        version: "1",
        decide: () => ({ act: "prisoners-dilemma/step", args: { action: 0 } }),
      }
      const found = yield* run(ran(text, kind))
      expect(wayOf(found)).toEqual(["meet 1: PROCEED"])
      const acted = (yield* run(events("ActuatorCommanded"))).map(({ payload }) => [payload.agentId, payload.args])
      expect(acted).toEqual(
        [0, 1, 1].flatMap((action) => [
          ["ada", { action: 0 }],
          ["bob", { action }],
        ]),
      )
    }),
  )

  it.scopedLive("scores attempts by rubrics of its own, and calls what nobody could judge unknown", () =>
    Effect.gen(function* () {
      const { run } = yield* kernel
      const rubric = (rule: string | undefined): Rubric => ({
        name: "strict",
        measures: [
          {
            name: "haste",
            description: "Is it quick?",
            rewards: [
              { name: "quick", when: "It took at most two steps.", weight: 1, ...(rule === undefined ? {} : { rule }) },
            ],
          },
        ],
      })
      const text = corridor(
        "attempts: 2\ncomplete: scores.strict.net.mean >= 1.0",
        "rubrics: { strict: strict.yaml }",
      ).replace("    attempts: 4\n", "")
      const judged = 'event.type == "TaskClosed" && count("ActuatorCommanded") <= 2'
      const files = (rule: string | undefined) => ({ ...NO_FILES, rubric: () => Effect.succeed(rubric(rule)) })
      const found = yield* run(ran(text, runner, { files: files(judged) }))
      expect(wayOf(found)).toEqual(["short 1: PROCEED"])
      expect(found.attempts[0]?.decided?.evidence).toMatchObject({
        scores: { strict: { tasks: 1, net: { mean: 1 }, measures: { haste: { mean: 1 } } } },
      })
      const unknown = yield* run(ran(text, runner, { files: files(undefined) }))
      expect(wayOf(unknown)).toEqual(["short 1: REPEAT_STEP short", "short 2: FAIL"])
      expect(unknown.attempts[0]?.decided?.verdicts[0]).toMatchObject({
        result: "unknown",
        reason: expect.stringContaining("net"),
      })
      const [refused] = [yield* run(Effect.either(ran(text.replace("1.0", "1.5"), runner, { files: files(judged) })))]
      expect(Either.isLeft(refused) && refused.left).toMatchObject({
        _tag: "CurriculumInvalid",
        message: expect.stringContaining("scores.strict.net.mean is from 0 to 1"),
      })
    }),
  )

  it.scopedLive("continues after its agent threw, and makes no decision twice", () =>
    Effect.gen(function* () {
      const { run } = yield* kernel
      let calls = 0
      const failing: Agent.Agent = {
        name: "walker",
        version: "1",
        decide: (context) => {
          calls += 1
          if (calls === 20) throw new Error("out of order")
          return walker.decide(context)
        },
      }
      const either = yield* run(Effect.either(ran(LESSONS, failing)))
      expect(Either.isLeft(either) && either.left).toMatchObject({ _tag: "AgentFailed" })
      const before = yield* run(events("CurriculumDecided"))
      expect(before.length).toBeGreaterThan(0)
      const found = yield* run(ran(LESSONS, walker))
      expect((yield* run(events("CurriculumStarted"))).length).toBe(1)
      const decided = yield* run(events("CurriculumDecided"))
      expect(decided.slice(0, before.length)).toEqual(before)
      const places = decided.map(({ payload }) => `${payload.stage} ${payload.attempt}`)
      expect(new Set(places).size).toBe(places.length)
      expect(found.ended).not.toBeNull()
    }),
  )

  it.scopedLive("is refused before anything runs if its worlds do not fit", () =>
    Effect.gen(function* () {
      const { run } = yield* kernel
      const refused = (text: string) =>
        run(Effect.either(ran(text, walker))).pipe(
          Effect.map((either) => (Either.isLeft(either) ? String(either.left) : "none")),
        )
      const one = "complete: outcomes.achieved == 1"
      expect(yield* refused(corridor(one).replace("world: corridor", "world: coridor"))).toContain(
        "/stages/0/world: expected the name of a world",
      )
      expect(yield* refused(corridor(one).replace("length: 3", "length: x"))).toContain(
        "/stages/0/options: expected options of corridor",
      )
      expect(yield* refused(corridor("complete: scores.live.net.mean >= 2.0"))).toContain(
        "scores.live.net.mean is from 0 to 1.5",
      )
      expect(yield* refused(corridor('complete: scores.live.measures["corridor/reach-the-eng"].mean > 0.5'))).toContain(
        "Did you mean corridor/reach-the-end?",
      )
      expect(
        yield* refused(
          corridor(`learner: me\ncast: { you: bob }\n${one}`, "people: { bob: { script: [{ done: failed }] } }"),
        ),
      ).toContain("at most 1 agents in corridor")
      expect(yield* run(events("TaskOpened"))).toEqual([])
      expect(yield* run(events("CurriculumStarted"))).toEqual([])
    }),
  )
})

describe("a replay by other criteria", { timeout: 120_000 }, () => {
  it.scopedLive("decides the recorded attempts again, appends nothing, and says where it differs", () =>
    Effect.gen(function* () {
      const { run } = yield* kernel
      const found = yield* run(ran(LESSONS, walker))
      const { position } = yield* run(Effect.flatMap(EventLog, (log) => log.head))
      const replayed = (text: string) =>
        run(Effect.flatMap(decoded(text), (loaded) => Curriculum.replay(found, loaded)))
      const same = yield* replayed(LESSONS)
      expect(same).toMatchObject({ compared: 6, differing: 0 })
      expect(same.attempts.map(({ replayed }) => [replayed?.verdicts, replayed?.reason])).toEqual(
        found.attempts.map(({ decided }) => [decided?.verdicts, decided?.reason]),
      )
      const kinder = yield* replayed(LESSONS.replace("mean >= -5.0", "mean >= -6.0"))
      expect(kinder.attempts.map(({ comparison }) => comparison)).toEqual([
        "same",
        "same",
        "same",
        "differs",
        "same",
        "differs",
      ])
      expect(kinder.attempts[3]).toMatchObject({
        recorded: { decision: "BRANCH_TO", to: "short" },
        replayed: { decision: "PROCEED", rule: "/stages/1/complete", verdicts: [{ result: "held" }] },
      })
      const renamed = LESSONS.replaceAll(/stage: (\w+)/g, "stage: my_$1")
        .replace("to: short", "to: my_short")
        .replace("attempts.short", "attempts.my_short")
      const other = yield* replayed(renamed)
      expect(other).toMatchObject({ compared: 0, differing: 0 })
      expect(other.attempts.every(({ comparison }) => comparison === "unknown")).toBe(true)
      expect((yield* run(Effect.flatMap(EventLog, (log) => log.head))).position).toBe(position)
    }),
  )
})

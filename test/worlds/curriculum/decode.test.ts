import { Effect, Either } from "effect"
import { describe, expect, it } from "vitest"
import * as Curriculum from "../../../src/worlds/curriculum/Curriculum.ts"
import { decoded } from "./given.ts"

const messageOf = async (text: string): Promise<string> => {
  const either = await Effect.runPromise(Effect.either(decoded(text)))
  return Either.isLeft(either) ? either.left.message : "no mistake"
}

const stages = (yaml: string, more = "") => `curriculum: C\nversion: "1"\n${more}stages:\n${yaml}`

const stage = (name: string, rest = "complete: outcomes.achieved >= 1") => `  - { stage: ${name}, world: w, ${rest} }\n`

describe("a curriculum's text", () => {
  it("is decoded, with a digest that covers the files that it names", async () => {
    const text = stages(stage("a") + stage("b", "scenario: s.yaml, complete: outcomes.achieved >= 1"))
    const files = (description: string): Curriculum.Files => ({
      scenario: () => Effect.succeed({ scenario: { ...SCENARIO, description } }),
      rubric: () => Effect.fail("none"),
    })
    const [one, other, same] = await Promise.all(
      ["one", "other", "one"].map((words) => Effect.runPromise(decoded(text, files(words)))),
    )
    expect(one?.curriculum.stages.map((each) => each.stage)).toEqual(["a", "b"])
    expect(one?.digest).toBe(same?.digest)
    expect(one?.digest).not.toBe(other?.digest)
  })

  it.each([
    [
      "a stage that nobody knows",
      stage("a", "complete: attempt > 1, next: bb") + stage("b"),
      '4:50 /stages/0/next: expected the name of a stage (a, b), found "bb" (did you mean b?)',
    ],
    ["a name that two stages have", stage("a") + stage("a"), "/stages/1/stage: expected a unique name for each stage"],
    [
      "a criterion that is no expression",
      stage("a", 'complete: "attempt >"'),
      "expected a CEL expression that is true or false",
    ],
    ["a criterion over an unknown variable", stage("a", "complete: achieved > 1"), "Unknown variable: achieved"],
    [
      "a criterion of another type",
      stage("a", 'complete: "stage > 1"'),
      "expected a CEL expression that is true or false",
    ],
    ["a criterion that may take for ever", stage("a", `complete: 'stage.matches("(a+)+b")'`), "one that may be slow"],
    [
      "a criterion that never holds",
      stage("a", 'complete: "false"'),
      "expected a criterion that can hold, found one that never does: false",
    ],
    [
      "more successes than tasks",
      stage("a", "episodes: 3, complete: outcomes.achieved > 3"),
      "`outcomes.achieved > 3`, but outcomes.achieved is from 0 to 3",
    ],
    [
      "an outcome that there is not",
      stage("a", "complete: outcomes.acheived > 0"),
      'outcomes has no "acheived" (achieved, failed, truncated, abandoned, unjudged) Did you mean achieved?',
    ],
    ["an attempt beyond the last", stage("a", "attempts: 2, complete: attempt == 3"), "attempt is from 1 to 2"],
    [
      "conditions that exclude each other",
      stage("a", "complete: attempt > 3 && attempt <= 3"),
      "the comparisons of attempt exclude each other",
    ],
    [
      "a level that no stage leads to",
      stage("a", "complete: 'level == \"talks\"', level: walks"),
      'level is "" or "walks"',
    ],
    [
      "rules after one that always holds",
      stage("a", 'complete: attempt == 2, rules: [{ when: "true", do: FAIL }, { when: attempt > 3, do: FAIL }]'),
      "expected a rule that can decide, found one that never does: /stages/0/rules/0/when always holds",
    ],
    [
      "a branch to nowhere",
      stage("a", "complete: attempt > 1, rules: [{ when: attempt > 2, do: BRANCH_TO }]"),
      "expected with BRANCH_TO: to, the name of a stage, found none",
    ],
    [
      "a branch to an unknown stage",
      stage("a", "complete: attempt > 1, rules: [{ when: attempt > 2, do: BRANCH_TO, to: x }]"),
      'expected the name of a stage (a), found "x"',
    ],
    [
      "a hint without a hint",
      stage("a", "complete: attempt > 1, rules: [{ when: attempt > 2, do: APPLY_HINT }]"),
      "expected with APPLY_HINT: hint or tutor, found neither",
    ],
    [
      "an unknown tutor",
      stage("a", "complete: attempt > 1, rules: [{ when: attempt > 2, do: APPLY_HINT, tutor: ann }]"),
      'expected the name of one of tutors (none), found "ann"',
    ],
    ["a field that there is not", stage("a", "complete: attempt > 1, criteria: x"), "/stages/0/criteria"],
    [
      "a cycle that cannot end",
      stage("a", "complete: attempt > 1, next: b") + stage("b", "complete: attempt > 1, next: a"),
      "expected a stage from which some way leads to the end, found a cycle: a → b → a",
    ],
    [
      "a stage that nothing leads to",
      stage("a", "complete: attempt > 1, next: end") + stage("b"),
      "/stages/1/stage: expected a stage that another one leads to, by next or BRANCH_TO, found b",
    ],
    [
      "a person who is missing",
      stage("a", "complete: attempt > 1, learner: me, cast: { you: bob }"),
      'expected the name of one of people (none), found "bob"',
    ],
    [
      "a file that is missing",
      stage("a", "complete: attempt > 1, scenario: gone.yaml"),
      "/stages/0/scenario: expected a readable file, found there is no gone.yaml",
    ],
    ["too many tasks", stage("a", "complete: attempt > 1, episodes: 100000"), "expected a whole number from 1 to 1000"],
    ["no stages", "  []\n", "/stages"],
  ])("is refused with %s, with its place", async (_, yaml, expected) => {
    const message = await messageOf(stages(yaml))
    expect(message).toContain(expected)
    expect(message).toMatch(/^lessons\.yaml has \d+ mistakes?:\n {2}\d+:\d+ /)
  })

  it.each([
    ["{ budget: { hints: 1 } }", "expected exactly one of program, model and hints, found none"],
    [
      "{ hints: [x], model: a/b, budget: { hints: 1 } }",
      "expected exactly one of program, model and hints, found several",
    ],
    ["{ hints: [x], budget: { feedback: 1 } }", "expected hints only, which is all that a list of hints can give"],
  ])("is refused with the tutor %s", async (tutor, expected) => {
    expect(await messageOf(stages(stage("a"), `tutors: { ann: ${tutor} }\n`))).toContain(expected)
  })

  it("is refused if a tutor has no budget for what a rule asks for", async () => {
    const rules = "complete: attempt > 1, rules: [{ when: attempt > 2, do: APPLY_HINT, tutor: ann, gives: feedback }]"
    const message = await messageOf(
      stages(stage("a", rules), "tutors: { ann: { model: a/b, budget: { hints: 1 } } }\n"),
    )
    expect(message).toContain("expected a tutor whose budget has feedback, found ann, which has none")
  })

  it("is refused with the names of hostile files, made visible", async () => {
    const message = await messageOf(stages(stage("a", 'complete: attempt > 1, next: "b\\u202e\\u0007<script>"')))
    for (const hidden of ["\u202e", "\u0007"]) expect(message).not.toContain(hidden)
    expect(await messageOf('{"__proto__": 1}')).toContain("expected another name")
    expect(await messageOf(`a: ${"[".repeat(200)}${"]".repeat(200)}`)).toContain("levels of lists and objects")
  })

  it("lists all of its mistakes at once", async () => {
    const message = await messageOf(
      stages(stage("a", "complete: nobody > 1, next: x") + stage("b", 'complete: "false"')),
    )
    expect(message).toMatch(/^lessons\.yaml has 3 mistakes:/)
  })

  it("has a published schema", async () => {
    const text = `${JSON.stringify(Curriculum.jsonSchema(), null, 2)}\n`
    await expect(text).toMatchFileSnapshot("../../../schema/curriculum.schema.json")
  })
})

const SCENARIO = {
  scenario_name: "S",
  environment_type: "w",
  version: "1",
  description: "d",
  win_conditions: [{ type: "flag_set", flag_name: "f" }],
} as const

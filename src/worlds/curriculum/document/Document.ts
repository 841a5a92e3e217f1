/** The schema of a curriculum: stages, the criteria between them, tutors, and simulated people. */

import { Schema } from "effect"
import { optional } from "../../../events/vocabulary/EventType.ts"
import { CurriculumDecision, GuidanceKind } from "../../../events/vocabulary/Worlds.ts"
import { Choice } from "../../../kernel/agents/Agent.ts"
import { AgentName } from "../../../kernel/tasks/OpenOptions.ts"
import { Text } from "../../../plugins/manifest/fields.ts"
import { JsonObject } from "../../../values/Json.ts"
import * as Options from "../../../values/Options.ts"

/** Maximum number of stages, rules of a stage, tutors and people. */
const MAX_STAGES = 200
const MAX_RULES = 50

/** Maximum number of tasks in an attempt: the attempt's event lists them. */
export const MAX_EPISODES = 1_000

/** Maximum number of attempts at one stage. */
const MAX_ATTEMPTS = 1_000

/** Maximum length of a criterion, in characters. */
const MAX_CRITERION = 10_000

/** Maximum length of a hint, in characters. */
export const MAX_HINT = 10_000

/** The default of `attempts`. */
export const ATTEMPTS = 10

const countUpTo = (most: number, what: string) =>
  Schema.Int.pipe(
    Schema.between(1, most),
    Schema.annotations({ description: `a whole number from 1 to ${most}: ${what}` }),
  )

const Amount = Schema.Int.pipe(
  Schema.greaterThanOrEqualTo(0),
  Schema.annotations({ description: "a whole number, 0 or more" }),
)

const named = (what: string) =>
  AgentName.annotations({ description: `the name of ${what}: letters, digits, '.', '_', ':' and '-'` })

const Criterion = Text.pipe(
  Schema.maxLength(MAX_CRITERION),
  Schema.annotations({
    description: `a CEL expression over scores, outcomes, steps and more, of at most ${MAX_CRITERION} characters`,
  }),
)

const Hint = Text.pipe(
  Schema.maxLength(MAX_HINT),
  Schema.annotations({ description: `a hint of at most ${MAX_HINT} characters` }),
)

/** An agent that a curriculum names: a program or a model. */
const player = {
  program: optional(
    Text.annotations({
      description: "a JavaScript module in the curriculum's directory or below it, which exports an agent",
    }),
  ),
  model: optional(Text.annotations({ description: "instead of a program: a language model, as provider/model" })),
}

const Tutor = Schema.Struct({
  role: optional(Text.annotations({ description: "who the tutor is, in words" })),
  ...player,
  hints: optional(
    Schema.NonEmptyArray(Hint).annotations({
      description: "instead of a program or model: hints, given in this order",
    }),
  ),
  budget: Schema.Struct({
    hints: optional(Amount),
    demonstrations: optional(Amount),
    feedback: optional(Amount),
    tokens: optional(
      Amount.annotations({ description: "a whole number, 0 or more: the maximum number of a model's tokens" }),
    ),
    usd: optional(
      Schema.NonNegative.annotations({
        description: "a number, 0 or more: the maximum cost of a model, in US dollars",
      }),
    ),
  }).annotations({
    description:
      "how often the tutor may give what, in the whole curriculum: hints, demonstrations, feedback, tokens, usd",
  }),
}).annotations({ identifier: "Tutor", description: "a tutor: an object with budget, and program, model or hints" })

/** An agent that may hint, demonstrate and give feedback, within its budget. */
export type Tutor = typeof Tutor.Type

/** Maximum number of choices in a script. */
const MAX_SCRIPT = 1_000

const Person = Schema.Struct({
  role: optional(Text.annotations({ description: "who the person is, in words" })),
  ...player,
  script: optional(
    Schema.NonEmptyArray(Choice).pipe(
      Schema.maxItems(MAX_SCRIPT),
      Schema.annotations({
        description: `instead of a program or model: a list of at most ${MAX_SCRIPT} choices, one after another; the last one is repeated`,
      }),
    ),
  ),
}).annotations({ identifier: "Person", description: "a simulated person: an object with program, model or script" })

/** A simulated person who takes part: a program, a model or a script. */
export type Person = typeof Person.Type

const Rule = Schema.Struct({
  when: Criterion,
  do: CurriculumDecision.annotations({
    description: "PROCEED, REPEAT_STEP, BRANCH_TO (with to), APPLY_HINT (with hint or tutor) or FAIL",
  }),
  to: optional(Text.annotations({ description: "with BRANCH_TO: the name of a stage" })),
  tutor: optional(Text.annotations({ description: "with APPLY_HINT: the name of a tutor" })),
  gives: optional(GuidanceKind.annotations({ description: "hint (default), demonstration or feedback" })),
  hint: optional(Hint),
  at_most: optional(countUpTo(MAX_ATTEMPTS, "how often this rule may decide; default: no limit of its own")),
  reason: optional(Text.annotations({ description: "the reason in words, for people" })),
}).annotations({ identifier: "Rule", description: "a rule: an object with when and do" })

export type Rule = typeof Rule.Type

const Stage = Schema.Struct({
  stage: named("a stage"),
  description: optional(Text),
  level: optional(
    Text.annotations({ description: "the stage of development that the agent reaches by completing it" }),
  ),
  world: Text.annotations({ description: "the world: a plugin's name, the name of a shipped world, or a directory" }),
  scenario: optional(Text.annotations({ description: "the file of a scenario to play, relative to the curriculum" })),
  options: optional(JsonObject.annotations({ description: "options of the world" })),
  goal: optional(
    Text.annotations({ description: "the goal of its tasks; default: the scenario's, or its description" }),
  ),
  episodes: optional(countUpTo(MAX_EPISODES, "tasks of an attempt; default: 1")),
  max_steps: optional(countUpTo(1_000_000_000, "steps of a task; default: the world's maximum, or 100")),
  seed: optional(
    Options.Seed.annotations({
      description: "a whole number, 0 or more: the seed of the first task; the next ones count on",
    }),
  ),
  attempts: optional(countUpTo(MAX_ATTEMPTS, `maximum number of attempts; default: ${ATTEMPTS}`)),
  learner: optional(named("the learning agent, in a world for several")),
  cast: optional(
    Schema.Record({ key: Schema.String, value: Text }).annotations({
      description: "who plays the other agents of the world: names of people, by agent",
    }),
  ),
  complete: Criterion.annotations({ description: "when the stage is complete: a CEL expression" }),
  rules: optional(
    Schema.Array(Rule).pipe(
      Schema.maxItems(MAX_RULES),
      Schema.annotations({ description: `a list of at most ${MAX_RULES} rules; the first that holds decides` }),
    ),
  ),
  next: optional(
    Text.annotations({ description: `the stage that follows, or ${"`end`"}; default: the next in the list` }),
  ),
}).annotations({ identifier: "Stage", description: "a stage: an object with stage, world and complete" })

export type Stage = typeof Stage.Type

const people = <A, I>(schema: Schema.Schema<A, I>, what: string) =>
  optional(Schema.Record({ key: Schema.String, value: schema }).annotations({ description: `${what} by name` }))

/** The schema of a curriculum. Encoded and decoded form are equal. */
export const Curriculum = Schema.Struct({
  curriculum: Text.annotations({ description: "the curriculum's name" }),
  version: Text.annotations({ description: "text: the curriculum's version, in quotes" }),
  description: optional(Text),
  tutors: people(Tutor, "tutors"),
  people: people(Person, "simulated people"),
  rubrics: optional(
    Schema.Record({ key: Schema.String, value: Text }).annotations({
      description: "files of rubrics by label: after each attempt, they score its tasks as score sets of that label",
    }),
  ),
  stages: Schema.NonEmptyArray(Stage).pipe(
    Schema.maxItems(MAX_STAGES),
    Schema.annotations({ description: `a list of at least one stage, and at most ${MAX_STAGES}` }),
  ),
  /** A JSON Schema for editors. Hindcast ignores it. */
  $schema: optional(Text.annotations({ description: "the place of a JSON Schema, for editors" })),
}).annotations({ identifier: "Curriculum", description: "a curriculum: an object" })

export type Curriculum = typeof Curriculum.Type

/** The word for the end of a curriculum in `next`. */
export const END = "end"

/** A stage by its name. */
export const stageOf = ({ stages }: Curriculum, name: string): Stage | undefined =>
  stages.find(({ stage }) => stage === name)

/** The stage that follows a completed one; undefined at the end. */
export const nextOf = ({ stages }: Curriculum, { stage, next }: Stage): string | undefined => {
  if (next !== undefined) return next === END ? undefined : next
  return stages[stages.findIndex((each) => each.stage === stage) + 1]?.stage
}

/** A curriculum as JSON. The schema guarantees it; decoding proves it to the compiler. */
export const asJson = (curriculum: Curriculum): JsonObject => decodeObject(curriculum)

const decodeObject = Schema.decodeUnknownSync(JsonObject)

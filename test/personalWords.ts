import { Effect, Schema, SchemaAST } from "effect"
import { type AppendRequest, EventLog, type NewEvent } from "../src/events/log/EventLog.ts"
import { COMPACT } from "../src/events/steps/Expansion.ts"
import { encoder } from "../src/events/steps/StepColumns.ts"
import type { EventType } from "../src/events/vocabulary/EventType.ts"
import * as Vocabulary from "../src/events/vocabulary/Vocabulary.ts"
import type { Json, JsonObject } from "../src/values/Json.ts"

/** The subject whose words these are. */
export const SUBJECT = "ada"

/** The task that holds them. */
export const TASK = "t-1"

/** What a subject said in one field of one type of event. */
const wordOf = ({ name }: EventType, field: string): string => `ZQX${name}${field}XQZ`

/** Finds a subject's words in a text. */
export const wordsIn = (text: string): ReadonlyArray<string> =>
  [...new Set(text.match(/ZQX[A-Za-z]+XQZ/g) ?? [])].sort()

/** The types that may hold personal data, as the vocabulary declares them. */
const TYPES = [...Vocabulary.core.types.values()].filter(({ personal }) => Object.keys(personal).length > 0)

/** The subject's words in every personal field of every type of event. */
export const WORDS: ReadonlyArray<string> = TYPES.flatMap((type) =>
  Object.keys(type.personal).map((field) => wordOf(type, field)),
).sort()

/** Fields that make the events those of one course: the same command, score set, sensor … */
const COURSE: JsonObject = {
  commandId: "c-1",
  confirmationId: "q-1",
  requestId: "r-1",
  scoreSetId: "s-1",
  measure: "room/good",
  sensor: "room/look",
  actuator: "room/open",
  component: "room/look",
  plugin: "room",
  instance: "kernel",
  timeline: "fork-1",
  parent: "main",
  at: 1,
  because: [1],
  basedOn: [1],
  inputs: [1],
  taskIds: [TASK],
  measures: [],
  plugins: [],
  agent: "walker@1.0.0",
  label: "live",
  range: { from: 1, to: 2 },
  about: TASK,
  path: "/said",
  rubric: { name: "plain", measures: [] },
  totals: { [TASK]: { earned: 1, lost: 1, net: 0, unscored: 1 } },
}

/**
 * A value that a schema accepts. Its texts are `word`.
 *
 * @param name of the field, by which the values of a course are found
 */
const sample = (ast: SchemaAST.AST, word: string, name = ""): Json => {
  const known = COURSE[name]
  if (known !== undefined && word === PLAIN) return known
  if (name === "path") return "/said"
  switch (ast._tag) {
    case "StringKeyword":
      return word
    case "NumberKeyword":
      return 1
    case "BooleanKeyword":
      return true
    case "Literal":
      return ast.literal as Json
    case "Suspend":
    case "Declaration":
      return { said: word }
    case "Refinement":
      return refined(ast, word)
    case "Union":
      // A subject's words are a text, where there may be one.
      return sample(
        ast.types.find(SchemaAST.isStringKeyword) ??
          ast.types.find((type) => !SchemaAST.isLiteral(type) || type.literal !== null) ??
          ast,
        word,
        name,
      )
    case "TupleType":
      return ast.rest.map(({ type }) => sample(type, word))
    case "TypeLiteral":
      return Object.fromEntries([
        ...ast.propertySignatures.map(({ name, type }) => [name, sample(type, word, String(name))]),
        ...ast.indexSignatures.map(({ type }) => ["said", sample(type, word)]),
      ])
    default:
      throw new Error(`there is no sample of ${ast._tag}, as ${String(ast)}`)
  }
}

/** The text of what is not personal. */
const PLAIN = "plain"

const refined = (ast: SchemaAST.Refinement, word: string): Json => {
  const accepts = Schema.is(Schema.make(ast))
  const candidates = [sample(ast.from, word), "0".repeat(64), 1, 2_000_000_000_000]
  const found = candidates.find((candidate) => accepts(candidate))
  if (found === undefined) throw new Error(`there is no sample of ${String(ast)}`)
  return found
}

/** An event of a type with the subject's words in each of its personal fields. */
const eventOf = (type: EventType): NewEvent => {
  const { ast } = type.payload
  if (!SchemaAST.isTypeLiteral(ast)) throw new Error("a payload's schema is a struct")
  const payload = ast.propertySignatures.flatMap(({ name, type: of, isOptional }) => {
    const field = String(name)
    const isPersonal = Object.hasOwn(type.personal, field)
    // What may be left out is, such as that a command came from a scenario.
    if (isOptional && !isPersonal) return []
    return [[field, sample(of, isPersonal ? wordOf(type, field) : PLAIN, field)]]
  })
  return {
    type: type.name,
    payload: { ...Object.fromEntries(payload), ...(type.name === COMPACT ? stepsOf(type) : {}) },
  }
}

/** A step whose columns hold the subject's words: reads decode them. */
const stepsOf = (type: EventType): JsonObject => {
  const word = wordOf(type, "columns")
  const result = { rewards: {}, terminated: false, truncated: false, info: { said: word } }
  const encoded = encoder().encode([{ action: word, result, patch: [], readings: { look: word } }])
  if (encoded === undefined) throw new Error("a step with a word has room")
  return { steps: 1, first: 1, priorities: {}, ...encoded }
}

/** The order of a task: it is opened, goes on, is closed, and is scored. */
const ORDER = [
  ["TaskOpened"],
  undefined,
  ["TaskClosed"],
  ["ScoringStarted"],
  ["RewardGiven", "PunishmentGiven", "MeasureUnscored"],
  ["ScoringFinished"],
]
const rankOf = (type: string): number => {
  const rank = ORDER.findIndex((types) => types?.includes(type) === true)
  return rank < 0 ? 1 : rank
}

/** What belongs to a course and has nothing personal. */
const FRAME = ["CommandDispatched", "ScoringStarted", "ScoringFinished"]

/** Appends a task of the subject. Its events do not name the subject: they inherit it. */
export const appendWords = Effect.gen(function* () {
  const log = yield* EventLog
  const frame = [...Vocabulary.core.types.values()].filter(({ name }) => FRAME.includes(name))
  const types = [...TYPES, ...frame].sort((a, b) => rankOf(a.name) - rankOf(b.name))
  for (const [index, type] of types.entries()) {
    const isFork = type.name === "TimelineForked"
    const request: AppendRequest = {
      stream: isFork ? "timeline/fork-1" : `task/${TASK}`,
      taskId: TASK,
      actor: "kernel",
      events: [eventOf(type)],
      ...(isFork ? { timeline: "fork-1" } : {}),
      ...(index === 0 ? { subject: SUBJECT } : {}),
    }
    yield* log.append(request)
  }
})

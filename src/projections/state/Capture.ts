/** The capture of a program: the parts that a recorder or an import saw, lost, and could not see. */

import { Schema } from "effect"
import { optional } from "../../events/vocabulary/EventType.ts"
import { type InferenceRule, Inferred, MatchRule } from "../../events/vocabulary/Inference.ts"
import { Lack, Unseen } from "../../events/vocabulary/Notes.ts"
import { type CoreName, evolveBy, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import { defined } from "../../values/defined.ts"
import type { Json } from "../../values/Json.ts"
import { fieldOf } from "../../values/JsonObjects.ts"
import type { Projection } from "../fold/Projection.ts"

const count = (description: string) => Schema.NonNegativeInt.annotations({ description })

/** The capture of a recorded or imported task. */
export const Capture = Schema.Struct({
  seen: Schema.Struct({
    modelRequests: count("Requests to models"),
    otherRequests: count("Other requests, and calls of `run.io`"),
    recordedTools: count("Calls of tools that the program recorded itself"),
    observedTools: count("Calls of tools seen only in answers and later requests"),
    keptRecords: count("Records of a source without an event type of their own, kept unchanged"),
  }),
  inferred: Schema.Array(Schema.Struct({ rule: Schema.String, count: Schema.NonNegativeInt })).annotations({
    description:
      "Rules that inferred causes, tasks and attempts, with the number of their uses. Everything else was recorded",
  }),
  stubbed: Schema.Array(Schema.String).annotations({
    description: "What a person replaced in a fork: `answer`, `result`, `model`",
  }),
  cut: Schema.Struct({
    bodies: count("Bodies that broke off, were not read to the end, or are too large to keep"),
    results: count("Results that could not be recorded"),
    unread: count("Parts of answers that no reader knows, kept unchanged"),
  }),
  notVisible: Schema.Array(Unseen).annotations({
    description: "What was seen to happen but is not in the log; for an import, also what it omitted or cut",
  }),
  source: optional(Schema.String.annotations({ description: "The format that the task was imported from" })),
  lacks: optional(
    Schema.Array(Lack).annotations({
      description:
        "What the recorder of a coding agent or the source of an import cannot show; of a merged task, what none of its accounts can. Absent if nobody said; then it is unknown",
    }),
  ),
  merged: optional(
    Schema.Array(Schema.Struct({ source: Schema.String, rule: MatchRule, count: Schema.NonNegativeInt })).annotations({
      description: "Accounts that were merged into the task, and by which rules their events were matched",
    }),
  ),
}).annotations({ identifier: "Capture" })

export type Capture = typeof Capture.Type

const State = Schema.Struct({
  isCaptured: Schema.Boolean,
  capture: Capture,
  /** Totals of an import, from its newest event. */
  imported: Schema.Array(Unseen),
  /** What each account lacks, the newest last. */
  lacking: Schema.Array(Schema.Struct({ source: Schema.String, lacks: Schema.Array(Lack) })),
})
type State = typeof State.Type

const initial: State = {
  isCaptured: false,
  capture: {
    seen: { modelRequests: 0, otherRequests: 0, recordedTools: 0, observedTools: 0, keptRecords: 0 },
    inferred: [],
    stubbed: [],
    cut: { bodies: 0, results: 0, unread: 0 },
    notVisible: [],
  },
  imported: [],
  lacking: [],
}

type Seen = keyof Capture["seen"]
type Cut = keyof Capture["cut"]

const seen = (state: State, what: Seen): State => {
  const { capture } = state
  return { ...state, capture: { ...capture, seen: { ...capture.seen, [what]: capture.seen[what] + 1 } } }
}

const cut = (state: State, what: Cut, by = 1): State => {
  const { capture } = state
  return { ...state, capture: { ...capture, cut: { ...capture.cut, [what]: capture.cut[what] + by } } }
}

const unseen = (state: State, items: Capture["notVisible"]): State => {
  const all = new Map(state.capture.notVisible.map((item) => [`${item.what} ${item.target}`, item]))
  for (const item of items) {
    const key = `${item.what} ${item.target}`
    all.set(key, { ...item, count: item.count + (all.get(key)?.count ?? 0) })
  }
  return { ...state, isCaptured: true, capture: { ...state.capture, notVisible: [...all.values()] } }
}

/** What none of the accounts shows. */
const lacking = (state: State, source: string, lacks: ReadonlyArray<Lack>): State => {
  const all = [...state.lacking.filter((account) => account.source !== source), { source, lacks }]
  const common = lacks.filter(({ what }) => all.every((account) => account.lacks.some((lack) => lack.what === what)))
  return { ...state, isCaptured: true, lacking: all, capture: { ...state.capture, lacks: common } }
}

const merging = (state: State, { source, matches }: PayloadOf<"AccountMerged">): State => {
  const counts = new Map((state.capture.merged ?? []).map((one) => [`${one.source} ${one.rule}`, one]))
  for (const { rule } of matches) {
    const key = `${source} ${rule}`
    counts.set(key, { source, rule, count: 1 + (counts.get(key)?.count ?? 0) })
  }
  return { ...state, capture: { ...state.capture, merged: [...counts.values()] } }
}

const isInferred = Schema.is(Inferred)

/** Counts the rules that inferred a part of an event. */
const inferring = (state: State, inferred: unknown): State => {
  if (!isInferred(inferred)) return state
  const counts = new Map(state.capture.inferred.map(({ rule, count }) => [rule, count]))
  for (const rule of Object.values(inferred) as ReadonlyArray<InferenceRule>)
    counts.set(rule, (counts.get(rule) ?? 0) + 1)
  return { ...state, capture: { ...state.capture, inferred: [...counts].map(([rule, count]) => ({ rule, count })) } }
}

/** Whether a recorded response is incomplete. */
const isCut = (result: Json): boolean => {
  const end = fieldOf(result, "end")
  const isBroken = end === "cut" || end === "open" || end === "cancelled"
  return isBroken || fieldOf(result, "cutWithin") !== undefined || fieldOf(result, "omitted") !== undefined
}

/** The part of a conversation that only the model's server has. */
const EARLIER = {
  what: "earlier messages",
  target: "the server of the model has them, and no recorder saw them",
  count: 1,
}

const IMPORTER = "import:"

/** The `source` in notes of recorders of coding agents. Any other is the format of an import. */
const RECORDERS: ReadonlySet<string> = new Set(["hooks", "acp"])

/** Whether a recorder or an import wrote a task, judging by the event that opened it. */
export const isCaptured = ({ recorder }: PayloadOf<"TaskOpened">, actor: string): boolean =>
  recorder !== undefined || actor.startsWith(IMPORTER)

export const TYPES: ReadonlyArray<CoreName> = [
  ...(["TaskOpened", "TimelineForked", "CaptureNoted", "SourceRecordKept", "ModelCalled", "ModelResponded"] as const),
  ...(["IoCalled", "IoAnswered", "ActuatorCommanded", "CommandSucceeded", "CommandFailed"] as const),
  ...(["CommandDenied", "CommandOutcomeUnknown", "AccountMerged"] as const),
]

/** The fold of one task's events. */
export const projection: Projection<State> = {
  name: "Capture",
  version: 3,
  state: State,
  initial,
  evolve: evolveBy<State>({
    TaskOpened: (state, opened, { actor }) => {
      if (!isCaptured(opened, actor)) return state
      const source = actor.startsWith(IMPORTER) ? actor.slice(IMPORTER.length) : undefined
      return { ...state, isCaptured: true, capture: { ...state.capture, ...defined({ source }) } }
    },
    TimelineForked: (state, { overrides }) => {
      const changes = fieldOf(overrides, "changes")
      if (typeof changes !== "object" || changes === null) return state
      return { ...state, capture: { ...state.capture, stubbed: Object.keys(changes) } }
    },
    ModelCalled: (state, { request, inferred }) => {
      const after = inferring(seen(state, "modelRequests"), inferred)
      const isPartial =
        fieldOf(request, "after") === undefined && fieldOf(fieldOf(request, "thread"), "after") !== undefined
      return isPartial ? unseen(after, [EARLIER]) : after
    },
    ModelResponded: (state, { unread = [] }) =>
      unread.length === 0
        ? state
        : cut(
            state,
            "unread",
            unread.reduce((sum, { count }) => sum + count, 0),
          ),
    IoCalled: (state, { inferred }) => inferring(seen(state, "otherRequests"), inferred),
    IoAnswered: (state, { io, result, unrecorded }) => {
      if (unrecorded !== undefined) return cut(state, "results")
      return io === "fetch" && isCut(result) ? cut(state, "bodies") : state
    },
    ActuatorCommanded: (state, { observed }) =>
      observed === true ? { ...seen(state, "observedTools"), isCaptured: true } : seen(state, "recordedTools"),
    CommandSucceeded: (state, { unrecorded, inferred }) =>
      inferring(unrecorded === undefined ? state : cut(state, "results"), inferred),
    CommandFailed: (state, { inferred }) => inferring(state, inferred),
    CommandDenied: (state, { inferred }) => inferring(state, inferred),
    CommandOutcomeUnknown: (state, { inferred }) => inferring(state, inferred),
    SourceRecordKept: (state) => seen(state, "keptRecords"),
    CaptureNoted: (state, { unseen: items, source, lacks }) => {
      if (source === undefined) return unseen(state, items)
      const after = lacks === undefined ? state : lacking(state, source, lacks)
      if (RECORDERS.has(source)) return after
      return { ...after, isCaptured: true, imported: items, capture: { ...after.capture, source } }
    },
    AccountMerged: merging,
  }),
}

/** The capture; undefined for a task that a kernel ran. */
export const section = ({ isCaptured, capture, imported }: State): Capture | undefined =>
  isCaptured ? { ...capture, notVisible: [...capture.notVisible, ...imported] } : undefined

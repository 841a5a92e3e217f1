/** What became of a task's recorded files, and by whom: facts for audits and rules. */

import { Schema } from "effect"
import type { Event } from "../../../events/vocabulary/Event.ts"
import { optional } from "../../../events/vocabulary/EventType.ts"
import { type CoreName, is } from "../../../events/vocabulary/Vocabulary.ts"
import { defined } from "../../../values/defined.ts"
import * as SafeRecord from "../../../values/SafeRecord.ts"
import type { Projection } from "../../fold/Projection.ts"
import * as FileStates from "./FileStates.ts"
import * as PathHistory from "./PathHistory.ts"
import * as RecentCalls from "./RecentCalls.ts"

const count = (description: string) => Schema.NonNegativeInt.annotations({ description })

/** The recorded files of a task. */
export const RecordedFiles = Schema.Struct({
  touched: count("Files that the task's own calls changed"),
  linesAdded: optional(count("Lines that its calls added; absent if unknown for one of their changes")),
  linesRemoved: optional(count("Lines that its calls removed; absent if unknown for one of their changes")),
  linesKept: optional(
    count(
      "Lines that its calls added and that no later change removed; absent if unknown for a file that they changed",
    ),
  ),
  undone: count("Files whose content a call of the task put back to an earlier one, after a change by the task"),
  outside: count("Files that changed while no call ran: a person or another program did it"),
  unattributed: count("Files that changed, and the recording does not tell whether a call of the task did it"),
  emptyEdits: count("Calls of editing tools that succeeded and changed nothing"),
  unclearEdits: count("Calls of editing tools that succeeded, of which the recording does not tell what they changed"),
  partial: optional(
    Schema.Literal(true).annotations({ description: "The recording broke off: the counts are the least" }),
  ),
}).annotations({ identifier: "RecordedFiles" })

export type RecordedFiles = typeof RecordedFiles.Type

const State = Schema.Struct({
  /** Null until the task's files are recorded, and once they cannot be counted. */
  root: Schema.NullOr(Schema.String),
  /** It cannot be counted: personal data that nobody can read, or too much of it. */
  isLost: Schema.Boolean,
  files: Schema.Record({ key: Schema.String, value: PathHistory.PathHistory }),
  /** Characters in `files`. */
  size: Schema.NonNegativeInt,
  calls: Schema.Array(RecentCalls.Call),
  /** The call that ended with the last event. */
  ended: Schema.NullOr(Schema.String),
  lines: Schema.NullOr(Schema.Struct({ added: Schema.NonNegativeInt, removed: Schema.NonNegativeInt })),
  /** Lines of its own in the files, and the files of which nobody knows them. */
  kept: Schema.NonNegativeInt,
  keptUnknown: Schema.NonNegativeInt,
  touched: Schema.NonNegativeInt,
  undone: Schema.NonNegativeInt,
  outside: Schema.NonNegativeInt,
  unattributed: Schema.NonNegativeInt,
  emptyEdits: Schema.NonNegativeInt,
  /** Includes the edits of files that no change has shown yet. */
  unclearEdits: Schema.NonNegativeInt,
  /** No snapshots since a failure. */
  isBlind: Schema.Boolean,
  isPartial: Schema.Boolean,
})
type State = typeof State.Type

const initial: State = {
  root: null,
  isLost: false,
  files: {},
  size: 0,
  calls: [],
  ended: null,
  lines: { added: 0, removed: 0 },
  kept: 0,
  keptUnknown: 0,
  touched: 0,
  undone: 0,
  outside: 0,
  unattributed: 0,
  emptyEdits: 0,
  unclearEdits: 0,
  isBlind: false,
  isPartial: false,
}

const lost: State = { ...initial, isLost: true }

/** Maximum characters of paths and digests in memory, 100,000 changes or more. */
const MAX_SIZE = 16_000_000

/** Events with which no recorder shows that it looked at the files after a call. */
const SILENT: ReadonlySet<string> = new Set<CoreName>(["TaskClosed", "RecorderLeft", "RecorderJoined"])

/** The fold of one task's events. */
export const projection: Projection<State> = {
  name: "RecordedFiles",
  version: 2,
  state: State,
  initial,
  evolve: (state, event) => {
    if (state.isLost) return state
    if (is(event, "EnvironmentReset") && event.payload.plugin === FileStates.PLUGIN) {
      if (isUnreadable(event)) return lost
      const start = FileStates.start(event.payload.state)
      return start === undefined ? state : restarted(state, start.root)
    }
    if (state.root === null) return state
    if (is(event, "EnvironmentChanged"))
      return event.payload.plugin === FileStates.PLUGIN ? changed(state, event) : state
    if (is(event, "CaptureNoted")) {
      const isBroken = event.payload.unseen.some(({ what }) => what === FileStates.NO_SNAPSHOTS)
      return isBroken ? blinded(followed(state, event)) : followed(state, event)
    }
    const before = followed(state, event)
    if (event.type === "InputReceived" || event.type === "TaskClosed") return settled(before, isOver)
    return called(before, event)
  },
}

const isUnreadable = ({ personal }: Event): boolean => personal?.readable === false

/** Other files than before: knowledge of paths no longer holds. */
const restarted = (state: State, root: string): State => {
  const { emptyEdits, unclearEdits, touched, undone, outside, unattributed, lines, isPartial } = settled(
    state,
    () => true,
  )
  const counts = { emptyEdits, unclearEdits, touched, undone, outside, unattributed, lines, isPartial }
  // Later states of the earlier files are unknown.
  const keptUnknown = state.keptUnknown + (touched === 0 ? 0 : 1)
  return { ...initial, ...counts, keptUnknown, root, files: PathHistory.forgotten(state.files), size: state.size }
}

/** Until another look, no call shows its changes. */
const blinded = (state: State): State => ({
  ...state,
  isBlind: true,
  isPartial: true,
  calls: state.calls.map(RecentCalls.unclear),
})

/** The recorder continued after the last call's end, so it has looked at the files. */
const followed = (state: State, { type }: Event): State =>
  state.ended === null || SILENT.has(type) ? state : { ...state, ended: null }

const called = (state: State, event: Event): State => {
  const had = (file: string) => PathHistory.isThere(SafeRecord.get(state.files, file))
  const calls = RecentCalls.after(state.calls, event, { root: state.root ?? "", had, isBlind: state.isBlind })
  if (calls === state.calls) return state
  const ended = event.type === "CommandSucceeded" ? String(event.payload.commandId) : state.ended
  const over = calls.length > RecentCalls.MAX_CALLS ? calls[0]?.id : undefined
  return settled({ ...state, calls, ended }, ({ id }) => id === over)
}

const isOver = ({ outcome }: RecentCalls.Call): boolean => outcome !== "open"

/** Decides what became of edits, and forgets these calls. */
const settled = (state: State, isDue: (call: RecentCalls.Call) => boolean): State => {
  if (!state.calls.some(isDue)) return state
  let { emptyEdits, unclearEdits, files, size } = state
  for (const call of state.calls) {
    const { file } = call
    if (!isDue(call) || file === null || call.outcome !== "succeeded" || call.changed) continue
    const history = SafeRecord.get(files, file)
    const had = call.had ?? PathHistory.hadAtStart(history)
    if (had === true && !call.unclear && call.id !== state.ended) emptyEdits += 1
    else unclearEdits += 1
    if (had !== null || call.unclear || call.id === state.ended) continue
    // A later change may show that the recording had the file.
    files = SafeRecord.set(files, file, PathHistory.waiting(history))
    if (history === undefined) size += file.length
  }
  const calls = state.calls.filter((call) => !isDue(call))
  const after = { ...state, calls, files, size, emptyEdits, unclearEdits }
  return size > MAX_SIZE ? lost : after
}

type Author = "own" | "outside" | "unknown" | "nobody"

const changed = (state: State, event: Event): State => {
  if (isUnreadable(event) || !is(event, "EnvironmentChanged")) return lost
  const changes = FileStates.read(event.payload.patch)
  const named = new Set(changes.map(({ path }) => path))
  const { calls, author } = attributed(state.calls, event, named)
  const movedFrom = new Set(changes.flatMap(({ state: { kind, from } }) => (kind === "renamed" ? (from ?? []) : [])))
  const files = SafeRecord.copy(state.files)
  let after: State = { ...state, calls, files, ended: null, isBlind: false }
  for (const { path, state: file } of changes) {
    const before = SafeRecord.get(files, path)
    const { history, news } = PathHistory.after(before, file, author)
    SafeRecord.put(files, path, history)
    const contentsBefore = before?.contents.length ?? 0
    after = {
      ...after,
      size: after.size + (before === undefined ? path.length : 0) + PathHistory.grown(contentsBefore, history),
      kept: after.kept + news.kept,
      keptUnknown: after.keptUnknown + news.keptUnknown,
      touched: after.touched + news.touched,
      undone: after.undone + news.undone,
      outside: after.outside + news.outside,
      unattributed: after.unattributed + news.unattributed,
      emptyEdits: after.emptyEdits + news.foundEmpty,
      unclearEdits: after.unclearEdits - news.foundEmpty,
      lines: author === "own" && !movedFrom.has(path) ? sum(after.lines, file) : after.lines,
    }
  }
  return after.size > MAX_SIZE ? lost : after
}

/** The author of a change, and its meaning for calls. */
const attributed = (
  calls: ReadonlyArray<RecentCalls.Call>,
  { payload, causationId }: Event,
  paths: ReadonlySet<string>,
): { readonly calls: ReadonlyArray<RecentCalls.Call>; readonly author: Author } => {
  const source = FileStates.sourceOf(payload)
  switch (source.kind) {
    case "call": {
      const isIts = ({ events }: RecentCalls.Call) => causationId !== null && events.includes(causationId)
      if (!calls.some(isIts)) return { calls, author: "unknown" }
      return { calls: calls.map((call) => (isIts(call) ? { ...call, changed: true } : call)), author: "own" }
    }
    case "calls": {
      const ids = new Set(source.commandIds)
      const found = calls.filter(({ id }) => ids.has(id))
      const author = found.length > 0 && found.length === ids.size ? "own" : "unknown"
      return { calls: calls.map((call) => (ids.has(call.id) ? RecentCalls.unclear(call) : call)), author }
    }
    case "not-watched": {
      const mayBeIts = ({ file }: RecentCalls.Call) => file !== null && paths.has(file)
      return { calls: calls.map((call) => (mayBeIts(call) ? RecentCalls.unclear(call) : call)), author: "unknown" }
    }
    case "no-call":
      return { calls, author: "outside" }
    default:
      return { calls, author: "nobody" }
  }
}

const sum = (lines: State["lines"], { kind, lines: own }: FileStates.FileState): State["lines"] => {
  // The content is the same.
  if (lines === null || kind === "mode" || kind === "renamed") return lines
  if (own === undefined) return null
  const [added, removed] = [lines.added + own.added, lines.removed + own.removed]
  return Number.isSafeInteger(added) && Number.isSafeInteger(removed) ? { added, removed } : null
}

/** The facts; undefined if no files were recorded, or they cannot be counted. */
export const section = (state: State): RecordedFiles | undefined => {
  if (state.root === null) return undefined
  const { touched, lines, undone, outside, unattributed, emptyEdits, unclearEdits, isPartial } = state
  const linesKept = state.keptUnknown > 0 || state.isBlind ? undefined : state.kept
  return {
    touched,
    ...defined({ linesAdded: lines?.added, linesRemoved: lines?.removed, linesKept }),
    ...{ undone, outside, unattributed, emptyEdits, unclearEdits },
    ...(isPartial ? { partial: true as const } : {}),
  }
}

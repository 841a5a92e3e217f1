/** Records what becomes of a workspace's files during a task, and by which call. */

import type { CoreNewEvent } from "../events/log/EventLog.ts"
import type { Event } from "../events/vocabulary/Event.ts"
import type { Unseen } from "../events/vocabulary/Notes.ts"
import { is } from "../events/vocabulary/Vocabulary.ts"
import * as LineCounts from "./LineCounts.ts"
import * as Changes from "./model/Changes.ts"
import * as Document from "./model/Document.ts"
import type { Entry, Tree } from "./model/Entry.ts"
import type { Snapshot } from "./Snapshots.ts"
import { attribute, type Cause, type RunningCall } from "./Suspects.ts"
import type { Gap } from "./scan/Scan.ts"
import type { Shared, Workspaces } from "./Workspaces.ts"

export interface TaskFilesOptions {
  readonly workspaces: Workspaces
  readonly root: string
  /** The task's events from earlier processes. */
  readonly past: ReadonlyArray<Event>
  /** The event that causes what no call did. */
  readonly openedBy: string
  /** The source in `CaptureNoted`. */
  readonly source: string
  readonly tell: (event: CoreNewEvent, ...others: ReadonlyArray<CoreNewEvent>) => Promise<unknown>
}

/** Methods run one after the other. They reject if the log fails; if snapshots fail, the task says so and goes on. */
export interface TaskFiles {
  /** A call that may change files is about to run: records what changed before it. */
  readonly before: (call: RunningCall) => Promise<void>
  /** The call has ended: records what changed meanwhile. `end` is the event of its outcome. */
  readonly after: (commandId: string, end: string) => Promise<void>
  /** A call that nobody told of before it ran. */
  readonly unexpected: (call: RunningCall) => Promise<void>
  /** Records what changed until now. */
  readonly look: () => Promise<void>
  /** Forgets the calls that no one will end. */
  readonly leave: () => void
}

export const make = (options: TaskFilesOptions): TaskFiles => {
  const { workspaces, root, past, openedBy, source, tell } = options
  let shared: Shared | undefined
  let last: Tree | undefined
  let hasFailed = false
  /** Calls since the last snapshot, with those in progress. */
  const suspects = new Map<string, RunningCall>()
  const own = new Set<string>()
  const noticed = new Set<string>()
  // Before the first snapshot of this process, an earlier one may have watched, or nobody.
  let isWatched = false
  const listen = (call: RunningCall) => void suspects.set(call.commandId, call)

  const open = (): Shared => {
    if (shared !== undefined) return shared
    const opened = workspaces.at(root)
    opened.listeners.add(listen)
    for (const call of opened.open.values()) listen(call)
    last = lastTree(past, opened)
    shared = opened
    return opened
  }

  const note = (unseen: ReadonlyArray<Unseen>): CoreNewEvent => ({ type: "CaptureNoted", payload: { source, unseen } })

  /** Takes a snapshot; undefined if that fails, which the task says once. */
  const snapshot = async (): Promise<Snapshot | undefined> => {
    if (hasFailed) return undefined
    try {
      return open().snapshots.take()
    } catch (cause) {
      hasFailed = true
      leave()
      const reason = cause instanceof Error ? cause.message : String(cause)
      await tell(note([{ what: "the workspace's files, from here on", target: reason, count: 1 }]))
      return undefined
    }
  }

  const look = async (): Promise<void> => {
    const taken = await snapshot()
    if (taken === undefined || shared === undefined) return
    const { tree, gaps } = taken
    const events: Array<CoreNewEvent> = []
    if (last === undefined) {
      const state = Document.initial(root, shared.snapshots.keep(tree))
      events.push({ type: "EnvironmentReset", payload: { plugin: Document.PLUGIN, seed: 0, options: {}, state } })
    } else {
      const calls = [...suspects.values()]
      const found = attribute(
        Changes.between(last, tree),
        {
          own: calls.filter(({ commandId }) => own.has(commandId)),
          others: calls.filter(({ commandId }) => !own.has(commandId)),
          isWatched,
        },
        root,
      )
      for (const { cause, changes } of found) events.push(changed(cause, changes, shared))
    }
    const unseen = news(tree, gaps)
    if (unseen.length > 0) events.push(note(unseen))
    const [first, ...others] = events
    // If this fails, the next look finds the same changes again.
    if (first !== undefined) await tell(first, ...others)
    last = tree
    isWatched = true
    suspects.clear()
    for (const call of shared.open.values()) listen(call)
  }

  const changed = (cause: Cause, changes: ReadonlyArray<Changes.Change>, { store }: Shared): CoreNewEvent => {
    const patch = changes.flatMap((change) => Document.operations(change, LineCounts.of(change, store)))
    const payload = { plugin: Document.PLUGIN, patch }
    switch (cause.kind) {
      case "call":
        return {
          type: "EnvironmentChanged",
          causationId: cause.call.last,
          payload: { ...payload, inferred: { cause: cause.rule } },
        }
      case "calls":
        return {
          type: "EnvironmentChanged",
          causationId: openedBy,
          payload: { ...payload, commands: cause.commandIds },
        }
      default:
        return { type: "EnvironmentChanged", causationId: openedBy, payload: { ...payload, unattributed: cause.kind } }
    }
  }

  /** What snapshots do not contain, and the task has not said yet. */
  const news = (tree: Tree, gaps: ReadonlyArray<Gap>): ReadonlyArray<Unseen> => {
    const found = new Map<string, { readonly path: string; count: number }>()
    const count = (what: string, path: string) => {
      const key = `${what} ${path}`
      if (noticed.has(key) || noticed.size >= MAX_NOTICED) return
      noticed.add(key)
      const before = found.get(what)
      if (before === undefined) found.set(what, { path, count: 1 })
      else before.count++
    }
    for (const { what, path } of gaps) count(what, path)
    for (const [path, { omitted }] of tree) if (omitted !== undefined) count(OMITTED[omitted], path)
    return [...found].map(([what, { path, count }]) => ({
      what,
      target: count === 1 ? path : `${path} and ${count - 1} more`,
      count,
    }))
  }

  const leave = () => {
    shared?.listeners.delete(listen)
    for (const commandId of own) shared?.open.delete(commandId)
    suspects.clear()
  }

  let queue: Promise<unknown> = Promise.resolve()
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = queue.then(work)
    queue = done.catch(() => {})
    return done
  }

  return {
    before: (call) =>
      inTurn(async () => {
        await look()
        own.add(call.commandId)
        shared?.open.set(call.commandId, call)
        for (const listener of shared?.listeners ?? []) listener(call)
      }),
    after: (commandId, end) =>
      inTurn(async () => {
        const call = suspects.get(commandId)
        if (call !== undefined) suspects.set(commandId, { ...call, last: end })
        shared?.open.delete(commandId)
        await look()
      }),
    unexpected: (call) =>
      inTurn(async () => {
        own.add(call.commandId)
        suspects.set(call.commandId, call)
        isWatched = false
        await look()
      }),
    look: () => inTurn(look),
    leave,
  }
}

const OMITTED = {
  large: "the content of a file that is too large",
  secret: "the content of a file with secrets: recorded by a digest",
  changing: "the content of a file that changed while it was read",
  unreadable: "the content of a file without permission",
} as const

const MAX_NOTICED = 10_000

/** The files after the task's earlier events; undefined if they record none, or the store lacks them. */
const lastTree = (past: ReadonlyArray<Event>, { store, root }: Shared): Tree | undefined => {
  let tree: Map<string, Entry> | undefined
  for (const event of past) {
    if (is(event, "EnvironmentReset") && event.payload.plugin === Document.PLUGIN) {
      const start = Document.start(event.payload.state)
      const base = start === undefined || start.root !== root ? undefined : store.tree(start.base)
      tree = base && new Map(base)
    } else if (is(event, "EnvironmentChanged") && event.payload.plugin === Document.PLUGIN && tree !== undefined)
      Document.apply(tree, Document.read(event.payload.patch))
  }
  return tree
}

/** Records the changes of a workspace's files during a task, with the calls that made them. */

import type { CoreNewEvent } from "../events/log/EventLog.ts"
import type { Event } from "../events/vocabulary/Event.ts"
import type { Unseen } from "../events/vocabulary/Notes.ts"
import { NO_SNAPSHOTS } from "../projections/state/files/FileStates.ts"
import { defined } from "../values/defined.ts"
import type { JsonObject } from "../values/Json.ts"
import * as Changes from "./model/Changes.ts"
import * as Document from "./model/Document.ts"
import type { Tree } from "./model/Entry.ts"
import * as OtherRecorders from "./OtherRecorders.ts"
import * as OwnLines from "./OwnLines.ts"
import * as PastFiles from "./PastFiles.ts"
import { attribute, type Cause, type RunningCall } from "./Suspects.ts"
import * as OuterRules from "./scan/OuterRules.ts"
import type { Gap } from "./scan/Scan.ts"
import * as UnseenFiles from "./UnseenFiles.ts"
import type { Shared, Workspaces } from "./Workspaces.ts"

export { NO_SNAPSHOTS }

export interface TaskFilesOptions {
  readonly workspaces: Workspaces
  readonly root: string
  /** The task's events from earlier processes. */
  readonly past: ReadonlyArray<Event>
  /** The event to name as the cause of changes without a call. */
  readonly openedBy: string
  /** The source in `CaptureNoted`. Default: none. */
  readonly source?: string | undefined
  /** Whether calls may have run without an announcement. Default: no. */
  readonly isBlind?: (() => boolean) | undefined
  readonly tell: (event: CoreNewEvent, ...others: ReadonlyArray<CoreNewEvent>) => Promise<unknown>
}

/**
 * Methods run one after the other. They reject if the log fails. If snapshots fail, the task notes this and continues.
 */
export interface TaskFiles {
  /** Calls that may change files are about to run: records earlier changes. */
  readonly before: (...calls: ReadonlyArray<RunningCall>) => Promise<void>
  /** A call may run from now on, and did not wait for a look. */
  readonly began: (call: RunningCall) => Promise<void>
  /**
   * Like `began`, for a call whose events come with its end (`unexpected`). No end of another call takes a look before
   * that.
   */
  readonly announced: (call: RunningCall) => Promise<void>
  /** Calls have ended: records the changes since the last look. */
  readonly after: (...ends: ReadonlyArray<CallEnd>) => Promise<void>
  /** A call without earlier events ended. */
  readonly unexpected: (call: RunningCall) => Promise<void>
  /** Calls that did not run, or whose end will not be announced. */
  readonly withdrawn: (...commandIds: ReadonlyArray<string>) => Promise<void>
  /** Records the changes since the last look. */
  readonly look: () => Promise<void>
  /**
   * Records the changes so far, lets `write` restore files, and records its changes as restored. Resolves to those
   * changes, or to undefined if snapshots fail.
   */
  readonly restored: (write: Restoring) => Promise<ReadonlyArray<Changes.OwnChange> | undefined>
  /** Forgets the calls whose end will not come. */
  readonly leave: () => void
}

/** Writes files over those of a snapshot that was just taken. Returns the changes that it made. */
export type Restoring = (present: Tree, shared: Shared) => ReadonlyArray<Changes.OwnChange>

export interface CallEnd {
  readonly commandId: string
  /** The event of its outcome. */
  readonly end: string
}

const rest = ({ open, arriving, others }: Shared): void => {
  if (open.size === 0 && arriving.size === 0) others.rest()
}

/** The findings of a look. `restored`: the changes of a restore before it. */
interface Seen {
  readonly tree: Tree
  readonly gaps: ReadonlyArray<Gap>
  readonly restored: ReadonlyArray<Changes.OwnChange>
  readonly now: OtherRecorders.Heard
}

export const make = (options: TaskFilesOptions): TaskFiles => {
  const { workspaces, root, past, openedBy, source, isBlind = () => false, tell } = options
  let shared: Shared | undefined
  let last: Tree | undefined
  let lines: OwnLines.OwnLines | undefined
  let hasFailed = false
  let hasLeft = false
  /** Calls since the last snapshot, with those in progress. */
  const suspects = new Map<string, RunningCall>()
  const own = new Set<string>()
  /** Calls in progress whose events come with their end. */
  const announced = new Set<string>()
  const news = UnseenFiles.make()
  const rulesNews = OuterRules.news(past)
  // Before this process's first snapshot, nobody knows whether an earlier one watched.
  let isWatched = false
  let heard: OtherRecorders.Heard = { states: new Map() }
  let isDeaf = false
  const listen = (call: RunningCall) => void suspects.set(call.commandId, call)

  const open = (): Shared => {
    if (shared !== undefined) return shared
    const opened = workspaces.at(root)
    opened.listeners.add(listen)
    for (const call of opened.open.values()) listen(call)
    last = PastFiles.lastTree(past, opened)
    shared = opened
    return opened
  }

  const note = (unseen: ReadonlyArray<Unseen>): CoreNewEvent => ({
    type: "CaptureNoted",
    payload: { ...defined({ source }), unseen },
  })

  /** Uses the store and the directory. Returns undefined if that fails, which the task notes once. */
  const attempt = async <A>(work: () => A | Promise<A>): Promise<A | undefined> => {
    if (hasFailed) return undefined
    try {
      return await work()
    } catch (cause) {
      // Nobody needs it any more, and the store may be closed.
      if (hasLeft) return undefined
      hasFailed = true
      forget()
      const reason = cause instanceof Error ? cause.message : String(cause)
      await tell(note([{ what: NO_SNAPSHOTS, target: reason, count: 1 }]))
      return undefined
    }
  }

  const look = async (restored: ReadonlyArray<Changes.OwnChange> = []): Promise<Tree | undefined> => {
    /** Calls that had ended before: this look sees all of their changes. */
    let ended: ReadonlyArray<string> = []
    const seen = await attempt(async () => {
      const shared = open()
      ended = [...suspects.keys()].filter((commandId) => !shared.open.has(commandId))
      // Before the look: only the next look sees changes of later calls.
      const began = shared.others.heard()
      const { tree, gaps } = await shared.snapshots.takeInTurns()
      // After the look: every call that has changed a file by now has been announced.
      const now = shared.others.heard()
      return { shared, tree, began, events: eventsOf(shared, { tree, gaps, restored, now }) }
    })
    if (seen === undefined) return undefined
    const [first, ...others] = seen.events
    // If this fails, the next look finds the same changes again.
    if (first !== undefined) {
      await tell(first, ...others)
      await attempt(() => seen.shared.snapshots.confirm())
    }
    last = seen.tree
    heard = seen.began
    lines?.keep()
    isWatched = true
    for (const commandId of ended) if (!seen.shared.open.has(commandId)) suspects.delete(commandId)
    for (const call of seen.shared.open.values()) listen(call)
    for (const commandId of own) if (!seen.shared.open.has(commandId)) own.delete(commandId)
    rest(seen.shared)
    return seen.tree
  }

  const restore = async (write: Restoring) => {
    const present = await look()
    const made = present && (await attempt(() => write(present, open())))
    // Only a look can tell what the restore did.
    if (made !== undefined && made.length > 0 && (await look(made)) === undefined) return undefined
    return made
  }

  const eventsOf = (shared: Shared, { tree, gaps, restored, now }: Seen): ReadonlyArray<CoreNewEvent> => {
    const events: Array<CoreNewEvent> = []
    if (last === undefined) {
      const state = Document.initial(root, shared.snapshots.keep(tree))
      lines = OwnLines.make([], shared.store)
      events.push({ type: "EnvironmentReset", payload: { plugin: Document.PLUGIN, seed: 0, options: {}, state } })
    } else {
      // A change cannot have a cause that is not in the log.
      const calls = [...suspects.values()].filter(({ commandId }) => !announced.has(commandId))
      const made = Changes.between(Changes.applied(last, restored), tree)
      lines ??= OwnLines.make(past, shared.store)
      lines.begin()
      const owned = lines
      if (restored.length > 0) events.push(changed({ kind: "restored" }, restored, owned))
      const found = attribute(
        made,
        {
          own: calls.filter(({ commandId }) => own.has(commandId)),
          others: calls.filter(({ commandId }) => !own.has(commandId)),
          isWatched: isWatched && announced.size === 0 && !isBlind() && !OtherRecorders.haveWorked(heard, now),
        },
        root,
      )
      for (const { cause, changes } of found) events.push(changed(cause, changes, owned))
    }
    const unseen = [...news(tree, gaps), ...deafness(now), ...rulesNews(shared.snapshots.outerRules())]
    if (unseen.length > 0) events.push(note(unseen))
    return events
  }

  const deafness = (now: OtherRecorders.Heard): ReadonlyArray<Unseen> => {
    if (!("unknown" in now) || isDeaf) return []
    isDeaf = true
    return [{ what: "whether calls of other recorders change files", target: now.unknown, count: 1 }]
  }

  const changed = (cause: Cause, changes: ReadonlyArray<Changes.Change>, lines: OwnLines.OwnLines): CoreNewEvent => {
    const isOwn = OwnLines.isOwnSource(cause, own)
    const patch = changes.flatMap((change) => Document.operations(change, lines.after(change, isOwn)))
    const by = (causationId: string, more: JsonObject): CoreNewEvent => ({
      type: "EnvironmentChanged",
      causationId,
      payload: { plugin: Document.PLUGIN, patch, ...more },
    })
    if (cause.kind === "call") return by(cause.call.last, { inferred: { cause: cause.rule } })
    return by(openedBy, cause.kind === "calls" ? { commands: cause.commandIds } : { unattributed: cause.kind })
  }

  const forget = () => {
    shared?.listeners.delete(listen)
    for (const commandId of own) shared?.open.delete(commandId)
    if (shared !== undefined) rest(shared)
    announced.clear()
    suspects.clear()
  }
  /** Announces the call to other recorders at once, without waiting for its turn. */
  const arrive = (call: RunningCall): Shared | undefined => {
    if (hasFailed) return undefined
    shared?.arriving.add(call)
    shared?.others.begin()
    return shared
  }
  const start = (call: RunningCall) => {
    if (hasFailed) return
    own.add(call.commandId)
    suspects.set(call.commandId, call)
    shared?.open.set(call.commandId, call)
    shared?.others.begin()
    for (const listener of shared?.listeners ?? []) listener(call)
  }
  const ended = (commandId: string) => {
    shared?.open.delete(commandId)
    return announced.delete(commandId)
  }
  const withdraw = (commandId: string) => {
    ended(commandId)
    suspects.delete(commandId)
  }
  const lookAtEnd = async () => {
    if (announced.size === 0) await look()
  }

  let queue: Promise<unknown> = Promise.resolve()
  const inTurn = <A>(work: () => Promise<A>): Promise<A> => {
    const done = queue.then(work)
    queue = done.catch(() => {})
    return done
  }

  return {
    before: (...calls) =>
      inTurn(async () => {
        for (const { commandId } of calls) withdraw(commandId)
        await look()
        for (const call of calls) start(call)
      }),
    began: (call) => {
      const shared = arrive(call)
      return inTurn(async () => {
        shared?.arriving.delete(call)
        start(call)
      })
    },
    announced: (call) => {
      const shared = arrive(call)
      return inTurn(async () => {
        shared?.arriving.delete(call)
        if (!hasFailed) announced.add(call.commandId)
        start(call)
      })
    },
    after: (...ends) =>
      inTurn(async () => {
        for (const { commandId, end } of ends) {
          const call = suspects.get(commandId)
          if (call !== undefined) suspects.set(commandId, { ...call, last: end })
          ended(commandId)
        }
        await lookAtEnd()
      }),
    unexpected: (call) =>
      inTurn(async () => {
        if (!ended(call.commandId)) isWatched = false
        if (hasFailed) return
        own.add(call.commandId)
        suspects.set(call.commandId, call)
        await lookAtEnd()
      }),
    withdrawn: (...commandIds) =>
      inTurn(async () => {
        for (const commandId of commandIds) withdraw(commandId)
      }),
    look: () => inTurn(async () => void (await look())),
    restored: (write) => inTurn(() => restore(write)),
    leave: () => {
      hasLeft = true
      forget()
    },
  }
}

/** All clients' sessions in one process. Each is a task that continues when the session does. */

import * as fs from "node:fs"
import * as ServerUrl from "../events/log/ServerUrl.ts"
import type { GateConfig } from "../kernel/gate/Gate.ts"
import * as Redaction from "../record/http/Redaction.ts"
import * as OpenedLog from "../record/log/OpenedLog.ts"
import * as RunLog from "../record/log/RunLog.ts"
import { RunNotOpen } from "../record/Run.ts"
import { sha256 } from "../values/Digest.ts"
import { defined } from "../values/defined.ts"
import { plainText } from "../values/Json.ts"
import { oneLine } from "../values/PlainText.ts"
import * as Workspaces from "../workspace/Workspaces.ts"
import type * as Capture from "./Capture.ts"
import type { Client } from "./clients/Client.ts"
import * as FitHookEvent from "./FitHookEvent.ts"
import * as ForkAround from "./ForkAround.ts"
import type { HookEvent, HookRuling } from "./HookEvent.ts"
import * as LeftSessions from "./LeftSessions.ts"
import * as Session from "./Session.ts"
import * as SessionFiles from "./SessionFiles.ts"

export interface SessionsOptions {
  readonly log: string
  /** Asked at a session's start; undefined lets every call pass. */
  readonly gate: () => Promise<GateConfig | undefined>
  /** How the sessions are seen. Default: by hooks. */
  readonly means?: Capture.Means | undefined
  /** Whether to record the files of a session's directory. Default: true. Asked at a session's start. */
  readonly recordsFiles?: (() => Promise<boolean>) | undefined
  /** Texts to keep out of the log, in addition to the environment's keys. */
  readonly secrets?: ReadonlyArray<string> | undefined
  /** Silence that ends a session, in milliseconds. Default: an hour. */
  readonly idleMs?: number | undefined
  /** Called once when the log fails: every later call is refused. */
  readonly onFailed?: (failed: RunLog.RecordingFailed) => void
}

export interface Sessions {
  /**
   * Records a client's event. Rejects if the log fails.
   *
   * @param left aborts when the client no longer waits: a question about the call is then withdrawn
   */
  readonly take: (client: ClientName, hookEvent: HookEvent, left?: AbortSignal) => Promise<HookRuling>
  /** Closes the tasks of silent sessions, including those of earlier servers. */
  readonly closeIdle: () => Promise<void>
  /** Whether a call with this id belongs to the session, as far as this process continues it. */
  readonly knows: (client: ClientName, session: string, callId: string) => Promise<boolean>
  readonly size: () => number
  /** Stops recording and leaves tasks open. Withdraws the questions of calls that wait. */
  readonly close: () => Promise<void>
}

/** A client's name in the log, and for people. */
export type ClientName = Pick<Client, "name" | "title" | "format">

/** An open session. `usedAt` is its last event, by this process's monotonic clock. */
interface Held {
  readonly session: Session.Session
  usedAt: number
  /** Events in progress, including questions to a person. */
  underWay: number
}

const IDLE_MS = 60 * 60 * 1000

const MAX_GOAL = 200

/** Events before a session's first prompt, and sessions with such events. */
const MAX_EARLY = 32
const MAX_EARLY_SESSIONS = 1_000

const SILENT = "the session was silent; nobody gave a verdict"

const SESSION_ENDED = "its client ended the session"

const NONE: HookRuling = { decision: "none" }

/** Ended sessions whose late reports are recognized. */
const MAX_ENDED = 1_000

/** Opens a log. Sessions from this user's earlier processes continue, even after a kill. */
export const open = async (options: SessionsOptions): Promise<Sessions> => {
  const { log: file, gate, means = "hooks", secrets, idleMs = IDLE_MS, onFailed = () => {} } = options
  const { recordsFiles = async () => true } = options
  const redaction = Redaction.make(secrets)
  let failure: RunLog.RecordingFailed | undefined
  const opened = await OpenedLog.open({
    log: file,
    isSilent: () => failure !== undefined,
    means: { means },
    inherits: {},
  })
  const left = await LeftSessions.find(opened, means).catch(async (error: unknown) => {
    await opened.close()
    throw error
  })
  const workspaces = ServerUrl.isAddress(file)
    ? undefined
    : Workspaces.make({ log: await fs.promises.realpath(file), hasSecret: redaction.isIn })
  const sessions = new Map<string, Promise<Held>>()
  /** Events in progress, and how to say that nobody waits for their answer. */
  const underWay = new Map<AbortController, Promise<unknown>>()

  const begin = async (client: ClientName, hookEvent: HookEvent, taskId: string): Promise<Held> => {
    const goal = goalOf(client, hookEvent, redaction)
    const forkedFrom = await opened.run(ForkAround.of(hookEvent.cwd))
    const task = { goal, agent: client.name, id: taskId, continue: true, ...defined({ forkedFrom }) }
    const begun = await begunIn(opened, task)
    left.take(begun.taskId)
    const failed = (failed: RunLog.RecordingFailed) => {
      failure = failed
      onFailed(failed)
    }
    const log = RunLog.make({
      taskId: begun.taskId,
      log: file,
      onLogFailure: "stop",
      stream: begun.stream,
      onFailed: failed,
    })
    const files = SessionFiles.make({
      workspaces: (await recordsFiles()) ? (workspaces ?? "nowhere") : undefined,
      cwd: hookEvent.cwd,
      begun,
      source: means,
      tell: log.tell,
    })
    const session = Session.make({ client: client.name, means, begun, log, gate: await gate(), redaction, files })
    return { session, usedAt: performance.now(), underWay: 0 }
  }

  const held = (client: ClientName, hookEvent: HookEvent): Promise<Held> => {
    const taskId = taskIdOf(client.format ?? client.name, hookEvent.session)
    const found = sessions.get(taskId)
    if (found !== undefined) return found
    const begun = begin(client, hookEvent, taskId)
    sessions.set(taskId, begun)
    begun.catch(() => sessions.delete(taskId))
    return begun
  }

  /**
   * Events before a session's first prompt, which names its task. Without other events, a session is not recorded.
   */
  const early = new Map<string, Array<HookEvent>>()
  const keepEarly = (taskId: string, hookEvent: HookEvent): boolean => {
    const before = early.get(taskId) ?? []
    if (before.length >= MAX_EARLY || early.size >= MAX_EARLY_SESSIONS) return false
    early.set(taskId, [...before, hookEvent])
    return true
  }
  const takenEarly = (taskId: string): ReadonlyArray<HookEvent> => {
    const before = early.get(taskId) ?? []
    early.delete(taskId)
    return before
  }

  /** A client may report a call's result after the session's end; the call has its end in the log. */
  const ended = new Map<string, Session.Session>()
  const isOfEnded = (taskId: string, { happening }: HookEvent): boolean =>
    happening.kind === "after" && happening.callId !== undefined && ended.get(taskId)?.knows(happening.callId) === true

  /** Closes the session's task. If the session is resumed, it continues in another one. */
  const end = async (taskId: string, { session }: Held, reason: string): Promise<void> => {
    sessions.delete(taskId)
    ended.delete(taskId)
    ended.set(taskId, session)
    const [oldest] = ended.keys()
    if (ended.size > MAX_ENDED && oldest !== undefined) ended.delete(oldest)
    await session.end(`${SESSION_ENDED} (${reason}); nobody gave a verdict`)
  }

  const takeIn = async (client: ClientName, hookEvent: HookEvent, leaving: AbortSignal): Promise<HookRuling> => {
    const taskId = taskIdOf(client.format ?? client.name, hookEvent.session)
    const { kind } = hookEvent.happening
    if (!sessions.has(taskId)) {
      if (isOfEnded(taskId, hookEvent)) return NONE
      if (kind === "other" && keepEarly(taskId, hookEvent)) return NONE
      // A session without anything else is not recorded.
      if (kind === "ended" && !left.hasPartOf(taskId)) {
        early.delete(taskId)
        return NONE
      }
    }
    const one = await held(client, hookEvent)
    for (const early of takenEarly(taskId)) await one.session.take(early, leaving)
    one.underWay++
    try {
      const ruling = await one.session.take(hookEvent, leaving)
      if (hookEvent.happening.kind === "ended") await end(taskId, one, hookEvent.happening.reason)
      return ruling
    } finally {
      one.underWay--
      one.usedAt = performance.now()
    }
  }

  const closeIdle = async (): Promise<void> => {
    const now = performance.now()
    for (const [taskId, opening] of sessions) {
      const one = await opening.catch(() => undefined)
      if (one === undefined || one.underWay > 0 || now - one.usedAt <= idleMs) continue
      sessions.delete(taskId)
      // If a person cancelled it or the log failed, it has ended, and its next call reports that.
      await one.session.end(SILENT).catch(() => {})
    }
    await left.closeSilent(idleMs, SILENT)
  }

  return {
    closeIdle,
    knows: async ({ name, format = name }, session, callId) => {
      const held = await sessions.get(taskIdOf(format, session))
      return held?.session.knows(callId) === true
    },
    size: () => sessions.size,
    take: async (client, told, gone) => {
      const hookEvent = FitHookEvent.fit(told)
      const leaving = new AbortController()
      const leave = () => leaving.abort()
      if (gone?.aborted === true) leave()
      gone?.addEventListener("abort", leave, { once: true })
      const taken = takeIn(client, hookEvent, leaving.signal)
      underWay.set(leaving, taken)
      try {
        return await taken
      } finally {
        underWay.delete(leaving)
        gone?.removeEventListener("abort", leave)
      }
    },
    close: async () => {
      try {
        for (const leaving of underWay.keys()) leaving.abort()
        await Promise.allSettled(underWay.values())
        const all = await Promise.allSettled(sessions.values())
        for (const one of all) if (one.status === "fulfilled") await one.value.session.leave()
      } finally {
        sessions.clear()
        workspaces?.close()
        await opened.close()
      }
    },
  }
}

/** Begins or continues a task; if it is closed, its next part. */
const begunIn = async (opened: OpenedLog.OpenedLog, task: OpenedLog.NewTask): Promise<OpenedLog.BegunRun> => {
  const { id } = task
  for (let part = 1; ; part++) {
    try {
      return await opened.begin(part === 1 ? task : { ...task, id: `${id}.${part}` })
    } catch (error) {
      if (!(error instanceof RunNotOpen) || part >= MAX_PARTS) throw error
    }
  }
}

const MAX_PARTS = 1_000

/** The task id of a session, the same that an import of its file uses. */
export const taskIdOf = (client: string, session: string): string =>
  /^[\w.-]{1,80}$/.test(session) ? `${client}-${session}` : `${client}-${sha256(session).slice(0, 32)}`

/** A session's goal: a person's first prompt, if it starts with one. */
const goalOf = ({ title }: ClientName, { happening, cwd }: HookEvent, redaction: Redaction.Redaction): string => {
  const said = happening.kind === "prompt" ? oneLine(plainText(redaction.text(happening.text))).trim() : ""
  if (said === "") return cwd === "" ? `A session of ${title}` : `A session of ${title} in ${cwd}`
  return said.length > MAX_GOAL ? `${said.slice(0, MAX_GOAL - 1).toWellFormed()}…` : said
}

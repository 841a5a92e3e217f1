/** All clients' sessions in one process. Each is a task that continues when the session does. */

import type { GateConfig } from "../kernel/gate/Gate.ts"
import * as Redaction from "../record/http/Redaction.ts"
import * as OpenedLog from "../record/log/OpenedLog.ts"
import * as RunLog from "../record/log/RunLog.ts"
import { RunNotOpen } from "../record/Run.ts"
import { sha256 } from "../values/Digest.ts"
import { plainText } from "../values/Json.ts"
import { oneLine } from "../values/PlainText.ts"
import type { Client } from "./clients/Client.ts"
import type { Moment, Verdict } from "./Moment.ts"
import * as Session from "./Session.ts"

export interface SessionsOptions {
  readonly log: string
  /** Asked at a session's start; undefined lets every call pass. */
  readonly gate: () => Promise<GateConfig | undefined>
  /** Texts to keep out of the log, besides the environment's keys. */
  readonly secrets?: ReadonlyArray<string> | undefined
  /** Silence that ends a session, in milliseconds. Default: an hour. */
  readonly idleMs?: number | undefined
  /** Called once when the log fails: every later call is refused. */
  readonly onFailed?: (failed: RunLog.RecordingFailed) => void
}

export interface Sessions {
  /** Records a client's moment. Rejects if the log fails. */
  readonly take: (client: Client, moment: Moment) => Promise<Verdict>
  /** Closes the tasks of silent sessions. */
  readonly closeIdle: () => Promise<void>
  readonly size: () => number
  /** Stops recording and leaves tasks open. */
  readonly close: () => Promise<void>
}

/** An open session. `usedAt` is its last moment, by this process's monotonic clock. */
interface Held {
  readonly session: Session.Session
  usedAt: number
  /** Moments in progress, including questions to a person. */
  underWay: number
}

const IDLE_MS = 60 * 60 * 1000

const MAX_GOAL = 200

/** Moments before a session's first prompt, and sessions with such moments. */
const MAX_EARLY = 32
const MAX_EARLY_SESSIONS = 1_000

const SILENT = "the session was silent; nobody gave a verdict"

/** Opens a log. Sessions from this user's earlier processes continue, even after a kill. */
export const open = async (options: SessionsOptions): Promise<Sessions> => {
  const { log: file, gate, secrets, idleMs = IDLE_MS, onFailed = () => {} } = options
  const redaction = Redaction.make(secrets)
  let failure: RunLog.RecordingFailed | undefined
  const opened = await OpenedLog.open({
    log: file,
    isSilent: () => failure !== undefined,
    means: { means: "hooks" },
    inherits: {},
  })
  const sessions = new Map<string, Promise<Held>>()

  const begin = async (client: Client, moment: Moment, taskId: string): Promise<Held> => {
    const task = { goal: goalOf(client, moment, redaction), agent: client.name, id: taskId, continue: true }
    const begun = await begunIn(opened, task)
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
    const session = Session.make({ client: client.name, begun, log, gate: await gate(), redaction })
    return { session, usedAt: performance.now(), underWay: 0 }
  }

  const held = (client: Client, moment: Moment): Promise<Held> => {
    const taskId = taskIdOf(client.name, moment.session)
    const found = sessions.get(taskId)
    if (found !== undefined) return found
    const begun = begin(client, moment, taskId)
    sessions.set(taskId, begun)
    begun.catch(() => sessions.delete(taskId))
    return begun
  }

  /**
   * Moments before a session's first prompt, which names its task. Without other moments, a session is not recorded.
   */
  const early = new Map<string, Array<Moment>>()
  const keepEarly = (taskId: string, moment: Moment): boolean => {
    const before = early.get(taskId) ?? []
    if (before.length >= MAX_EARLY || early.size >= MAX_EARLY_SESSIONS) return false
    early.set(taskId, [...before, moment])
    return true
  }
  const takenEarly = (taskId: string): ReadonlyArray<Moment> => {
    const before = early.get(taskId) ?? []
    early.delete(taskId)
    return before
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
  }

  return {
    closeIdle,
    size: () => sessions.size,
    take: async (client, moment) => {
      const taskId = taskIdOf(client.name, moment.session)
      if (moment.happening.kind === "other" && !sessions.has(taskId) && keepEarly(taskId, moment))
        return { decision: "none" }
      const one = await held(client, moment)
      for (const early of takenEarly(taskId)) await one.session.take(early)
      one.underWay++
      try {
        return await one.session.take(moment)
      } finally {
        one.underWay--
        one.usedAt = performance.now()
      }
    },
    close: async () => {
      try {
        const all = await Promise.allSettled(sessions.values())
        for (const one of all) if (one.status === "fulfilled") await one.value.session.leave()
      } finally {
        sessions.clear()
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
const goalOf = ({ title }: Client, { happening, cwd }: Moment, redaction: Redaction.Redaction): string => {
  const said = happening.kind === "prompt" ? oneLine(plainText(redaction.text(happening.text))).trim() : ""
  if (said === "") return cwd === "" ? `A session of ${title}` : `A session of ${title} in ${cwd}`
  return said.length > MAX_GOAL ? `${said.slice(0, MAX_GOAL - 1).toWellFormed()}…` : said
}

/** What Studio says of the log as a whole. */

/** `GET /api/log` */
export interface LogInfo {
  /** The name of the log's file, without its directory. */
  readonly name: string
  /** The version of Hindcast that serves it. */
  readonly version: string
  /** The last position; 0 of an empty log. */
  readonly head: number
  /** When the last event was recorded, in milliseconds since 1970; null of an empty log. */
  readonly headAt: number | null
  /** `main` first, then the forks in the order in which they were made. */
  readonly timelines: ReadonlyArray<Timeline>
  /** What the server was started with. What it does not allow, it refuses. */
  readonly allows: {
    readonly answer: boolean
    readonly fork: boolean
    readonly write: boolean
    /** Whether the program that serves it runs the agents, and they can be talked to. */
    readonly talk: boolean
  }
  /** Whether scenarios may be edited and run: it needs `--write`, too. */
  readonly scenarios: boolean
  /** The names of the agents that a fork may go on with; empty unless forks are allowed. */
  readonly agents: ReadonlyArray<string>
  /** What the reader should know of the log, such as that it may not be written or that a segment is missing: sentences. */
  readonly notes: ReadonlyArray<string>
  /** How far the index of all events reaches: it is built after the start. */
  readonly indexed: number
}

/** A course of history. */
export interface Timeline {
  readonly name: string
  /** Where it left its parent; null of `main`. */
  readonly parent: { readonly timeline: string; readonly position: number } | null
}

/** `GET /api/density?timeline=…&from=…&to=…&bins=…`: how many events of each kind there are along a range of positions. */
export interface Density {
  readonly from: number
  readonly to: number
  /** How far the counts reach: less than `to` while the index is being built. */
  readonly indexed: number
  /** By `KINDS`, for each bin. */
  readonly counts: ReadonlyArray<ReadonlyArray<number>>
  /** By bin: whether it holds a failure. */
  readonly bad: ReadonlyArray<boolean>
}

/** `GET /api/plugins` */
export interface PluginRow {
  readonly name: string
  readonly version: string
  readonly active: boolean
  readonly quarantined: boolean
  /** What it was granted, as its manifest's fields: text for people. */
  readonly grants: ReadonlyArray<string>
  readonly components: ReadonlyArray<string>
  /** Positions of the last crashes and misbehaviours, newest first, with their reasons. */
  readonly crashes: ReadonlyArray<{ readonly position: number; readonly at: number; readonly reason: string }>
  /** Requests to the host: how many were allowed, denied, answered; and the last of them, newest first. */
  readonly requests: {
    readonly allowed: number
    readonly denied: number
    readonly last: ReadonlyArray<{ readonly position: number; readonly line: string; readonly bad: boolean }>
  }
}

/** What every refusal and failure says: the body of each answer with a status from 400 on. */
export interface Problem {
  /** A name for programs, such as `TaskNotFound`. */
  readonly error: string
  /** What was expected, what was found, and what to do. */
  readonly message: string
}

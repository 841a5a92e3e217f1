/** The API's answers about the log as a whole. */

/** `GET /api/log` */
export interface LogInfo {
  /** The log file's name, without its directory. */
  readonly name: string
  /** The version of Hindcast that serves it. */
  readonly version: string
  /** The last position; 0 in an empty log. */
  readonly head: number
  /** When the last event was recorded, in milliseconds since 1970; null in an empty log. */
  readonly headAt: number | null
  /** `main` first, then the forks in order of creation. */
  readonly timelines: ReadonlyArray<Timeline>
  /** The permissions that the server was started with. It refuses everything else. */
  readonly allows: {
    readonly answer: boolean
    readonly fork: boolean
    readonly write: boolean
    readonly annotate: boolean
    /** Whether the serving program runs the agents, so that people can talk to them. */
    readonly talk: boolean
  }
  /** Whether scenarios may be edited and run. Needs `--write`, too. */
  readonly scenarios: boolean
  /** Whether an agent learns or learned by a curriculum on `main`. */
  readonly curricula: boolean
  /** The agents that may fork a task; empty unless forks are allowed. */
  readonly agents: ReadonlyArray<string>
  /** Sentences about the log for the reader, such as that a segment is missing. */
  readonly notes: ReadonlyArray<string>
  /** How far the index reaches. The server builds it after the start. */
  readonly indexed: number
}

export interface Timeline {
  readonly name: string
  /** The fork point; null for `main`. */
  readonly parent: { readonly timeline: string; readonly position: number } | null
}

/** `GET /api/density?timeline=…&from=…&to=…&bins=…`: the number of events of each kind along a range of positions. */
export interface Density {
  readonly from: number
  readonly to: number
  /** How far the counts reach: less than `to` while the index is incomplete. */
  readonly indexed: number
  /** Whether the server has read the timeline up to its end. If not, ask again: the counts lack later events. */
  readonly isWhole: boolean
  /** For each bin, by `KINDS`. */
  readonly counts: ReadonlyArray<ReadonlyArray<number>>
  /** For each bin, whether it has a failure. */
  readonly bad: ReadonlyArray<boolean>
}

/** `GET /api/plugins` */
export interface PluginRow {
  readonly name: string
  readonly version: string
  readonly active: boolean
  readonly quarantined: boolean
  /** Its grants by manifest field, as text for people. */
  readonly grants: ReadonlyArray<string>
  readonly components: ReadonlyArray<string>
  /** The last crashes and misbehaviours, newest first. */
  readonly crashes: ReadonlyArray<{ readonly position: number; readonly at: number; readonly reason: string }>
  /** Requests to the host: how many were allowed and denied, and the last ones, newest first. */
  readonly requests: {
    readonly allowed: number
    readonly denied: number
    readonly last: ReadonlyArray<{ readonly position: number; readonly line: string; readonly bad: boolean }>
  }
}

/** The body of each answer with a status from 400 on. */
export interface Problem {
  /** A name for programs, such as `TaskNotFound`. */
  readonly error: string
  /** The expectation, the finding, and advice. */
  readonly message: string
}

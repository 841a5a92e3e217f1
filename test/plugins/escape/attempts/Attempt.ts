/**
 * One attempt to get out: the body of an async function, in the plugin, that is given `at` (see `SourceLocations`). It counts as
 * an escape where what it returns, throws or prints holds a canary or `at.escaped`, or where it leaves a trace outside.
 */
export type Attempt =
  | string
  /** It does no harm even where nothing confines it, or needs what tests do not have: here it must fail. */
  | { readonly tame: string }

export type Attempts = { readonly [name: string]: Attempt }

/** What attempts aim at. Paths are absolute. */
export interface Places {
  /** What an attempt returns that has seen by itself that it got out. */
  readonly escaped: string
  /** A file with a canary in it, in a directory that nobody was granted. */
  readonly secret: string
  readonly outside: string
  /** A file that is not there, in that directory. */
  readonly marker: string
  readonly plugin: string
  readonly workspace: string
  readonly runner: string
  /** A server on this machine's loopback: a port of each kind. */
  readonly tcp: number
  readonly udp: number
  readonly unix: string
  /** A process that does nothing, with a canary in its environment. */
  readonly victim: number
  /** A variable of the environment with a canary in it. */
  readonly variable: string
}

export const codeOf = (attempt: Attempt): string => (typeof attempt === "string" ? attempt : attempt.tame)

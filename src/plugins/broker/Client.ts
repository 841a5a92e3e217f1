import type { Grants } from "../Grants.ts"

/** For whom: the allow-list, and where relative paths and commands start. */
export interface Client {
  readonly grants: Grants
  /** An absolute, real path. */
  readonly workspace: string
  readonly limits?: BrokerLimits
}

export interface BrokerLimits {
  /** One command, in milliseconds. Default: 30 000. */
  readonly runMs?: number
  /** Each output stream of a command, in bytes. Default: 1 MiB. */
  readonly outputBytes?: number
  /** One file, read or written, in bytes. Default: 4 MiB, so that it fits a frame. */
  readonly fileBytes?: number
}

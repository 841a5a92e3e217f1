import type { Grants } from "../Grants.ts"

/** For whom: the allow-list, and where relative paths and commands start. */
export interface Client {
  readonly grants: Grants
  /** An absolute, real path. */
  readonly workspace: string
  /** Absolute, real paths of files and directories that are neither read nor written, whatever is granted. Default: none. */
  readonly forbidden?: ReadonlyArray<string>
  /** The plugin's own directory, by its real path: it may be read even where it is forbidden. */
  readonly directory?: string
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

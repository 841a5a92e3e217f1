/** The file of a log, for threads that read it through connections of their own. */

/** Plain data, for `postMessage`. */
export interface LogFile {
  readonly filename: string
  /** The inode, so that a thread never reads another file that took the log's place. */
  readonly identity: string
  /** True if readers decrypt personal data. */
  readonly personal: boolean
}

/** The file that a log is in, for threads that read it with connections of their own. */

/** A log's file, as plain data. */
export interface LogFile {
  readonly filename: string
  /** Its inode, so that a thread reads the file that the log was opened with, and no other that took its place. */
  readonly identity: string
  /** Whether personal data is decrypted. */
  readonly personal: boolean
}

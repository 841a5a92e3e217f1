/** Files and symbolic links as a snapshot records them. */

export interface Entry {
  readonly kind: "file" | "link"
  /** Permission bits, such as 0o644. */
  readonly mode: number
  /** In bytes; of a link, of its target's name. */
  readonly size: number
  /**
   * SHA-256 of the content (of a link, of its target's name), in hexadecimal. Of a file with secrets, a digest with the
   * store's key instead. Absent if the file was not read.
   */
  readonly digest?: string | undefined
  /** Why the store lacks the content. */
  readonly omitted?: Omission | undefined
  /** Changes with the file, in place of a digest: it was not read. */
  readonly stamp?: string | undefined
}

/**
 * `large`: above the size limit; `secret`: by its name, or it contains a secret of this recorder; `changing`: it changed
 * whenever it was read; `unreadable`: the system refused.
 */
export const OMISSIONS = ["large", "secret", "changing", "unreadable"] as const

export type Omission = (typeof OMISSIONS)[number]

/** The files below a directory, by their paths with `/`, relative to it. */
export type Tree = ReadonlyMap<string, Entry>

/** Whether both are the same content. False where one was not read and the stamps differ: the content is unknown. */
export const isSameContent = (one: Entry, other: Entry): boolean =>
  one.kind === other.kind && one.size === other.size && one.digest === other.digest && one.stamp === other.stamp

export const isSame = (one: Entry, other: Entry): boolean => one.mode === other.mode && isSameContent(one, other)

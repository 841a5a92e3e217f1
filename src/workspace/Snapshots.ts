/**
 * Takes snapshots of a directory: its files' states as a tree, and their contents in the store. Reads only files that
 * changed since their last reading. Starts no program, and writes nothing below the directory.
 */

import type * as fs from "node:fs"
import * as path from "node:path"
import { defined } from "../values/defined.ts"
import type { Entry, Omission, Tree } from "./model/Entry.ts"
import { IgnoreRules } from "./scan/IgnoreRules.ts"
import * as ReadFile from "./scan/ReadFile.ts"
import * as Scan from "./scan/Scan.ts"
import * as SecretNames from "./scan/SecretNames.ts"
import { type ContentStore, digestOf } from "./store/ContentStore.ts"
import * as Known from "./store/Known.ts"

export interface SnapshotsOptions {
  /** An absolute path without links. */
  readonly root: string
  readonly store: ContentStore
  /** Whether a text contains a secret, which the store may not have. */
  readonly hasSecret?: ((text: string) => boolean) | undefined
  /** Directories and files of the recorder itself, by absolute paths. */
  readonly own?: ReadonlyArray<string> | undefined
  readonly limits?: Partial<Limits> | undefined
}

export interface Limits {
  readonly files: number
  /** Of one file whose content is stored. */
  readonly bytes: number
}

export const LIMITS: Limits = { files: 100_000, bytes: 16 * 1024 * 1024 }

export interface Snapshot {
  readonly tree: Tree
  readonly gaps: ReadonlyArray<Scan.Gap>
}

export class Snapshots {
  readonly #root: string
  readonly #store: ContentStore
  readonly #rules: IgnoreRules
  readonly #hasSecret: (text: string) => boolean
  readonly #own: ReadonlyArray<string>
  readonly #limits: Limits
  readonly #known: Map<string, Known.Known>

  constructor({ root, store, hasSecret = () => false, own = [], limits }: SnapshotsOptions) {
    this.#root = root
    this.#store = store
    this.#rules = new IgnoreRules(root)
    this.#hasSecret = hasSecret
    this.#own = own
    this.#limits = { ...LIMITS, ...limits }
    this.#known = Known.load(store, root)
  }

  /**
   * The files now. Their contents are in the store when it returns. Throws `TooManyFiles`, `StoreUnavailable`, or the
   * system's error if the root cannot be read.
   */
  take(): Snapshot {
    const { files, gaps } = Scan.scan(this.#root, this.#rules, this.#limits.files, (file) => this.#isOwn(file))
    const tree = new Map<string, Entry>()
    const stale: Array<readonly [string, fs.Stats]> = []
    for (const [file, stats] of files) {
      const known = this.#known.get(file)
      if (known !== undefined && Known.isFresh(known, stats)) tree.set(file, known.entry)
      else stale.push([file, stats])
    }
    const gone = this.#known.size > tree.size ? [...this.#known.keys()].filter((file) => !files.has(file)) : []
    if (stale.length > 0 || gone.length > 0) this.#update(tree, stale, gone)
    return { tree, gaps }
  }

  /** Adds the tree to the store; returns its digest. */
  keep(tree: Tree): string {
    return this.#store.transaction(() => this.#store.putTree(tree))
  }

  #update(
    tree: Map<string, Entry>,
    stale: ReadonlyArray<readonly [string, fs.Stats]>,
    gone: ReadonlyArray<string>,
  ): void {
    const learned = new Map<string, Known.Known | undefined>(gone.map((file) => [file, undefined]))
    this.#store.transaction(() => {
      for (const [file, found] of stale) {
        // Before the reading: what changes during it is read again.
        const at = Date.now()
        const read = ReadFile.read(path.join(this.#root, file), found, this.#limits.bytes)
        if (read.kind === "gone") {
          learned.set(file, undefined)
          continue
        }
        const entry = this.#entryOf(file, read)
        const known = Known.of(entry, read.stats, at)
        tree.set(file, entry)
        // A file that was read again without need is remembered by this process alone.
        if (Known.isSame(this.#known.get(file), known)) this.#known.set(file, known)
        else learned.set(file, known)
      }
      Known.save(this.#store, this.#root, learned)
    })
    for (const [file, known] of learned) {
      if (known === undefined) this.#known.delete(file)
      else this.#known.set(file, known)
    }
  }

  #entryOf(file: string, read: Exclude<ReadFile.Read, { kind: "gone" }>): Entry {
    const { stats } = read
    const what = { kind: stats.isSymbolicLink() ? "link" : "file", mode: stats.mode & 0o777, size: stats.size } as const
    if (read.kind === "omitted") return { ...what, omitted: read.why, stamp: stampOf(stats) }
    const { bytes } = read
    const size = bytes.length
    const omitted: Omission | undefined = this.#isSecret(file, what.kind, bytes) ? "secret" : undefined
    const digest = omitted === undefined ? digestOf(bytes) : this.#store.secretDigest(bytes)
    if (omitted === undefined) this.#store.put(digest, bytes)
    return { ...what, size, digest, ...defined({ omitted }) }
  }

  #isSecret(file: string, kind: Entry["kind"], bytes: Buffer): boolean {
    return (kind === "file" && SecretNames.isSecret(file)) || this.#hasSecret(bytes.toString("utf8"))
  }

  #isOwn(file: string): boolean {
    return this.#own.some((own) => file === own || file.startsWith(own + path.sep))
  }
}

const stampOf = ({ ino, mtimeMs, ctimeMs }: fs.Stats): string => `${ino}-${mtimeMs}-${ctimeMs}`

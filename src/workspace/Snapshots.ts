/**
 * Takes snapshots of a directory: the states of its files as a tree, and their contents in the store. Reads only files
 * that changed since the last reading. Starts no program, and writes nothing below the directory.
 */

import type * as fs from "node:fs"
import * as path from "node:path"
import * as Slices from "../platform/Slices.ts"
import { defined } from "../values/defined.ts"
import type { Entry, Omission, Tree } from "./model/Entry.ts"
import * as FileTimes from "./scan/FileTimes.ts"
import { IgnoreRules } from "./scan/IgnoreRules.ts"
import type { OuterRules } from "./scan/OuterRules.ts"
import * as ReadFile from "./scan/ReadFile.ts"
import { type Gap, Scan } from "./scan/Scan.ts"
import * as SecretNames from "./scan/SecretNames.ts"
import { type ContentStore, digestOf } from "./store/ContentStore.ts"
import * as Known from "./store/Known.ts"

/** The part of a store that snapshots need. */
export type SnapshotStore = Pick<
  ContentStore,
  "put" | "putTree" | "secretDigest" | "transaction" | "has" | "isPurged" | "purges"
> &
  Known.Store

export interface SnapshotsOptions {
  /** An absolute path without links. */
  readonly root: string
  readonly store: SnapshotStore
  /** Whether a text contains a secret. The store gets no such text. */
  readonly hasSecret?: ((text: string) => boolean) | undefined
  /**
   * Whether a path or content that was secret at its last reading stays secret: for a process that knows fewer secrets
   * than earlier ones. Default: no.
   */
  readonly keepsSecrets?: boolean | undefined
  /** Directories and files of the recorder itself, by absolute paths. */
  readonly own?: ReadonlyArray<string> | undefined
  readonly limits?: Partial<Limits> | undefined
}

export interface Limits {
  readonly files: number
  /** The size of a file whose content is stored. */
  readonly bytes: number
}

export const LIMITS: Limits = { files: 100_000, bytes: 16 * 1024 * 1024 }

export interface Snapshot {
  readonly tree: Tree
  readonly gaps: ReadonlyArray<Gap>
}

export class Snapshots {
  readonly #root: string
  readonly #store: SnapshotStore
  readonly #rules: IgnoreRules
  readonly #scan: Scan
  readonly #hasSecret: (text: string) => boolean
  readonly #maxBytes: number
  /** The paths and digests that stay secret. */
  readonly #secrets: ReadonlySet<string>
  readonly #known: Map<string, Known.Known>
  /** The number of the store's purges when its contents were last confirmed. */
  #purges: number
  /** The last of the works that must not overlap. */
  #queue: Promise<unknown> = Promise.resolve()
  /** The last snapshot's tree. Replaced, never changed. */
  #tree: Tree = new Map()

  constructor({ root, store, hasSecret = () => false, keepsSecrets = false, own = [], limits }: SnapshotsOptions) {
    const { files, bytes } = { ...LIMITS, ...limits }
    this.#root = root
    this.#store = store
    this.#hasSecret = hasSecret
    this.#maxBytes = bytes
    this.#purges = store.purges()
    this.#known = Known.load(store, root)
    this.#secrets = new Set(keepsSecrets ? secretsAmong(this.#known) : [])
    this.#rules = new IgnoreRules(root)
    this.#scan = new Scan({ root, rules: this.#rules, limit: files, isOwn: isOneOf(own) })
  }

  /** The outer rules at the last snapshot. */
  outerRules(): OuterRules {
    return this.#rules.outer()
  }

  /**
   * The present files; the same tree object if nothing changed. Their contents are in the store on return. Throws
   * `TooManyFiles`, `RootReplaced`, `StoreUnavailable`, or the system's error if the root cannot be read.
   */
  take(): Snapshot {
    return Slices.atOnce(this.#steps())
  }

  /** Like `take`, but yields to other work on this thread. Concurrent calls run one after the other. */
  takeInTurns(): Promise<Snapshot> {
    return this.#afterOthers(() => Slices.inTurns(this.#steps()))
  }

  #afterOthers<A>(work: () => Promise<A>): Promise<A> {
    const done = this.#queue.then(work)
    this.#queue = done.catch(() => {})
    return done
  }

  *#steps(): Slices.Steps<Snapshot> {
    this.#forgetRemoved()
    const stale: Array<readonly [string, fs.Stats]> = []
    const fresh: Array<string> = []
    let isNew = false
    const gaps = yield* this.#scan.steps((file, stats) => {
      const known = this.#known.get(file)
      if (known === undefined || known.entry.omitted === "changing" || !FileTimes.isFresh(known.times, stats))
        stale.push([file, stats])
      else {
        fresh.push(file)
        isNew ||= this.#tree.get(file) !== known.entry
      }
    })
    const count = fresh.length + stale.length
    if (stale.length === 0 && !isNew && this.#tree.size === count && this.#known.size === count)
      return { tree: this.#tree, gaps }
    const tree = new Map<string, Entry>()
    for (const file of fresh) {
      const known = this.#known.get(file)
      if (known !== undefined) tree.set(file, known.entry)
    }
    yield
    const present = new Set(fresh)
    for (const [file] of stale) present.add(file)
    yield
    const gone = this.#known.size === 0 ? [] : [...this.#known.keys()].filter((file) => !present.has(file))
    yield* this.#update(tree, stale, gone)
    this.#tree = tree
    return { tree, gaps }
  }

  /**
   * Restores contents that a purge removed since the last snapshot. Call it once the events of a snapshot are in the
   * log: from then on, purges keep the contents that these need. If a file has changed in the meantime, its content is
   * lost.
   */
  confirm(): Promise<void> {
    return this.#afterOthers(async () => {
      // Not during a purge, which may not have read the events.
      if (this.#store.transaction(() => this.#store.purges()) !== this.#purges) await Slices.inTurns(this.#steps())
    })
  }

  #forgetRemoved(): void {
    const purges = this.#store.purges()
    if (purges === this.#purges) return
    for (const [file, { entry }] of this.#known) {
      const { digest, omitted } = entry
      if (digest === undefined || omitted !== undefined || this.#store.has(digest)) continue
      if (!this.#store.isPurged(digest)) this.#known.delete(file)
    }
    this.#purges = purges
  }

  /** Adds the tree to the store, and returns its digest. */
  keep(tree: Tree): string {
    return this.#store.transaction(() => this.#store.putTree(tree))
  }

  /** Each step is a transaction, because a transaction takes longer than most files. */
  *#update(
    tree: Map<string, Entry>,
    stale: ReadonlyArray<readonly [string, fs.Stats]>,
    gone: ReadonlyArray<string>,
  ): Slices.Steps<void> {
    let [next, learned] = [0, new Map<string, Known.Known | undefined>(gone.map((file) => [file, undefined]))]
    for (;;) {
      next = this.#read(tree, stale, next, learned)
      if (next === stale.length) return
      learned = new Map()
      yield
    }
  }

  /** Reads files for a while, starting at one of them, and keeps the results. Returns the index of the next file. */
  #read(
    tree: Map<string, Entry>,
    stale: ReadonlyArray<readonly [string, fs.Stats]>,
    first: number,
    learned: Map<string, Known.Known | undefined>,
  ): number {
    const startedAt = performance.now()
    let next = first
    this.#store.transaction(() => {
      while (next < stale.length && (next === first || performance.now() - startedAt < TRANSACTION_MS)) {
        const [file, found] = stale[next++] as readonly [string, fs.Stats]
        // Before the reading, so that changes during it cause another reading.
        const at = Date.now()
        const read = ReadFile.read(path.join(this.#root, file), found, this.#maxBytes)
        if (read.kind === "gone") {
          learned.set(file, undefined)
          continue
        }
        const entry = this.#entryOf(file, read)
        const before = this.#known.get(file)
        const times = FileTimes.of(read.stats, at)
        if (before !== undefined && Known.isSame(before, { entry, times })) {
          // This reading was unnecessary; only this process remembers it.
          this.#known.set(file, { entry: before.entry, times })
          tree.set(file, before.entry)
        } else {
          learned.set(file, { entry, times })
          tree.set(file, entry)
        }
      }
      Known.save(this.#store, this.#root, learned)
    })
    for (const [file, known] of learned) {
      if (known === undefined) this.#known.delete(file)
      else this.#known.set(file, known)
    }
    return next
  }

  #entryOf(file: string, read: Exclude<ReadFile.Read, { kind: "gone" }>): Entry {
    const { stats } = read
    const what = { kind: stats.isSymbolicLink() ? "link" : "file", mode: stats.mode & 0o777, size: stats.size } as const
    if (read.kind === "omitted") return { ...what, omitted: read.why, stamp: stampOf(stats) }
    const { bytes } = read
    const size = bytes.length
    const omitted: Omission | undefined =
      this.#isSecret(file, what.kind, bytes) || this.#wasSecret(file, bytes) ? "secret" : undefined
    const digest = omitted === undefined ? digestOf(bytes) : this.#store.secretDigest(bytes)
    if (omitted === undefined) this.#store.put(digest, bytes)
    return { ...what, size, digest, ...defined({ omitted }) }
  }

  #wasSecret(file: string, bytes: Buffer): boolean {
    if (this.#secrets.size === 0) return false
    return this.#secrets.has(file) || this.#secrets.has(this.#store.secretDigest(bytes))
  }

  #isSecret(file: string, kind: Entry["kind"], bytes: Buffer): boolean {
    return (kind === "file" && SecretNames.isSecret(file)) || this.#hasSecret(bytes.toString("utf8"))
  }
}

/** The first snapshot of a large directory takes many. */
const TRANSACTION_MS = 30

const secretsAmong = (known: ReadonlyMap<string, Known.Known>): ReadonlyArray<string> =>
  [...known].flatMap(([file, { entry }]) =>
    entry.omitted === "secret" ? [file, ...(entry.digest === undefined ? [] : [entry.digest])] : [],
  )

/** Whether an absolute path belongs to the recorder itself. */
export const isOneOf =
  (own: ReadonlyArray<string>) =>
  (file: string): boolean =>
    own.some((one) => file.startsWith(one) && OWN_END.test(file.slice(one.length)))

/**
 * Ends of names that belong to the recorder: the file itself, its contents, and the files that SQLite or a log keep
 * next to it.
 */
const OWN_END = /^(?:$|[-./])/

const stampOf = ({ ino, mtimeMs, ctimeMs }: fs.Stats): string => `${ino}-${mtimeMs}-${ctimeMs}`

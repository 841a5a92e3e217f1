/**
 * The index of a log's memories: their words for SQLite's full-text search (FTS5), and their vectors. It has no texts:
 * recalls read those from the log. The file next to the log (`<log>.memories`) has no memory with personal data; such
 * memories have an index of their own in the process's memory.
 */

import { MAIN } from "../events/log/EventLog.ts"
import { type Connection, IN_MEMORY } from "../events/sqlite/driver/Driver.ts"
import type { EmbeddedBy } from "../events/vocabulary/Sensing.ts"
import * as IndexDatabase from "../search/IndexDatabase.ts"
import { type RowScope, scopeWord, scopeWords, type WantedScope, wordsOf } from "./ScopeWords.ts"

/** A memory for the index. */
export interface MemoryRow {
  readonly position: number
  readonly scope: RowScope
  /** Folded words, separated by spaces (`Words.wordText`); null for a memory whose text cannot be read. */
  readonly words: string | null
  readonly embedding?: StoredVector | undefined
}

/** A vector and the model that made it. */
export interface StoredVector extends EmbeddedBy {
  readonly vector: Float32Array
}

/** A change of the index by one event. */
export type Change =
  | { readonly kind: "memory"; readonly row: MemoryRow }
  | { readonly kind: "vector"; readonly position: number; readonly embedding: StoredVector }
  /** The key of a subject is destroyed. */
  | { readonly kind: "shredded"; readonly keyId: string }
  /** A memory with personal data, which this index leaves out. */
  | { readonly kind: "personal" }

/** A row with a vector, for a scan. */
export interface VectorRow extends EmbeddedBy {
  readonly position: number
  /** `ScopeWords.scopeWords` of its memory. */
  readonly scope: string
  readonly vector: Uint8Array
  readonly revision: number
}

/** "HCmm" in ASCII. */
const KIND: IndexDatabase.IndexKind = {
  applicationId: 0x48436d6d,
  version: 1,
  // The tokenizer separates words, which are already folded, at spaces, and reduces English ones to their stems. Words
  // about the scope do not count in the rank.
  tables: `
    CREATE VIRTUAL TABLE text USING
      fts5(words, about, content = '', contentless_delete = 1, tokenize = 'porter ascii');
    INSERT INTO text (text, rank) VALUES ('rank', 'bm25(1.0, 0.0)');
    CREATE TABLE memory (position INTEGER PRIMARY KEY, about TEXT NOT NULL, readable INTEGER NOT NULL);
    CREATE TABLE vector (
      position INTEGER PRIMARY KEY, about TEXT NOT NULL, model TEXT NOT NULL, dimensions INTEGER NOT NULL,
      vector BLOB NOT NULL, revision INTEGER NOT NULL
    );
    CREATE INDEX vector_revision ON vector (revision);
    CREATE INDEX vector_model ON vector (model, dimensions);
    CREATE INDEX memory_unreadable ON memory (position) WHERE readable = 0;
    CREATE TABLE state (
      one INTEGER PRIMARY KEY CHECK (one = 1), revision INTEGER, generation TEXT, personal INTEGER, forked INTEGER
    );
    INSERT INTO state VALUES (1, 0, hex(randomblob(8)), 0, 0);
  `,
}

export class MemoryIndex {
  readonly #database: Connection
  readonly file: string

  /** Opens or creates the index of a log in a file. */
  static open(file: string): MemoryIndex {
    return new MemoryIndex(IndexDatabase.open(file, KIND, ""), file)
  }

  /** Replaces a damaged index. */
  static replace(file: string): MemoryIndex {
    if (file !== IN_MEMORY) IndexDatabase.remove(file)
    return MemoryIndex.open(file)
  }

  /** An index in memory, which ends with the process. */
  static inMemory(): MemoryIndex {
    return MemoryIndex.open(IN_MEMORY)
  }

  constructor(database: Connection, file: string) {
    this.#database = database
    this.file = file
  }

  get reached(): IndexDatabase.Reached {
    return IndexDatabase.reachedIn(this.#database)
  }

  /** Differs after `clear` and after vectors were removed: readers then load all vectors again. */
  get generation(): string {
    return String(this.#rows("SELECT generation FROM state")[0]?.[0])
  }

  /** Whether the log has memories with personal data, as far as this index reaches. */
  get hasPersonal(): boolean {
    return this.#rows("SELECT personal FROM state")[0]?.[0] === 1
  }

  /**
   * Applies the changes of all events after `after`, up to `reached`, in one transaction. Returns false, and changes
   * nothing, if another process has extended the index in the meantime.
   */
  apply(after: number, changes: ReadonlyArray<Change>, reached: IndexDatabase.Reached): boolean {
    return IndexDatabase.extend(this.#database, after, reached, () => {
      let revision = Number(this.#rows("SELECT revision FROM state")[0]?.[0])
      for (const change of changes) {
        revision += 1
        this.#apply(change, revision)
      }
      this.#run("UPDATE state SET revision = ?", [revision])
    })
  }

  #apply(change: Change, revision: number): void {
    switch (change.kind) {
      case "memory": {
        const { position, scope, words, embedding } = change.row
        const about = scopeWords(scope)
        if (scope.timeline !== MAIN) this.#run("UPDATE state SET forked = 1", [])
        if (words !== null)
          this.#run("INSERT INTO text (rowid, words, about) VALUES (?, ?, ?)", [position, words, about])
        this.#run("INSERT INTO memory VALUES (?, ?, ?)", [position, about, words === null ? 0 : 1])
        if (embedding !== undefined) this.#setVector(position, embedding, revision)
        return
      }
      case "vector":
        this.#setVector(change.position, change.embedding, revision)
        return
      case "personal":
        this.#run("UPDATE state SET personal = 1", [])
        return
      case "shredded":
        this.#shred(change.keyId)
    }
  }

  /** Sets the vector of a readable memory. */
  #setVector(position: number, { model, dimensions, vector }: StoredVector, revision: number): void {
    const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
    this.#run(
      "INSERT OR REPLACE INTO vector SELECT position, about, ?, ?, ?, ? FROM memory WHERE position = ? AND readable = 1",
      [model, dimensions, bytes, revision, position],
    )
  }

  /** Only an index in memory has such rows, so it looks at all of them. */
  #shred(keyId: string): void {
    const word = scopeWord("k", keyId)
    const found = this.#rows("SELECT position FROM memory WHERE readable = 1 AND about LIKE ?", [`% ${word}`])
    for (const [position] of found) {
      for (const sql of SHRED) this.#run(sql, [position])
    }
    if (found.length === 0) return
    // Deleted words stay in FTS5's segments until they are merged.
    this.#run("INSERT INTO text (text) VALUES ('optimize')", [])
    this.#run("UPDATE state SET generation = hex(randomblob(8))", [])
  }

  /** Empties the index, for a build from the log's beginning. */
  clear(): void {
    IndexDatabase.transaction(this.#database, () => {
      this.#run("INSERT INTO text (text) VALUES ('delete-all')", [])
      this.#run("DELETE FROM memory", [])
      this.#run("DELETE FROM vector", [])
      this.#run("UPDATE state SET revision = 0, personal = 0, forked = 0, generation = hex(randomblob(8))", [])
      this.#run("UPDATE reached SET position = 0, hash = ''", [])
    })
  }

  /**
   * Memories of a timeline up to a position that have at least one of the words, the best first: with their rank by
   * BM25, where lower is better.
   */
  matching(
    words: ReadonlyArray<string>,
    { timeline, until }: { readonly timeline: string; readonly until: number },
    wanted: WantedScope,
    limit: number,
  ): ReadonlyArray<{ readonly position: number; readonly rank: number }> {
    // Without memories of forks, every memory is on main. The word for it, which all have, would only take time.
    const isForked = this.#rows("SELECT forked FROM state")[0]?.[0] === 1
    const about = [...(isForked ? [[scopeWord("t", timeline)]] : []), ...wordsOf(wanted)]
    if ((!isForked && timeline !== MAIN) || [words, ...about].some((list) => list.length === 0)) return []
    const match = [`words : (${anyOf(words)})`, ...about.map((list) => `about : (${anyOf(list)})`)].join(" AND ")
    const sql = "SELECT rowid, rank FROM text WHERE text MATCH ? AND rowid <= ? ORDER BY rank LIMIT ?"
    return this.#rows(sql, [match, until, limit]).map(([position, rank]) => ({
      position: Number(position),
      rank: Number(rank),
    }))
  }

  /** Positions of a timeline's memories up to a position, the newest first. */
  positions(
    { timeline, until }: { readonly timeline: string; readonly until: number },
    wanted: WantedScope,
    limit: number,
  ): ReadonlyArray<number> {
    const [where, parameters] = scopeCondition([[scopeWord("t", timeline)], ...wordsOf(wanted)])
    const sql = `SELECT position FROM memory WHERE readable = 1 AND position <= ?${where} ORDER BY position DESC LIMIT ?`
    return this.#rows(sql, [until, ...parameters, limit]).map(([position]) => Number(position))
  }

  /** The number of memories whose text cannot be read here, because their keys are destroyed or missing. */
  unreadable({ timeline, until }: { readonly timeline: string; readonly until: number }, wanted: WantedScope): number {
    // The user of such a memory is as unreadable as its text.
    const { agent, keyId } = wanted
    const [where, parameters] = scopeCondition([[scopeWord("t", timeline)], ...wordsOf({ agent, keyId })])
    const sql = `SELECT count(*) FROM memory WHERE readable = 0 AND position <= ?${where}`
    return Number(this.#rows(sql, [until, ...parameters])[0]?.[0])
  }

  /** The numbers of memories whose texts can and cannot be read here, on all timelines. */
  get counts(): { readonly memories: number; readonly unreadable: number } {
    const [row] = this.#rows(
      "SELECT count(*) FILTER (WHERE readable = 1), count(*) FILTER (WHERE readable = 0) FROM memory",
    )
    return { memories: Number(row?.[0]), unreadable: Number(row?.[1]) }
  }

  /** The vectors that were added or changed after a revision, in that order. */
  vectorsAfter(revision: number, limit: number): ReadonlyArray<VectorRow> {
    const sql =
      "SELECT position, about, model, dimensions, vector, revision FROM vector WHERE revision > ? ORDER BY revision LIMIT ?"
    return this.#rows(sql, [revision, limit]).map(([position, scope, model, dimensions, vector, number]) => ({
      position: Number(position),
      scope: String(scope),
      model: String(model),
      dimensions: Number(dimensions),
      vector: vector instanceof Uint8Array ? vector : new Uint8Array(),
      revision: Number(number),
    }))
  }

  /** The models of the vectors, with their numbers of memories, the most frequent first. */
  get models(): ReadonlyArray<EmbeddedBy & { readonly memories: number }> {
    const sql =
      "SELECT model, dimensions, count(*) FROM vector GROUP BY model, dimensions ORDER BY count(*) DESC, model, dimensions"
    return this.#rows(sql).map(([model, dimensions, memories]) => ({
      model: String(model),
      dimensions: Number(dimensions),
      memories: Number(memories),
    }))
  }

  /** Positions of memories without a vector of this model, after a position, the oldest first. */
  unembedded({ model, dimensions }: EmbeddedBy, after: number, limit: number): ReadonlyArray<number> {
    const sql = `SELECT position FROM memory LEFT JOIN vector USING (position) WHERE readable = 1 AND position > ?
      AND (model IS NOT ? OR dimensions IS NOT ?) ORDER BY position LIMIT ?`
    return this.#rows(sql, [after, model, dimensions, limit]).map(([position]) => Number(position))
  }

  close(): void {
    this.#database.close()
  }

  #rows(sql: string, parameters: ReadonlyArray<unknown> = []) {
    return this.#database.prepare(sql).rows(parameters)
  }

  #run(sql: string, parameters: ReadonlyArray<unknown>) {
    return this.#database.prepare(sql).run(parameters)
  }
}

const SHRED = [
  "DELETE FROM text WHERE rowid = ?",
  "DELETE FROM vector WHERE position = ?",
  "UPDATE memory SET readable = 0 WHERE position = ?",
]

const scopeCondition = (
  lists: ReadonlyArray<ReadonlyArray<string>>,
): readonly [sql: string, parameters: ReadonlyArray<string>] => [
  lists.map((words) => ` AND (${words.map(() => "instr(' ' || about || ' ', ?) > 0").join(" OR ") || "0"})`).join(""),
  // With the spaces around it: the word for none is a part of other words.
  lists.flat().map((word) => ` ${word} `),
]

const anyOf = (words: ReadonlyArray<string>): string => words.map((word) => `"${word}"`).join(" OR ")

/** The hashes of interned names by id: queries of a part find the tasks of the part by them. */

import { LogCorrupt, type TaskPart } from "../log/EventLog.ts"
import { hashOf } from "../read/PartHash.ts"
import type { LogDatabase } from "./file/database.ts"
import type { PartOfNames } from "./pageQuery.ts"

export interface NameHashes {
  /** Reads names that were added since the last call, and returns the highest id. Names are only added. */
  readonly load: () => number
  /** Of all loaded names, those that belong to a part as tasks. */
  readonly ofPart: (part: TaskPart) => PartOfNames["names"]
}

/** Names per query. */
const PAGE = 10_000

/** Names have ascending ids from 1, so a log with more would have more tasks than a disk holds. */
const HIGHEST = 2 ** 30

const TOO_HIGH = `a name has a number beyond 1,073,741,824`

const NEWER = "SELECT id, text FROM names WHERE id > ? ORDER BY id LIMIT ?"

/** Creates an empty table, which takes four bytes for each name, and one for each name and part. */
export const make = (database: LogDatabase): NameHashes => {
  let hashes = new Uint32Array(1)
  let last = 0
  const parts = new Map<string, { names: Uint8Array; upTo: number }>()

  const load = (): number => {
    for (;;) {
      const rows = database.rows(NEWER, [last, PAGE])
      for (const [id, text] of rows) {
        last = Number(id)
        if (last > HIGHEST) throw new LogCorrupt({ log: database.filename, position: null, reason: TOO_HIGH })
        if (last >= hashes.length) hashes = grown(hashes, new Uint32Array(2 * last))
        hashes[last] = hashOf(String(text))
      }
      if (rows.length < PAGE) return last
    }
  }

  return {
    load,
    ofPart: ({ index, of }) => {
      const key = `${index}/${of}`
      const known = parts.get(key) ?? { names: new Uint8Array(1), upTo: 0 }
      if (known.names.length <= last) known.names = grown(known.names, new Uint8Array(2 * last))
      for (let id = known.upTo + 1; id <= last; id++) known.names[id] = (hashes[id] ?? 0) % of === index ? 1 : 0
      known.upTo = last
      parts.set(key, known)
      return known.names.subarray(0, last + 1)
    },
  }
}

const grown = <A extends Uint8Array | Uint32Array>(from: A, to: A): A => {
  to.set(from)
  return to
}

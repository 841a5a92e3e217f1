/** The `Records` service over a log on PostgreSQL. */

import { Effect } from "effect"
import { yieldToEventLoop } from "../../platform/yieldToEventLoop.ts"
import { sha256 } from "../../values/Digest.ts"
import type { Query } from "../log/EventLog.ts"
import { digestIn } from "../payload/Blob.ts"
import type { PayloadReader } from "../payload/StoredPayload.ts"
import { FIRST_PAGE } from "../read/Pages.ts"
import { invalidQuery } from "../read/QueryValidation.ts"
import { type DecodedEvent, Records, type StoredEvent } from "../read/Records.ts"
import type { Vocabulary } from "../vocabulary/Vocabulary.ts"
import { contentOf, contentsOf, envelopesOf, type Reader, type StoredRow, storedPage } from "./read.ts"
import { attemptRead } from "./server/connection.ts"
import { DamagedRow } from "./server/errors.ts"

/** Maximum number of events per read: all their texts are in memory until written. */
const PAGE_SIZE = 250

export const make = (reader: Reader, { types }: Vocabulary): Records.Service => {
  const { database } = reader
  const forEachPage = <A, E, R>(
    query: Query,
    decode: (rows: ReadonlyArray<StoredRow>) => Promise<ReadonlyArray<A>>,
    take: (page: ReadonlyArray<A>) => Effect.Effect<void, E, R>,
  ) =>
    Effect.gen(function* () {
      const flaw = invalidQuery(query)
      if (flaw !== undefined) return yield* flaw
      let { after = 0 } = query
      for (let size = FIRST_PAGE; ; size = Math.min(2 * size, PAGE_SIZE)) {
        const { rows, page } = yield* attemptRead(database.address, async () => {
          const rows = await storedPage(database, { ...query, after }, size)
          return { rows, page: await decode(rows) }
        })
        yield* take(page)
        if (rows.length < size) return
        after = rows.at(-1)?.link.position ?? after
        yield* yieldToEventLoop
      }
    })

  const decodedOf = (contents: PayloadReader, row: StoredRow): DecodedEvent => {
    const { link, stored, keyId, hash } = row
    const isCurrent = (types.get(link.type)?.version ?? link.schemaVersion) === link.schemaVersion
    // Most payloads are written as stored, neither parsed nor serialised.
    if (keyId === null && isCurrent) return { link, text: blobIn(contents, row) ?? stored, keyId, hash }
    const { payload } = contentOf(contents, row)
    return { link, text: JSON.stringify(reader.upcast(link.type, link.schemaVersion, payload)), keyId, hash }
  }

  return Records.of({
    envelopes: (query, limit) =>
      Effect.suspend(() => {
        const flaw = invalidQuery(query, limit)
        return flaw ?? attemptRead(database.address, () => envelopesOf(database, query, limit))
      }),
    stored: (query, take) =>
      forEachPage(
        query,
        async (rows) => {
          const contents = await contentsOf({ ...reader, keys: async () => new Map() }, rows)
          return rows.map((row): StoredEvent => ({ ...row, blob: blobIn(contents, row) ?? null }))
        },
        take,
      ),
    decoded: (query, { decrypted }, take) => {
      const keys: Reader["keys"] = decrypted ? reader.keys : async () => new Map()
      return forEachPage(
        query,
        async (rows) => {
          const contents = await contentsOf({ ...reader, keys }, rows)
          return rows.map((row) => decodedOf(contents, row))
        },
        take,
      )
    },
  })
}

/** Undefined if the payload is no blob's name. */
const blobIn = ({ blob }: PayloadReader, { link, stored }: StoredRow): string | undefined => {
  const digest = digestIn(stored)
  if (digest === undefined) return undefined
  const text = blob(digest)
  if (text === undefined) throw new DamagedRow(link.position, `its payload is the blob ${digest}, which is missing`)
  if (sha256(text) !== digest)
    throw new DamagedRow(link.position, `its payload is the blob ${digest}, which was changed`)
  return text
}

/** The `Records` service over an SQLite log. */

import { Effect } from "effect"
import { yieldToEventLoop } from "../../platform/yieldToEventLoop.ts"
import { sha256 } from "../../values/Digest.ts"
import type { Link } from "../integrity/Chain.ts"
import type { StoredRow } from "../integrity/TamperClassification.ts"
import type { Query } from "../log/EventLog.ts"
import { digestIn } from "../payload/Blob.ts"
import * as Disclosure from "../payload/Disclosure.ts"
import { FIRST_PAGE } from "../read/Pages.ts"
import { invalidQuery } from "../read/QueryValidation.ts"
import { type DecodedEvent, Records, type StoredEvent } from "../read/Records.ts"
import type { Vocabulary } from "../vocabulary/Vocabulary.ts"
import { attemptRead, DamagedRow } from "./file/database.ts"
import { contentOf, envelopesOf, nameIn, pageOf, payloadIn, type Reader, type Row, readBlob, rowLink } from "./read.ts"

/** Maximum number of events per read: all their texts are in memory until written. */
const PAGE_SIZE = 250

export const make = (reader: Reader, vocabulary: Vocabulary): Records.Service => {
  const forEachPage = <A extends { readonly link: Link }, E, R>(
    query: Query,
    of: (row: UndecodedEvent) => A,
    take: (page: ReadonlyArray<A>) => Effect.Effect<void, E, R>,
  ) =>
    Effect.gen(function* () {
      const flaw = invalidQuery(query)
      if (flaw !== undefined) return yield* flaw
      let { after = 0 } = query
      for (let size = FIRST_PAGE; ; size = Math.min(2 * size, PAGE_SIZE)) {
        const page = yield* attemptRead(reader.database.filename, () =>
          pageOf(reader, { ...query, after }, size, (row) => of(undecoded(reader, row)), of),
        )
        yield* take(page)
        if (page.length < size) return
        after = page.at(-1)?.link.position ?? after
        yield* yieldToEventLoop
      }
    })

  return Records.of({
    envelopes: (query, limit) =>
      Effect.suspend(() => {
        const flaw = invalidQuery(query, limit)
        return flaw ?? attemptRead(reader.database.filename, () => envelopesOf(reader, query, limit))
      }),
    stored: (query, take) => forEachPage(query, (row) => storedEvent(reader, row), take),
    decoded: (query, { decrypted }, take) => {
      const contents = { ...reader, keys: Disclosure.keysFor(reader.keys, decrypted) }
      return forEachPage(query, (row) => decodedEvent(contents, vocabulary, row), take)
    },
  })
}

type UndecodedEvent = Omit<StoredRow, "flaw">

const undecoded = (reader: Reader, row: Row): UndecodedEvent => {
  const { link, hash } = rowLink(reader, row)
  return { link, payload: payloadIn(row), keyId: row[12] === null ? null : nameIn(reader.names, row, row[12]), hash }
}

const storedEvent = (reader: Reader, { link, payload: stored, keyId, hash }: UndecodedEvent): StoredEvent => ({
  link,
  stored,
  blob: blobIn(reader, link.position, stored) ?? null,
  keyId,
  hash,
})

/** Most payloads are written as stored, neither parsed nor serialised. */
const decodedEvent = (
  reader: Reader,
  { types }: Vocabulary,
  { link, payload, keyId, hash }: UndecodedEvent,
): DecodedEvent => {
  const isCurrent = (types.get(link.type)?.version ?? link.schemaVersion) === link.schemaVersion
  if (keyId === null && isCurrent) {
    return { link, text: blobIn(reader, link.position, payload) ?? payload, keyId, hash }
  }
  const content = contentOf(reader, link.position, link.id, { payload, keyId })
  return { link, text: JSON.stringify(reader.upcast(link.type, link.schemaVersion, content.payload)), keyId, hash }
}

/** Undefined if the payload is no blob's name. */
const blobIn = ({ database, segments }: Reader, position: number, payload: string): string | undefined => {
  const digest = digestIn(payload)
  if (digest === undefined) return undefined
  const text = readBlob(database, digest) ?? segments.blob(digest)
  if (text === undefined) throw new DamagedRow(position, `its payload is the blob ${digest}, which is missing`)
  if (sha256(text) !== digest) throw new DamagedRow(position, `its payload is the blob ${digest}, which was changed`)
  return text
}

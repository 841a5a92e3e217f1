/** Events as JSON Lines, encoded and decoded without loss. */

import { Either, Schema } from "effect"
import type { Link } from "../../events/integrity/Chain.ts"
import { nameOf } from "../../events/payload/Blob.ts"
import type { DecodedEvent, StoredEvent } from "../../events/read/Records.ts"
import { Event, EventId, Position } from "../../events/vocabulary/Event.ts"
import { sha256 } from "../../values/Digest.ts"
import { findNonJson, JsonObject } from "../../values/Json.ts"
import { mistakesOf } from "../../values/schema/Mistakes.ts"
import type { Encoder } from "./Encoder.ts"

/**
 * Encodes events as JSON Lines (https://jsonlines.org) exactly as stored: `decode` restores them, so an import has the
 * same hash chain.
 *
 * A line is the event as in `hindcast log show --json`, with one difference. If fields are encrypted, `keyId` names the
 * key, and `payload` is `{"open", "sealed"}`: the payload without the encrypted fields, and these fields. An export
 * therefore reveals no more than the log's file, and destroying a subject's key also makes its data in the export
 * unreadable. `blob: true` means that the log stores a large payload apart from its event.
 */
export const encoder = (): Encoder<StoredEvent> => ({ add: (page) => page.map(line), end: () => "" })

/**
 * Encodes decoded events, with encrypted fields in plain text if they could be decrypted. The hashes are those of the
 * stored form.
 */
export const decodedEncoder = (): Encoder<DecodedEvent> => ({
  add: (page) => page.map(({ link, text, keyId, hash }) => lineOf(link, keyId, false, text, hash)),
  end: () => "",
})

const line = ({ link, stored, blob, keyId, hash }: StoredEvent): string =>
  lineOf(link, keyId, blob !== null, blob ?? stored, hash)

/** One event as a line, always with the same keys in the same order. `payload` is JSON on one line, as stored. */
const lineOf = (link: Link, keyId: string | null, isBlob: boolean, payload: string, hash: string): string =>
  `{"position":${link.position},"id":"${link.id}","timeline":${quoted(link.timeline)},"stream":${quoted(link.stream)},` +
  `"version":${link.version},"type":${quoted(link.type)},"schemaVersion":${link.schemaVersion},` +
  `"taskId":${quoted(link.taskId)},"causationId":${quoted(link.causationId)},"actor":${quoted(link.actor)},` +
  `"occurredAt":${link.occurredAt},"recordedAt":${link.recordedAt},` +
  (keyId === null ? "" : `"keyId":${quoted(keyId)},`) +
  (isBlob ? `"blob":true,` : "") +
  `"payload":${payload},"hash":"${hash}"}\n`

const quoted = (text: string | null): string => JSON.stringify(text)

const Line = Schema.Struct({
  position: Position,
  id: EventId,
  timeline: Schema.NonEmptyString,
  stream: Schema.NonEmptyString,
  version: Schema.Int.pipe(Schema.positive()),
  type: Schema.NonEmptyString,
  schemaVersion: Schema.Int.pipe(Schema.positive()),
  taskId: Event.fields.taskId,
  causationId: Event.fields.causationId,
  actor: Schema.NonEmptyString,
  occurredAt: Schema.Int,
  recordedAt: Schema.Int,
  keyId: Schema.optionalWith(Schema.NonEmptyString, { exact: true }),
  blob: Schema.optionalWith(Schema.Literal(true), { exact: true }),
  payload: JsonObject,
  hash: Schema.String.pipe(Schema.pattern(/^[0-9a-f]{64}$/)),
})

const decodeLine = Schema.decodeUnknownEither(Line, { onExcessProperty: "error" })

/** Decodes the event of a line; Left is the flaw. Does not verify the hash, which takes the chain. */
export const decode = (line: string): Either.Either<StoredEvent, string> => {
  const parsed = parse(line)
  if (Either.isLeft(parsed)) return Either.left(parsed.left)
  const flaw = flawIn(parsed.right)
  if (flaw !== undefined) return Either.left(flaw)
  return Either.mapBoth(decodeLine(parsed.right), {
    onLeft: (error) => {
      const [issue] = mistakesOf(error)
      return `expected an exported event, found ${issue?.path.join(".") || "the line"}: ${issue?.message ?? error.message}`
    },
    onRight: ({ payload, keyId = null, blob, hash, ...link }): StoredEvent => {
      // The log serializes JSON the same way, so this text equals the stored one.
      const text = JSON.stringify(payload)
      return blob === undefined
        ? { link, stored: text, blob: null, keyId, hash }
        : { link, stored: nameOf({ digest: sha256(text), text }), blob: text, keyId, hash }
    },
  })
}

/**
 * Finds values that no append accepts. Runs before the schema, whose message would repeat the value, however deep it
 * is.
 */
const flawIn = (line: unknown): string | undefined => {
  for (const [field, value] of Object.entries(line ?? {})) {
    const bad = findNonJson(value)
    if (bad !== undefined) return `expected an exported event, found ${field}${bad.path}: ${bad.found}`
  }
  return undefined
}

const parse = (line: string): Either.Either<unknown, string> => {
  try {
    return Either.right(JSON.parse(line))
  } catch (cause) {
    return Either.left(`it is not JSON (${cause instanceof Error ? cause.message : String(cause)})`)
  }
}

import { Either, ParseResult, Schema } from "effect"
import type { Link } from "../../events/integrity/Chain.ts"
import { nameOf } from "../../events/payload/Blob.ts"
import type { Readable, Recorded } from "../../events/read/Records.ts"
import { Event, EventId, Position } from "../../events/vocabulary/Event.ts"
import { findNonJson, JsonObject, sha256 } from "../../values/Json.ts"
import type { Encoder } from "./Encoder.ts"

/**
 * Events as JSON Lines (https://jsonlines.org), exactly as they are stored: `decode` gives back what this was given, so that an
 * import has the same chain, hash by hash.
 *
 * A line is the event as `hindcast log show --json` shows it, with one difference: where fields are personal, `keyId` names
 * the key, and `payload` is `{"open", "sealed"}`: the payload as it reads without the key, and the encrypted fields. So an
 * export gives nothing away that the log's file alone does not, and a subject's data in it goes with the subject's key.
 * `blob: true` says that the payload stands apart from its event in the log, for its size.
 */
export const encoder = (): Encoder<Recorded> => ({ add: (page) => page.map(line), end: () => "" })

/** The same as it reads, with personal fields in the clear where they were decrypted: the hashes are those of what is stored. */
export const readableEncoder = (): Encoder<Readable> => ({
  add: (page) => page.map(({ link, text, keyId, hash }) => lineOf(link, keyId, false, text, hash)),
  end: () => "",
})

const line = ({ link, stored, blob, keyId, hash }: Recorded): string =>
  lineOf(link, keyId, blob !== null, blob ?? stored, hash)

/** One event as a line. Its keys are always the same, in the same order. `payload` is JSON on one line, as a log holds it. */
const lineOf = (link: Link, keyId: string | null, isBlob: boolean, payload: string, hash: string): string =>
  `{"position":${link.position},"id":"${link.id}","timeline":${quoted(link.timeline)},"stream":${quoted(link.stream)},` +
  `"version":${link.version},"type":${quoted(link.type)},"schemaVersion":${link.schemaVersion},` +
  `"taskId":${quoted(link.taskId)},"causationId":${quoted(link.causationId)},"actor":${quoted(link.actor)},` +
  `"occurredAt":${link.occurredAt},"recordedAt":${link.recordedAt},` +
  (keyId === null ? "" : `"keyId":${quoted(keyId)},`) +
  (isBlob ? `"blob":true,` : "") +
  `"payload":${payload},"hash":"${hash}"}\n`

const quoted = (text: string | null): string => JSON.stringify(text)

/** A line, read. */
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

/** The event that a line says, or what is wrong with the line. Whether its hash is right, only the chain can tell. */
export const decode = (line: string): Either.Either<Recorded, string> => {
  const parsed = parse(line)
  if (Either.isLeft(parsed)) return Either.left(parsed.left)
  const flaw = flawIn(parsed.right)
  if (flaw !== undefined) return Either.left(flaw)
  return Either.mapBoth(decodeLine(parsed.right), {
    onLeft: (error) => {
      const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
      return `expected an exported event, found ${issue?.path.join(".") || "the line"}: ${issue?.message ?? error.message}`
    },
    onRight: ({ payload, keyId = null, blob, hash, ...link }): Recorded => {
      // The log writes JSON in this way and in no other, so that the text is what it was.
      const text = JSON.stringify(payload)
      return blob === undefined
        ? { link, stored: text, blob: null, keyId, hash }
        : { link, stored: nameOf({ digest: sha256(text), text }), blob: text, keyId, hash }
    },
  })
}

/** What no append would let into a log; looked for first, because the schema's own message would repeat it, however deep it is. */
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

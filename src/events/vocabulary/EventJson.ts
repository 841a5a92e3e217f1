/** Decodes events from JSON, for example in a web page that received them from its server. */

import { Data, Either, Schema } from "effect"
import { findNonJson, plainText } from "../../values/Json.ts"
import { describeValue } from "../../values/OptionIssues.ts"
import { visible } from "../../values/PlainText.ts"
import { mistakesOf } from "../../values/schema/Mistakes.ts"
import { payloadCheck } from "../../values/schema/PayloadCheck.ts"
import { Event } from "./Event.ts"
import { core, type Vocabulary } from "./Vocabulary.ts"

/** Fix the input: it is no list of a log's events. */
export class UndecodableEvent extends Data.TaggedError("UndecodableEvent")<{
  /** Index of the event in the list; null if the input is no list. */
  readonly index: number | null
  readonly reason: string
}> {
  override get message() {
    const where = this.index === null ? "Events" : `Event ${this.index} of the list`
    return (
      `${where}: ${this.reason}. Nothing was decoded; ` +
      "give the events as a log reads them, in order of position, such as `events` of `hindcast log ls --json`."
    )
  }
}

/**
 * Decodes a list of events parsed from JSON, in the form that a log reads: personal fields decrypted or replaced,
 * payloads of the current version of their types.
 *
 * It validates every envelope, and the shape of payloads whose type the vocabulary knows. Other types pass as they are:
 * folds ignore them. It fails at the first event that is invalid or out of order.
 *
 * @example EventJson.decode(await (await fetch("/events")).json())
 */
export const decode = (
  values: unknown,
  vocabulary: Vocabulary = core,
): Either.Either<ReadonlyArray<Event>, UndecodableEvent> => {
  if (!Array.isArray(values)) return undecodable(null, `expected a list of events, found ${describeValue(values)}`)
  const checks = new Map([...vocabulary.types.values()].map(({ name, payload }) => [name, shapeCheck(payload)]))
  const events: Array<Event> = []
  for (const [index, value] of values.entries()) {
    const decoded = decodeEnvelope(value)
    if (Either.isLeft(decoded)) return undecodable(index, decoded.left)
    const event = decoded.right
    const mistake =
      orderMistake(events.at(-1), event) ??
      versionMistake(vocabulary.types.get(event.type)?.version, event) ??
      checks.get(event.type)?.(event.payload)
    if (mistake !== undefined) return undecodable(index, `@${event.position} ${event.type}: ${mistake}`)
    events.push(event)
  }
  return Either.right(events)
}

/** The reason may repeat text of the input, so it is cut and escaped. */
const undecodable = (index: number | null, reason: string) =>
  Either.left(new UndecodableEvent({ index, reason: visible(plainText(reason)) }))

/** Without bounds of numbers and texts: those of earlier versions were wider, and logs must read what they wrote. */
const shapeCheck = (payload: Schema.Schema.AnyNoContext) => payloadCheck(Schema.encodedSchema(payload))

const decodeEvent = Schema.decodeUnknownEither(Event, { errors: "all" })

const decodeEnvelope = (value: unknown): Either.Either<Event, string> =>
  Either.mapLeft(decodeEvent(value), (error) => {
    // Comes first: the schema's message would repeat the value, however deep.
    const bad = findNonJson(value)
    if (bad !== undefined) return `${bad.path.slice(1) || "the event"}: expected JSON, found ${bad.found}`
    const mistakes = mistakesOf(error)
    return mistakes.map(({ path, message }) => `${path.join("/") || "the event"}: ${message}`).join("; ")
  })

const orderMistake = (before: Event | undefined, { position }: Event): string | undefined =>
  before === undefined || before.position < position
    ? undefined
    : `position: expected one after @${before.position}, found @${position}`

/** A payload of a later, unknown schema could be misread. Without the type, nothing reads it. */
const versionMistake = (version: number | undefined, { schemaVersion }: Event): string | undefined =>
  version === undefined || schemaVersion <= version
    ? undefined
    : `schemaVersion: expected at most ${version}, found ${schemaVersion}; a newer Hindcast wrote it`

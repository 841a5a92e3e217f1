/** Listeners that take lines, such as those of the standard input: each line is a signal. */

import { Effect, Either, Schema, Stream } from "effect"
import { GrowingBytes } from "../../platform/loopback/GrowingBytes.ts"
import { type Json, parseJson } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import { dropped, emit } from "../Emitting.ts"
import { type Listener, type ListenerContext, ListenerName } from "../Listener.ts"
import type { Signal } from "../Signal.ts"

/** Options of `lines`. */
export interface LinesOptions {
  readonly name: string
  /** Where the lines come from. Default: the standard input. */
  readonly input?: AsyncIterable<Uint8Array | string>
  /** `json`: each line is JSON, and a member `id` of text is the signal's id. Default: `text`. */
  readonly format?: "text" | "json"
  /** The longest line, in bytes. A longer one is dropped, with a warning. Default: 1 MiB. */
  readonly maxBytes?: number
}

/** Schema of `LinesOptions`. */
export const LinesOptions = Options.of<LinesOptions>({
  required: { name: ListenerName },
  optional: {
    input: Options.kind<AsyncIterable<Uint8Array | string>>(
      "an async iterable of bytes or text, such as a stream of Node's",
      (value) => typeof value === "object" && value !== null && Symbol.asyncIterator in value,
    ),
    format: Schema.Literal("text", "json"),
    maxBytes: Options.wholeNumber(1, 64 * 1024 * 1024),
  },
})

const DEFAULT_MAX_BYTES = 1024 * 1024

/**
 * A listener for lines. Reads the next line once the one before is on the disk. Nobody acknowledges a line: those that
 * are still in a pipe when the process dies are lost. Ends with its input. Throws `InvalidOptions`.
 */
export const lines = (input: LinesOptions): Listener => {
  const options = Either.getOrThrowWith(Options.decode("Listener.lines", LinesOptions, input), (invalid) => invalid)
  const { name, maxBytes = DEFAULT_MAX_BYTES, format = "text" } = options
  return {
    name,
    kind: "lines",
    onStart: (context) =>
      Stream.fromAsyncIterable(options.input ?? process.stdin, (cause) => cause).pipe(
        Stream.map((chunk) => Buffer.from(chunk)),
        splitting(maxBytes),
        Stream.runForEach((line) => emitted(context, line, format, maxBytes)),
        Effect.matchCause({
          onSuccess: () => context.end("its input ended"),
          onFailure: (cause) => context.fail(cause),
        }),
        Effect.forkScoped,
        Effect.asVoid,
      ),
  }
}

const emitted = (
  context: ListenerContext,
  line: Buffer | undefined,
  format: "text" | "json",
  maxBytes: number,
): Effect.Effect<void, unknown> => {
  if (line === undefined)
    return dropped(context, LINE, `expected a line of at most ${maxBytes} bytes, found a longer one`)
  const signal = signalOf(line, format)
  if (Either.isLeft(signal)) return dropped(context, LINE, signal.left)
  return signal.right === undefined ? Effect.void : Effect.asVoid(emit(context, signal.right, LINE))
}

const LINE = "a line"

/** Undefined for an empty line. */
const signalOf = (line: Buffer, format: "text" | "json"): Either.Either<Signal | undefined, string> => {
  let text: string
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(line).replace(/\r$/, "")
  } catch {
    return Either.left("expected UTF-8, found other bytes")
  }
  if (text.trim() === "") return Either.right(undefined)
  if (format === "text") return Either.right({ content: text })
  try {
    const content = parseJson(text)
    const id = idOf(content)
    return Either.right({ content, ...(id === undefined ? {} : { id }) })
  } catch {
    return Either.left("expected JSON, found other text")
  }
}

/** The member `id` of an object, if it is a text. */
export const idOf = (content: Json): string | undefined => {
  if (typeof content !== "object" || content === null || Array.isArray(content)) return undefined
  const id: unknown = Object.hasOwn(content, "id") ? Reflect.get(content, "id") : undefined
  return typeof id === "string" && id !== "" ? id : undefined
}

/** Splits bytes into lines; undefined stands for one that is too long. */
const splitting =
  (maxBytes: number) =>
  <E>(chunks: Stream.Stream<Buffer, E>): Stream.Stream<Buffer | undefined, E> =>
    Stream.suspend(() => {
      const held = new GrowingBytes()
      let isSkipping = false
      const push = (chunk: Buffer): ReadonlyArray<Buffer | undefined> => {
        const found: Array<Buffer | undefined> = []
        let rest = chunk
        for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
          take(rest.subarray(0, end))
          if (!isSkipping) found.push(Buffer.from(held.bytes))
          else found.push(undefined)
          isSkipping = false
          held.drop(held.bytes.length)
          rest = rest.subarray(end + 1)
        }
        take(rest)
        return found
      }
      const take = (part: Buffer) => {
        if (isSkipping) return
        if (held.bytes.length + part.length > maxBytes) {
          isSkipping = true
          held.drop(held.bytes.length)
        } else held.append(part)
      }
      const last = Stream.suspend(() =>
        isSkipping
          ? Stream.make(undefined)
          : held.bytes.length > 0
            ? Stream.make(Buffer.from(held.bytes))
            : Stream.empty,
      )
      return Stream.concat(Stream.mapConcat(chunks, push), last)
    })

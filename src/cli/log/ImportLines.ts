/** Reads a text file or the standard input as a stream of lines. */

import * as fs from "node:fs"
import { Effect, Option, Stream } from "effect"
import { isMissing } from "../../platform/SmallFile.ts"
import { BadInput } from "../command/BadInput.ts"

/**
 * Maximum length of a line in characters, about eight times the largest payload. Bounds the memory for a file without
 * line ends.
 */
const MAX_LINE = 64 * 1024 * 1024

const STEP_BYTES = 1024 * 1024

export interface BadLine {
  readonly line: number
  readonly reason: string
}

/**
 * The lines of a UTF-8 text file, in chunks and in constant memory. `-` is the standard input. The last line may lack
 * its line end. `refuse` makes the error for an invalid line.
 */
export const of = <E>(
  file: string,
  refuse: (bad: BadLine) => E,
): Stream.Stream<ReadonlyArray<string>, E | BadInput> => {
  const decoder = new TextDecoder("utf-8", { fatal: true })
  let lines = 0
  let partialLine = ""

  const decodeLines = (bytes: Uint8Array | undefined) =>
    Effect.suspend((): Effect.Effect<ReadonlyArray<string>, E> => {
      let text: string
      try {
        text = decoder.decode(bytes, { stream: bytes !== undefined })
      } catch {
        return Effect.fail(
          refuse({ line: lines + 1, reason: "the file is not UTF-8 text, in this line or shortly after it" }),
        )
      }
      const parts = text.split("\n")
      parts[0] = partialLine + (parts[0] ?? "")
      partialLine = parts.pop() ?? ""
      lines += parts.length
      if (partialLine.length > MAX_LINE) {
        const reason = `it is longer than ${MAX_LINE} characters: the file does not have one event per line`
        return Effect.fail(refuse({ line: lines + 1, reason }))
      }
      return Effect.succeed(bytes === undefined && partialLine !== "" ? [...parts, partialLine] : parts)
    })

  return bytesOf(file).pipe(
    Stream.map(Option.some),
    Stream.concat(Stream.succeed(Option.none<Uint8Array>())),
    Stream.mapEffect((bytes) => decodeLines(Option.getOrUndefined(bytes))),
  )
}

const bytesOf = (file: string): Stream.Stream<Uint8Array, BadInput> =>
  // Open the file lazily: a stream that is opened but never read would emit its error unheard.
  Stream.suspend(() =>
    Stream.fromAsyncIterable(
      file === "-" ? process.stdin : fs.createReadStream(file, { highWaterMark: STEP_BYTES }),
      (cause) =>
        new BadInput({
          input: file,
          expected: "a readable file",
          found: cause instanceof Error ? cause.message : String(cause),
          missing: isMissing(cause),
        }),
    ),
  )

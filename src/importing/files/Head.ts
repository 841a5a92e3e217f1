/** The beginning of a file, by which its format is recognized. */

import * as path from "node:path"
import { parsed } from "../runs/Untrusted.ts"
import type { FileHead } from "../Source.ts"
import { unpackedName } from "./FileText.ts"
import { objectsIn } from "./LineText.ts"
import { beginningWithLine, MAX_LINE_BYTES } from "./SourceText.ts"

const HEAD_BYTES = 64 * 1024

/** Most bytes that are read for the first line: those of the longest line. */
const FIRST_LINE_BYTES = MAX_LINE_BYTES + 1

/** Most lines of a file's beginning that are parsed. */
const HEAD_LINES = 10

/** Reads as much of a file as its format is recognized by. */
export const headBytesOf = (file: string): Promise<Buffer> => beginningWithLine(file, HEAD_BYTES, FIRST_LINE_BYTES)

/** The beginning of a file, by its first bytes. */
export const headOf = (file: string, bytes: Buffer): FileHead => {
  const whole = bytes.toString("utf8").replace(/^\uFEFF/, "")
  const text = bytes.length > HEAD_BYTES ? whole.slice(0, HEAD_BYTES) : whole
  const lines = whole.split("\n", HEAD_LINES)
  if (lines.length < HEAD_LINES && (bytes.length === HEAD_BYTES || bytes.length === FIRST_LINE_BYTES)) lines.pop()
  return {
    name: unpackedName(path.basename(file)),
    path: file.split(path.sep).join("/"),
    text,
    lines: lines.flatMap(valuesOf),
    zipped: bytes.length >= 4 && bytes.readUInt32LE(0) === 0x04034b50,
  }
}

/** The objects of a line, by the same rule as when it is read; what may be a part of a document has none. */
const valuesOf = (line: string): ReadonlyArray<object> => {
  const value = parsed(line)
  if (value !== undefined || !MAY_BE_DAMAGED.test(line))
    return typeof value === "object" && value !== null ? [value] : []
  const { values, isWhole } = objectsIn(line)
  return isWhole ? values : []
}

/** NULs, or an object right after another. */
const MAY_BE_DAMAGED = /\0|\}\s*\{/

/** Reads the beginning of a file, by which formats recognize it. */

import * as path from "node:path"
import { parsed } from "../runs/Untrusted.ts"
import type { FileHead } from "../Source.ts"
import { unpackedName } from "./FileText.ts"
import { objectsIn } from "./LineText.ts"
import { beginningWithLine, MAX_LINE_BYTES } from "./SourceText.ts"

const HEAD_BYTES = 64 * 1024

/** Maximum length of a first line, in bytes. */
const FIRST_LINE_BYTES = MAX_LINE_BYTES + 1

const HEAD_LINES = 10

export const headBytesOf = (file: string): Promise<Buffer> => beginningWithLine(file, HEAD_BYTES, FIRST_LINE_BYTES)

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
    bytes,
  }
}

/** The objects of a line, by the same rule as in reading; none for a part of a document. */
const valuesOf = (line: string): ReadonlyArray<object> => {
  const value = parsed(line)
  if (value !== undefined || !MAY_BE_DAMAGED.test(line))
    return typeof value === "object" && value !== null ? [value] : []
  const { values, isWhole } = objectsIn(line)
  return isWhole ? values : []
}

/** NUL bytes, or two adjacent objects. */
const MAY_BE_DAMAGED = /\0|\}\s*\{/

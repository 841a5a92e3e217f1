/**
 * The text of a note by the Git AI Standard 3.0.0: paths, each with keys and ranges of lines; `---`; JSON about the keys.
 * https://github.com/git-ai-project/git-ai/blob/main/specs/git_ai_standard_v3.0.0.md. Pure.
 */

import type { JsonObject } from "../../values/Json.ts"
import { parsed } from "../runs/Untrusted.ts"
import * as LineRanges from "./LineRanges.ts"

export const SCHEMA = "authorship/3.0.0"

export interface Attestation {
  readonly path: string
  /** `s_SESSION::t_TRACE`, `h_PERSON`, or a prompt's in older notes. */
  readonly key: string
  readonly ranges: ReadonlyArray<LineRanges.LineRange>
}

export interface Note {
  /** Those of a path succeed each other. */
  readonly attestations: ReadonlyArray<Attestation>
  readonly metadata: JsonObject
}

/** Undefined if the path cannot be written: a note has no escapes. */
export const pathLine = (path: string): string | undefined => {
  if (path === "" || UNWRITABLE.test(path)) return undefined
  return /\s/.test(path) || path === DIVIDER ? `"${path}"` : path
}

/** Quotes and line ends. */
const UNWRITABLE = /["\p{Cc}\u2028\u2029]/u

const DIVIDER = "---"

/** Paths have to be ones that `pathLine` writes. */
export const write = ({ attestations, metadata }: Note): string => {
  const lines: Array<string> = []
  let last: string | undefined
  for (const { path, key, ranges } of attestations) {
    if (path !== last) lines.push(pathLine(path) ?? "")
    last = path
    lines.push(`  ${key} ${LineRanges.format(ranges)}`)
  }
  return [...lines, DIVIDER, JSON.stringify(metadata, undefined, 2)].map((line) => `${line}\n`).join("")
}

export interface Read {
  readonly attestations: ReadonlyArray<Attestation>
  /** Undefined if it is no JSON object. */
  readonly metadata: unknown
  /** Lines in another form. */
  readonly damaged: number
}

/** Undefined if there is no divider. */
export const read = (text: string): Read | undefined => {
  const divider = /^---\r?$/m.exec(text)
  if (divider === null) return undefined
  const attestations: Array<Attestation> = []
  let damaged = 0
  let path: string | undefined
  for (const line of text.slice(0, divider.index).split("\n")) {
    const plain = line.trimEnd()
    if (plain === "") continue
    const [, key, written = ""] = /^ {2}(\S+) (\S+)$/.exec(plain) ?? []
    if (key === undefined) {
      const isPath = !plain.startsWith(" ")
      if (!isPath) damaged += 1
      path = isPath ? plain.replace(/^"(.*)"$/, "$1") : path
      continue
    }
    const ranges = LineRanges.parse(written)
    if (ranges === undefined || path === undefined) damaged += 1
    else attestations.push({ path, key, ranges })
  }
  return { attestations, metadata: parsed(text.slice(divider.index + divider[0].length)), damaged }
}

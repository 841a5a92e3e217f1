/** Writes changes of files as a patch for `git apply`: exact bytes, binary contents included. Pure. */

import * as crypto from "node:crypto"
import * as zlib from "node:zlib"
import type { Change } from "../model/Changes.ts"
import type { Entry } from "../model/Entry.ts"
import * as Content from "./Content.ts"
import * as UnifiedDiff from "./UnifiedDiff.ts"

/** A file on one side of a change. */
interface Side {
  readonly path: string
  readonly mode: string
  readonly bytes: Uint8Array
}

/** A change whose content is unknown. */
export interface NotWritable {
  readonly path: string
  readonly why: string
}

export interface Patch {
  readonly bytes: Uint8Array
  /** Changes that the patch leaves out. */
  readonly left: ReadonlyArray<NotWritable>
}

/** @param maxTextBytes of the patch: further texts are written as binary contents, which are compressed */
export const of = (
  changes: ReadonlyArray<Change>,
  contents: Content.Contents,
  maxTextBytes = MAX_TEXT_BYTES,
): Patch => {
  const pieces: Array<Uint8Array> = []
  let size = 0
  const left: Array<NotWritable> = []
  for (const change of changes) {
    const before = change.kind === "added" ? undefined : sideOf(fromOf(change), change.before, contents)
    const after = change.kind === "removed" ? undefined : sideOf(change.path, change.after, contents)
    const unknown = [before, after].find((side) => typeof side === "string")
    if (typeof before === "string" || typeof after === "string") left.push({ path: change.path, why: String(unknown) })
    else
      for (const piece of changeOf(before, after, size < maxTextBytes)) {
        size += piece.length
        pieces.push(piece)
      }
  }
  return { bytes: Buffer.concat(pieces), left }
}

const MAX_TEXT_BYTES = 256 * 1024 * 1024

const fromOf = (change: Change): string => (change.kind === "renamed" ? change.from : change.path)

/** Or the reason why the content is unknown. */
const sideOf = (path: string, entry: Entry, contents: Content.Contents): Side | string => {
  const content = Content.of(entry, contents)
  if (content.kind === "unknown") return Content.WHY[content.why]
  if (content.kind === "missing") return "it is missing"
  return { path, mode: modeOf(entry), bytes: content.bytes }
}

const modeOf = ({ kind, mode }: Entry): string =>
  kind === "link" ? "120000" : (mode & 0o111) === 0 ? "100644" : "100755"

const changeOf = (before: Side | undefined, after: Side | undefined, hasRoom: boolean): ReadonlyArray<Uint8Array> => {
  // Git has no change from a file to a link.
  if (before !== undefined && after !== undefined && (before.mode === LINK) !== (after.mode === LINK))
    return [...changeOf(before, undefined, hasRoom), ...changeOf(undefined, after, hasRoom)]
  const [from, to] = [before ?? after, after ?? before]
  if (from === undefined || to === undefined) return []
  const [old, now] = [before?.bytes ?? EMPTY, after?.bytes ?? EMPTY]
  const isSameContent = before !== undefined && after !== undefined && Buffer.compare(old, now) === 0
  if (isSameContent && from.path === to.path && from.mode === to.mode) return []
  const header = [
    `diff --git ${quoted(`a/${from.path}`)} ${quoted(`b/${to.path}`)}`,
    ...modeLines(before, after),
    ...(from.path === to.path ? [] : [`rename from ${quoted(from.path)}`, `rename to ${quoted(to.path)}`]),
    ...(isSameContent ? [] : [`index ${blobOf(before)}..${blobOf(after)}`]),
  ]
  if (isSameContent || (old.length === 0 && now.length === 0)) return [lines(header)]
  if (!hasRoom || ![old, now].every(Content.isText) || UnifiedDiff.isTooLong(old, now))
    return [lines([...header, "GIT binary patch", ...literal(now), ...literal(old)])]
  const names = [
    `--- ${before === undefined ? "/dev/null" : name(`a/${from.path}`)}`,
    `+++ ${after === undefined ? "/dev/null" : name(`b/${to.path}`)}`,
  ]
  return [lines([...header, ...names]), ...UnifiedDiff.between(old, now).hunks.flatMap(hunkOf)]
}

const modeLines = (before: Side | undefined, after: Side | undefined): ReadonlyArray<string> => {
  if (before === undefined) return after === undefined ? [] : [`new file mode ${after.mode}`]
  if (after === undefined) return [`deleted file mode ${before.mode}`]
  return before.mode === after.mode ? [] : [`old mode ${before.mode}`, `new mode ${after.mode}`]
}

const hunkOf = (hunk: UnifiedDiff.DiffHunk): ReadonlyArray<Uint8Array> => [
  lines([hunk.header]),
  ...hunk.lines.flatMap(({ mark, bytes, hasLineFeed }) => [
    Buffer.from(mark),
    bytes,
    Buffer.from(hasLineFeed ? "\n" : "\n\\ No newline at end of file\n"),
  ]),
]

const lines = (all: ReadonlyArray<string>): Uint8Array => Buffer.from(all.map((line) => `${line}\n`).join(""))

/** The id of a content in a repository with SHA-1, which a binary patch has to name. */
const blobOf = (side: Side | undefined): string =>
  side === undefined
    ? "0".repeat(40)
    : crypto.createHash("sha1").update(`blob ${side.bytes.length}\0`).update(side.bytes).digest("hex")

/** A whole content, deflated, in lines of up to 52 bytes: a letter for the length, then base 85. */
const literal = (bytes: Uint8Array): ReadonlyArray<string> => {
  const packed = zlib.deflateSync(bytes)
  const written = [`literal ${bytes.length}`]
  for (let at = 0; at < packed.length; at += MAX_LINE) {
    const line = packed.subarray(at, at + MAX_LINE)
    const length = line.length <= 26 ? 64 + line.length : 96 + line.length - 26
    written.push(String.fromCharCode(length) + base85(line))
  }
  return [...written, ""]
}

const MAX_LINE = 52

/** Git's alphabet (`base85.c`): each four bytes are five characters, most significant first, padded with zeros. */
const base85 = (bytes: Uint8Array): string => {
  const padded = Buffer.alloc(Math.ceil(bytes.length / 4) * 4)
  padded.set(bytes)
  let text = ""
  for (let at = 0; at < padded.length; at += 4) {
    let value = padded.readUInt32BE(at)
    let group = ""
    for (let digit = 0; digit < 5; digit++) {
      group = (ALPHABET[value % 85] ?? "") + group
      value = Math.floor(value / 85)
    }
    text += group
  }
  return text
}

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"

/** A path as Git writes it: in quotes if it has control characters, quotes, backslashes, or bytes beyond ASCII. */
const quoted = (path: string): string => {
  const bytes = Buffer.from(path)
  if (!bytes.some((byte) => byte < 0x20 || byte > 0x7e || byte === 0x22 || byte === 0x5c)) return path
  return `"${[...bytes].map(escaped).join("")}"`
}

/** After `---` and `+++`, a tab ends a name that contains a space. */
const name = (path: string): string => {
  const text = quoted(path)
  return text.includes(" ") && !text.startsWith('"') ? `${text}\t` : text
}

const escaped = (byte: number): string => {
  if (byte === 0x22 || byte === 0x5c) return `\\${String.fromCharCode(byte)}`
  return byte < 0x20 || byte > 0x7e ? `\\${byte.toString(8).padStart(3, "0")}` : String.fromCharCode(byte)
}

const LINK = "120000"

const EMPTY = new Uint8Array(0)

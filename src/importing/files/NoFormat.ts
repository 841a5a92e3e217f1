/** Describes a file that matches no format, and what to do with it. */

import type { FileHead, Source } from "../Source.ts"

/** Other kinds of files, by their first bytes. */
const KINDS: ReadonlyArray<readonly [begins: string, kind: string]> = [
  ["fffe0000", "text in UTF-32; `iconv -f UTF-32 -t UTF-8 FILE` converts it"],
  ["0000feff", "text in UTF-32; `iconv -f UTF-32 -t UTF-8 FILE` converts it"],
  ["fd377a585a00", "a file packed with xz; `xz -dk FILE` unpacks it"],
  ["425a68", "a file packed with bzip2; `bzip2 -dk FILE` unpacks it"],
  ["377abcaf271c", "a 7-Zip archive; unpack it"],
  ["504b0304", "a ZIP archive that is not an Inspect log; unpack it"],
  ["53514c69746520666f726d61742033", "an SQLite database; export its rows as JSON Lines"],
]

/** Describes a file by its beginning. If the caller named a format, the description names the actual one. */
export const kindOf = (file: string, head: FileHead, bytes: Buffer, sources: ReadonlyArray<Source>): string => {
  const { text, lines } = head
  if (bytes.length === 0) return "an empty file; import it once it has content"
  const begins = bytes.subarray(0, 16).toString("hex")
  const kind = KINDS.find(([mark]) => begins.startsWith(mark))
  if (kind !== undefined) return kind[1].replace("FILE", JSON.stringify(file))
  if (bytes.subarray(257, 262).toString("latin1") === "ustar") return "a tar archive; unpack it"
  if (bytes.every((byte) => byte === 0)) return "only zero bytes, as left by a machine that stopped while writing"
  const mistaken = sources.map(({ instead }) => instead?.(head)).find((title) => title !== undefined)
  const isOwnExport = lines.some(
    (line) => typeof line === "object" && line !== null && "hash" in line && "position" in line,
  )
  if (isOwnExport) return "events that Hindcast exported; `hindcast log import FILE` restores their log"
  if (text.trim() === "") return "an empty file: it holds only white space"
  if (mistaken !== undefined) return `a ${mistaken}`
  return `a file that begins with ${JSON.stringify(text.slice(0, 60).toWellFormed())}`
}

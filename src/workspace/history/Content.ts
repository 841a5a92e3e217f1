/** The content of a recorded file, as far as the store has it. */

import type { Entry, Omission } from "../model/Entry.ts"

export type Content =
  | { readonly kind: "text" | "binary"; readonly bytes: Uint8Array }
  | { readonly kind: "missing" }
  /** `gone`: the store contained it, or should have. `purged`: a person removed it. */
  | { readonly kind: "unknown"; readonly why: Omission | "gone" | "purged" }

/** Reads contents by their digests. */
export interface Contents {
  readonly get: (digest: string) => Uint8Array | undefined
  /** Called for contents that `get` does not find. */
  readonly isPurged?: ((digest: string) => boolean) | undefined
}

export const of = (entry: Entry | undefined, contents: Contents): Content => {
  if (entry === undefined) return { kind: "missing" }
  const { digest, omitted } = entry
  if (omitted !== undefined) return { kind: "unknown", why: omitted }
  const bytes = digest === undefined ? undefined : contents.get(digest)
  if (bytes !== undefined) return { kind: isText(bytes) ? "text" : "binary", bytes }
  return { kind: "unknown", why: digest !== undefined && contents.isPurged?.(digest) ? "purged" : "gone" }
}

/** As Git decides: no NUL in the first 8,000 bytes. */
export const isText = (bytes: Uint8Array): boolean => !bytes.subarray(0, HEAD_BYTES).includes(0)

const HEAD_BYTES = 8_000

/** Words for the reasons why a content is unknown. */
export const WHY = {
  large: "it is above the recorder's size limit",
  secret: "it holds secrets, or its name says so",
  changing: "it changed while it was read",
  unreadable: "the system refused to read it",
  gone: "the store has no such content",
  purged: "`hindcast files purge` removed it",
} as const

/** UTF-8, or Latin-1 if it is invalid: a character for each byte. */
export const textOf = (bytes: Uint8Array): string => {
  try {
    return UTF8.decode(bytes)
  } catch {
    return Buffer.from(bytes).toString("latin1")
  }
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** What a recorded program's functions throw: as it is recorded, and thrown again. */

import type { Failure } from "../events/vocabulary/EventType.ts"
import { plainText } from "../values/Json.ts"
import type { Redaction } from "./http/Redaction.ts"

/** Most errors behind an error that are recorded. */
const MOST_CAUSES = 4

/** Longest code that is recorded, in characters: Node's are words such as `ECONNREFUSED`. */
const LONGEST_CODE = 200

const UNREADABLE = { name: "Error", message: "[an error that cannot be read]" }

/** An error as it is recorded: its name as the code, its message without keys, and what programs decide by besides. */
export const failureOf = (thrown: unknown, { text }: Redaction): Failure => {
  const { name, message, code, status, causes } = readable(thrown)
  const behind = causes.map(({ name, message, code }) => ({
    name: safe(name, text),
    message: safe(message, text),
    ...safeCode(code, text),
  }))
  const read = {
    ...safeCode(code, text),
    ...(typeof status === "number" && Number.isFinite(status) ? { status } : {}),
    ...(behind.length === 0 ? {} : { causes: behind }),
  }
  return {
    code: safe(name, text),
    message: safe(message, text),
    ...(Object.keys(read).length === 0 ? {} : { thrown: read }),
  }
}

/** An error for a recorded one. */
export const errorOf = ({ code: name, message, thrown = {} }: Failure): Error => {
  const { causes = [], ...fields } = thrown
  const cause = causes.reduceRight<Error | undefined>(
    (behind, { name, message, code }) => made(name, message, behind, code === undefined ? {} : { code }),
    undefined,
  )
  return made(name, message, cause, fields)
}

/** What caused a failure, in words: an error that stands for several attempts to connect has no message of its own. */
export const causeOf = ({ thrown }: Failure): string | undefined => {
  const [cause] = thrown?.causes ?? []
  return cause && (cause.message || String(cause.code ?? cause.name))
}

/** The text of an error, whatever it is: nothing of it may throw. */
export const messageOf = (thrown: unknown): string => readable(thrown).message

const made = (name: string, message: string, cause: Error | undefined, fields: object): Error => {
  const Kind = KINDS.get(name) ?? Error
  const error = new Kind(message, cause === undefined ? {} : { cause })
  return Object.assign(error, error.name === name ? {} : { name }, fields)
}

/** The errors of the language that programs tell apart by their class. */
const KINDS: ReadonlyMap<string, ErrorConstructor> = new Map(
  [TypeError, RangeError, SyntaxError, ReferenceError, URIError, EvalError].map((kind) => [kind.name, kind]),
)

/** What is read of an error. */
interface Readable {
  readonly name: string
  readonly message: string
  readonly code?: unknown
  readonly status?: unknown
  readonly causes: ReadonlyArray<Omit<Readable, "causes" | "status">>
}

/** Reads an error, whose fields may be anything, and may throw as they are read. */
const readable = (thrown: unknown): Readable => {
  try {
    if (!(thrown instanceof Error)) return { name: "Error", message: String(thrown), causes: [] }
    const causes: Array<Readable["causes"][number]> = []
    for (let cause = thrown.cause; cause instanceof Error && causes.length < MOST_CAUSES; cause = cause.cause) {
      causes.push({ ...named(cause), code: Reflect.get(cause, "code") })
    }
    return { ...named(thrown), code: Reflect.get(thrown, "code"), status: Reflect.get(thrown, "status"), causes }
  } catch {
    return { ...UNREADABLE, causes: [] }
  }
}

const named = ({ name, message }: Error) => ({ name: String(name) || "Error", message: String(message) })

const safe = (value: string, text: Redaction["text"]): string => plainText(text(value))

const safeCode = (code: unknown, text: Redaction["text"]): { readonly code?: string | number } => {
  if (typeof code === "number" && Number.isFinite(code)) return { code }
  return typeof code === "string" && code.length <= LONGEST_CODE ? { code: safe(code, text) } : {}
}

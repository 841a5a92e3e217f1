/** Converts errors of a recorded program to their recorded form and back. */

import type { Failure } from "../events/vocabulary/EventType.ts"
import { plainText } from "../values/Json.ts"
import type { Redaction } from "./http/Redaction.ts"

/** Maximum number of recorded causes of an error. */
const MOST_CAUSES = 4

/** Maximum length of a recorded error code, in characters. Node's are words such as `ECONNREFUSED`. */
const LONGEST_CODE = 200

const UNREADABLE = { name: "Error", message: "[an error that cannot be read]" }

/** The recorded form of an error: name, redacted message, and the fields that programs branch on. */
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

/** Rebuilds an error from its recorded form. */
export const errorOf = ({ code: name, message, thrown = {} }: Failure): Error => {
  const { causes = [], ...fields } = thrown
  const cause = causes.reduceRight<Error | undefined>(
    (behind, { name, message, code }) => made(name, message, behind, code === undefined ? {} : { code }),
    undefined,
  )
  return made(name, message, cause, fields)
}

/** The message of a failure's cause, or its code: an `AggregateError` of connection attempts has no message. */
export const causeOf = ({ thrown }: Failure): string | undefined => {
  const [cause] = thrown?.causes ?? []
  return cause && (cause.message || String(cause.code ?? cause.name))
}

/** The message of any thrown value. Never throws. */
export const messageOf = (thrown: unknown): string => readable(thrown).message

const made = (name: string, message: string, cause: Error | undefined, fields: object): Error => {
  const Kind = KINDS.get(name) ?? Error
  const error = new Kind(message, cause === undefined ? {} : { cause })
  return Object.assign(error, error.name === name ? {} : { name }, fields)
}

const KINDS: ReadonlyMap<string, ErrorConstructor> = new Map(
  [TypeError, RangeError, SyntaxError, ReferenceError, URIError, EvalError].map((kind) => [kind.name, kind]),
)

interface Readable {
  readonly name: string
  readonly message: string
  readonly code?: unknown
  readonly status?: unknown
  readonly causes: ReadonlyArray<Omit<Readable, "causes" | "status">>
}

/** Reads an error whose fields can have any type or throw on access. */
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

/** Requests and answers of `hindcast serve`: one JSON object a line. */
import { Data, Either } from "effect"
import { isTooDeep, MAX_DEPTH } from "../../values/Json.ts"
import type * as Failure from "../command/Failure.ts"
import * as Text from "../terminal/Text.ts"
import type { Line } from "./Lines.ts"

/** The version of the protocol. A client that knows another one ends the connection. */
export const PROTOCOL = 1

export type RequestId = number | string

export interface Request {
  readonly id: RequestId
  readonly method: string
  readonly params: unknown
}

/** Send a line that is a request. `id` is the request's, if it could be read. */
export class InvalidRequest extends Data.TaggedError("InvalidRequest")<{
  readonly id: RequestId | null
  readonly expected: string
  readonly found: string
}> {
  override get message() {
    return `Expected ${this.expected}, found ${this.found}.`
  }
}

/** Decodes a line. */
export const decode = (line: Line): Either.Either<Request, InvalidRequest> => {
  if (!("text" in line)) return Either.left(new InvalidRequest({ id: null, ...line }))
  const parsed = parse(line.text)
  if (Either.isLeft(parsed)) {
    return Either.left(new InvalidRequest({ id: null, expected: "a line of JSON", found: parsed.left }))
  }
  const request = parsed.right
  if (typeof request !== "object" || request === null || Array.isArray(request)) {
    return Either.left(new InvalidRequest({ id: null, expected: "a JSON object", found: "another value" }))
  }
  const id = isId(own(request, "id")) ? (own(request, "id") as RequestId) : null
  const invalid = (expected: string, found: string) => Either.left(new InvalidRequest({ id, expected, found }))
  if (id === null) return invalid("an `id`, a whole number or a text of at most 100 characters", "none")
  const method = own(request, "method")
  if (typeof method !== "string") return invalid("a `method`, a text", "none")
  const unknown = Object.keys(request).find((key) => !KEYS.has(key))
  if (unknown !== undefined) return invalid("no fields but id, method and params", JSON.stringify(unknown.slice(0, 40)))
  const params = own(request, "params") ?? {}
  if (isTooDeep(params)) return invalid(`params of at most ${MAX_DEPTH} levels`, "more")
  return Either.right({ id, method, params })
}

const KEYS: ReadonlySet<string> = new Set(["id", "method", "params"])

const own = (object: object, key: string): unknown =>
  Object.hasOwn(object, key) ? Reflect.get(object, key) : undefined

const isId = (value: unknown): boolean =>
  typeof value === "number" ? Number.isSafeInteger(value) : typeof value === "string" && value.length <= 100

const parse = (text: string): Either.Either<unknown, string> => {
  try {
    return Either.right(JSON.parse(text))
  } catch (cause) {
    return Either.left(cause instanceof Error ? cause.message : String(cause))
  }
}

/** A result whose JSON text is known already. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** The line that answers a request. `undefined` becomes null. */
export const answer = (id: RequestId, result: unknown): string => {
  const text = result instanceof JsonText ? result.text : (JSON.stringify(result) ?? "null")
  return `{"id":${JSON.stringify(id)},"result":${text}}\n`
}

/** The line that answers a request with an error. The message may quote a log: invisible characters are escaped. */
export const refusal = (id: RequestId | null, { tag, message, details }: Omit<Failure.Failure, "exitCode">): string =>
  `${JSON.stringify({
    id,
    error: {
      tag,
      message: message.split("\n").map(Text.oneLine).join("\n"),
      ...(details === undefined ? {} : { details }),
    },
  })}\n`

/**
 * Takes calls of tools, sensors and other functions from a program that a proxy serves: `POST` to `call` and `ended` below
 * the address in `HINDCAST_RUN`. The Python package sends them.
 */
import { randomBytes } from "node:crypto"
import { Either, Schema } from "effect"
import { Risk } from "../../plugins/manifest/fields.ts"
import { Json, JsonObject } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import type { Run } from "../Run.ts"
import * as CallsOfRun from "./CallsOfRun.ts"
import { type Incoming, refuse } from "./ProxyServer.ts"
import { isTagged } from "./RecordingProxy.ts"

export interface RunCalls {
  /** The path that only the program knows. */
  readonly path: string
  readonly takes: (incoming: Incoming) => boolean
  readonly answer: (incoming: Incoming) => Promise<void>
}

/** Variable with the address for a program's own calls. */
export const VARIABLE = "HINDCAST_RUN"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** The first half of a call. */
export const Call = Schema.Struct({
  kind: Schema.Literal(...CallsOfRun.KINDS),
  name: Schema.String,
  args: optional(JsonObject),
  risk: optional(Risk),
  description: optional(Schema.String),
})

/** The second half: one of `result`, `unrecorded` and `failed`. */
export const Ended = Schema.Struct({
  call: Schema.Number,
  result: optional(Json),
  unrecorded: optional(Schema.String),
  failed: optional(Schema.Struct({ name: Schema.String, message: Schema.String })),
})

export const begin = (
  calls: CallsOfRun.CallsOfRun,
  { kind, name, args = {}, ...options }: typeof Call.Type,
): Promise<CallsOfRun.Begun> => calls.begin({ kind, name, args, options })

export const end = (calls: CallsOfRun.CallsOfRun, { call, ...how }: typeof Ended.Type): Promise<void> =>
  calls.end(call, endedOf(how))

const endedOf = ({ result = null, unrecorded, failed }: Omit<typeof Ended.Type, "call">): CallsOfRun.Ended =>
  failed !== undefined ? { failed } : unrecorded !== undefined ? { unrecorded } : { result }

export const make = (run: Run): RunCalls => {
  const calls = CallsOfRun.make(run)
  const path = `/hindcast/${randomBytes(24).toString("base64url")}`
  return {
    path,
    takes: (incoming) => incoming.origin === undefined && incoming.path.startsWith(`${path}/`),
    answer: async ({ path: asked, method, body, response }) => {
      try {
        const answered = await take(calls, method === "POST" ? asked.slice(path.length) : method, body)
        response.writeHead(200, { "content-type": "application/json" })
        response.end(JSON.stringify(answered ?? null))
      } catch (error) {
        if (!isTagged(error)) throw error
        refuse(response, 400, error._tag, error.message)
      }
    },
  }
}

const take = async (calls: CallsOfRun.CallsOfRun, what: string, body: Buffer): Promise<unknown> => {
  const given = jsonOf(body)
  if (what === "/call") return begin(calls, decoded(Call, given))
  return end(calls, decoded(Ended, given))
}

/** The text itself if it is no JSON: decoding it says what was expected. */
const jsonOf = (body: Buffer): unknown => {
  const text = body.toString("utf8")
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const decoded = <A, I>(schema: Schema.Schema<A, I>, given: unknown): A =>
  Either.getOrThrowWith(Options.decode("a call", schema, given), (invalid) => invalid)

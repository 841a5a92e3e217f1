/**
 * Takes calls of tools, sensors and other functions from a program that a proxy serves: `POST` to `call` and `ended` below
 * the address in `HINDCAST_RUN`. The Python package sends them.
 */
import { randomBytes } from "node:crypto"
import { Either, Schema } from "effect"
import { Risk } from "../../plugins/manifest/fields.ts"
import { Json, JsonObject } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
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

/** Variables that the client has set since its last report of its environment. */
const env = optional(Schema.Record({ key: Schema.String, value: Schema.String }))

/** The first half of a call. */
export const Call = Schema.Struct({
  kind: Schema.Literal(...CallsOfRun.KINDS),
  name: Schema.String,
  args: optional(JsonObject),
  risk: optional(Risk),
  description: optional(Schema.String),
  env,
})

/** The second half: one of `result`, `unrecorded` and `failed`. */
export const Ended = Schema.Struct({
  call: Schema.Number,
  result: optional(Json),
  unrecorded: optional(Schema.String),
  failed: optional(Schema.Struct({ name: Schema.String, message: Schema.String })),
  env,
})

export const begin = (
  calls: CallsOfRun.CallsOfRun,
  { kind, name, args = {}, env = {}, ...options }: typeof Call.Type,
  gone: AbortSignal,
): Promise<CallsOfRun.Begun> => {
  calls.learn(env)
  return calls.begin({ kind, name, args, options }, gone)
}

export const end = (calls: CallsOfRun.CallsOfRun, { call, env = {}, ...how }: typeof Ended.Type): Promise<void> => {
  calls.learn(env)
  return calls.end(call, endedOf(how))
}

const endedOf = ({ result = null, unrecorded, failed }: Omit<typeof Ended.Type, "call" | "env">): CallsOfRun.Ended =>
  failed !== undefined ? { failed } : unrecorded !== undefined ? { unrecorded } : { result }

export const make = (calls: CallsOfRun.CallsOfRun): RunCalls => {
  const path = `/hindcast/${randomBytes(24).toString("base64url")}`
  return {
    path,
    takes: (incoming) => incoming.origin === undefined && incoming.path.startsWith(`${path}/`),
    answer: async ({ path: asked, method, body, response, gone }) => {
      try {
        const answered = await take(calls, method === "POST" ? asked.slice(path.length) : method, body, gone)
        response.writeHead(200, { "content-type": "application/json" })
        response.end(JSON.stringify(answered ?? null))
      } catch (error) {
        if (!isTagged(error)) throw error
        refuse(response, 400, error._tag, error.message)
      }
    },
  }
}

const take = async (calls: CallsOfRun.CallsOfRun, what: string, body: Buffer, gone: AbortSignal): Promise<unknown> => {
  const given = jsonOf(body)
  if (what === "/call") return begin(calls, decoded(Call, given), gone)
  return end(calls, decoded(Ended, given))
}

/** The text itself if it is no JSON: decoding it names the expected form. */
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

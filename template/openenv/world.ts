/**
 * An environment of OpenEnv as a world: each episode is a session with its server, over the WebSocket at `variables.url`.
 * The manifest's variables name the fields of actions and observations.
 */
import type { Json, JsonObject, Step, World, WorldContext } from "hindcast/plugin"

/** How the fields of the server's actions or observations make values of the manifest's space. */
interface Fields {
  /** The field whose value is the whole one; null if the space is a Dict of the fields. */
  readonly field: string | null
  /** The fields that the space has. */
  readonly fields: ReadonlyArray<string>
  /** Those that the space holds as JSON in a text. */
  readonly json: ReadonlyArray<string>
}

interface Settings {
  readonly url: string
  readonly action: Fields
  readonly observation: Fields
  /** Whether to ask for the server's state after each step. */
  readonly state: boolean
  /** Fields of the server's state that stay out of the document, because they differ in each session. */
  readonly unrecorded: ReadonlyArray<string>
}

interface Session {
  steps: number
  observation: Json
  server: Json
  isDone: boolean
  /** Why no further step is possible. */
  lost: string | undefined
}

let session: Session | undefined

const settingsOf = ({ variables }: WorldContext): Settings => variables as unknown as Settings

const refusal = (code: string, message: string): Error => Object.assign(new Error(message), { code })

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const shown = (value: unknown): string => (JSON.stringify(value) ?? String(value)).slice(0, 300)

const invalid = (expected: string, found: unknown): Error =>
  refusal("InvalidAnswer", `the server's answer: expected ${expected}, found ${shown(found)}`)

/** An error that the server reports: the session goes on. */
class Refused extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** Sends a message, and returns the data of its answer. */
const ask = async (context: WorldContext, message: JsonObject, wanted: string): Promise<JsonObject> => {
  const { body } = await context.fetch(settingsOf(context).url, { method: "POST", body: JSON.stringify(message) })
  let answer: unknown
  try {
    answer = JSON.parse(body)
  } catch {
    throw invalid("JSON", body)
  }
  if (!isObject(answer) || !isObject(answer.data)) throw invalid("an object with data", answer)
  const { type, data } = answer
  if (type === "error") {
    const { code, message: why, ...others } = data
    const details = Object.keys(others).length === 0 ? "" : ` ${JSON.stringify(others)}`
    throw new Refused(typeof code === "string" ? code : "ServerError", `${String(why)}${details}`.slice(0, 2000))
  }
  if (type !== wanted) throw invalid(`a message of the type ${wanted}`, type)
  return data
}

/** Runs a part of a session. After any failure but a refusal, nobody knows the environment's state. */
const within = async <A>(running: Session, part: () => Promise<A>): Promise<A> => {
  try {
    return await part()
  } catch (cause) {
    if (!(cause instanceof Refused)) running.lost = cause instanceof Error ? cause.message : String(cause)
    throw cause
  }
}

const FLAGS = ["terminated", "truncated", "info"]

/** Takes an observation into the session. Returns what else it has, as info. */
const take = (context: WorldContext, running: Session, data: JsonObject): JsonObject => {
  const { observation: given, done } = data
  const { field, fields, json } = settingsOf(context).observation
  if (!isObject(given)) throw invalid("an observation with fields", given)
  if (typeof done !== "boolean") throw invalid("done to be true or false", done)
  const fieldValue = (name: string): Json => {
    const value = given[name]
    if (value === undefined) throw invalid(`an observation with the field ${name}`, Object.keys(given))
    return json.includes(name) ? JSON.stringify(value) : value
  }
  running.observation =
    field === null ? Object.fromEntries(fields.map((name) => [name, fieldValue(name)])) : fieldValue(field)
  running.isDone = done
  const isKnown = (name: string) => fields.includes(name) || FLAGS.includes(name) || name === "metadata"
  const { info, metadata } = given
  return {
    ...(isObject(info) && !fields.includes("info") ? info : {}),
    ...(isObject(metadata) && !fields.includes("metadata") && Object.keys(metadata).length > 0 ? { metadata } : {}),
    ...Object.fromEntries(Object.entries(given).filter(([name]) => !isKnown(name))),
  }
}

const serverState = async (context: WorldContext): Promise<Json> => {
  const { state, unrecorded } = settingsOf(context)
  if (!state) return null
  const data = await ask(context, { type: "state" }, "state")
  return Object.fromEntries(Object.entries(data).filter(([name]) => !unrecorded.includes(name)))
}

/** No reward is none, not 0. */
const rewardOf = ({ reward = null }: JsonObject): Step["reward"] => {
  if (reward === null) return {}
  if (typeof reward === "boolean") return Number(reward)
  if (typeof reward !== "number") throw invalid("a reward that is a number", reward)
  return reward
}

/** The server has one flag, `done`, unless its observations say which end it is. */
const endOf = ({ observation, done }: JsonObject): Pick<Step, "terminated" | "truncated"> => {
  const { terminated, truncated } = isObject(observation) ? observation : {}
  return typeof terminated === "boolean" && typeof truncated === "boolean" && (terminated || truncated) === done
    ? { terminated, truncated }
    : { terminated: done === true }
}

const fieldsOf = (context: WorldContext, action: Json): JsonObject => {
  const { field, json } = settingsOf(context).action
  const fieldValue = (name: string, value: Json): Json => {
    if (!json.includes(name)) return value
    try {
      return JSON.parse(String(value))
    } catch {
      throw refusal("InvalidAction", `the field ${name} of the action: expected JSON, found ${shown(value)}`)
    }
  }
  if (field !== null) return { [field]: fieldValue(field, action) }
  return Object.fromEntries(
    Object.entries(isObject(action) ? action : {}).map(([name, value]) => [name, fieldValue(name, value)]),
  )
}

/** Documents hold no larger observations. In characters of JSON. */
const LONGEST_OBSERVATION = 65_536

export default {
  environment: {
    reset: async (context, options) => {
      const { url } = settingsOf(context)
      const continues = context.seed === null && session !== undefined && session.lost === undefined
      const running: Session = { steps: 0, observation: null, server: null, isDone: false, lost: undefined }
      session = undefined
      if (!continues) await context.fetch(url)
      const seed = context.seed === null ? {} : { seed: context.seed }
      const data = await ask(context, { type: "reset", data: { ...seed, ...options } }, "observation")
      const info = take(context, running, data)
      running.server = await serverState(context)
      session = running
      return { info }
    },
    observe: () => {
      if (session === undefined) throw refusal("NoEpisode", "expected a reset first")
      return session.observation
    },
    step: async (context, action: Json) => {
      const running = session
      if (running === undefined) throw refusal("NoEpisode", "expected a reset first")
      if (running.lost !== undefined) {
        throw refusal(
          "SessionLost",
          `the session with the server was lost; reset the world. It ended by: ${running.lost}`,
        )
      }
      if (running.isDone) throw refusal("EpisodeOver", "the episode is over; reset the world")
      const fields = fieldsOf(context, action)
      return within(running, async () => {
        const data = await ask(context, { type: "step", data: fields }, "observation")
        const result = { reward: rewardOf(data), ...endOf(data), info: take(context, running, data) }
        running.steps += 1
        running.server = await serverState(context)
        return result
      })
    },
    state: () => {
      const { steps = 0, observation = null, server = null, lost } = session ?? {}
      const length = JSON.stringify(observation).length
      return {
        steps,
        ...(length > LONGEST_OBSERVATION ? { observationCharacters: length } : { observation }),
        ...(server === null ? {} : { server }),
        ...(lost === undefined ? {} : { lost }),
      }
    },
  } satisfies World,
}

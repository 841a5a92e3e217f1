/** A server of OpenEnv that answers what a test says, or what a server of the package answered once. */
import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import type { Duplex } from "node:stream"
import { Effect } from "effect"
import * as WebSockets from "../../../src/platform/loopback/WebSockets.ts"
import type { JsonObject } from "../../../src/values/Json.ts"
import { inRepository } from "../../repository.ts"

export interface Message {
  readonly type: string
  readonly data?: JsonObject
}

/** One session: what it answers to a message, as JSON or as text; or what it does with the connection. */
export type Session = (message: Message) => JsonObject | string | ((socket: Duplex) => void)

export interface Given {
  readonly metadata?: unknown
  readonly schema?: unknown
  readonly session: () => Session
  /** Sent to a new connection before anything is asked. Ends it too. */
  readonly greeting?: string
}

/** Serves until the scope closes. `asked` has all messages, and `paths` all requests. */
export const serving = ({ metadata = { name: "sample" }, schema = NUMBERS, session, greeting }: Given) =>
  Effect.acquireRelease(
    Effect.async<{
      readonly url: string
      readonly host: string
      readonly asked: Array<Message>
      readonly open: Set<Duplex>
      readonly close: () => void
    }>((resume) => {
      const asked: Array<Message> = []
      const open = new Set<Duplex>()
      const server = http.createServer((request, response) => {
        const found = request.url === "/metadata" ? metadata : request.url === "/schema" ? schema : undefined
        response.writeHead(found === undefined ? 404 : 200, { "content-type": "application/json" })
        response.end(typeof found === "string" ? found : JSON.stringify(found ?? {}))
      })
      server.on("upgrade", (request, socket, head) => {
        if (request.url !== "/ws") return WebSockets.refuse(socket, "404 Not Found")
        open.add(socket)
        socket.once("close", () => open.delete(socket))
        const answer = session()
        const connection = WebSockets.accept(request, socket, head, {
          onText: (text) => {
            const message = JSON.parse(text)
            asked.push(message)
            const answered = answer(message)
            if (typeof answered === "function") answered(socket)
            else connection?.send(typeof answered === "string" ? answered : JSON.stringify(answered))
          },
          onEnd: () => {},
        })
        if (greeting === undefined) return
        connection?.send(greeting)
        connection?.close()
      })
      const close = () => {
        for (const socket of open) socket.destroy()
        server.closeAllConnections()
        server.close()
      }
      server.listen(0, "127.0.0.1", () => {
        const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
        resume(Effect.succeed({ url: `http://${host}`, host, asked, open, close }))
      })
    }),
    ({ close }) => Effect.sync(close),
  )

const integer = { type: "integer" }

/** One field each. */
export const NUMBERS = {
  action: { type: "object", properties: { by: { type: "integer", minimum: 0, maximum: 2 } }, required: ["by"] },
  observation: { type: "object", properties: { at: integer, done: { type: "boolean" }, reward: { type: "number" } } },
  state: {},
}

export const observation = (data: JsonObject): JsonObject => ({ type: "observation", data })

/** Counts to 5, from the seed's last digit. The state says how far it is, under a name of the session. */
export const counting =
  (changes: (message: Message, count: number) => ReturnType<Session> | undefined = () => undefined) =>
  (): Session => {
    let at = 0
    let steps = 0
    let id = ""
    return (message) => {
      const { type, data = {} } = message
      if (type === "reset") {
        at = Number(data.seed ?? 0) % 3
        steps = 0
        id = crypto.randomUUID()
      }
      if (type === "step") {
        at += Number(data.by)
        steps += 1
      }
      const changed = changes(message, steps)
      if (changed !== undefined) return changed
      if (type === "state") return { type: "state", data: { episode_id: id, step_count: steps, half: at / 2 } }
      return observation({ observation: { at }, reward: type === "reset" ? null : at, done: at >= 5 })
    }
  }

interface Recorded {
  readonly metadata: JsonObject
  readonly schema: JsonObject
  readonly atCapacity: string
  readonly session: ReadonlyArray<{ readonly send: string; readonly recv: string }>
}

/** The exchanges of a version of the package. */
export const recorded = (version: string): Recorded =>
  JSON.parse(fs.readFileSync(inRepository(`test/worlds/openenv/recorded-${version}.json`), "utf8"))

/** Answers as the package answered: to equal messages in their order, and about its state with the number of steps. */
export const replaying =
  ({ session }: Recorded) =>
  (): Session => {
    const used = new Set<number>()
    let steps = 0
    return (message) => {
      if (message.type === "reset") used.clear()
      if (message.type === "reset") steps = 0
      const find = (unused: boolean) =>
        session.findIndex(({ send }, index) => (!unused || !used.has(index)) && isSame(send, message))
      const place = [find(true), find(false)].find((found) => found >= 0)
      if (place === undefined) throw new Error(`expected a recorded message, found ${JSON.stringify(message)}`)
      used.add(place)
      const answer = JSON.parse(session[place]?.recv ?? "")
      if (message.type === "step" && answer.type === "observation") steps += 1
      return message.type === "state" ? { ...answer, data: { ...answer.data, step_count: steps } } : answer
    }
  }

const isSame = (send: string, message: Message): boolean => {
  try {
    return JSON.stringify(JSON.parse(send)) === JSON.stringify(message)
  } catch {
    return false
  }
}

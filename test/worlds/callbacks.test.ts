import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import * as Callbacks from "../../src/worlds/adapters/Callbacks.ts"
import * as PiaSE from "../../src/worlds/adapters/PiaSE.ts"
import { textRoom } from "../first-party/text-room/playing.ts"
import { environmentOn } from "./onKernel.ts"

const AGENT = "ada"

interface Received {
  readonly url: string | undefined
  readonly body: Readonly<Record<string, unknown>>
}

/** A subscriber on the loopback, which answers each request with the next status, and 200 after them. */
const subscriber = (statuses: ReadonlyArray<number>, most: number) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const received: Array<Received> = []
      let answered = 0
      let resolve = () => {}
      const all = new Promise<void>((done) => {
        resolve = done
      })
      const server = http.createServer((request, response) => {
        let text = ""
        request.setEncoding("utf8").on("data", (part: string) => {
          text += part
        })
        request.on("end", () => {
          received.push({ url: request.url, body: JSON.parse(text) })
          const status = statuses[answered++] ?? 200
          response.writeHead(status, status === 302 ? { location: "/elsewhere" } : {}).end("ok")
          if (received.length === most) resolve()
        })
      })
      await new Promise<void>((done) => {
        server.listen(0, "127.0.0.1", done)
      })
      const { port } = server.address() as AddressInfo
      return { received, all, base: `http://127.0.0.1:${port}`, server }
    }),
    ({ server }) =>
      Effect.promise(
        () =>
          new Promise<void>((done) => {
            server.closeAllConnections()
            server.close(() => done())
          }),
      ),
  )

const played = (options: PiaSE.PiaSEOptions) =>
  Effect.gen(function* () {
    const { environment } = yield* environmentOn({ plugins: [textRoom] }, { plugin: "text-room", agents: [AGENT] })
    const pia = yield* PiaSE.of(environment, options)
    yield* pia.reset_environment()
    return pia
  })

const go = (direction: string) => ({ action_type: "go", parameters: { direction } })

describe("subscribe_to_event with callbacks", () => {
  it.scopedLive("posts each event in order, and again after a failure", () =>
    Effect.gen(function* () {
      const { base, received, all } = yield* subscriber([503], 3)
      const pia = yield* played({ callbacks: [`${base}/events`] })
      yield* pia.subscribe_to_event(AGENT, "ActuatorCommanded", `${base}/events/ada?x=1`)
      yield* pia.submit_action(AGENT, go("north"))
      yield* pia.submit_action(AGENT, go("south"))
      yield* Effect.promise(() => all)
      expect(received.map(({ url, body }) => [url, body.event_type])).toEqual(
        Array.from({ length: 3 }, () => ["/events/ada?x=1", "ActuatorCommanded"]),
      )
      const [first, again, second] = received.map(({ body }) => body)
      expect(again).toEqual(first)
      expect(first).toMatchObject({
        event_data: { actuator: "text-room/go" },
        timestamp: expect.any(Number),
        task_id: expect.any(String),
      })
      expect(Number(second?.position)).toBeGreaterThan(Number(first?.position))
    }),
  )

  it.scopedLive("follows no redirect, and gives up", () =>
    Effect.gen(function* () {
      const { base, received } = yield* subscriber([302, 302, 302, 302], 99)
      const event = { type: "A", payload: {}, occurredAt: 1000, taskId: "t", position: 7 }
      const failed = yield* Effect.flip(
        Callbacks.post(`${base}/a`, event as unknown as Parameters<typeof Callbacks.post>[1]),
      )
      expect(failed).toMatchObject({ _tag: "NotDelivered", position: 7 })
      expect(received.map(({ url }) => url)).toEqual(Array.from({ length: 4 }, () => "/a"))
    }),
  )

  it.scopedLive("refuses a URL that the program does not list", () =>
    Effect.gen(function* () {
      const pia = yield* played({ callbacks: ["http://127.0.0.1:8000/events"] })
      for (const url of [
        "http://127.0.0.1:8001/events",
        "https://127.0.0.1:8000/events",
        "http://127.0.0.1:8000/eventsandmore",
        "http://127.0.0.1:8000/events/../admin",
        "http://127.0.0.1:8000/events/%2e%2e/admin",
        "http://user@127.0.0.1:8000/events",
        "http://127.0.0.1.example.org:8000/events",
        "http://169.254.169.254/events",
      ]) {
        const refused = yield* Effect.flip(pia.subscribe_to_event(AGENT, "SensorRead", url))
        expect([url, refused]).toEqual([url, expect.objectContaining({ _tag: "NotPublic", asked: url })])
      }
      const nowhere = yield* Effect.flip(pia.subscribe_to_event(AGENT, "SensorRead", "file:///etc/passwd"))
      expect(nowhere).toMatchObject({ _tag: "InvalidOptions" })
      expect(Callbacks.isAllowed("http://127.0.0.1:8000/events/a", ["http://127.0.0.1:8000/events"])).toBe(true)
      expect(Callbacks.isAllowed("http://127.0.0.1:8000/a", ["http://127.0.0.1:8000"])).toBe(true)
    }),
  )
})

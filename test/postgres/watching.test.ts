import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as net from "node:net"
import { Effect, type Scope } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { parse } from "yaml"
import { document, hindcast, start } from "../cli/hindcast.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { schema, sql, urlOf } from "./server.ts"

const place = workplace()
afterAll(place.remove)

/** An agent whose acts end once a file exists. */
const agent = place.file(
  "slow.mjs",
  `import * as fs from "node:fs"
export default {
  name: "desk",
  version: "1.0.0",
  decide: async ({ goal, step }) => {
    while (step === 1 && !fs.existsSync(goal)) await new Promise((resolve) => setTimeout(resolve, 20))
    return step < 2 ? { say: "at work" } : { done: "achieved" }
  },
}
`,
)

/** A proxy before the server that a test can stall: it then passes nothing on, and says nothing. */
const stalling = (url: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const to = new URL(url)
      const port = Number(to.port)
      let isStalled = false
      const sockets = new Set<net.Socket>()
      const proxy = net.createServer((client) => {
        const upstream = net.connect(port, to.hostname)
        for (const [from, other] of [
          [client, upstream],
          [upstream, client],
        ] as const) {
          sockets.add(from)
          from.on("error", () => {}).on("close", () => other.destroy())
          from.on("data", (bytes) => isStalled || other.write(bytes))
        }
      })
      await new Promise<void>((resolve) => {
        proxy.listen(0, "127.0.0.1", resolve)
      })
      to.port = String((proxy.address() as AddressInfo).port)
      const stall = () => {
        isStalled = true
      }
      const close = () => {
        for (const socket of sockets) socket.destroy()
        proxy.close()
      }
      return { url: to.href, stall, close }
    }),
    ({ close }) => Effect.sync(close),
  )

/** Starts a command with `--health`; answers where it is, once it serves. */
const watched = (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const { child, ended } = start([...args, "--health", "0"], { env })
      const url = await new Promise<string>((resolve, reject) => {
        let said = ""
        child.stderr.on("data", (piece: string) => {
          said += piece
          const found = /Health on (http:\S+)/.exec(said)?.[1]
          if (found !== undefined) resolve(found)
        })
        ended.then(({ stderr, stdout }) => reject(new Error(`${stdout}${stderr}`)))
      })
      const get = async (path: string) => {
        const answer = await fetch(`${url}${path}`)
        return { status: answer.status, text: await answer.text() }
      }
      return { child, ended, get }
    }),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL")),
  )

const running = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) => Effect.runPromise(Effect.scoped(effect))

/** The values of a scrape by name and labels. */
const valuesIn = (text: string): Map<string, number> =>
  new Map(
    text
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]),
  )

describe("a runner that is watched", () => {
  it("is ready while it works, counts what it does, and gives its task back when it is told to end", () =>
    running(
      Effect.gen(function* () {
        const log = yield* Effect.flatMap(schema, (name) => Effect.promise(() => urlOf(name)))
        const env = { HINDCAST_LOG: log }
        const done = place.file("done")
        const submit = ["task", "submit", "--agent", "desk", "--goal", done, "--id"]
        for (const id of ["t1", "t2"])
          expect(yield* Effect.promise(() => hindcast([...submit, id], { env }))).toMatchObject({ code: 0 })
        const args = ["runner", "start", "--agent", agent, "--gate", "allow", "--slots", "1", "--trust-log"]
        const runner = yield* watched(args, env)
        const get = (path: string) => Effect.promise(() => runner.get(path))
        expect(yield* get("/healthz")).toMatchObject({ status: 200 })
        expect(yield* get("/readyz")).toEqual({ status: 200, text: '{"ready":true}' })
        expect(yield* get("/else")).toMatchObject({ status: 404 })
        const until = (name: string, value: number) =>
          Effect.promise(() =>
            expect
              .poll(async () => valuesIn((await runner.get("/metrics")).text).get(name), { timeout: 20_000 })
              .toBe(value),
          )
        yield* until('hindcast_queue_tasks{state="running"}', 1)
        const values = valuesIn((yield* get("/metrics")).text)
        expect(values.get('hindcast_queue_tasks{state="waiting"}')).toBe(1)
        expect(values.get('hindcast_runners{state="working"}')).toBe(1)
        expect(values.get("hindcast_tasks_submitted_total")).toBe(2)
        expect(values.get("hindcast_queue_oldest_waiting_seconds")).toBeGreaterThan(0)
        expect(values.get("hindcast_follower_lag_events")).toBe(0)
        // The same numbers as the command's, apart from this process's own and ages.
        const { metrics } = yield* Effect.promise(() => document(["metrics"], { env }))
        const names = (metrics as ReadonlyArray<{ readonly name: string }>).map(({ name }) => name)
        expect([...new Set([...values.keys()].map((key) => key.replace(/\{.*/, "")))]).toEqual([
          ...names,
          "hindcast_follower_lag_events",
        ])
        runner.child.kill("SIGTERM")
        expect(yield* Effect.promise(() => runner.ended)).toMatchObject({ code: 130 })
        const after = yield* Effect.promise(() => hindcast(["metrics"], { env }))
        const left = valuesIn(after.stdout)
        expect(left.get('hindcast_queue_tasks{state="waiting"}')).toBe(2)
        expect(left.get('hindcast_runners{state="working"}')).toBe(0)
        expect(left.get("hindcast_takeovers_total")).toBe(0)
      }),
    ))

  it("says that its log fails or is silent, without a name of the server, and stays alive", () =>
    running(
      Effect.gen(function* () {
        const name = yield* schema
        const log = yield* Effect.promise(() => urlOf(name))
        const proxy = yield* stalling(log)
        const args = ["runner", "start", "--agent", agent, "--gate", "allow", "--trust-log"]
        const runner = yield* watched(args, { HINDCAST_LOG: proxy.url })
        yield* Effect.promise(() => sql(`ALTER SCHEMA ${name} RENAME TO ${name}_away`))
        expect(yield* Effect.promise(() => runner.get("/readyz"))).toEqual({
          status: 503,
          text: '{"ready":false,"reason":"the log does not answer (LogUnavailable)"}',
        })
        yield* Effect.promise(() => sql(`ALTER SCHEMA ${name}_away RENAME TO ${name}`))
        yield* Effect.sync(proxy.stall)
        expect(yield* Effect.promise(() => runner.get("/readyz"))).toEqual({
          status: 503,
          text: '{"ready":false,"reason":"the log does not answer"}',
        })
        expect(yield* Effect.promise(() => runner.get("/healthz"))).toMatchObject({ status: 200 })
      }),
    ))

  it("refuses an address that is none, before it works", async () => {
    const typed = ["runner", "start", "--agent", agent, "--log", place.file("none.db"), "--health", "nowhere"]
    const { code, stderr } = await hindcast(typed)
    expect(code).toBe(1)
    expect(stderr).toContain("expected PORT or HOST:PORT, such as 9464 or 0.0.0.0:9464")
  })
})

describe("hindcast metrics", () => {
  it("sends numbers to an OpenTelemetry receiver until it is interrupted", async () => {
    const log = place.file("sent.db")
    await hindcast(["task", "submit", "--agent", "desk", "--goal", "g", "--log", log])
    const received = new Promise<{ readonly path: string | undefined; readonly body: string }>((resolve) => {
      const receiver = http.createServer(async (request, response) => {
        let body = ""
        for await (const piece of request) body += piece
        response.end("{}")
        receiver.close()
        resolve({ path: request.url, body })
      })
      receiver.listen(0, "127.0.0.1", () => {
        const to = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
        const sending = start(["metrics", "--log", log, "--to", to])
        void sending.ended
        sender = sending
      })
    })
    let sender: ReturnType<typeof start> | undefined
    const { path, body } = await received
    expect(path).toBe("/v1/metrics")
    const [{ scopeMetrics }] = JSON.parse(body).resourceMetrics
    const sent = new Map(
      scopeMetrics[0].metrics.map((one: { readonly name: string; readonly sum?: object; readonly gauge?: object }) => [
        one.name,
        one,
      ]),
    )
    expect(sent.get("hindcast_tasks_submitted_total")).toMatchObject({
      sum: { isMonotonic: true, aggregationTemporality: 2, dataPoints: [{ asDouble: 1 }] },
    })
    expect(sent.get("hindcast_confirmations_waiting")).toMatchObject({ gauge: { dataPoints: [{ asDouble: 0 }] } })
    sender?.child.kill("SIGINT")
    expect((await sender?.ended)?.stderr).toBe("")
  })

  it("has every metric that the alert rules name", async () => {
    const rules = parse(fs.readFileSync(inRepository("deploy", "alerts.yaml"), "utf8"))
    const expressions: ReadonlyArray<string> = rules.groups.flatMap(
      ({ rules }: { readonly rules: ReadonlyArray<{ readonly expr: string }> }) => rules.map(({ expr }) => expr),
    )
    const named = new Set(expressions.flatMap((expr) => expr.match(/hindcast_\w+/g) ?? []))
    expect(named.size).toBeGreaterThan(5)
    const log = place.file("named.db")
    await hindcast(["task", "submit", "--agent", "desk", "--goal", "g", "--log", log])
    const { metrics } = await document(["metrics", "--log", log])
    const known = new Set((metrics as ReadonlyArray<{ readonly name: string }>).map(({ name }) => name))
    expect([...named].filter((name) => !known.has(name) && name !== "hindcast_follower_lag_events")).toEqual([])
    // In PromQL, `and` and `or` join samples with the same labels: a sum has none, and a metric itself has some.
    const joined = expressions.filter((expr) => / (?:and|or) /.test(expr))
    expect(joined.length).toBeGreaterThan(1)
    const aggregated = /\b(?:sum|max|absent)\(hindcast_\w+(?:\{[^}]*\})?\)/g
    for (const expr of joined)
      expect(/^increase\(/.test(expr) ? "" : expr.replaceAll(aggregated, "")).not.toContain("hindcast_")
  })
})

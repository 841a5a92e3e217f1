import * as fs from "node:fs"
import * as http from "node:http"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { afterAll, describe, expect, it } from "vitest"
import { inRepository } from "../repository.ts"
import { request, weather } from "../telemetry/receiving.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast, listed, start } from "./hindcast.ts"

const place = workplace()
const servers: Array<http.Server> = []
afterAll(() => {
  for (const server of servers) server.closeAllConnections()
  place.remove()
})

interface SentSpan {
  readonly traceId: string
  readonly spanId: string
  readonly attributes: ReadonlyArray<{ readonly key: string; readonly value: object }>
}

interface Taken {
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
  readonly spans: ReadonlyArray<SentSpan>
}

type Answer = (taken: Taken, response: http.ServerResponse) => void

const taken: Answer = (_, response) => response.writeHead(200).end("{}")

/** A receiver in this process, which keeps what it was sent. */
const receiver = async (answer: (count: number) => Answer | undefined = () => undefined) => {
  const requests: Array<Taken> = []
  const server = http.createServer(async (incoming, response) => {
    const pieces: Array<Buffer> = []
    for await (const piece of incoming) pieces.push(piece)
    const text = Buffer.concat(pieces).toString()
    const spans = JSON.parse(text).resourceSpans[0].scopeSpans[0].spans
    const one = { headers: incoming.headers, text, spans }
    requests.push(one)
    ;(answer(requests.length) ?? taken)(one, response)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const idsOf = (requests: ReadonlyArray<Taken>): ReadonlyArray<string> =>
  requests.flatMap(({ spans }) => spans.map(({ traceId, spanId }) => `${traceId}/${spanId}`))

const live = (log: string, to: string, env: NodeJS.ProcessEnv = {}) =>
  start(["export", "live", "--log", log, "--to", to, "--json"], { env })

/** Resolves when a process has printed something that matches. */
const printed = ({ child, ended }: ReturnType<typeof live>, what: RegExp) =>
  new Promise<void>((resolve, reject) => {
    let text = ""
    const take = (piece: string) => {
      text += piece
      if (what.test(text)) resolve()
    }
    child.stdout.on("data", take)
    child.stderr.on("data", take)
    void ended.then(({ stderr }) => reject(new Error(`it ended: ${stderr}`)))
  })

const session = (name: string) => inRepository("test", "importing", "sessions", name)

const imported = async (log: string, ...names: ReadonlyArray<string>) => {
  const { code, stderr } = await hindcast(["import", ...names.map(session), "--log", log])
  expect({ code, stderr }).toMatchObject({ code: 0 })
}

/** The ids that the export to a file has. */
const idsInFile = async (log: string): Promise<ReadonlyArray<string>> => {
  const file = place.file(`${Math.random()}.jsonl`)
  expect((await hindcast(["export", "otlp", "--log", log, "--output", file])).code).toBe(0)
  const lines = fs.readFileSync(file, "utf8").trim().split("\n")
  return lines.flatMap((line) =>
    JSON.parse(line).resourceSpans[0].scopeSpans[0].spans.map(
      ({ traceId, spanId }: SentSpan) => `${traceId}/${spanId}`,
    ),
  )
}

const CLAUDE = "1-tools-deny-subagent.jsonl"
const CODEX = "codex-session-simple.jsonl"

describe("hindcast export live", () => {
  it("sends each span once: of what was there, of what comes, and over a kill and a restart", async () => {
    const log = place.file("once.db")
    await imported(log, CLAUDE)
    const { url, requests } = await receiver()
    const first = live(log, url, { OTEL_EXPORTER_OTLP_HEADERS: "x-key=a%20b,x-other=c" })
    await printed(first, /"sent"/)
    await imported(log, CODEX)
    await printed(first, /"sent"/)
    first.child.kill("SIGKILL")
    await first.ended
    await imported(log, "gemini-session-simple.jsonl")
    const second = live(log, url)
    await printed(second, /"sent"/)
    second.child.kill("SIGINT")
    await second.ended
    const ids = idsOf(requests)
    expect(ids.length).toBe(new Set(ids).size)
    expect(ids.length).toBeGreaterThan(10)
    // A file also has spans that are still open.
    const inFile = await idsInFile(log)
    expect(ids.filter((id) => !inFile.includes(id))).toEqual([])
    expect(requests[0]?.headers).toMatchObject({ "x-key": "a b", "x-other": "c", via: /^1\.1 hindcast-log-/ })
  }, 90_000)

  it("sends the same ids again if it was killed before it saw the answer", async () => {
    const log = place.file("killed.db")
    await imported(log, CLAUDE)
    let kill = () => {}
    const { url, requests } = await receiver((count) => (count === 1 ? () => kill() : undefined))
    const first = live(log, url)
    kill = () => void first.child.kill("SIGKILL")
    await first.ended
    const second = live(log, url)
    await printed(second, /"sent"/)
    second.child.kill("SIGINT")
    await second.ended
    expect(idsOf(requests.slice(1, 2))).toEqual(idsOf(requests.slice(0, 1)))
  }, 60_000)

  it("tries again after 429, 503 and a cut connection", async () => {
    const log = place.file("busy.db")
    await imported(log, CODEX)
    const answers: ReadonlyArray<Answer> = [
      (_, response) => response.writeHead(429, { "retry-after": "0" }).end(),
      (_, response) => response.writeHead(503).end(),
      (_, response) => response.destroy(),
    ]
    const { url, requests } = await receiver((count) => answers[count - 1])
    const one = live(log, url)
    await printed(one, /"sent"/)
    one.child.kill("SIGINT")
    expect((await one.ended).stderr).toMatch(/answered with 429.*again/)
    expect(requests.length).toBe(4)
    expect(new Set(requests.map(({ text }) => text)).size).toBe(1)
  }, 60_000)

  it("waits until the date that a receiver names, also one that has passed", async () => {
    const log = place.file("date.db")
    await imported(log, CODEX)
    const at: Array<number> = []
    const inMs = [4_000, -60_000]
    const { url, requests } = await receiver((count) => {
      at.push(Date.now())
      const ms = inMs[count - 1]
      if (ms === undefined) return undefined
      const date = new Date(Date.now() + ms).toUTCString()
      return (_, response) => response.writeHead(503, { "retry-after": date }).end()
    })
    const one = live(log, url)
    await printed(one, /"sent"/)
    one.child.kill("SIGINT")
    await one.ended
    expect(requests.length).toBe(3)
    // A date has whole seconds.
    expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThan(2_900)
  }, 60_000)

  it("gives up on a receiver that never answers, holds one request for it, and ends when it is told to", async () => {
    const log = place.file("silent.db")
    await imported(log, CODEX)
    const open = new Set<Socket>()
    const seen = { connections: 0, most: 0 }
    const silent = createServer((socket) => {
      open.add(socket)
      seen.connections += 1
      seen.most = Math.max(seen.most, open.size)
      socket.on("error", () => {}).on("close", () => open.delete(socket))
      socket.resume()
    })
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve))
    try {
      const one = live(log, `http://127.0.0.1:${(silent.address() as AddressInfo).port}`)
      await Promise.all([printed(one, /no answer within 10 s.*sent again/), imported(log, CLAUDE)])
      await expect.poll(() => seen.connections, { timeout: 20_000 }).toBeGreaterThan(1)
      one.child.kill("SIGTERM")
      const { code, stdout } = await one.ended
      expect(code).toBe(130)
      expect(stdout).not.toMatch(/"sent"/)
      expect(seen.most).toBe(1)
    } finally {
      for (const socket of open) socket.destroy()
      silent.close()
    }
  }, 90_000)

  it("leaves out the one span that a receiver refuses, says so, and sends the others", async () => {
    const log = place.file("poison.db")
    await imported(log, CLAUDE)
    const all = await idsInFile(log)
    const poison = all[3]?.split("/")[1] ?? ""
    const { url, requests } = await receiver(() => ({ text }, response) => {
      response.writeHead(text.includes(`"spanId":"${poison}"`) ? 400 : 200).end("{}")
    })
    const one = live(log, url)
    await printed(one, /"sent"/)
    one.child.kill("SIGINT")
    expect((await one.ended).stderr).toMatch(/400 to a span, which is left out/)
    const accepted = idsOf(requests.filter(({ text }) => !text.includes(poison)))
    expect(accepted.length).toBe(new Set(accepted).size)
    expect(accepted.length).toBeGreaterThan(3)
  }, 60_000)

  it("ends with an error where nothing listens to spans, for a wrong address, and a position of another log", async () => {
    const log = place.file("wrong.db")
    await imported(log, CODEX)
    const { url } = await receiver(() => (_, response) => response.writeHead(404).end())
    const refused = await live(log, url).ended
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toMatch(/answered with 404.*--to/s)
    for (const to of ["ftp://example.com", "http://ada:geheim@example.com"]) {
      const { code, stderr } = await hindcast(["export", "live", "--log", log, "--to", to])
      expect(code).toBe(1)
      expect(stderr).not.toContain("geheim")
    }
    const working = await receiver()
    const one = live(log, working.url)
    await printed(one, /"sent"/)
    one.child.kill("SIGINT")
    await one.ended
    const file = fs.readdirSync(place.file(".")).find((name) => /^wrong\.db-export-[0-9a-f]{12}$/.test(name)) ?? ""
    fs.writeFileSync(place.file(file), JSON.stringify({ position: 2, event: "another" }))
    const other = await live(log, working.url).ended
    expect(other.stderr).toMatch(/a position of another log/)
    fs.writeFileSync(place.file(file), "{")
    expect((await live(log, working.url).ended).code).not.toBe(0)
  }, 60_000)

  it("gives `listen` the same tools, model calls and costs, and sends nothing back that came as spans", async () => {
    const [from, to] = [place.file("from.db"), place.file("to.db")]
    await imported(from, CLAUDE)
    const listening = start(["listen", "--log", to, "--port", "0", "--json"])
    const url = await new Promise<string>((resolve) => {
      listening.child.stdout.on("data", (piece: string) => {
        const found = /"url": ?"([^"]+)"/.exec(piece)?.[1]
        if (found !== undefined) resolve(found)
      })
    })
    const one = live(from, url)
    await printed(one, /"sent"/)
    one.child.kill("SIGINT")
    await one.ended
    await fetch(`${url}/v1/traces`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(request(weather())),
    })
    listening.child.kill("SIGINT")
    await listening.ended
    expect(await summary(to, (taskId) => !taskId.includes("5b8efff798"))).toEqual(await summary(from, () => true))
    // Only spans made these tasks, so nothing is sent on.
    const { url: third, requests } = await receiver()
    await imported(to, CODEX)
    const back = live(to, third)
    await printed(back, /"sent"/)
    back.child.kill("SIGINT")
    await back.ended
    const tools = await document(["task", "ls", "--log", to])
    expect(JSON.stringify(tools)).toContain("otlp-")
    expect(requests.every(({ text }) => !text.includes('"stringValue":"otlp-'))).toBe(true)
  }, 90_000)

  it("is refused by a receiver that records to the same log", async () => {
    const log = place.file("circle.db")
    await imported(log, CODEX)
    const listening = start(["listen", "--log", log, "--port", "0", "--json"])
    const url = await new Promise<string>((resolve) => {
      listening.child.stdout.on("data", (piece: string) => {
        const found = /"url": ?"([^"]+)"/.exec(piece)?.[1]
        if (found !== undefined) resolve(found)
      })
    })
    const { code, stderr } = await live(log, url).ended
    listening.child.kill("SIGINT")
    await listening.ended
    expect(code).not.toBe(0)
    expect(stderr).toMatch(
      /answered with 409 \(Expected the spans of other programs, found spans that this log exports/,
    )
    expect(JSON.stringify(await document(["task", "ls", "--log", log]))).not.toContain("otlp-")
  }, 60_000)
})

/** The tools that were called, and the models that answered with their tokens and costs. */
const summary = async (log: string, isIncluded: (taskId: string) => boolean) => {
  const of = async (type: string) =>
    (await listed(["--log", log, "--type", type, "--limit", "10000"])).filter(({ taskId }) =>
      isIncluded(String(taskId)),
    ) as unknown as ReadonlyArray<{ readonly payload: Readonly<Record<string, unknown>> }>
  const usd = (await of("ModelResponded")).map(({ payload }) => (payload.cost as { usd?: number } | undefined)?.usd)
  return {
    tools: (await of("ActuatorCommanded")).map(({ payload }) => String(payload.actuator).replace(/^otlp\//, "")).sort(),
    models: (await of("ModelCalled")).map(({ payload }) => payload.model).sort(),
    usd: usd.reduce<number>((sum, one) => sum + (one ?? 0), 0).toFixed(6),
  }
}

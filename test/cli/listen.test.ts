import * as fs from "node:fs"
import * as net from "node:net"
import * as path from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { request, weather } from "../telemetry/receiving.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast, listed, start } from "./hindcast.ts"

const place = workplace()
afterAll(place.remove)

/** A receiver that listens, as it says. */
const listening = async (log: string, ...more: ReadonlyArray<string>) => {
  const { child, ended } = start(["listen", "--log", log, "--port", "0", "--json", ...more])
  const url = await new Promise<string>((resolve, reject) => {
    let text = ""
    child.stdout.on("data", (piece: string) => {
      text += piece
      const told = /"url": ?"([^"]+)"/.exec(text)?.[1]
      if (told !== undefined) resolve(told)
    })
    ended.then(({ stderr }) => reject(new Error(stderr)))
  })
  const send = (body: object, headers: Record<string, string> = {}) =>
    fetch(`${url}/v1/traces`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    })
  return { child, ended, send }
}

const traceOf = (index: number): string => (index + 1).toString(16).padStart(32, "a")

describe("hindcast listen", () => {
  it("loses nothing that it acknowledged, wherever it is killed, and records nothing twice", async () => {
    const log = place.file("agents.db")
    const acknowledged = new Set<string>()
    let next = 0
    for (let round = 0; round < 3; round++) {
      const { child, ended, send } = await listening(log)
      const sending = Promise.all(
        Array.from({ length: 4 }, async () => {
          for (let sent = 0; sent < 1_000; sent++) {
            // Each trace goes out twice over the rounds, in two requests.
            const trace = traceOf(next++ % 200)
            try {
              const [first, ...others] = weather(trace)
              const answers = [await send(request([first ?? {}])), await send(request(others))]
              if (answers.every(({ status }) => status === 200)) acknowledged.add(trace)
            } catch {
              return
            }
          }
        }),
      )
      const enough = 40 * (round + 1)
      await expect.poll(() => next, { timeout: 30_000, interval: 5 }).toBeGreaterThan(enough)
      child.kill("SIGKILL")
      await Promise.all([sending, ended])
    }
    expect(acknowledged.size).toBeGreaterThan(20)
    const last = await listening(log)
    last.child.kill("SIGINT")
    const { stderr } = await last.ended
    expect(stderr).not.toMatch(/not in the log yet/)
    const { tasks } = (await document(["task", "ls", "--log", log, "--limit", "1000"])) as {
      readonly tasks: ReadonlyArray<{ readonly id: string }>
    }
    const found = new Set(tasks.map(({ id }) => id.replace("otlp-", "")))
    expect([...acknowledged].filter((trace) => !found.has(trace))).toEqual([])
    const answered = await listed(["--log", log, "--type", "ModelResponded", "--limit", "10000"])
    const whole = tasks.length
    expect(answered.length).toBeLessThanOrEqual(2 * whole)
    expect(answered.length).toBeGreaterThanOrEqual(2 * acknowledged.size)
    expect((await hindcast(["log", "verify", "--log", log])).code).toBe(0)
  }, 120_000)

  it("refuses an address beyond this machine without a token, and a second receiver of one log", async () => {
    const log = place.file("taken.db", "")
    const open = await hindcast(["listen", "--log", log, "--host", "0.0.0.0", "--json"])
    expect([open.code, JSON.parse(open.stderr).error.message]).toEqual([1, expect.stringContaining("--token FILE")])
    const short = place.file("short.token", "abc\n")
    const weak = await hindcast(["listen", "--log", log, "--token", short])
    expect([weak.code, weak.stderr]).toEqual([1, expect.stringContaining("16 to 512 characters")])
    const first = await listening(log)
    fs.symlinkSync(log, place.file("link.db"))
    for (const name of [log, place.file("link.db")]) {
      const second = await start(["listen", "--log", name, "--port", "0"]).ended
      expect([second.code, second.stderr]).toEqual([1, expect.stringContaining("receives for this log")])
    }
    first.child.kill("SIGINT")
    await first.ended
    const wrong = await hindcast(["listen", "--log", log, "--forward", "ftp://example.com"])
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("http://127.0.0.1:4319")])
    const shown = await hindcast(["listen", "--log", log, "--forward", "https://ada:geheim@example.com"])
    expect([shown.code, shown.stderr]).toEqual([1, expect.stringContaining("without a user")])
    expect(shown.stderr).not.toContain("geheim")
  })

  it("sends nobody to a port that another program has, and says which", async () => {
    const stranger = net.createServer((socket) => socket.destroy())
    await new Promise<void>((resolve) => stranger.listen(0, "127.0.0.1", resolve))
    const { port } = stranger.address() as net.AddressInfo
    try {
      const { code, stdout, stderr } = await start(["listen", "--log", place.file("port.db"), "--port", String(port)])
        .ended
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
      expect(stderr).toContain(String(port))
    } finally {
      stranger.close()
    }
  })

  it("shows its token nowhere: not in its command line, its output, its log or its inbox", async () => {
    const token = "a-token-of-32-characters-or-more"
    const log = place.file("token.db")
    const receiver = await listening(log, "--token", place.file("own.token", `${token}\n`))
    const body = request(weather(traceOf(900)))
    expect((await receiver.send(body)).status).toBe(401)
    expect((await receiver.send(body, { authorization: `Bearer ${token}` })).status).toBe(200)
    const commandLine = `/proc/${receiver.child.pid}/cmdline`
    if (fs.existsSync(commandLine)) expect(fs.readFileSync(commandLine, "utf8")).not.toContain(token)
    receiver.child.kill("SIGINT")
    const { stdout, stderr } = await receiver.ended
    expect(stdout + stderr).not.toContain(token)
    const files = fs.readdirSync(path.dirname(log)).filter((name) => name.startsWith("token.db"))
    expect(files).toContain("token.db")
    for (const name of files)
      expect(fs.readFileSync(path.join(path.dirname(log), name), "latin1"), name).not.toContain(token)
  })
})

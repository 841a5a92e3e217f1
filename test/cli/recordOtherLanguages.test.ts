import { once } from "node:events"
import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { workplace } from "../workplace.ts"
import { document, listed, start } from "./hindcast.ts"

/**
 * For the proxy, a program of Node is one in any language: nothing of Hindcast is loaded into it. This one asks a model, and then does what
 * its arguments say.
 */
const place = workplace()
const agent = place.file(
  "agent.mjs",
  `import dgram from "node:dgram"
import dns from "node:dns"
import fs from "node:fs"
import net from "node:net"
import { spawn } from "node:child_process"
const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "hello" }] })
await (await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", { method: "POST", body, headers: { "content-type": "application/json" } })).text()
for (const what of process.argv.slice(2)) {
  if (what === "look") await dns.promises.lookup("Telemetry.example").catch(() => {})
  if (what === "connect") await new Promise((end) => net.connect(80, "203.0.113.9").on("error", end))
  if (what === "probe") {
    const socket = dgram.createSocket("udp4")
    await new Promise((end) => socket.connect(53, "203.0.113.9", end))
    socket.close()
  }
  if (what === "fail") {
    const text = "x".repeat(300_000) + "\\n\\u001b[31mstep 1\\r\\nstep 2\\n" + "y".repeat(500) + "\\n"
    await new Promise((written) => process.stderr.write(text, written))
    fs.appendFileSync("/dev/stderr", "no account for " + process.env.MY_API_KEY + "\\n\\n")
    process.exit(3)
  }
  if (what === "leave") {
    spawn("sh", ["-c", "while [ ! -e '" + process.env.GO + "' ]; do sleep 0.05; done; echo later >&2 && echo written > '" + process.env.GO + "'"], { stdio: ["ignore", "ignore", "inherit"], detached: true }).unref()
    process.exit(4)
  }
}
`,
)
const model = http.createServer((_, response) => response.end('{"choices":[]}'))
let env: Record<string, string> = {}
beforeAll(async () => {
  await new Promise<void>((resolve) => model.listen(0, "127.0.0.1", resolve))
  const { port } = model.address() as AddressInfo
  env = { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, MY_API_KEY: "sk-very-secret-key", GO: place.file("go") }
})
afterAll(async () => {
  model.close()
  await place.remove()
})

const recorded = async (name: string, ...args: ReadonlyArray<string>) => {
  const log = place.file(`${name}.db`)
  const ended = await start(["record", "--proxy", "--log", log, "--", process.execPath, agent, ...args], { env }).ended
  const [closed] = await listed(["--type", "TaskClosed", "--log", log])
  const { tasks } = await document(["task", "ls", "--log", log])
  const [{ id }] = tasks as [{ id: string }]
  const replay = (...again: ReadonlyArray<string>) =>
    start(["replay", id, "--log", log, "--", process.execPath, agent, ...again], { env }).ended
  return { ended, reason: String(Object(closed?.payload).reason), replay }
}

describe("a program in another language", () => {
  it("that fails leaves the end of its error output in the log, without keys, and passes on all of it", async () => {
    const { ended, reason, replay } = await recorded("failed", "fail")
    expect(ended.code).toBe(3)
    expect(ended.stderr).toContain(
      `${"x".repeat(300_000)}\n\u001b[31mstep 1\r\nstep 2\n${"y".repeat(500)}\nno account for sk-very-secret-key\n\n`,
    )
    expect(reason).toMatch(
      /^its process exited with 3\. The end of its error output:\nx{200}…\nstep 1\nstep 2\ny{200}…\nno account for \[/,
    )
    expect(reason.length).toBeLessThan(700)
    expect(reason).not.toContain("sk-very-secret-key")
    expect(await replay("fail")).toMatchObject({ code: 3, stderr: expect.stringContaining("repeated task") })
  })

  it("that ends otherwise in a replay says so with the end of its error output", async () => {
    const { ended, reason, replay } = await recorded("well")
    expect(ended.code).toBe(0)
    expect(reason).toBe("its process exited with 0")
    const { code, stderr } = await replay("fail")
    expect(code).toBe(2)
    expect(stderr).toMatch(
      /found one that exits with 3\. The end of its error output:\s+x{200}…\s+step 1\s+step 2\s+y{200}…\s+no account for \[/,
    )
  })

  it("may leave a process behind, which still has its error output", async () => {
    const log = place.file("left.db")
    const running = start(["record", "--proxy", "--log", log, "--", process.execPath, agent, "leave"], { env })
    expect(await once(running.child, "exit")).toEqual([4, null])
    const [closed] = await listed(["--type", "TaskClosed", "--log", log])
    expect(closed?.payload).toMatchObject({ reason: "its process exited with 4" })
    fs.writeFileSync(String(env.GO), "")
    const { stderr } = await running.ended
    expect(stderr).toMatch(/later\n$/)
    expect(fs.readFileSync(String(env.GO), "utf8")).toBe("written\n")
  })

  it("is named with the names and addresses that it tries in a replay, or they are counted", async () => {
    const { replay } = await recorded("closed")
    const looked = await replay("look")
    if (looked.stderr.includes("The program keeps its network access: ")) return
    const tried = await replay("connect", "connect")
    if (tried.code === 0) {
      // Without strace, or where it may not be used.
      expect(tried.stderr).toMatch(
        /refused 2 attempts to reach an address outside of it\. Which address cannot be said/,
      )
    } else {
      expect(tried.code).toBe(2)
      expect(tried.stderr).toMatch(/^ *a connection to 203\.0\.113\.9:80, 2 times, at .*(node|process \d+)/m)
      expect(tried.stderr).not.toContain("refused")
      const probing = await replay("probe")
      expect(probing.code).toBe(0)
      expect(probing.stderr).toMatch(/refused 1 attempt to reach .* They sent nothing/)
    }
    if (looked.code === 0) {
      // Without bubblewrap, names stay unknown.
      expect(looked.stderr).toMatch(/refused \d+ attempts? to reach an address/)
      return
    }
    expect(looked.code).toBe(2)
    expect(looked.stderr).toMatch(/^ *a lookup of the name telemetry\.example$/m)
    expect(looked.stderr).not.toContain("refused")
  })
})

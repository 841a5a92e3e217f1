import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { PYTHON } from "../python/interpreter.ts"
import { workplace } from "../workplace.ts"
import { document, start } from "./hindcast.ts"

const place = workplace()
const log = place.file("closed.db")

let reached = 0
const outside = http.createServer((_, response) => response.end("here"))
let port = ""
beforeAll(async () => {
  outside.on("connection", () => {
    reached += 1
  })
  await new Promise<void>((resolve) => outside.listen(0, "127.0.0.1", resolve))
  port = String((outside.address() as AddressInfo).port)
})
afterAll(async () => {
  outside.close()
  await place.remove()
})

describe("a replayed program of another language", () => {
  it("has a network of only the loopback, with what answers it and what is allowed, or says that it has not", async () => {
    const agent = place.file(
      "agent.py",
      `import json, os, socket, urllib.request
body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "hello"}]}).encode()
request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body, {"content-type": "application/json"})
answer = urllib.request.urlopen(request).read().decode()
try:
    socket.create_connection(("127.0.0.1", int(os.environ["PORT"])), 5).close()
    print(answer, "out")
except OSError:
    print(answer, "closed")
`,
    )
    const program = ["--log", log, "--", PYTHON, agent]
    const env = { PORT: port, OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` }
    const recorded = await start(["record", "--proxy", ...program], { env }).ended
    expect(recorded).toMatchObject({ code: 0, stdout: "here out\n" })
    const { tasks } = await document(["task", "ls", "--log", log])
    const [{ id }] = tasks as [{ id: string }]
    reached = 0
    const replayed = await start(["replay", id, ...program], { env }).ended
    const isOpen = replayed.stderr.includes("The program keeps its network access: ")
    expect(replayed).toMatchObject({ code: isOpen ? 0 : 2, stdout: isOpen ? "here out\n" : "here closed\n" })
    if (!isOpen)
      expect(replayed.stderr).toMatch(new RegExp(`a connection to 127.0.0.1:${port}, at <module> \\(.*agent\\.py:6\\)`))
    expect(reached).toBe(isOpen ? 1 : 0)
    const allowed = ["replay", id, "--allow-host", `localhost:${port}`, ...program]
    expect(await start(allowed, { env }).ended).toMatchObject({ code: 0, stdout: "here out\n" })
  })

  it("says where it tried to reach the network, and counts neither its own server nor its own sitecustomize", async () => {
    const own = place.file("own")
    fs.mkdirSync(own)
    fs.writeFileSync(`${own}/sitecustomize.py`, "import builtins\nbuiltins.greeting = 'hello'\n")
    const agent = place.file(
      "trying.py",
      `import json, os, socket, sys, threading, time, urllib.request
body = json.dumps({"model": "m", "messages": [{"role": "user", "content": greeting}]}).encode()
request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body, {"content-type": "application/json"})
urllib.request.urlopen(request).read()
def tried(does):
    try:
        does()
        return "out"
    except OSError:
        return "closed"
def to_itself():
    taken = socket.socket()
    taken.bind(("127.0.0.1", 0))
    port = taken.getsockname()[1]
    first = tried(lambda: socket.create_connection(("127.0.0.1", port), 5))
    taken.listen()
    # Its server is there for a while.
    time.sleep(0.5)
    return [first, tried(lambda: socket.create_connection(("127.0.0.1", port), 5))]
def away():
    return [
        tried(lambda: urllib.request.urlopen("https://telemetry.example:8443/", timeout=5)),
        tried(lambda: socket.create_connection(("203.0.113.9", 80), 5)),
        tried(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"hello", ("203.0.113.9", 53))),
        tried(lambda: socket.gethostbyname("model.example")),
    ]
print(json.dumps({"own": to_itself(), "away": away() if len(sys.argv) > 1 else []}))
`,
    )
    const program = ["--log", log, "--", PYTHON, agent]
    const env = { PYTHONPATH: own, OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` }
    expect(await start(["record", "--proxy", ...program], { env }).ended).toMatchObject({ code: 0 })
    const { tasks } = await document(["task", "ls", "--log", log])
    const id = String(
      (tasks as ReadonlyArray<{ id: string; goal: string }>).find(({ goal }) => /trying/.test(goal))?.id,
    )
    const same = await start(["replay", id, ...program], { env }).ended
    expect(same).toMatchObject({ code: 0, stderr: expect.stringContaining("repeated task") })
    if (same.stderr.includes("The program keeps its network access: ")) return
    const { code, stdout, stderr } = await start(["replay", id, ...program, "away"], { env }).ended
    expect({ code, said: JSON.parse(stdout) }).toEqual({
      code: 2,
      said: { own: ["closed", "out"], away: ["closed", "closed", "closed", "closed"] },
    })
    expect(stderr).toMatch(/a connection to telemetry\.example:8443, at <lambda> \(.*trying\.py:22\)/)
    expect(stderr).toMatch(/a connection to 203\.0\.113\.9:80, at <lambda> \(.*trying\.py:23\)/)
    expect(stderr).toMatch(/a datagram to 203\.0\.113\.9:53, at <lambda> \(.*trying\.py:24\)/)
    expect(stderr).toMatch(/a lookup of the name model\.example, at <lambda> \(.*trying\.py:25\)/)
    expect(stderr).not.toContain("a connection to 127.0.0.1")
  })
})

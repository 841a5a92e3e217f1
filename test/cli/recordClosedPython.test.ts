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
    expect(replayed).toMatchObject({ code: 0, stdout: isOpen ? "here out\n" : "here closed\n" })
    expect(reached).toBe(isOpen ? 1 : 0)
    const allowed = ["replay", id, "--allow-host", `localhost:${port}`, ...program]
    expect(await start(allowed, { env }).ended).toMatchObject({ code: 0, stdout: "here out\n" })
  })
})

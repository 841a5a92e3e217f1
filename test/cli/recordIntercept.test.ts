import * as fs from "node:fs"
import * as http from "node:http"
import * as https from "node:https"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Authority from "../../src/record/proxy/Authority.ts"
import { python } from "../python/environment.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { document, listed, start } from "./hindcast.ts"

const place = workplace()
const log = place.file("intercepted.db")
const asked: Array<string> = []

/** A model and another server at an address that clients are often told to keep from proxies. */
const HOST = "127.0.0.1"
let server: https.Server
/** Another server, without TLS. */
const OTHER = "127.0.0.1"
const other = http.createServer((request, response) => {
  asked.push(String(request.url))
  response.end('{"taken": 7}')
})
let env: NodeJS.ProcessEnv = {}
let address = ""
let otherAddress = ""

beforeAll(async () => {
  const authority = await Authority.make()
  const roots = place.file("roots.pem", authority.certificate)
  server = https.createServer(authority.certified(HOST), (request, response) => {
    asked.push(String(request.url))
    response.setHeader("content-type", "application/json")
    const message = { role: "assistant", content: "hello yourself" }
    response.end(
      JSON.stringify(
        request.url === "/telemetry"
          ? { taken: 7 }
          : {
              id: "1",
              object: "chat.completion",
              created: 1,
              model: "m",
              choices: [{ index: 0, message, finish_reason: "stop" }],
            },
      ),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve))
  await new Promise<void>((resolve) => other.listen(0, OTHER, resolve))
  otherAddress = `${OTHER}:${(other.address() as AddressInfo).port}`
  address = `${HOST}:${(server.address() as AddressInfo).port}`
  env = { SSL_CERT_FILE: roots, NO_PROXY: "localhost,127.0.0.1", no_proxy: "127.0.0.1" }
})
afterAll(async () => {
  server.close()
  other.close()
  await place.remove()
})

const run = (args: ReadonlyArray<string>) =>
  start(
    [...args, "--log", log, "--", python("light"), inRepository("test/python/intercepted.py"), address, otherAddress],
    { env },
  ).ended

describe("hindcast record --intercept -- python agent.py", () => {
  it("records models and other servers without a variable, names the others, and replays both from the log", async () => {
    const recorded = await run(["record", "--intercept"])
    expect(recorded).toMatchObject({ code: 0, stdout: "hello yourself 7\n" })
    expect(recorded.stderr).toContain("Recorded 1 model request and 1 other request")
    expect(recorded.stderr).toContain(`Other servers contacted: ${otherAddress} (1 request).`)
    expect(asked.splice(0)).toEqual(["/v1/chat/completions", "/telemetry"])
    const { tasks } = (await document(["task", "ls", "--log", log])) as {
      tasks: ReadonlyArray<{ readonly id: string }>
    }
    const types = (await listed(["--log", log])).map(({ type }) => type)
    expect(types).toEqual(expect.arrayContaining(["ModelCalled", "IoCalled"]))
    const written = [log, `${log}-wal`]
      .filter((file) => fs.existsSync(file))
      .map((file) => fs.readFileSync(file, "latin1"))
    expect(written.join("")).not.toContain("that-nobody-may-read")

    server.close()
    server.closeAllConnections()
    other.close()
    const replayed = await run(["replay", tasks[0]?.id ?? ""])
    expect(replayed).toMatchObject({ code: 0, stdout: "hello yourself 7\n" })
    expect(asked).toEqual([])
  })
})

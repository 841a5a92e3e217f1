/**
 * The server of `hindcast mcp` over HTTP, for the conformance suite, which speaks HTTP alone: `node server.mjs LOG`. It
 * prints its URL.
 */
import * as http from "node:http"
import { Readable } from "node:stream"
import { createMcpHandler } from "@modelcontextprotocol/server"
import { Effect, Option, Runtime } from "effect"
import * as OpenedLog from "../../../dist/cli/mcp/server/OpenedLog.js"
import * as Server from "../../../dist/cli/mcp/server/Server.js"
import * as Tools from "../../../dist/cli/mcp/tools/Tools.js"

const [file] = process.argv.slice(2)

const served = Effect.gen(function* () {
  const log = yield* OpenedLog.make(Option.some(file), false)
  const handler = createMcpHandler(() => Server.make({ log, runtime: Runtime.defaultRuntime, tools: Tools.ALL }))
  const server = http.createServer(async (request, response) => {
    const body = request.method === "POST" ? { body: Readable.toWeb(request), duplex: "half" } : {}
    const answer = await handler.fetch(
      new Request(`http://127.0.0.1${request.url}`, { method: request.method, headers: request.headers, ...body }),
    )
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    if (answer.body === null) response.end()
    else Readable.fromWeb(answer.body).pipe(response)
  })
  server.listen(0, "127.0.0.1", () => process.stdout.write(`http://127.0.0.1:${server.address().port}/mcp\n`))
  return yield* Effect.never
})

Effect.runPromise(Effect.scoped(served))

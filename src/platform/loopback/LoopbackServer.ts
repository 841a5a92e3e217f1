/** HTTP for programs on this machine: a server that listens on 127.0.0.1 alone, and ends with its scope. */

import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { Effect, FiberSet, type Scope } from "effect"
import { PortUnavailable } from "./PortUnavailable.ts"

/** A request, where it is answered, and the port that it came in by. */
export interface Incoming {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly port: number
}

/**
 * Serves until the scope closes, which also ends what is being answered. What answers a client is interrupted when the client goes away.
 *
 * @param wanted the port to listen on; 0: one that is free
 * @returns the port that it listens on
 */
export const serve = <R>(
  wanted: number,
  answer: (incoming: Incoming) => Effect.Effect<void, never, R>,
): Effect.Effect<number, PortUnavailable, R | Scope.Scope> =>
  Effect.gen(function* () {
    const { createServer } = yield* Effect.promise(() => import("node:http"))
    const run = yield* FiberSet.makeRuntime<R, void>()
    let port = wanted
    const server = createServer((request, response) => {
      const fiber = run(answer({ request, response, port }))
      response.on("error", () => response.destroy())
      response.once("close", () => fiber.unsafeInterruptAsFork(fiber.id()))
    })
    port = yield* Effect.acquireRelease(listen(server, wanted), () => close(server))
    return port
  })

const listen = (server: Server, port: number): Effect.Effect<number, PortUnavailable> =>
  Effect.async((resume) => {
    server.once("error", (cause) => resume(new PortUnavailable({ port, reason: cause.message })))
    server.listen({ host: "127.0.0.1", port }, () => {
      const address = server.address()
      resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : port))
    })
  })

const close = (server: Server): Effect.Effect<void> =>
  Effect.async((resume) => {
    server.close(() => resume(Effect.void))
    server.closeAllConnections()
  })

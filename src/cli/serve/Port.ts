/**
 * Serves clients on a port of the loopback. A client first proves that it may read the file with the token, and that it
 * belongs to this user; only then does it get a session of its own.
 */
import * as fs from "node:fs"
import * as net from "node:net"
import { Data, Effect, Either, FiberSet, type Scope } from "effect"
import { isSameText, newToken } from "../../platform/loopback/Access.ts"
import { LOOPBACK } from "../../platform/loopback/Listening.ts"
import { PortUnavailable } from "../../platform/loopback/PortUnavailable.ts"
import * as OwnerOnly from "../../platform/OwnerOnly.ts"
import * as ProtocolStreams from "../command/ProtocolStreams.ts"
import { count } from "../terminal/Text.ts"
import * as Connection from "./Connection.ts"
import * as Methods from "./methods/Methods.ts"
import * as PeerUser from "./PeerUser.ts"
import * as Request from "./Request.ts"
import * as Session from "./Session.ts"

/** Maximum number of clients at the same time. Further ones are refused. */
const MAX_CLIENTS = 256

/** Maximum number of connections before their first request. Each further one closes the oldest. */
const MAX_UNPROVEN = 64

/** The same of other users' processes, which are told why they are refused: they take no places of the owner's. */
const MAX_FOREIGN = 16

/** Time for the first request, in milliseconds. */
const AUTHENTICATE_MS = 10_000

/** Maximum size of the first request, in bytes. */
const MAX_FIRST_BYTES = 4096

/** The first request of a client on a port. */
export const AUTHENTICATE = "authenticate"

/** Remove the file, or name another one: it exists, and may be another server's. */
export class TokenFileExists extends Data.TaggedError("TokenFileExists")<{
  readonly file: string
  readonly reason: string
}> {
  override get message() {
    return `${this.file}: expected to create the file with the token, found that ${this.reason}. Remove it if no other \`hindcast serve\` uses it, or name another file.`
  }
}

/** A server that listens. */
export interface Listening {
  readonly port: number
}

/**
 * Listens until the scope closes, and then removes the file.
 *
 * @param wanted the port; 0 for a free one
 * @param file a new file for `{ port, token, pid }`, which only its owner may read: the token is on no command line and in
 *   no log
 */
export const listen = (
  wanted: number,
  file: string,
): Effect.Effect<Listening, PortUnavailable | TokenFileExists, Scope.Scope> =>
  Effect.gen(function* () {
    const token = newToken()
    const runFork = yield* FiberSet.makeRuntime<never>()
    const sockets = new Set<net.Socket>()
    const [unproven, foreign, clients] = [new Set<net.Socket>(), new Set<net.Socket>(), new Set<net.Socket>()]
    // The session of a client that has sent everything ends first: only then may it see the end of the connection.
    const server = net.createServer({ allowHalfOpen: true }, (socket) => {
      sockets.add(socket)
      const [waiting, most] = foreigner(socket) === undefined ? [unproven, MAX_UNPROVEN] : [foreign, MAX_FOREIGN]
      const [oldest] = waiting
      if (waiting.size >= most) oldest?.destroy()
      waiting.add(socket)
      socket.once("close", () => {
        for (const known of [sockets, waiting, clients]) known.delete(socket)
      })
      // The end of a connection is reported where it is read.
      socket.on("error", () => {})
      const admitted = (): string | undefined => {
        waiting.delete(socket)
        if (clients.size >= MAX_CLIENTS) return `Expected at most ${MAX_CLIENTS} clients, found another one.`
        clients.add(socket)
        return undefined
      }
      runFork(client(socket, token, admitted))
    })
    const port = yield* Effect.acquireRelease(listening(server, wanted), () =>
      Effect.async<void>((resume) => {
        server.close(() => resume(Effect.void))
        for (const socket of sockets) socket.destroy()
      }),
    )
    yield* Effect.acquireRelease(written(file, { port, token, pid: process.pid }), () =>
      Effect.sync(() => fs.rmSync(file, { force: true })),
    )
    return { port }
  })

const listening = (server: net.Server, wanted: number): Effect.Effect<number, PortUnavailable> =>
  Effect.async((resume) => {
    server.once("error", (cause: Error) => resume(new PortUnavailable({ port: wanted, reason: cause.message })))
    server.listen(wanted, LOOPBACK, () => {
      const address = server.address()
      resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : wanted))
    })
  })

const written = (file: string, contents: object): Effect.Effect<void, TokenFileExists> =>
  Effect.try({
    // Never follows a link, and never takes a file that somebody else may read.
    try: () => fs.writeFileSync(file, `${JSON.stringify(contents)}\n`, { flag: "wx", mode: OwnerOnly.FILE_MODE }),
    catch: (cause) => {
      const code = cause instanceof Error && "code" in cause ? cause.code : undefined
      const reason = code === "EEXIST" ? "it exists" : cause instanceof Error ? cause.message : String(cause)
      return new TokenFileExists({ file, reason })
    },
  })

/** `admitted` takes a client that has proved who it is, or says why not. */
const client = (socket: net.Socket, token: string, admitted: () => string | undefined): Effect.Effect<void> =>
  Effect.gen(function* () {
    const refused = yield* authenticated(socket, token, admitted)
    if (refused !== undefined) {
      const failure = { exitCode: 1, tag: "Unauthorized", message: refused } as const
      socket.end(Request.refusal(null, failure))
      return
    }
    const session = yield* Session.make
    const unfinished = yield* Connection.serve({ input: socket, output: socket, methods: Methods.ALL, session })
    if (unfinished > 0) {
      ProtocolStreams.remark(`a client ended in the middle of a request (${count(unfinished, "byte")})`)
    }
  }).pipe(Effect.scoped, Effect.ensuring(Effect.sync(() => socket.destroySoon())))

/** Reads the first request and answers it. Why the client may go no further, or undefined. */
const authenticated = (
  socket: net.Socket,
  token: string,
  admitted: () => string | undefined,
): Effect.Effect<string | undefined> =>
  Effect.async((resume) => {
    let held = Buffer.alloc(0)
    const done = (refused: string | undefined) => {
      clearTimeout(timer)
      socket.off("data", onData).off("end", onClose).off("close", onClose)
      socket.pause()
      resume(Effect.succeed(refused))
    }
    const onClose = () => done("Expected a first request, found the end of the connection.")
    const onData = (chunk: Buffer) => {
      held = Buffer.concat([held, chunk])
      const end = held.indexOf(10)
      if (end < 0 && held.length <= MAX_FIRST_BYTES) return
      if (end < 0 || end > MAX_FIRST_BYTES)
        return done(`Expected a first request of at most ${MAX_FIRST_BYTES} bytes, found more.`)
      const [id, wrong] = judged(held.toString("utf8", 0, end), token, socket)
      const refused = wrong ?? admitted()
      if (refused === undefined) socket.write(Request.answer(id, true))
      const rest = held.subarray(end + 1)
      done(refused)
      if (rest.length > 0) socket.unshift(rest)
    }
    const timer = setTimeout(
      () => done(`Expected a first request within ${AUTHENTICATE_MS} ms, found none.`),
      AUTHENTICATE_MS,
    )
    socket.on("data", onData).once("end", onClose).once("close", onClose)
  })

const EXPECTED = `Expected the first request to be \`${AUTHENTICATE}\` with the token of the server's file`

const judged = (line: string, token: string, socket: net.Socket): readonly [Request.RequestId, string | undefined] => {
  const request = Request.decode({ text: line })
  if (Either.isLeft(request)) return [0, `${EXPECTED}, found no request.`]
  const { id, method, params } = request.right
  const given = typeof params === "object" && params !== null && "token" in params ? params.token : undefined
  if (method !== AUTHENTICATE || typeof given !== "string")
    return [id, `${EXPECTED}, found ${JSON.stringify(method.slice(0, 40))}.`]
  if (!isSameText(given, token)) return [id, `${EXPECTED}, found another token.`]
  return [id, foreigner(socket)]
}

/** The mistake of a process of another user; undefined for one of this user, and where the system does not tell. */
const foreigner = (socket: net.Socket): string | undefined => {
  const user = PeerUser.of(socket)
  const own = process.getuid?.()
  return user === undefined || own === undefined || user === own
    ? undefined
    : `Expected a process of the user ${own}, found one of the user ${user}.`
}

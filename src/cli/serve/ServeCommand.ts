/** The command `hindcast serve`: questions about logs, and worlds, for programs in other languages; listeners for agents. */
import * as path from "node:path"
import { Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import { defined } from "../../values/defined.ts"
import { BadInput } from "../command/BadInput.ts"
import { flag, given, log, optionalText, port as portNumber } from "../command/CommonOptions.ts"
import * as ProtocolStreams from "../command/ProtocolStreams.ts"
import { count } from "../terminal/Text.ts"
import * as UntilEnded from "../terminal/UntilEnded.ts"
import * as Connection from "./Connection.ts"
import * as ListenerServer from "./listeners/ListenerServer.ts"
import * as Methods from "./methods/Methods.ts"
import * as OpenEnvServer from "./openenv/OpenEnvServer.ts"
import * as Port from "./Port.ts"
import * as Session from "./Session.ts"

const stdio = flag("stdio", "Serve one client on the standard input and output, and end with it")
const port = Options.optional(portNumber("port")).pipe(
  Options.withDescription(
    "Serve on a port of 127.0.0.1; 0 for a free one. Needs --token-file, --openenv or --listener",
  ),
)
const tokenFile = optionalText(
  "token-file",
  "With --port: a new file for the port and the token, which only you may read. Removed at the end",
)

const openenv = optionalText(
  "openenv",
  "With --port: serve clients of OpenEnv, without a token. A world's name, or its plugin's directory",
)

const options = { stdio, port, tokenFile, openenv, log, ...ListenerServer.options }

export const serve = Command.make("serve", options, ({ stdio, port, tokenFile, openenv, log, ...listening }) =>
  Effect.gen(function* () {
    const bad = (expected: string, found: string, advice?: string) =>
      new BadInput({ input: "serve", expected, found, ...defined({ advice }) })
    if (listening.listener.length > 0) {
      if (stdio || Option.isSome(tokenFile) || Option.isSome(openenv)) {
        return yield* bad("--listener with --port and --log", "an option of another kind of server")
      }
      return yield* ListenerServer.serve({ ...listening, port, log })
    }
    const unused = ListenerServer.unusedOf(listening)
    if (unused !== undefined) return yield* bad(`--listener with --${unused}`, "none")
    if (Option.isSome(openenv)) {
      if (stdio || Option.isSome(tokenFile)) return yield* bad("--openenv with --port alone", "another option")
      if (Option.isNone(port)) return yield* bad("--port with --openenv", "none", "--port 0 takes a free one.")
      const settings = { gate: "ask", sandbox: "auto", trust: false } as const
      const served = { world: openenv.value, ...settings, ...given({ log }) }
      const listening = yield* OpenEnvServer.serve(served, port.value)
      yield* UntilEnded.begin
      ProtocolStreams.remark(`serving ${openenv.value} to clients of OpenEnv on http://127.0.0.1:${listening}`)
      return yield* Effect.never
    }
    if (Option.isSome(log))
      return yield* bad("--log with --listener or --openenv", "--log alone", "Clients name their logs.")
    if (Option.isSome(port) !== Option.isSome(tokenFile))
      return yield* bad("--port and --token-file together", "one of them")
    if (Option.isSome(port) && Option.isSome(tokenFile)) {
      if (stdio) return yield* bad("--stdio or --port", "both")
      yield* UntilEnded.begin
      const file = path.resolve(tokenFile.value)
      const listening = yield* Port.listen(port.value, file)
      ProtocolStreams.remark(`serving on 127.0.0.1:${listening.port}; programs of yours find the token in ${file}`)
      return yield* Effect.never
    }
    if (!stdio) {
      return yield* bad(
        "--stdio or --port",
        "no connection to serve",
        "Programs start `hindcast serve --stdio` themselves; the Python package does.",
      )
    }
    const session = yield* Session.make
    yield* UntilEnded.begin
    const { input, output } = ProtocolStreams
    const unfinished = yield* Connection.serve({ input, output, methods: Methods.ALL, session })
    if (unfinished > 0) {
      ProtocolStreams.remark(`the client ended in the middle of a request (${count(unfinished, "byte")})`)
    }
  }).pipe(Effect.scoped),
).pipe(
  Command.withDescription(
    "Serve a program in another language: questions about logs, and worlds, as lines of JSON. The Python package starts it. Or let agents work on the signals of listeners",
  ),
)

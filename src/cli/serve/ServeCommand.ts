/** The command `hindcast serve`: questions about logs, and worlds, for programs in other languages. */
import { Command } from "@effect/cli"
import { Effect } from "effect"
import { BadInput } from "../command/BadInput.ts"
import { flag } from "../command/CommonOptions.ts"
import * as ProtocolStreams from "../command/ProtocolStreams.ts"
import { count } from "../terminal/Text.ts"
import * as UntilEnded from "../terminal/UntilEnded.ts"
import * as Connection from "./Connection.ts"
import * as Methods from "./methods/Methods.ts"
import * as Session from "./Session.ts"

const stdio = flag("stdio", "Serve one client on the standard input and output, and end with it")

export const serve = Command.make("serve", { stdio }, ({ stdio }) =>
  Effect.gen(function* () {
    if (!stdio) {
      return yield* new BadInput({
        input: "serve",
        expected: "--stdio",
        found: "no connection to serve",
        advice: "Programs start `hindcast serve --stdio` themselves; the Python package does.",
      })
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
    "Serve a program in another language: questions about logs, and worlds, as lines of JSON. The Python package starts it",
  ),
)

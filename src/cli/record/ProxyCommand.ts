/** The command `hindcast proxy`: a long-running proxy that records the model requests of a team's services. */
import { Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import * as ConversationRuns from "../../record/conversations/ConversationRuns.ts"
import { common, optionalText, port as portNumber } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as HealthOption from "../health/HealthOption.ts"
import * as HealthServer from "../health/HealthServer.ts"
import * as Text from "../terminal/Text.ts"
import * as UntilEnded from "../terminal/UntilEnded.ts"
import * as ProxiedProgram from "./ProxiedProgram.ts"

/** Interval of the check for silent conversations, in milliseconds. */
const IDLE_CHECK_MS = 60_000

const LOOPBACK = "127.0.0.1"

export const proxy = Command.make(
  "proxy",
  {
    ...common,
    port: portNumber("port").pipe(
      Options.withDescription("The port to listen on. Default: any free port"),
      Options.optional,
    ),
    host: optionalText(
      "host",
      "The address to listen on, such as 0.0.0.0. Everybody who reaches it can use the proxy. Default: 127.0.0.1",
    ),
    health: HealthOption.option,
    agent: optionalText("agent", "The services' name in the log. Default: services"),
  },
  ({ log, json, port, host, health, agent }) =>
    Effect.gen(function* () {
      const { proxying, forwarding, env: own } = yield* ProxiedProgram.parts()
      const address = Option.getOrElse(host, () => LOOPBACK)
      // Beyond the loopback, do not sign other people's requests with this environment's credentials.
      const env =
        address === LOOPBACK ? own : { ...own, AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined }
      const routes = yield* ProxiedProgram.attempt(async () => proxying.routes(env))
      const place = yield* OpenLog.placeOf(log)
      const options = { log: place.open, agent: Option.getOrElse(agent, () => "services") }
      const means = { means: "proxy" as const, addresses: proxying.namedSafely(routes) }
      const runs = yield* Effect.acquireRelease(
        ProxiedProgram.attempt(() =>
          ConversationRuns.open({ ...options, means, onLogFailure: "go-on", isService: true }),
        ),
        // Tasks stay open: the next proxy continues their conversations.
        (runs) => Effect.promise(() => runs.close("leave").catch(() => {})),
      )
      const served = yield* ProxiedProgram.opened(
        proxying.recording(
          { routes, forwarding, env, exchange: (sent, { run }) => runs.exchange(sent, { run }) },
          { port: Option.getOrElse(port, () => 0), host: address },
        ),
      )
      yield* Effect.addFinalizer(() => ProxiedProgram.noteUnrecorded(served.unrecorded))
      const variables = routes.variables(served.url)
      yield* HealthServer.serve(health, { log })
      yield* UntilEnded.begin
      yield* json
        ? Output.writeWhole(Text.json({ url: served.url, variables }))
        : Output.show(json, {}, () => [
            `Recording what passes ${served.url} to ${place.name}, each conversation as a task. Press Ctrl-C to stop.`,
            "",
            ...Object.entries(variables).map(([name, value]) => `export ${name}=${value}`),
            "",
            `${served.url}/run/NAME/… instead of ${served.url}/…, or the header x-hindcast-run: NAME, names the task.`,
          ])
      return yield* Effect.forever(
        Effect.delay(
          Effect.promise(() => runs.closeIdle()),
          IDLE_CHECK_MS,
        ),
      )
    }).pipe(Effect.scoped),
).pipe(
  Command.withDescription(
    "Record the model calls of services: a proxy on the loopback, which forwards to the providers until you interrupt it. Each conversation is a task; a service can name the task by a path prefix or a header",
  ),
)

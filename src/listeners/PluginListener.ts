/** Listeners of plugins: the host opens the port and checks signatures, and the plugin's function reads the requests. */

import { Effect } from "effect"
import type { LogError } from "../events/log/EventLog.ts"
import type { NoSuchListener } from "../kernel/instances/PluginListeners.ts"
import type { Kernel } from "../kernel/Kernel.ts"
import type { NotInRegistry } from "../kernel/registry/Registry.ts"
import type { PluginListener } from "../plugins/manifest/Manifest.ts"
import { defined } from "../values/defined.ts"
import * as Options from "../values/Options.ts"
import type { Signature } from "./http/Signature.ts"
import * as Webhook from "./http/Webhook.ts"
import type { Listener } from "./Listener.ts"
import { Signal } from "./Signal.ts"

/** The name of a plugin's listener: `plugin/listener`. */
export const NAME = /^[a-z0-9][a-z0-9._-]*\/[^\s/]+$/

/** Headers that plugins do not see: they hold keys. */
const SECRET_HEADERS: ReadonlySet<string> = new Set(["authorization", "cookie", "proxy-authorization"])

/**
 * The listener that a name stands for, such as `shop/orders`. It is a webhook at `/shop/orders`, and `shop-orders` in the
 * log.
 */
export const named = (
  kernel: Kernel.Service,
  name: string,
): Effect.Effect<Listener, Options.InvalidOptions | NotInRegistry | NoSuchListener | LogError> =>
  Effect.gen(function* () {
    const [plugin = "", component = ""] = name.split("/")
    const { declared } = yield* Effect.scoped(kernel.listener(plugin, component))
    const signature = yield* signatureOf(name, declared)
    const options = {
      name: `${plugin}-${component}`.toLowerCase(),
      path: `/${plugin}/${component}`,
      ...defined({ signature, maxBytes: declared.maxBytes }),
    }
    const decoded = yield* Options.decode("Listener.serve", Webhook.WebhookOptions, options)
    return Webhook.listener(decoded, "plugin", (context) =>
      Effect.map(kernel.listener(plugin, component), ({ hear }) => (request) => {
        const headers = Object.entries(request.headers).filter(([header]) => !SECRET_HEADERS.has(header))
        const asked = { ...request, headers: Object.fromEntries(headers) }
        return hear(asked).pipe(
          Effect.flatMap((heard) => (heard === null ? Effect.succeed(undefined) : heardOf(name, heard))),
          Effect.tapError((error) =>
            Effect.sync(() => {
              // Its process is gone for good; a new start gets another.
              if (error._tag === "WorldLost") context.fail(error)
            }),
          ),
          Effect.mapError(({ message }) => ({ _tag: "PluginFailed", message })),
        )
      }),
    )
  })

const heardOf = (name: string, heard: unknown) => Options.decode(`what ${name} returned`, Signal, heard)

const signatureOf = (
  name: string,
  { signature }: PluginListener,
): Effect.Effect<Signature | undefined, Options.InvalidOptions> => {
  if (signature === undefined) return Effect.succeed(undefined)
  const secret = process.env[signature.secret]
  return secret === undefined || secret === ""
    ? new Options.InvalidOptions({
        of: "Listener.serve",
        problems: [
          {
            path: `the environment variable ${signature.secret}`,
            expected: `the secret of ${name}'s sender`,
            found: "nothing",
          },
        ],
      })
    : Effect.succeed({ scheme: signature.scheme, secret })
}

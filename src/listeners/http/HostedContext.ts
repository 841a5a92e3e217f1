/** The context of the kinds of listeners that take a path of the host's port. */

import type { Effect, Scope } from "effect"
import type { ListenerContext } from "../Listener.ts"
import type { Route } from "./HttpHost.ts"

export interface HostedContext extends ListenerContext {
  /** Takes a path of the host's port until the scope closes, and returns its URL. The host opens the port. */
  readonly serve: (route: Route) => Effect.Effect<string, unknown, Scope.Scope>
}

/** The context with the port: every context that a host passes is one. Public declarations leave Node's types out. */
export const hosted = (context: ListenerContext): HostedContext => context as HostedContext

/** Questions of MCP servers to people: through the log's confirmations. */
import { Effect, Stream } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import { provenanceOf } from "../../events/log/Ownership.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import type { AskPerson } from "../../plugins/mcp/AskPerson.ts"
import * as ToolPins from "../../plugins/mcp/ToolPins.ts"
import { confirmationOf } from "../../projections/state/ConfirmationAnswer.ts"
import * as ConfirmationRequests from "../gate/ConfirmationRequests.ts"
import * as Gate from "../gate/Gate.ts"

/** @param served returns the task that a question names, or else the task that the process serves */
export const asking =
  (
    log: EventLog.Service,
    gate: Gate.GateConfig | undefined,
    served: (instanceName: string | null | undefined) => { readonly taskId: string | null; readonly timeline: string },
  ): AskPerson =>
  ({ argsDigest, shown, causationId, taskId }) =>
    Effect.map(
      ConfirmationRequests.ask(log, {
        ...served(taskId),
        argsDigest,
        shown,
        withinMs: gate?.confirmWithinMs ?? Gate.CONFIRM_WITHIN_MS,
        causationId,
      }),
      ({ kind, event }) => {
        const answered = { causationId: event.id }
        if (kind !== "approved") return { approved: false, isRejected: kind === "rejected", ...answered }
        const confirmationId = confirmationOf(event.stream) ?? ""
        const reason = is(event, "ConfirmationDecided") ? event.payload.reason : undefined
        return { approved: true, confirmationId, reason, ...answered }
      },
    )

/** Digests of the server's tools that people approved, by name. Only events of this user on this machine count. */
export const approvedTools = (log: EventLog.Service, plugin: string): Effect.Effect<ToolPins.Pins, LogError> =>
  Effect.gen(function* () {
    const provenance = yield* provenanceOf(log)
    if (provenance.kind !== "own") return undefined
    const own = { stream: `plugin/${plugin}`, types: ["ToolsPinned"] as const, after: provenance.foreignUpTo }
    return ToolPins.fold(yield* Stream.runCollect(log.read(own)))
  })

/** Asks the person at the client: the question is the result of a call, and the answer comes with its repetition. */

import { Effect } from "effect"
import type { RequestedEvent } from "../kernel/gate/ConfirmationRequests.ts"
import * as Confirmations from "../kernel/gate/Confirmations.ts"
import { userName } from "../platform/user/Machine.ts"
import * as Projector from "../projections/projector/Projector.ts"
import type { OpenedLog } from "../record/log/OpenedLog.ts"
import type { JsonObject } from "../values/Json.ts"
import { asObject, isObject } from "../values/JsonObjects.ts"
import { visibleLines } from "../values/PlainText.ts"
import type * as Message from "./Message.ts"
import type { Bound, RequestState } from "./RequestState.ts"

export interface Approval {
  /** The result that asks. Undefined if the arguments are too long to be shown whole. */
  readonly question: (requested: RequestedEvent, call: Bound & { readonly commandId: string }) => JsonObject | undefined
  /** Records the person's answer, if the request has one and the question still waits. */
  readonly decide: (requested: RequestedEvent | undefined, request: Message.Request) => Promise<void>
}

/** The name of the question in `inputRequests` and `inputResponses`. */
export const KEY = "hindcast-approval"

/** Maximum length of the shown arguments, in characters. */
const MAX_SHOWN = 4_000

const CHANNEL = "mcp"

export const make = ({ opened, state }: { readonly opened: OpenedLog; readonly state: RequestState }): Approval => ({
  question: ({ payload }, call) => {
    const args = JSON.stringify(payload.shown.args ?? null, undefined, 2)
    if (args.length > MAX_SHOWN) return undefined
    const { confirmationId, expiresAt } = payload
    return {
      resultType: "input_required",
      inputRequests: {
        [KEY]: {
          method: "elicitation/create",
          params: {
            mode: "form",
            message: visibleLines(`May ${call.actuator} run with these arguments?\n${args}`),
            requestedSchema: {
              type: "object",
              properties: { approve: { type: "boolean", title: "Approve this call", default: false } },
              required: ["approve"],
            },
          },
        },
      },
      requestState: state.sign({ purpose: "approval", confirmationId, expiresAt, ...call }),
    }
  },
  decide: async (requested, request) => {
    const answer = asObject(asObject(request.params.inputResponses)[KEY])
    const { action, content } = answer
    // A dismissed question still waits, for the terminal or Studio.
    if (requested === undefined || (action !== "accept" && action !== "decline")) return
    const isApproved = action === "accept" && isObject(content) && content.approve === true
    const { confirmationId, shownDigest } = requested.payload
    const decision = {
      approved: isApproved,
      by: userName(),
      channel: CHANNEL,
      ...(isApproved && shownDigest !== undefined ? { shownDigest } : {}),
    }
    await opened.run(
      Effect.flatMap(Confirmations.Confirmations, (confirmations) =>
        confirmations.decide(confirmationId, decision),
      ).pipe(
        // Somebody decided elsewhere in the meantime: the first answer counts.
        Effect.catchTag("NotPending", () => Effect.void),
        Effect.provide(Confirmations.layer),
        Effect.provide(Projector.layer),
      ),
    )
  },
})

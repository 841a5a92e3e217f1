import { Effect } from "effect"
import type { AnswerPart } from "../../../src/agents/models/Message.ts"
import type { Model, TurnRequest } from "../../../src/agents/models/Model.ts"
import { turn } from "../given.ts"

/** A model that answers by how far its conversation has come, as a provider does, and keeps what it was asked. */
export const answering = (turns: ReadonlyArray<ReadonlyArray<AnswerPart>>, name = "one") => {
  const requests: Array<TurnRequest> = []
  const model: Model = {
    provider: "test",
    model: name,
    turn: (request) =>
      Effect.suspend(() => {
        requests.push(request)
        const answers = request.messages.filter(({ role }) => role === "assistant").length
        return Effect.succeed(turn(turns[answers] ?? []))
      }),
  }
  return { model, requests }
}

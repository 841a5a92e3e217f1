/** Unpacks the models' requests in a shared file (`wire/Saw`). */
import type { SeenTurn } from "../../../projections/request/SeenTurn.ts"
import type { WholeRequest } from "../../../projections/request/WholeRequest.ts"
import type { SharedRequests } from "../../wire/Saw.ts"

/** The turn of an event; null if there is no request before it. */
export const turnAt = ({ of, messages, parts, turns }: SharedRequests, position: number): SeenTurn | null => {
  const called = of.findLast(([from]) => from <= position)?.[1] ?? null
  let told: ReadonlyArray<number> = []
  for (const { turn, same, messages: news, parts: at } of turns) {
    told = [...told.slice(0, same), ...news]
    if (turn.request.position !== called) continue
    const [system, tools, settings] = at.map((index) => parts[index])
    // The server packed them from a request.
    const whole = { system, tools, settings, messages: told.map((index) => messages[index]) }
    return { ...turn, request: { ...turn.request, ...whole } as WholeRequest }
  }
  return null
}

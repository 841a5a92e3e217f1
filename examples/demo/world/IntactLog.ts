/** The part of the tour that verifies its log. */
import { Effect } from "effect"
import type { Stage } from "../Stage.ts"
import { at, count } from "../Words.ts"

export const verify = ({ part, say, style, user }: Stage, heading: string, why: string) =>
  Effect.gen(function* () {
    yield* part(heading, why)
    const { head, events } = yield* user.verified
    yield* say(`${style.good("Intact")}: ${count(events, "event")}, head ${at(head.position)} ${style.dim(head.hash)}`)
    return { intact: true, head, events }
  })

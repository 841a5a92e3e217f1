/** Why an event happened, as a picture: the event, its cause, the cause's cause, and so on. */

import { RULES } from "../../events/vocabulary/Inference.ts"
import * as EventSummary from "../summary/EventSummary.ts"
import type { Cause } from "../timetravel/causes/Causes.ts"
import type { ChainPicture } from "./drawChain.ts"

/** The picture of a chain of causes, which begins with the event that they are causes of. */
export const of = (chain: ReadonlyArray<Cause>): ChainPicture => {
  const [event] = chain
  return {
    title: event === undefined ? "No event" : `Why ${event.type} @${event.position}?`,
    sentence: "",
    links: chain.map((cause) => ({
      ...{ position: cause.position, heading: cause.type, rule: cause.rule, bad: false },
      says: EventSummary.of(cause),
    })),
    rules: Object.fromEntries(chain.flatMap(({ rule }) => (rule === undefined ? [] : [[rule, RULES[rule]]]))),
  }
}

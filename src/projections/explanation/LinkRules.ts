/** The rules by which a link of an explanation is inferred. A link without a rule was recorded. */

import { type InferenceRule, RULES as RECORDED } from "../../events/vocabulary/Inference.ts"

/** A rule: the name of its finding within a sentence, and its method. */
interface Rule {
  readonly phrase: string
  readonly says: string
}

/** The kinds of `Suspects` that somebody reads about, and the rules of `Unread`. */
const OWN: { readonly [rule: string]: Rule } = {
  "worked around": {
    phrase: "a way around a denied call",
    says: "a call was denied, and a later one that names the same thing succeeded",
  },
  denied: { phrase: "a denied call", says: "a call was denied, and no later call that names the same thing succeeded" },
  "stale read": {
    phrase: "a stale reading",
    says: "the call has a value from an earlier result, and somebody else acted on the same thing in between",
  },
  "sources disagree": {
    phrase: "results that disagree",
    says: "two results state different values of the same thing, and no call that names it came in between",
  },
  failed: { phrase: "a failed call", says: "the call failed, and nothing repeated it with success" },
  "failed once": { phrase: "a call that failed once", says: "the call failed, and succeeded when it was repeated" },
  "problem in a result": {
    phrase: "a problem in a result",
    says: "the call succeeded, but its result has a member that usually reports a problem",
  },
  "altered value": {
    phrase: "an altered value",
    says: "no earlier text has a value of the call, but one that is almost the same",
  },
  "unheard value": { phrase: "a value without a source", says: "no earlier text has a value of the call" },
  "unheard number": { phrase: "a number without a source", says: "no earlier text has a number of the call" },
  "after an input": {
    phrase: "a call about a person's request",
    says: "the call names a thing that a person had said something about",
  },
  loop: { phrase: "a loop", says: "the same call had the same outcome at least three times" },
  "same thing before": {
    phrase: "an earlier call about the same thing",
    says: "the call names the same thing as the one where the failure shows",
  },
  "source of the end": {
    phrase: "a source of the last call",
    says: "a value of the call where the failure shows occurs in it",
  },
  slow: { phrase: "a slow call", says: "the call took ten seconds or more" },
  "same values": { phrase: "a source of its values", says: "values of the call occur in it, perhaps by chance" },
  "no reading since": {
    phrase: "a change that it had not read",
    says: "the world changed between the agent's last reading of it and the call, and not by the agent's own call",
  },
  "never named": {
    phrase: "a file that it had not read",
    says: "no earlier call and no earlier text of the task names the file that the call changes",
  },
}

/** Events that report trouble by their type, such as `ModelFailed`. */
const BY_TYPE: Rule = { phrase: "", says: "the type of the event reports trouble" }

/** The name of a rule's finding within a sentence: `a stale reading`; the type's name for events of trouble. */
export const phraseOf = (rule: string): string => (Object.hasOwn(OWN, rule) ? (OWN[rule]?.phrase ?? rule) : rule)

/** The sentence of a rule, which follows a colon. */
export const saysOf = (rule: string): string => {
  if (Object.hasOwn(OWN, rule)) return OWN[rule]?.says ?? BY_TYPE.says
  return Object.hasOwn(RECORDED, rule) ? RECORDED[rule as InferenceRule] : BY_TYPE.says
}

/** The parts of a session that a client's hooks see, and those that they do not: each session's task says it once. */

import type { CoreNewEvent } from "../events/log/EventLog.ts"
import type { Lack } from "../events/vocabulary/Notes.ts"
import * as FormatCapture from "../importing/runs/FormatCapture.ts"
import * as Capture from "../projections/state/Capture.ts"
import * as Installers from "./install/Installers.ts"

/** By the names that imports use: what the session's file shows is not lacking once it is merged. */
const LACKS: ReadonlyArray<Lack> = [
  { what: FormatCapture.MODELS.what, why: "hooks tell of prompts, calls and messages; models are asked elsewhere" },
  { what: FormatCapture.TOKENS.what, why: "hooks tell neither tokens nor costs: import the session's file" },
  { what: FormatCapture.REQUESTS.what, why: "hooks tell of no request" },
  { what: FormatCapture.SETTINGS.what, why: "hooks tell of no request" },
  { what: FormatCapture.INSTRUCTIONS.what, why: "hooks tell of no request" },
  { what: FormatCapture.DEFINITIONS.what, why: "hooks tell of no request" },
  {
    what: FormatCapture.WORLD.what,
    why: "hooks tell the arguments and the result of a call: not what a shell or its background processes did",
  },
]

/** The event with which a session's task begins. */
export const noted = (client: string): CoreNewEvent => {
  const limits = Installers.named(client)?.limits ?? []
  const calls = { what: "calls that reach no hook", why: ["They count as not gated.", ...limits].join(" ") }
  return { type: "CaptureNoted", payload: { source: Capture.HOOKS, unseen: [], lacks: [...LACKS, calls] } }
}

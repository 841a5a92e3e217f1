/** The parts of a session that hooks or a connection see, and those that they do not: each session's task says it once. */

import type { CoreNewEvent } from "../events/log/EventLog.ts"
import type { Lack } from "../events/vocabulary/Notes.ts"
import type { RecorderMeans } from "../events/vocabulary/Tasks.ts"
import * as FormatCapture from "../importing/runs/FormatCapture.ts"
import * as Installers from "./install/Installers.ts"

/** By the names that imports use: a merged session file supplies some of these. */
const OF_HOOKS: ReadonlyArray<Lack> = [
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

/** A person's choice, and rules, count for permission requests; the agent itself reports the rest of a connection. */
const OF_ACP: ReadonlyArray<Lack> = [
  {
    what: "calls that the agent does not ask about",
    why: "Permission requests are gated. Other calls are observed if the agent reports them: they count as not gated.",
  },
  { what: FormatCapture.MODELS.what, why: "the agent asks models itself" },
  { what: FormatCapture.TOKENS.what, why: "usage that an agent sends is kept as it came, and not counted" },
  { what: FormatCapture.REQUESTS.what, why: "the agent asks models itself" },
  { what: FormatCapture.SETTINGS.what, why: "the agent asks models itself" },
  { what: FormatCapture.INSTRUCTIONS.what, why: "the agent tells its editor none" },
  { what: FormatCapture.DEFINITIONS.what, why: "the agent tells its editor the kinds of calls, and no tools" },
  {
    what: FormatCapture.WORLD.what,
    why: "the agent tells what a call did: not what a shell or its background processes did",
  },
  { what: "history from before the recording", why: "what an agent repeats of a loaded session is not recorded again" },
]

/** How Hindcast sees the sessions of coding agents. */
export type Means = Extract<RecorderMeans["means"], "hooks" | "acp">

/** The event with which a session's task begins. */
export const noted = (means: Means, client: string): CoreNewEvent => {
  if (means === "acp") return { type: "CaptureNoted", payload: { source: means, unseen: [], lacks: OF_ACP } }
  const limits = Installers.named(client)?.limits ?? []
  const calls = { what: "calls that reach no hook", why: ["They count as not gated.", ...limits].join(" ") }
  return { type: "CaptureNoted", payload: { source: means, unseen: [], lacks: [...OF_HOOKS, calls] } }
}

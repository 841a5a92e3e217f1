/** Loads the agent of `--agent`: the default export of a JavaScript module. */
import { Data, Effect } from "effect"
import * as Agent from "../../kernel/agents/Agent.ts"
import * as DefaultExport from "./DefaultExport.ts"

export class AgentUnavailable extends Data.TaggedError("AgentUnavailable")<{
  readonly file: string
  readonly found: string
  readonly missing?: boolean
}> {
  override get message() {
    return `--agent ${this.file}: expected a JavaScript module whose default export is an agent, found ${this.found}.`
  }
}

/** The default export of a module as an agent. Runs the module in this process, with all of its permissions. */
export const load = (file: string): Effect.Effect<Agent.Agent, AgentUnavailable | Agent.NotAnAgent> =>
  Effect.gen(function* () {
    const exported = yield* Effect.mapError(DefaultExport.load(file), (why) => new AgentUnavailable({ file, ...why }))
    return yield* Agent.fromUnknown(file, exported)
  })

/** Loads the agent of `--agent`: the default export of a JavaScript module. */
import * as fs from "node:fs"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import { Data, Effect } from "effect"
import * as Agent from "../../kernel/agents/Agent.ts"

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
    const absolute = path.resolve(file)
    const found = fs.statSync(absolute, { throwIfNoEntry: false })
    if (found?.isFile() !== true) {
      return yield* new AgentUnavailable({
        file,
        found: found?.isDirectory() === true ? "a directory" : "no such file",
        missing: found === undefined,
      })
    }
    const module = yield* Effect.tryPromise({
      try: (): Promise<{ readonly default?: unknown }> => import(pathToFileURL(absolute).href),
      catch: (cause) =>
        new AgentUnavailable({
          file,
          found: `one that fails to load (${cause instanceof Error ? cause.message : cause})`,
        }),
    })
    return yield* Agent.fromUnknown(file, module.default)
  })

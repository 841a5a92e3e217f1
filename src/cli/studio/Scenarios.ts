/** The permissions of `--scenarios`: the directories, a preview of a world's start, and agents that play. */
import * as fs from "node:fs"
import { Effect, Layer, Option } from "effect"
import type { Agent } from "../../kernel/agents/Agent.ts"
import type * as Hindcast from "../../kernel/Hindcast.ts"
import type { Kernel } from "../../kernel/Kernel.ts"
import * as PluginHost from "../../plugins/process/PluginHost.ts"
import type { Staging } from "../../studio/Allowed.ts"
import * as Staged from "../../studio/scenarios/Staging.ts"
import { BadInput } from "../command/BadInput.ts"
import * as OpenLog from "../command/OpenLog.ts"
import type * as AgentAtWork from "../task/AgentAtWork.ts"
import type * as SharedKernel from "./SharedKernel.ts"

export const directoriesOf = (
  typed: ReadonlyArray<string>,
  write: boolean,
): Effect.Effect<ReadonlyArray<string>, BadInput> =>
  typed.length > 0 && !write
    ? new BadInput({ input: "--scenarios", expected: "--write with it", found: "none" })
    : Effect.forEach(typed, (directory) =>
        fs.statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true
          ? Effect.succeed(fs.realpathSync(directory))
          : new BadInput({
              input: "--scenarios",
              expected: "a directory",
              found: JSON.stringify(directory),
              missing: !fs.existsSync(directory),
            }),
      )

interface Given {
  readonly directories: ReadonlyArray<string>
  readonly agents: ReadonlyMap<string, Agent>
  readonly filename: string
  readonly inKernel: SharedKernel.InKernel<Kernel, Layer.Layer.Error<ReturnType<typeof Hindcast.layer>>>
  readonly typed: Pick<AgentAtWork.KernelInput, "sandbox" | "workspace">
}

export const staging = ({ directories, agents, filename, inKernel, typed }: Given) =>
  Effect.map(OpenLog.workspaceOf(typed.workspace), (workspace): Staging => {
    const services = Layer.merge(
      OpenLog.forReading(Option.some(filename)),
      PluginHost.layerOf({ sandbox: typed.sandbox }),
    )
    return {
      directories,
      agents,
      look: (played, seed) =>
        Effect.provide(Staged.look(played, seed, { workspace, directory: `${filename}.plugins` }), services),
      run: (agent, scenario, options) => inKernel(Staged.run(agent, scenario, options)),
    }
  })

import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import * as Models from "../../../src/agents/models/Models.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import { Registry } from "../../../src/kernel/registry/Registry.ts"
import { testKernel } from "../../kernel/testKernel.ts"
import { inRepository } from "../../repository.ts"
import { temporaryDirectory } from "../../temporary.ts"
import type { Subject } from "./contract.ts"
import { KEY } from "./servers.ts"

/** The example of a provider, for a server at another place. Answers its directory and the grants that it needs. */
export const gatewayFor = (url: string) =>
  Effect.gen(function* () {
    const directory = path.join(yield* temporaryDirectory, "gateway")
    fs.cpSync(inRepository("examples", "plugins", "gateway"), directory, { recursive: true })
    const file = path.join(directory, "looper-plugin.json")
    const { host } = new URL(url)
    const manifest = fs.readFileSync(file, "utf8").replaceAll("127.0.0.1:8000", host)
    fs.writeFileSync(file, manifest)
    return { directory, grants: { net: [host], env: ["GATEWAY_API_KEY"] } }
  })

/** A kernel with the gateway, for a server. */
export const gatewayKernel = (url: string, options: Parameters<typeof testKernel>[0] = {}) =>
  Effect.gen(function* () {
    process.env.GATEWAY_API_KEY = KEY
    const { directory, grants } = yield* gatewayFor(url)
    const kernel = yield* testKernel(options)
    const { run } = yield* kernel.start
    yield* run(Effect.flatMap(Registry, (registry) => registry.import(directory, { grants })))
    return { ...kernel, run }
  })

export const pluginSubject: Subject = {
  name: "a plugin",
  wire: "openai-compatible",
  modelAt: (url) =>
    Effect.gen(function* () {
      const { run } = yield* gatewayKernel(url)
      const task = yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.open({ goal: "Ask" })))
      const model = yield* Models.lazy("gateway/small")
      return yield* model.inTask?.(task) ?? Effect.die("it is no model of a plugin")
    }),
}
